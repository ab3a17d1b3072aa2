/** Counts the people of an environment who signed in since a time, from the time of each one's last sign-in. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { restartLimit } from '../../base/database-time.ts'
import { hour_ms } from '../../base/durations.ts'
import { type Db, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'

/** `null` for an environment with more users than are counted. `since` counts from the beginning of its hour. */
export type CountActive = (environment_id: EnvironmentId, since: Date) => Promise<number | null>

const kept_ms = 60_000
const most_kept = 1_000

interface Bounds {
  /** The users that one statement reads. */
  slice: number
  /** The users of the largest environment that is counted. */
  most: number
}

/** How many people signed in last in each hour. */
type Hours = ReadonlyMap<number, number>

/**
 * One count of an environment runs at a time and yields to other work after every slice. That of an environment with more than one slice
 * of users is kept for a minute. An index by time would cost every sign-in a write, for a number that an overview shows.
 */
export function createActiveCount(
  { db, now }: Pick<Deployment, 'db' | 'now'>,
  { slice, most }: Bounds = { slice: 5_000, most: 200_000 },
): CountActive {
  const in_progress = new Map<EnvironmentId, Promise<Hours | null>>()
  const kept = createBoundedMap<EnvironmentId, { hours: Hours | null; until_ms: number }>(most_kept)

  async function count(environment_id: EnvironmentId): Promise<Hours | null> {
    let hours: Map<number, number> | null = new Map()
    let counted = 0
    for (let last = ''; hours !== null; ) {
      restartLimit()
      const rows = await readSlice(db, environment_id, last, slice)
      for (const { hour, people } of rows) if (hour !== null) hours.set(hour, (hours.get(hour) ?? 0) + people)
      const read = rows.reduce((sum, { people }) => sum + people, 0)
      counted += read
      last = rows.reduce((latest, row) => (row.last > latest ? row.last : latest), last)
      if (read < slice) break
      if (counted >= most) hours = null
      else await yieldToOthers()
    }
    if (counted >= slice) kept.set(environment_id, { hours, until_ms: now().getTime() + kept_ms })
    return hours
  }

  function hoursOf(environment_id: EnvironmentId): Promise<Hours | null> {
    const known = kept.get(environment_id)
    if (known && now().getTime() < known.until_ms) return Promise.resolve(known.hours)
    const shared = in_progress.get(environment_id) ?? count(environment_id).finally(() => in_progress.delete(environment_id))
    in_progress.set(environment_id, shared)
    return shared
  }

  return async (environment_id, since) => {
    const hours = await hoursOf(environment_id)
    const first = Math.floor(since.getTime() / hour_ms)
    return hours && [...hours].reduce((sum, [hour, people]) => (hour >= first ? sum + people : sum), 0)
  }
}

const Slice = z.object({ hour: z.int().nullable(), people: z.int(), last: z.string() })

const readSlice = (db: Db, environment_id: EnvironmentId, after: string, most: number) =>
  db.of(environment_id).all(
    Slice,
    sql`select hour, count(*) as people, max(id) as last
          from (select id, last_sign_in_at / ${hour_ms} as hour from users
                 where environment_id = ${environment_id} and id > ${after} order by id limit ${most}) page
         group by hour`,
  )
