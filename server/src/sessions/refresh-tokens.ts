/** Refresh tokens: found by their digest, and replaced by a successor once. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, sql } from '../db/db.ts'
import { GrantRow, grantColumns, insertTokens, type Spending, thisGrantStands } from './grants.ts'

const RefreshRow = GrantRow.extend({
  token_hash: z.string(),
  expires_at: z.date(),
  spent_at: z.date().nullable(),
})
export type RefreshRow = z.infer<typeof RefreshRow>

export function findRefreshToken(db: Db, environment_id: EnvironmentId, token_hash: string): Promise<RefreshRow | null> {
  return db.maybeOne(
    RefreshRow,
    sql`select ${grantColumns}, r.token_hash, r.expires_at, r.spent_at
          from refresh_tokens r
          join grants g on g.environment_id = r.environment_id || '' and g.id = r.grant_id
          join users u on u.environment_id = g.environment_id || '' and u.id = g.user_id
         where r.environment_id = ${environment_id} and r.token_hash = ${token_hash}`,
  )
}

/** Replaces a refresh token by its successor in one batch, as `redeemCode` does: of parallel attempts exactly one gets `true`. */
export function rotateRefreshToken(
  db: Db,
  environment_id: EnvironmentId,
  token: RefreshRow,
  { attempt, tokens, now }: Spending & { now: Date },
): () => Promise<boolean> {
  const written = db.batchLater([
    guard(sql`update refresh_tokens set spent_by = ${attempt}, spent_at = ${now}
         where environment_id = ${environment_id} and token_hash = ${token.token_hash} and spent_by is null
           and ${thisGrantStands(environment_id, token.grant_id)}`),
    ...insertTokens(environment_id, token, tokens),
  ])
  return async () => (await written()) !== null
}
