/**
 * The keys of an environment for ES256 access tokens. The first one is made when the environment is read and a resource server asks for it
 * (`domain/resource-servers/es256.ts`); when none does any more, the keys leave the JWKS with their last token.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { asksForEs256, findAskedSince } from '../domain/resource-servers/es256.ts'
import type { KeyPool } from './key-pool.ts'
import { insertKey, KeyRow, keyOf, publish_before_signing_ms, type SigningKey } from './signing-keys.ts'

const Row = KeyRow.extend({ unused_from: z.date().nullable() })

export interface Es256Key extends SigningKey {
  /** The time from which no resource server asks for ES256; `null` where one does. */
  readonly unused_from: Date | null
}

interface Place {
  readonly environment_id: EnvironmentId
  readonly type: EnvironmentType
}

/** The keys of the environment for ES256, oldest first. Makes the first key where a resource server asks for one and there is none. */
export async function loadEs256Keys(deployment: Deployment, pool: KeyPool, place: Place): Promise<Es256Key[]> {
  const { environment_id } = place
  const db = deployment.db.of(environment_id)
  const stored = () =>
    db.all(
      Row,
      sql`select kid, public_jwk, private_key, signs_from, unused_from, created_at
            from es256_keys where environment_id = ${environment_id} order by signs_from, kid`,
    )
  let [rows, since] = await Promise.all([stored(), findAskedSince(deployment.db, environment_id)])
  if (since !== null && rows.every(({ unused_from }) => unused_from !== null)) {
    await addFirstKey(deployment, pool, { ...place, since })
    rows = await stored()
  }
  return rows.map((row) => ({ ...keyOf(deployment, environment_id, row, 'ES256'), unused_from: row.unused_from }))
}

/**
 * The key signs by the time of the request for it, since a JWKS that is read after that has it: the change makes every process read
 * the environment again. Nobody relies on a Test environment, so there verifiers may meet a key that they have not read yet.
 * @param since the time of the choice, or a later one
 */
async function addFirstKey(deployment: Deployment, pool: KeyPool, { environment_id, type, since }: Place & { since: Date }): Promise<void> {
  const pair = await pool.take('ES256')
  const signs_from = type === 'test' ? since : new Date(since.getTime() + publish_before_signing_ms)
  const key = { alg: 'ES256', pair, signs_from, created_at: deployment.now() } as const
  const is_first = sql`${asksForEs256(environment_id)}
    and not exists (select 1 from es256_keys where environment_id = ${environment_id} and unused_from is null)`
  await deployment.db.of(environment_id).batch(insertKey(deployment, environment_id, key, is_first))
}
