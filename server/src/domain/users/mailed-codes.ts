/**
 * Stores codes and links that prove an address, and limits them (decision 0041). Each request is a row, even where no mail
 * is sent, so the rows themselves are what the limits count. Addresses without an account are counted alike.
 *
 * The guards count other rows. That is safe because every batch that adds a row or counts a try first writes the row of the address in
 * `sign_in_attempts` (`holdAddress`), so the batches of one address wait for each other.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms, hour_ms } from '../../base/durations.ts'
import { constant, type Db, guard, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'

/** A row of one kind never proves anything of another kind. */
export const CodeKind = z.enum([
  'sign_in',
  'sign_up',
  'enrolment',
  'verify_email',
  'reset_password',
  'change_email',
  'change_email_notice',
  'invitation',
])
export type CodeKind = z.infer<typeof CodeKind>

const window_ms = hour_ms
const code_ms = 600_000
const resend_ms = 30_000
const most_tries = 5
/**
 * In an hour and for one address. Known browsers, which signed in to the account before, have a share of their own. Of the codes for all
 * others, the last five go only to sources that had none, one each: so three sources that ask without end keep no new browser out.
 */
const most = { from_one_source: 5, unknown: 10, one_for_each_new_source: 5, known: 5, wrong_tries: 30 }

const lifetimes: Record<CodeKind, number> = {
  sign_in: code_ms,
  sign_up: code_ms,
  enrolment: code_ms,
  verify_email: 24 * hour_ms, // a code and its link end together
  reset_password: hour_ms,
  change_email: 7 * day_ms,
  change_email_notice: 7 * day_ms,
  invitation: code_ms,
}

/** When a code or link ends. */
export const codeExpiry = (kind: CodeKind, now: Date): Date => new Date(now.getTime() + lifetimes[kind])

export interface NewCode {
  id: string
  kind: CodeKind
  /** See `accountOf`. */
  account: string
  /** The digest of the form seed of the browser that asked; `null` where a link or a session answers. */
  browser: string | null
  /** See `sourceOf`. */
  source: string
  is_known: boolean
  user_id: string | null
  /** `null` matches no code. */
  code_mac: string | null
  link_hash: string | null
  sealed: string
  expires_at: Date
}

const AskedRow = z.object({ kind: CodeKind, created_at: z.date(), is_mailed: z.boolean() })

/** The codes and links of the last hour that were asked for an address, newest first. Those of a decoy were not mailed. */
export const listAsked = (db: Db, environment_id: EnvironmentId, account: string, now: Date) =>
  db.of(environment_id).all(
    AskedRow,
    sql`select c.kind, c.created_at, case when coalesce(c.code_mac, c.link_hash) is null then 0 else 1 end as is_mailed from mailed_codes c
         where c.account = ${account} and ${inEnvironment(environment_id, 'c')} and c.created_at > ${hourBefore(now)}
         order by c.created_at desc limit ${constant(most_asked)}`,
  )

/** More than the limits of an hour allow. */
const most_asked = 50

const hourBefore = (now: Date) => new Date(now.getTime() - window_ms)

/** Serialises the batches that count codes of an address. */
export function holdAddress(environment_id: EnvironmentId, account: string, now: Date): Statement {
  const until = new Date(now.getTime() + window_ms)
  return insertInto(
    'sign_in_attempts',
    { environment_id, account, source: 'mailed', attempts: 0, expires_at: until },
    sql`on conflict (environment_id, account, source) do update set expires_at = excluded.expires_at`,
  )
}

/**
 * Adds a code and ends the earlier one of the same browser for the same address. The guard fails over a limit, and within 30 seconds
 * after the earlier request of the same browser while its code is unused. The codes of a change of address end with each new request.
 */
export function insertCode(environment_id: EnvironmentId, code: NewCode, now: Date): Statement[] {
  const { id, kind, account, browser, source, is_known, user_id, code_mac, link_hash, sealed, expires_at } = code
  const of_address = sql`c.environment_id = ${environment_id} and c.account = ${account}`
  const of_share = sql`${of_address} and c.is_known = ${is_known} and c.created_at > ${hourBefore(now)}`
  const of_source = sql`select count(*) from mailed_codes c where ${of_share} and c.source = ${source}`
  const of_all = sql`select count(*) from mailed_codes c where ${of_share}`
  const with_new_sources = most.unknown + most.one_for_each_new_source
  const for_all = is_known ? sql`${most.known}` : sql`case when (${of_source}) = 0 then ${with_new_sources} else ${most.unknown} end`
  const soon = new Date(now.getTime() - resend_ms)
  return [
    holdAddress(environment_id, account, now),
    sql`update mailed_codes set ended_at = ${now}, sealed = null
         where environment_id = ${environment_id} and account = ${account} and browser = ${browser} and kind in (${flowOf(kind)})
           and ended_at is null and created_at <= ${soon}`,
    guard(sql`insert into mailed_codes (environment_id, id, kind, account, browser, source, is_known, user_id, code_mac, link_hash, sealed,
                                        expires_at, created_at)
      select e.id, ${id}, ${kind}, ${account}, ${browser}, ${source}, ${is_known}, ${user_id}, ${code_mac}, ${link_hash}, ${sealed},
             ${expires_at}, ${now}
        from environments e
       where e.id = ${environment_id}
         and (${of_source}) < ${most.from_one_source}
         and (${of_all}) < ${for_all}
         and not exists (select 1 from mailed_codes c where ${of_address} and c.browser = ${browser} and c.kind in (${flowOf(kind)})
                            and c.created_at > ${soon} and (c.ended_at is null or c.kind in ('change_email', 'change_email_notice')))`),
  ]
}

