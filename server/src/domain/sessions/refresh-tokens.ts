/** Refresh tokens as they are found and spent, in their chains (decision 0125). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Db, guardOfKey, inTwoForms, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import type { Chain } from '../../protocol/token-place.ts'
import { FoundGrant, findSurely, type GrantRow, insertTokens, joinPerson, type NewTokens, thisGrantStands } from './grants.ts'
import { ChainColumns, chainColumns, chainOf, rotateChain } from './refresh-chains.ts'

const ChainedGrant = FoundGrant.extend(ChainColumns.shape)

/** A grant with its chain; `null` where the environment has no such grant, or the grant has no chain. */
export async function findChain(
  db: Db,
  environment_id: EnvironmentId,
  grant_id: string,
): Promise<{ grant: GrantRow; chain: Chain } | null> {
  const grant = await findSurely(db, environment_id, (columns) =>
    db.of(environment_id).maybeOne(
      ChainedGrant,
      sql`select ${columns}, ${chainColumns}
          from refresh_chains c
          join grants g on ${sameEnvironment('g', 'c', environment_id)} and g.id = c.grant_id
          ${joinPerson(environment_id)}
         where c.environment_id = ${environment_id} and c.grant_id = ${grant_id}`,
    ),
  )
  return grant && { grant, chain: chainOf(grant) }
}

/**
 * Replaces a refresh token by its successor in one batch, as `redeemCode` does: of parallel attempts exactly one gets `true`. It
 * is one statement where the access token is a JWT.
 *
 * Each ending of the grant raises a number that the guard compares (decision 0065), or writes the row of the grant, and then no token of
 * the grant is accepted.
 */
export function spendRefreshToken(
  db: Db,
  environment_id: EnvironmentId,
  { grant, spent, next }: { grant: GrantRow; spent: Pick<Chain, 'number' | 'digest'>; next: Chain },
  tokens: NewTokens,
): () => Promise<boolean> {
  const { grant_id } = grant
  const rotateIf = (only_if: Statement) => rotateChain({ environment_id, grant_id }, spent, next, only_if)
  const written = db
    .of(environment_id)
    .batchLater([
      guardOfKey(inTwoForms(rotateIf(thisGrantStands(environment_id, grant_id)), rotateIf(sql`1 = 1`))),
      ...insertTokens(environment_id, grant, tokens),
    ])
  return async () => (await written()) !== null
}
