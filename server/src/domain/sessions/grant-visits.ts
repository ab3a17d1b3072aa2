/**
 * The visits of the worker (`workers/visit-grants.ts`), which remove what is over. A grant says when its next visit is due. Each read and each
 * change is one slice.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { type Db, list, type Statement, sql } from '../../db/db.ts'
import { unindexed } from '../../db/environment.ts'

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
})
export type DueGrant = z.infer<typeof Due>

/** Rows of one slice, also in the statements: PostgreSQL sorts all rows for a limit that it does not know. */
export const rows_at_once = 100

/**
 * Finds grants whose visit is due. The table is alone in the outer query: a distributed database asks
 * each node for its slice only then.
 */
export function findDueGrants(db: Db, now: Date): Promise<DueGrant[]> {
  const beside = sql`n.session_id = due.session_id and n.application_id = due.application_id and ${unindexed('n')} = due.environment_id`
  return db.many.all(
    Due,
    sql`select due.environment_id, due.id, due.user_id, due.application_id, due.session_id, due.code_hash, due.expires_at,
               case when due.ended_at is null then 0 else 1 end as has_ended,
               coalesce((select 0 from grants n where ${beside} and n.ended_at is null and n.id > due.id limit 1),
                        (select 0 from grants n where ${beside} and n.ended_at > 0 and n.id > due.id limit 1), 1) as is_newest,
               coalesce((select 1 from authorization_codes c
                          where c.environment_id = ${unindexed('due')} and c.code_hash = due.code_hash and c.spent_by is null
                          limit 1), 0) as is_unused,
               (select s.absolute_expires_at from sessions s where s.environment_id = ${unindexed('due')} and s.id = due.session_id
                 limit 1) as session_until
          from grants due where due.visit_at <= ${now} order by due.visit_at limit 100`,
  )
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
                          else expires_at + ${session_kept_ms} end,
          lasts_until = case when ended_at is null and expires_at > ${now} then expires_at else lasts_until end
    where environment_id = ${environment_id} and id in (${list(idsOf(grants))})`
}
