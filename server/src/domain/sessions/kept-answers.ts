/**
 * Kept answers: what a hosted page answered to a form, for a minute. The first press of a button claims the row, and fills in its answer;
 * a second press reads it. `oidc/repeat.ts` seals and opens the answers. No row needs the disk: the effect of a form is committed after
 * its claim, and an answer that is lost leaves the claim, for which the page has words.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { constant, type Db, identifiers, type OfEnvironment, type Statement, sql, withoutSync } from '../../db/db.ts'

/** After this time the same form is a new press. */
const kept_ms = 60_000
/** A press that has no answer by then has lost it: its process was killed, or the database is out of reach. */
const claim_ms = 15_000
/**
 * Rows of a minute. Above them a form is answered as ever, and its answer is not kept. Many people of one company share a source, and
 * behind a proxy that is not trusted all people do.
 */
const most = { of_browser: 60, of_source: 500 }

const Claim = z.object({ claimed_until: z.date() })

export interface PressId {
  environment_id: EnvironmentId
  form_hash: string
}

/** Reports whether this press is the first one. A second one finds a row, or none where there are too many. */
export async function claimAnswer(
  db: Db,
  { environment_id, form_hash }: PressId,
  { browser_hash, source }: { browser_hash: string; source: string },
  now: Date,
): Promise<Date | null> {
  const claimed_until = new Date(now.getTime() + claim_ms)
  const expires_at = new Date(now.getTime() + kept_ms)
  // Of an insert that selects, a distributed database counts the rows that it read. The row that it returns is one that it wrote.
  const claimed = await db.of(environment_id).changeOne(
    Claim,
    withoutSync(sql`
    insert into kept_answers (environment_id, form_hash, browser_hash, source, sealed, claimed_until, expires_at)
    select e.id, ${form_hash}, ${browser_hash}, ${source}, ${null}, ${claimed_until}, ${expires_at}
      from environments e
     where e.id = ${environment_id}
       and ${isBelow(environment_id, { column: 'browser_hash', value: browser_hash, limit: most.of_browser }, now)}
       and ${isBelow(environment_id, { column: 'source', value: source, limit: most.of_source }, now)}
    on conflict (environment_id, form_hash) do update
      set sealed = null, claimed_until = excluded.claimed_until, expires_at = excluded.expires_at
      where kept_answers.expires_at <= excluded.expires_at - ${constant(kept_ms)}
    returning claimed_until`),
  )
  return claimed?.claimed_until ?? null
}

/** Parallel presses can exceed the limit by their number. */
function isBelow(environment_id: EnvironmentId, of: { column: string; value: string; limit: number }, now: Date): Statement {
  return sql`(select count(*) from (select 1 from kept_answers
      where ${identifiers(of.column)} = ${of.value} and environment_id = ${environment_id} and expires_at > ${now} limit ${of.limit}) live) < ${of.limit}`
}

const KeptRow = z.object({ sealed: z.string().nullable(), claimed_until: z.date() })
export type KeptRow = z.infer<typeof KeptRow>

/** The answer that is kept, or awaited: `sealed` is `null`. */
export function findKept(db: Db, { environment_id, form_hash }: PressId, now: Date): Promise<KeptRow | null> {
  return db.of(environment_id).maybeOne(
    KeptRow,
    sql`select sealed, claimed_until from kept_answers
         where environment_id = ${environment_id} and form_hash = ${form_hash} and expires_at > ${now}`,
  )
}

const ofClaim = ({ environment_id, form_hash }: PressId, claimed_until: Date) =>
  sql`environment_id = ${environment_id} and form_hash = ${form_hash} and claimed_until = ${claimed_until} and sealed is null`

export const keepAnswer = (id: PressId, claimed_until: Date, sealed: string): OfEnvironment =>
  withoutSync(sql`update kept_answers set sealed = ${sealed} where ${ofClaim(id, claimed_until)}`)

/** The answer to the first press is not valid for a second one. */
export const releaseClaim = (id: PressId, claimed_until: Date): OfEnvironment =>
  withoutSync(sql`delete from kept_answers where ${ofClaim(id, claimed_until)}`)