/** The kinds that one page asks for: a code for signing in replaces one for signing up, and the other way round. */
const flowOf = (kind: CodeKind): Statement => (kind === 'sign_in' || kind === 'sign_up' ? sql`'sign_in', 'sign_up'` : sql`${kind}`)

const CodeRow = z.object({
  id: z.string(),
  kind: CodeKind,
  account: z.string(),
  browser: z.string().nullable(),
  is_known: z.boolean(),
  user_id: z.string().nullable(),
  code_mac: z.string().nullable(),
  sealed: z.string(),
  expires_at: z.date(),
})
export type CodeRow = z.infer<typeof CodeRow>

const columns = sql`id, kind, account, browser, is_known, user_id, code_mac, sealed, expires_at`

/** Finds the newest code for this step that this browser asked for with this address. It may have expired or have no try left. */
export async function findCodeOfBrowser(
  db: Db,
  environment_id: EnvironmentId,
  { kind, account, browser }: { kind: CodeKind; account: string; browser: string },
  now: Date,
): Promise<CodeRow | null> {
  const [row] = await db.of(environment_id).all(
    CodeRow,
    sql`select ${columns} from mailed_codes
         where environment_id = ${environment_id} and account = ${account} and browser = ${browser} and kind in (${flowOf(kind)})
           and ended_at is null and created_at > ${hourBefore(now)}
         order by created_at desc, id desc limit 1`,
  )
  return row ?? null
}

/**
 * Finds the open code of a kind that was mailed to an address for this user: the one that this browser asked for, else the newest. So a
 * code for which another browser or the backend asked works too, and takes no code away from this browser.
 */
export async function findCodeOfUser(
  db: Db,
  environment_id: EnvironmentId,
  { user_id, account, kind, browser }: { user_id: string; account: string; kind: CodeKind; browser: string },
  now: Date,
): Promise<CodeRow | null> {
  const [row] = await db.of(environment_id).all(
    CodeRow,
    sql`select ${columns} from mailed_codes
         where environment_id = ${environment_id} and user_id = ${user_id} and account = ${account} and kind = ${kind}
           and ended_at is null and expires_at > ${now}
         order by case when browser = ${browser} then 0 else 1 end, created_at desc, id desc limit 1`,
  )
  return row ?? null
}

/** Finds the open row of a link. */
export function findCodeOfLink(db: Db, environment_id: EnvironmentId, link_hash: string, now: Date): Promise<CodeRow | null> {
  return db.of(environment_id).maybeOne(
    CodeRow,
    sql`select ${columns} from mailed_codes
         where environment_id = ${environment_id} and link_hash = ${link_hash} and ended_at is null and expires_at > ${now}`,
  )
}

/** Counts a try before the code is compared. The guard fails where the code is spent or expired, or the address has no try left. */
export function countCodeTry(environment_id: EnvironmentId, { id, account, is_known }: CodeRow, now: Date): Statement[] {
  return [
    holdAddress(environment_id, account, now),
    guard(sql`update mailed_codes set tries = tries + 1, tried_at = ${now}
      where environment_id = ${environment_id} and id = ${id} and ended_at is null and expires_at > ${now} and tries < ${most_tries}
        and (select coalesce(sum(c.tries), 0) from mailed_codes c
              where c.environment_id = ${environment_id} and c.account = ${account} and c.is_known = ${is_known}
                and c.tried_at > ${hourBefore(now)}) < ${most.wrong_tries}`),
  ]
}

/** Spends a code or link, in the batch of what it proves. `tried`: takes back the try that was counted for it. */
export function spendCode(environment_id: EnvironmentId, id: string, { tried }: { tried: boolean }, now: Date): Statement {
  const counted = tried ? sql`, tries = tries - 1` : sql``
  return guard(sql`update mailed_codes set ended_at = ${now}, sealed = null${counted}
    where environment_id = ${environment_id} and id = ${id} and ended_at is null`)
}

/** Ends every open code and link of a user. */
export function endOpenCodes(environment_id: EnvironmentId, user_id: string, now: Date): Statement {
  return sql`update mailed_codes set ended_at = ${now}, sealed = null
    where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null`
}

/**
 * Ends what a user still has open, also a change of the address, since the address or the password has changed, or the user is
 * blocked or deleted. Put it before the write of the user's row.
 */
export function endCodesOf(environment_id: EnvironmentId, user_id: string, now: Date): Statement[] {
  return [
    endOpenCodes(environment_id, user_id, now),
    sql`delete from email_changes where environment_id = ${environment_id} and user_id = ${user_id}`,
  ]
}

/** Ends the codes and links of a change of the address, which another one replaces. */
export function endChangeCodes(environment_id: EnvironmentId, user_id: string, now: Date): Statement {
  return sql`update mailed_codes set ended_at = ${now}, sealed = null
    where environment_id = ${environment_id} and user_id = ${user_id} and kind in ('change_email', 'change_email_notice') and ended_at is null`
}
