/**
 * The bounds of what one person can have (decision 0067), and that of sessions; `grant-bounds.ts` has those of grants. A batch that adds a
 * row ends those that are too many, at most `most_others`. It first writes a row that all such batches write, so that they wait for each
 * other, and fails if it would exceed the bound.
 *
 * Each statement reads a window of rows by an index, however many there are. Within the bound all rows lie in the window, so the count
 * is exact. Beyond it a row is too much as soon as enough rows of the window come before it.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import type { Origin } from '../events/store.ts'
import { followSessions, sessionEndEvents } from './endings.ts'
import { sessionStands } from './standing.ts'

/** Rows that a batch ends at most, beside the one that it adds. */
export const most_others = 10

/** Writes the row of the user first. A guard: fails if the user is deleted, or `only_if` is false. */
export const holdPerson = (
  environment_id: EnvironmentId,
  user_id: string,
  change = sql`updated_at = updated_at`,
  only_if = sql``,
): Statement => guard(sql`update users set ${change} where environment_id = ${environment_id} and id = ${user_id} ${only_if}`)

/** The sessions of a user that can be live, in the order of their index. */
const openSessions = (environment_id: EnvironmentId, user_id: string, now: Date) =>
  sql`user_id = ${user_id} and ${inEnvironment(environment_id)} and coalesce(ended_at, -2) = -2
    and ending = (select ending from users where environment_id = ${environment_id} and id = ${user_id})
    and absolute_expires_at > ${now}`

const Unseen = z.object({ id: z.string(), live: z.int() })

/** The sessions to evict, and whether the person has no more than are counted. */
export interface UnseenSessions {
  ids: readonly string[]
  is_counted: boolean
}

/**
 * Finds the sessions of a user that were unseen longest, to evict for `added` new ones, at most `most`. Most people have so few that the
 * entries of the index answer.
 */
export async function findUnseen(
  db: Db,
  { environment_id, id: user_id }: UserRef,
  { limit, added, most }: { limit: number; added: 0 | 1; most: number },
  now: Date,
): Promise<UnseenSessions> {
  const stay = Math.max(1, limit) - added
  const window = stay + most + 1
  const open = openSessions(environment_id, user_id, now)
  const found = await db.of(environment_id).all(
    Unseen,
    sql`select id, live from (
          select oldest.id, oldest.last_seen_at, count(*) over () as live
            from (select * from sessions where ${open} order by absolute_expires_at
                   limit ${window} * coalesce((select 1 from sessions where ${open} limit 1 offset ${stay}), 0)) oldest
           where ${sessionStands(environment_id, sql`oldest`)}) live
         order by last_seen_at, id limit ${most}`,
  )
  const live = found[0]?.live ?? 0
  return { ids: found.slice(0, Math.max(0, live - stay)).map(({ id }) => id), is_counted: live < window }
}

/** Ends these sessions, after a write of the row of the user. */
export function endUnseen(environment_id: EnvironmentId, ids: readonly string[], origin: Origin, now: Date): Statement[] {
  if (ids.length === 0) return []
  const which = sql`id in (${list([...ids].sort())})`
  return [
    ...sessionEndEvents(environment_id, which, { reason: 'replaced', origin }, now),
    sql`update sessions set ended_at = ${now} where environment_id = ${environment_id} and ${which} and ended_at is null`,
    followSessions(environment_id, sql`${which} and ended_at = ${now}`, 'session_replaced', now),
  ]
}

/** Fails as a guard if the user has more live sessions than the bound. Put it last, in a batch that holds the row of the user. */
export function hasRoomForSession(environment_id: EnvironmentId, user_id: string, limit: number, now: Date): Statement {
  const most = Math.max(1, limit)
  const open = openSessions(environment_id, user_id, now)
  return guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${user_id}
      and (coalesce((select 1 from sessions where ${open} limit 1 offset ${most}), 0) = 0
           or (select count(*) from (select * from sessions where ${open} order by absolute_expires_at limit ${most + most_others + 1}) oldest
                where ${sessionStands(environment_id, sql`oldest`)}) <= ${most})`)
}
