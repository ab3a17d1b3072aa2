/** New recovery codes that their person has not confirmed. `oidc/flow/shared/shown-codes.ts` seals and opens them. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'

const shown_ms = 600_000

/** For the batch that stores the codes. Earlier ones are replaced, as the codes themselves are. */
export function insertShownCodes(environment_id: EnvironmentId, user_id: string, sealed: string, now: Date): Statement {
  return insertInto(
    'shown_codes',
    { environment_id, user_id, sealed, expires_at: new Date(now.getTime() + shown_ms) },
    sql`on conflict (environment_id, user_id) do update set sealed = excluded.sealed, expires_at = excluded.expires_at`,
  )
}

const Shown = z.object({ sealed: z.string() })

export async function findShownCodes(db: Db, environment_id: EnvironmentId, user_id: string, now: Date): Promise<string | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(
      Shown,
      sql`select sealed from shown_codes where environment_id = ${environment_id} and user_id = ${user_id} and expires_at > ${now}`,
    )
  return row?.sealed ?? null
}

/** The person has them, or they belong to nobody any more. */
export const deleteShownCodes = (environment_id: EnvironmentId, user_id: string): OfEnvironment =>
  sql`delete from shown_codes where environment_id = ${environment_id} and user_id = ${user_id}`
