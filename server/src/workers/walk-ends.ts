/**
 * Removes sessions and grants that ended before their latest possible time (`domain/sessions/early-ends.ts`), by a walk over all of them. One process
 * walks at a time, for two percent of its time: 100,000,000 rows take less than a day.
 */
import { hour_ms } from '../base/durations.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { createLease } from '../domain/events/lease.ts'
import { findPlace, keepPlace, rows_at_once, type WalkPosition, walks } from '../domain/sessions/early-ends.ts'

/** A walk begins this long after the one before has begun, or when that has ended. */
const walk_interval_ms = hour_ms
/** How long until another process goes on with the walk of one that stopped. */
const lease_ms = 60_000
/** How often `work` is called. */
export const turn_ms = 1_000
const work_ms_of_turn = 20
/** Where nothing was due, it is asked again after this time. */
const pause_ms = 60_000

export function createEndsWalk({ db, now, random }: Pick<Deployment, 'db' | 'now' | 'random'>) {
  const holdsLease = createLease({ db, now, random }, 'early ends', lease_ms)
  let left_ms = 0
  let paused_until_ms = 0

  /** Looks at the next rows. `false` where nothing is due, or another process walks. Two that walk at once do no harm. */
  async function slice(needs_lease: boolean): Promise<boolean> {
    const at = now()
    const place = nextWalk(await findPlace(db), at)
    if (place.walk === 'done' || (needs_lease && !(await holdsLease()))) return false
    const { find, remove } = walks[place.walk]
    const rows = await find(db, place, at)
    const last = rows.at(-1)
    const next: WalkPosition =
      rows.length === rows_at_once && last
        ? { ...place, environment_id: last.environment_id, id: last.id }
        : { ...place, walk: place.walk === 'sessions' ? 'grants' : 'done', environment_id: '', id: '' }
    const over = Map.groupBy(
      rows.filter(({ is_over }) => is_over),
      ({ environment_id }) => environment_id,
    )
    await db.many.batch([keepPlace(next), ...[...over].flatMap(([environment_id, some]) => remove(environment_id, some, at))])
    return true
  }

  return {
    /** One turn of the worker. A slice that took longer than its turn takes from the next ones. */
    async work(): Promise<void> {
      left_ms = Math.min(work_ms_of_turn, left_ms + work_ms_of_turn)
      if (performance.now() < paused_until_ms) return
      while (left_ms > 0) {
        const begun = performance.now()
        if (!(await slice(true))) {
          paused_until_ms = begun + pause_ms
          return
        }
        left_ms -= performance.now() - begun
      }
    },
    /** The rest of a walk at once, without a pause or a lease. */
    async finish(): Promise<void> {
      while (await slice(false));
    },
  }
}

/** A walk that is done begins again when it is due, or when the clock that began it was wrong. */
function nextWalk(place: WalkPosition | null, at: Date): WalkPosition {
  const since = at.getTime() - (place?.begun_at ?? 0)
  if (place && (place.walk !== 'done' || (since >= 0 && since < walk_interval_ms))) return place
  return { walk: 'sessions', environment_id: '', id: '', begun_at: at.getTime() }
}
