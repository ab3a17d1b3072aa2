/**
 * Visits grants in the background (`domain/sessions/grant-visits.ts`): one whose code was never redeemed goes ten minutes after the code,
 * one whose tokens have expired unless it is the newest of its session and application, which stays as long as the session. It also brings
 * the sessions and grants from before the bounds within them (`domain/sessions/bounds.ts`). A visit that was cut short is made again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { bySystem, originOf } from '../domain/events/origin.ts'
import { unused_kept_ms } from '../domain/sessions/authorization-codes.ts'
import { endUnseen, findUnseen, holdPerson } from '../domain/sessions/bounds.ts'
import { endThese, findReplaced, limitOf, mostOfSession, removeGrants } from '../domain/sessions/grant-bounds.ts'
import {
  canGo,
  type DueGrant,
  findDueGrants,
  findUncounted,
  hasCrowd,
  hasCrowdOfSessions,
  markCounted,
  rows_at_once,
  type UncountedSession,
  visitAgain,
} from '../domain/sessions/grant-visits.ts'

/** Sessions that one slice ends. SQLite blocks the process while it writes them. */
const sessions_at_once = 25
/** After a slice the worker rests for as long as the slice took, at least this. */
const shortest_rest_ms = 2

type Visited = Pick<Deployment, 'db' | 'now' | 'newId' | 'config'>

/** Visits all that is due. `stopping` ends it early. */
export async function visitGrants(
  deployment: Visited,
  stopping: () => boolean = () => false,
  rest: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  for (const slice of [countSessions, visitSome])
    while (!stopping()) {
      const begun = performance.now()
      if (!(await slice(deployment))) break
      await rest(Math.max(shortest_rest_ms, performance.now() - begun))
    }
}

/** One slice of sessions from before the bounds. `false` where none is left. */
async function countSessions({ db, now, newId, config }: Visited): Promise<boolean> {
  const at = now()
  const most = Math.max(1, config.limits.sessions_per_person)
  const found = await findUncounted(db)
  const crowded = await firstOf(found, personOf, (session) => hasCrowdOfSessions(db, session, most, at))
  if (crowded) {
    const { environment_id, user_id } = crowded
    const origin = originOf({ newId }, bySystem, null)
    const { ids } = await findUnseen(db, { environment_id, id: user_id }, { limit: most, added: 0, most: sessions_at_once }, at)
    const statements = [holdPerson(environment_id, user_id), ...endUnseen(environment_id, ids, origin, at)]
    if (ids.length > 0 && (await db.batch(statements))) return true
  }
  // Rows precede the crowded person only where their persons have no crowd. Here that person has none any more.
  const counted = crowded ? found.slice(0, found.findLastIndex((session) => personOf(session) === personOf(crowded)) + 1) : found
  if (counted.length > 0) await db.batch(ofEach(counted, (environment_id, some: UncountedSession[]) => [markCounted(environment_id, some)]))
  return found.length === rows_at_once
}

const personOf = ({ environment_id, user_id }: UncountedSession) => `${environment_id} ${user_id}`

/** One slice of grants whose visit is due. `false` where none is left. */
async function visitSome({ db, now, config }: Visited): Promise<boolean> {
  const at = now()
  const { grants_per_person } = config.limits
  const most = { of_session: mostOfSession(grants_per_person), of_person: Math.max(1, grants_per_person) }
  const found = await findDueGrants(db, at)
  const uncounted = found.filter(({ is_uncounted }) => is_uncounted)
  const crowded = await firstOf(uncounted, placeOf, (grant) => hasCrowd(db, grant, most))
  if (crowded && (await endCrowd(db, crowded, grants_per_person, at))) return true
  const uncounted_places = crowded ? new Set(uncounted.slice(0, uncounted.indexOf(crowded) + 1).map(placeOf)) : null
  const visited = found.filter((grant) => !grant.is_uncounted || (uncounted_places?.has(placeOf(grant)) ?? true))
  // Removals come first, in every environment: codes precede grants in `lock_order`.
  const gone = visited.filter((grant) => canGo(grant, at))
  const stay = visited.filter((grant) => !canGo(grant, at))
  if (visited.length > 0)
    await db.batch([
      ...ofEach(gone, (environment_id, some: DueGrant[]) => removeGrants(environment_id, some)),
      ...ofEach(stay, (environment_id, some: DueGrant[]) => [visitAgain(environment_id, some, unused_kept_ms, at)]),
    ])
  return found.length === rows_at_once
}

/** Where the bounds count a grant: of the session, and of the person. */
const placeOf = ({ session_id, application_id }: DueGrant) => `${session_id} ${application_id}`

/** The first row of a group that is crowded. Asks once for each group. */
async function firstOf<T>(
  rows: readonly T[],
  groupOf: (row: T) => string,
  isCrowded: (row: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const [row] of Map.groupBy(rows, groupOf).values()) if (row !== undefined && (await isCrowded(row))) return row
  return undefined
}

/** Ends grants beyond the bounds of the person and of the session. `false` where there are none. The newest of a session stays. */
async function endCrowd(db: Visited['db'], crowded: DueGrant, grants_per_person: number, at: Date): Promise<boolean> {
  const { environment_id } = crowded
  const of = async (is_offline: boolean) => {
    const place = { ...crowded, is_offline }
    const { replaced } = await findReplaced(db, place, { limit: limitOf(place, grants_per_person), added: 0, most: rows_at_once }, at)
    return replaced.filter(({ id, newest }) => is_offline || id !== newest)
  }
  const [unused, oldest] = [await of(true), await of(false)]
  if (unused.length + oldest.length === 0) return false
  const ended = await db.batch([
    holdPerson(environment_id, crowded.user_id),
    ...(unused.length === 0 ? [] : [endThese(environment_id, unused, at)]),
    ...removeGrants(environment_id, oldest),
  ])
  return ended !== null // else the user is deleted, and an ending ends the rest
}

/** The statements for the rows of each environment. */
const ofEach = <T extends { environment_id: EnvironmentId }, S>(
  rows: readonly T[],
  of: (environment_id: EnvironmentId, some: T[]) => S[],
): S[] =>
  [...Map.groupBy(rows, ({ environment_id }) => environment_id)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([environment_id, some]) => of(environment_id, some))
