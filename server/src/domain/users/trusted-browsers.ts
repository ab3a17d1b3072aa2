/**
 * Trusted browsers: a person is not asked for the second factor in them (decision 0192). A row has the digest of a secret in a cookie, and
 * the number of the user from when it began, so each ending of everything ends it. A changed factor deletes the rows of the person.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { TrustedBrowser } from '@ostiary/contract/trusted-browser.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { trustedSince } from '../../protocol/trusted-browser.ts'

/** One more takes the place of the oldest. */
const most_trusted = 10

/** The setting, and the time of the judgement. */
export interface TrustRule {
  remember_days: number
  now: Date
}

/** The row `t` counts, with the row `u` of its user. */
const counts = ({ remember_days, now }: TrustRule): Statement =>
  sql`t.ending = u.ending and t.expires_at > ${now} and t.created_at > ${trustedSince(remember_days, now)}`

/** The trusted browser that a session `s` of the user `u` names, as `t`. Its times say whether it counts (`trustLives`). */
export const joinTrusted = (environment_id: EnvironmentId): Statement =>
  sql`left join trusted_browsers t on ${sameEnvironment('t', 's', environment_id)} and t.id = s.trusted_browser_id and t.user_id = s.user_id
            and t.ending = u.ending`

const Found = z.object({ id: z.string() })

/** Finds the trusted browser of a user by the digest of its secret; `null` where it does not count. */
export async function findTrusted(
  db: Db,
  { environment_id, id: user_id }: UserRef,
  secret_hash: string,
  rule: TrustRule,
): Promise<string | null> {
  const row = await db.of(environment_id).maybeOne(
    Found,
    sql`select t.id from trusted_browsers t join users u on ${sameEnvironment('u', 't', environment_id)} and u.id = t.user_id
         where t.secret_hash = ${secret_hash} and ${inEnvironment(environment_id, 't')} and t.user_id = ${user_id} and ${counts(rule)}`,
  )
  return row?.id ?? null
}

/** Those of a user that count, as the management API shows them. `rest` is the end of the query. */
export function listTrusted(db: Db, { environment_id, id: user_id }: UserRef, rule: TrustRule, rest: Statement): Promise<TrustedBrowser[]> {
  const kept_ms = rule.remember_days * day_ms
  const until = sql`t.created_at + cast(${kept_ms} as bigint)`
  return db.of(environment_id).all(
    TrustedBrowser,
    sql`select * from (
          select t.id, t.user_id, t.created_at, t.last_used_at, case when t.expires_at < ${until} then t.expires_at else ${until} end as expires_at,
                 t.ip, t.user_agent
            from trusted_browsers t join users u on ${sameEnvironment('u', 't', environment_id)} and u.id = t.user_id
           where t.user_id = ${user_id} and ${inEnvironment(environment_id, 't')} and ${counts(rule)}) listed
         where 1 = 1 ${rest}`,
  )
}

/** One of a user, whether it counts or not; `null` where it is gone. */
export const findTrustedById = (db: Db, { environment_id, id: user_id }: UserRef, id: string): Promise<TrustedBrowser | null> =>
  db.of(environment_id).maybeOne(
    TrustedBrowser,
    sql`select id, user_id, created_at, last_used_at, expires_at, ip, user_agent from trusted_browsers
         where environment_id = ${environment_id} and user_id = ${user_id} and id = ${id}`,
  )

export interface NewTrusted {
  id: string
  secret_hash: string
  /** Of the cookie that the new one replaces. */
  replaces: string | null
  ip: string | null
  user_agent: string | null
}

/** Trusts a browser. The batch holds the user before. Rows that are over go, and the oldest beyond the most. */
export function insertTrusted(
  { environment_id, id: user_id }: UserRef,
  { id, secret_hash, replaces, ip, user_agent }: NewTrusted,
  { remember_days, now }: TrustRule,
): Statement[] {
  const of_user = sql`user_id = ${user_id} and ${inEnvironment(environment_id)}`
  const present = sql`(select ending from users where environment_id = ${environment_id} and id = ${user_id})`
  const expires_at = new Date(now.getTime() + remember_days * day_ms)
  return [
    sql`delete from trusted_browsers where ${of_user}
          and (ending <> ${present} or expires_at <= ${now} or secret_hash = ${replaces ?? ''})`,
    sql`delete from trusted_browsers where ${of_user}
          and id <= (select id from trusted_browsers where ${of_user} order by id desc limit 1 offset ${most_trusted - 1})`,
    guard(sql`insert into trusted_browsers (environment_id, id, user_id, secret_hash, ending, ip, user_agent, created_at, last_used_at, expires_at)
      select environment_id, ${id}, id, ${secret_hash}, ending, ${ip}, ${user_agent}, ${now}, ${now}, ${expires_at}
        from users where environment_id = ${environment_id} and id = ${user_id} and blocked_at is null`),
  ]
}

/** Records a sign-in that it stood for. Fails as a guard if it no longer counts. The batch holds the user before. */
export function useTrusted({ environment_id, id: user_id }: UserRef, id: string, { remember_days, now }: TrustRule): Statement {
  return guard(sql`update trusted_browsers set last_used_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id}
      and ending = (select ending from users where environment_id = ${environment_id} and id = ${user_id})
      and expires_at > ${now} and created_at > ${trustedSince(remember_days, now)}`)
}

/** Removes one. Fails as a guard if the user no longer has it. */
export const removeTrusted = ({ environment_id, id: user_id }: UserRef, id: string): Statement =>
  guard(sql`delete from trusted_browsers where environment_id = ${environment_id} and user_id = ${user_id} and id = ${id}`)

/** Removes all of a user, of whom a person has few: for a batch that changes the second factors, or deletes the user. */
export const removeAllTrusted = (environment_id: EnvironmentId, user_id: string): Statement =>
  sql`delete from trusted_browsers where environment_id = ${environment_id} and user_id = ${user_id}`
