/** Refresh tokens as they are found and spent: those of chains, and those from before chains, which have a row each (decision 0125). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, guardOfKey, inTwoForms, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import type { Chain } from '../../protocol/token-place.ts'
import { FoundGrant, findSurely, GrantRow, grantColumns, insertTokens, type Spending, thisGrantStands } from './grants.ts'
import { ChainColumns, chainColumns, chainOf, rotateChain } from './refresh-chains.ts'

const ChainedGrant = FoundGrant.extend(ChainColumns.shape)

/** A grant with its chain; `null` where the environment has no such grant, or the grant has no chain. */
export async function findChain(
  db: Db,
  environment_id: EnvironmentId,
  grant_id: string,
): Promise<{ grant: GrantRow; chain: Chain } | null> {
  const grant = await findSurely(db, environment_id, (columns) =>
    db.maybeOne(
      ChainedGrant,
      sql`select ${columns}, ${chainColumns}
          from refresh_chains c
          join grants g on ${sameEnvironment('g', 'c', environment_id)} and g.id = c.grant_id
          join users u on ${sameEnvironment('u', 'g', environment_id)} and u.id = g.user_id
         where c.environment_id = ${environment_id} and c.grant_id = ${grant_id}`,
    ),
  )
  const chain = grant && chainOf(grant)
  return chain && { grant, chain }
}

const RefreshRow = GrantRow.extend({ ...ChainColumns.shape, token_hash: z.string(), expires_at: z.date(), spent_at: z.date().nullable() })

interface RefreshedRow {
  grant: GrantRow
  token_hash: string
  expires_at: Date
  spent_at: Date | null
  /** `null` until the grant has one. */
  chain: Chain | null
}

export async function findRefreshRow(db: Db, environment_id: EnvironmentId, token_hash: string): Promise<RefreshedRow | null> {
  const row = await db.maybeOne(
    RefreshRow,
    sql`select ${grantColumns(environment_id)}, r.token_hash, r.expires_at, r.spent_at, ${chainColumns}
          from refresh_tokens r
          join grants g on ${sameEnvironment('g', 'r', environment_id)} and g.id = r.grant_id
          join users u on ${sameEnvironment('u', 'g', environment_id)} and u.id = g.user_id
          left join refresh_chains c on ${sameEnvironment('c', 'r', environment_id)} and c.grant_id = r.grant_id
         where r.environment_id = ${environment_id} and r.token_hash = ${token_hash}`,
  )
  return row && { grant: row, token_hash, expires_at: row.expires_at, spent_at: row.spent_at, chain: chainOf(row) }
}

/** The token that a refresh spends: the live token of a chain, or a token with a row. */
export type SpentToken = { form: 'chain'; number: number; digest: string } | { form: 'row'; token_hash: string }

/**
 * Replaces a refresh token by its successor in one batch, as `redeemCode` does: of parallel attempts exactly one gets `true`. For a chain it
 * is one statement where the access token is a JWT. A token with a row is replaced by the first one of a chain, or during an upgrade by
 * another row.
 *
 * Each ending of the grant raises a number that the guard compares (decision 0065), or writes the row of the grant, and then no token of
 * the grant is accepted.
 */
export function spendRefreshToken(
  db: Db,
  environment_id: EnvironmentId,
  { grant, spent }: { grant: GrantRow; spent: SpentToken },
  { attempt, tokens, now }: Spending & { now: Date },
): () => Promise<boolean> {
  const stands = thisGrantStands(environment_id, grant.grant_id)
  const rotation = () => {
    if (spent.form === 'row')
      return [
        guard(sql`update refresh_tokens set spent_by = ${attempt}, spent_at = ${now}
          where environment_id = ${environment_id} and token_hash = ${spent.token_hash} and spent_by is null and ${stands}`),
        ...insertTokens(environment_id, grant, tokens),
      ]
    if (tokens.refresh?.form !== 'chain') throw new TypeError('The successor of a token of a chain belongs to the chain.')
    const { chain: next } = tokens.refresh
    const place = { environment_id, grant_id: grant.grant_id }
    const rotateIf = (only_if: Statement) => rotateChain(place, spent, next, only_if)
    return [
      guardOfKey(inTwoForms(rotateIf(stands), rotateIf(sql`1 = 1`))),
      ...insertTokens(environment_id, grant, { ...tokens, refresh: null }),
    ]
  }
  const written = db.batchLater(rotation())
  return async () => (await written()) !== null
}
