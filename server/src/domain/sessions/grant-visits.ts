/**
 * The visits of the worker (`workers/visit-grants.ts`): what is over goes, and what is from before the bounds comes within them. A grant
 * says when its next visit is due. Each read and each change is one slice.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { type Db, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, unindexed } from '../../db/environment.ts'

const Due = z.object({
  environment_id: z.custom<EnvironmentId>(),
  id: z.string(),
  user_id: z.string(),
  application_id: z.string(),
  session_id: z.string(),
  code_hash: z.string().nullable(),
  expires_at: z.date(),
  has_ended: z.boolean(),
  is_newest: z.boolean(),
  /** The code was not redeemed. */
  is_unused: z.boolean(),
  /** The end of the session; `null` where its row is gone. */
  session_until: z.date().nullable(),
  /** From before the bounds: the session or the person may have too many. */
  is_uncounted: z.boolean(),
})
export type DueGrant = z.infer<typeof Due>

/** Rows of one slice, also in the statements: PostgreSQL sorts all rows for a limit that it does not know. */
export const rows_at_once = 100

/**
 * Finds grants whose visit is due, those from before the bounds first. The table is alone in the outer query: a distributed database asks
 * each node for its slice only then.
 */
export function findDueGrants(db: Db, now: Date): Promise<DueGrant[]> {
  const beside = sql`n.session_id = due.session_id and n.application_id = due.application_id and ${unindexed('n')} = due.environment_id`
  return db.all(
    Due,
    sql`select due.environment_id, due.id, due.user_id, due.application_id, due.session_id, due.code_hash, due.expires_at,
               case when due.ended_at is null then 0 else 1 end as has_ended,
               coalesce((select 0 from grants n where ${beside} and n.ended_at is null and n.id > due.id limit 1),
                        (select 0 from grants n where ${beside} and n.ended_at > 0 and n.id > due.id limit 1), 1) as is_newest,
               coalesce((select 1 from authorization_codes c
                          where c.environment_id = ${unindexed('due')} and c.code_hash = due.code_hash and c.spent_by is null
                          limit 1), 0) as is_unused,
               (select s.absolute_expires_at from sessions s where s.environment_id = ${unindexed('due')} and s.id = due.session_id
                 limit 1) as session_until,
               case when due.visit_at is null then 1 else 0 end as is_uncounted
          from grants due where coalesce(due.visit_at, 0) <= ${now} order by coalesce(due.visit_at, 0) limit 100`,
  )
}

/** Whether there is a row after the first `most` of a query. Reads no more rows. */
async function hasMore(db: Db, query: Statement, most: number): Promise<boolean> {
  return (await db.maybeOne(One, sql`select 1 as one ${query} limit 1 offset ${most}`)) !== null
}
const One = z.object({ one: z.int() })

/** Reports whether the session, or the person, has more grants at the application than the bound. */
export async function hasCrowd(db: Db, grant: DueGrant, most: { of_session: number; of_person: number }): Promise<boolean> {
  const { environment_id, user_id, session_id, application_id } = grant
  const of_session = sql`from grants where session_id = ${session_id} and application_id = ${application_id} and ended_at is null
    and ${inEnvironment(environment_id)}`
  const of_person = sql`from grants where user_id = ${user_id} and application_id = ${application_id} and offline = 1
    and coalesce(ended_at, -2) = -2 and ${inEnvironment(environment_id)}`
  return (await hasMore(db, of_session, most.of_session)) || (await hasMore(db, of_person, most.of_person))
}

/** Back-channel logouts of a session are sent for as long after its end. */
const session_kept_ms = day_ms

/**
 * Reports whether a grant can go: nothing uses it, and no logout needs it to reach the application.
 *
 * Back-Channel Logout 1.0 §2.3: the OP remembers the RPs of a session, here by the newest grant of each
 */
export function canGo(grant: DueGrant, now: Date): boolean {
  const { is_newest, is_unused, has_ended, expires_at, session_until } = grant
  if (!has_ended && expires_at > now) return false
  if (is_unused || !is_newest) return true
  return Math.max(expires_at.getTime(), session_until?.getTime() ?? 0) + session_kept_ms <= now.getTime()
}

const idsOf = (grants: readonly DueGrant[]) => grants.map(({ id }) => id).sort()

/** The next visit is due some time after the tokens have expired, and for the newest grant of a session after the session has. */
export const visitAgain = (environment_id: EnvironmentId, grants: readonly DueGrant[], after_ms: number, now: Date): Statement => {
  const until = sql`(select s.absolute_expires_at from sessions s where s.environment_id = ${environment_id} and s.id = grants.session_id)`
  return sql`update grants
      set visit_at = case when ended_at is null and expires_at > ${now} then expires_at + ${after_ms}
                          when coalesce(${until}, 0) > expires_at then ${until} + ${session_kept_ms}
                          else expires_at + ${session_kept_ms} end
    where environment_id = ${environment_id} and id in (${list(idsOf(grants))})`
}

const Uncounted = z.object({ environment_id: z.custom<EnvironmentId>(), id: z.string(), user_id: z.string() })
export type UncountedSession = z.infer<typeof Uncounted>

/** Finds sessions from before the bounds. Those of one person are adjacent. */
export const findUncounted = (db: Db): Promise<UncountedSession[]> =>
  db.all(
    Uncounted,
    sql`select environment_id, id, user_id
          from (select * from sessions where coalesce(counted, 0) = 0 order by user_id limit 100) live`,
  )

/** Reports whether a person has more sessions than the bound. Of these some may not be live any more. */
export const hasCrowdOfSessions = (db: Db, { environment_id, user_id }: UncountedSession, most: number, now: Date): Promise<boolean> =>
  hasMore(
    db,
    sql`from sessions o
       where o.user_id = ${user_id} and coalesce(o.ended_at, -2) = -2 and o.absolute_expires_at > ${now} and ${inEnvironment(environment_id, 'o')}
         and o.ending = (select u.ending from users u where u.environment_id = ${environment_id} and u.id = ${user_id})`,
    most,
  )

export const markCounted = (environment_id: EnvironmentId, sessions: readonly UncountedSession[]): Statement =>
  sql`update sessions set counted = 1
    where environment_id = ${environment_id} and id in (${list(sessions.map(({ id }) => id).sort())})`
