/**
 * The chains of refresh tokens (decision 0125): one row for each grant, with its live token, which a rotation changes in place. A token
 * that was spent is recognised by its number. The id of a chain is that of its grant.
 */
import type { EnvironmentId, GrantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, list, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Chain } from '../../protocol/token-place.ts'

/** The columns of a chain, joined as c. */
export const ChainColumns = z.object({
  chain_number: z.int(),
  chain_digest: z.string(),
  chain_salt: z.string().nullable(),
  chain_issued_at: z.date(),
  chain_expires_at: z.date(),
})

export const chainColumns = sql`
  c.number as chain_number, c.digest as chain_digest, c.salt as chain_salt, c.issued_at as chain_issued_at, c.expires_at as chain_expires_at`

export const chainOf = (row: z.infer<typeof ChainColumns>): Chain => ({
  number: row.chain_number,
  digest: row.chain_digest,
  salt: row.chain_salt,
  issued_at: row.chain_issued_at,
  expires_at: row.chain_expires_at,
})

/** When a grant got tokens last: its chain says it where it has one. `grant` is an alias of `grants`. */
export const lastUseOf = (environment_id: EnvironmentId, grant: Statement): Statement => sql`coalesce(
  (select c.issued_at from refresh_chains c where c.environment_id = ${environment_id} and c.grant_id = ${grant}.id),
  ${grant}.last_used_at)`

/** For a batch whose guard spends a code. */
export const insertChain = (environment_id: EnvironmentId, grant_id: GrantId, chain: Chain): Statement =>
  insertInto('refresh_chains', {
    environment_id,
    grant_id,
    number: chain.number,
    digest: chain.digest,
    salt: chain.salt,
    issued_at: chain.issued_at,
    expires_at: chain.expires_at,
  })

/** Replaces the live token of a chain, if `only_if` the grant is valid. A guard: one of any number of parallel attempts succeeds. */
export const rotateChain = (
  { environment_id, grant_id }: { environment_id: EnvironmentId; grant_id: GrantId },
  spent: Pick<Chain, 'number' | 'digest'>,
  next: Chain,
  only_if: Statement,
): Statement =>
  sql`update refresh_chains
    set number = ${next.number}, digest = ${next.digest}, salt = ${next.salt}, issued_at = ${next.issued_at}, expires_at = ${next.expires_at}
    where environment_id = ${environment_id} and grant_id = ${grant_id} and number = ${spent.number} and digest = ${spent.digest}
      and ${only_if}`

/** Marks a chain that ends since a token is ahead of it. */
export const markAhead = (environment_id: EnvironmentId, grant_id: GrantId, now: Date): Statement =>
  sql`update refresh_chains set ahead_at = ${now} where environment_id = ${environment_id} and grant_id = ${grant_id}`

/** A chain goes with its grant. Its row precedes that of the grant in `lock_order`. */
export const removeChains = (environment_id: EnvironmentId, grant_ids: readonly string[]): Statement =>
  sql`delete from refresh_chains where environment_id = ${environment_id} and grant_id in (${list(grant_ids)})`

const One = z.object({ count: z.int() })

/** The chains that ended since a token was ahead of them. Their rows go with their grants. */
export async function countAhead(db: Db): Promise<number> {
  return (await db.many.maybeOne(One, sql`select count(*) as count from refresh_chains where ahead_at is not null`))?.count ?? 0
}
