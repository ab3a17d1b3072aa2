/**
 * The signing keys of an environment, made in advance, with sealed private keys in the database: RSA 2048 for RS256, and P-256 for ES256 where
 * a resource server asks for it (`es256-keys.ts`). Each algorithm has a sequence of its own. A new key is published before it signs. An old key
 * stays published until the last token that it signed has expired. Then its private key is erased, and the public key of RS256 stays for ID
 * tokens that come back as hints.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { SigningAlg } from '@ostiary/contract/signing-key.ts'
import { z } from 'zod'
import { day_ms } from '../base/durations.ts'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import { onEveryNode } from '../db/environment.ts'
import { changeAllButLast } from '../db/slices.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { sealed_columns } from '../deployment/secrets/sealed-columns.ts'
import { bySystem, originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { raiseKeysVersion } from '../domain/tenancy/store.ts'
import { longest_session_ms, longest_token_ms } from '../protocol/key-states.ts'
import type { KeyPool, SpareKey } from './key-pool.ts'

export const KeyRow = z.object({
  kid: z.string(),
  public_jwk: z.record(z.string(), z.string()),
  private_key: z.string(),
  signs_from: z.date(),
  created_at: z.date(),
})

/** A key that signatures can be verified with. */
export interface PublicKey {
  readonly kid: string
  readonly alg: SigningAlg
  public_key(): KeyObject
}

export interface SigningKey extends PublicKey {
  public_jwk: Record<string, string>
  signs_from: Date
  created_at: Date
  /** Unsealed at first use. */
  private_key(): KeyObject
}

/** How long a verifier may cache the JWKS. A new key signs only after every cached copy has expired. */
export const jwks_max_age_seconds = 300
export const publish_before_signing_ms = 2 * jwks_max_age_seconds * 1000

interface Sequence {
  readonly table: Statement
  readonly associatedData: (typeof sealed_columns)['signing_keys' | 'es256_keys']['associatedData']
  /** Of the keys that sign, will sign or have signed: those of ES256 that no resource server asks for any more begin no new key. */
  readonly is_used: Statement
}

const sequences: Readonly<Record<SigningAlg, Sequence>> = {
  RS256: { table: sql`signing_keys`, associatedData: sealed_columns.signing_keys.associatedData, is_used: sql`private_key <> ''` },
  ES256: { table: sql`es256_keys`, associatedData: sealed_columns.es256_keys.associatedData, is_used: sql`unused_from is null` },
}

/** The keys of the environment for RS256 that sign, will sign or have signed tokens, oldest first. Makes the first key where there is none. */
export async function loadSigningKeys(deployment: Deployment, pool: KeyPool, environment_id: EnvironmentId): Promise<SigningKey[]> {
  const { db, now } = deployment
  const stored = () =>
    db.of(environment_id).all(
      KeyRow,
      sql`select kid, public_jwk, private_key, signs_from, created_at
            from signing_keys where environment_id = ${environment_id} and private_key <> '' order by signs_from, kid`,
    )
  let rows = await stored()
  if (rows.length === 0) {
    const key = { alg: 'RS256', pair: await pool.take('RS256'), signs_from: now(), created_at: now() } as const
    const is_first = sql`not exists (select 1 from signing_keys where environment_id = ${environment_id})`
    await db.of(environment_id).batch(insertKey(deployment, environment_id, key, is_first))
    rows = await stored()
  }
  return rows.map((row) => keyOf(deployment, environment_id, row, 'RS256'))
}

export function keyOf(
  { secrets }: Pick<Deployment, 'secrets'>,
  environment_id: EnvironmentId,
  { kid, public_jwk, private_key: sealed, signs_from, created_at }: z.infer<typeof KeyRow>,
  alg: SigningAlg,
): SigningKey {
  let private_key: KeyObject | null = null
  const public_key = createPublicKey({ key: public_jwk, format: 'jwk' })
  return {
    kid,
    alg,
    public_jwk,
    signs_from,
    created_at,
    public_key: () => public_key,
    private_key: () => {
      private_key ??= createPrivateKey(secrets.unseal(sealed, sequences[alg].associatedData(environment_id, kid)))
      return private_key
    },
  }
}

interface NewKey {
  readonly alg: SigningAlg
  readonly pair: SpareKey
  readonly signs_from: Date
  readonly created_at: Date
}

/** The batch of a new key happens only where the condition holds, once no other batch that adds a key runs. */
export function insertKey(
  { secrets }: Pick<Deployment, 'secrets'>,
  environment_id: EnvironmentId,
  { alg, pair: { kid, public_jwk, pem }, signs_from, created_at }: NewKey,
  condition: Statement,
): Statement[] {
  const { table, associatedData } = sequences[alg]
  const sealed = secrets.seal(pem, associatedData(environment_id, kid))
  return [
    raiseKeysVersion(environment_id),
    guard(sql`insert into ${table} (environment_id, kid, public_jwk, private_key, signs_from, created_at)
        select id, ${kid}, ${public_jwk}, ${sealed}, ${signs_from}, ${created_at} from environments where id = ${environment_id} and ${condition}`),
  ]
}

/** The public key as text, which takes less memory than an object. */
const ErasedRow = z.object({ kid: z.string(), public_jwk: z.string() })

/** Keys are replaced every 90 days unless an administrator does it more often. */
const most_erased = 20

/** The newest keys of the environment whose private half is erased. Their tokens have expired, but an ID token is still a hint. */
export async function loadErasedKeys({ db }: Pick<Deployment, 'db'>, environment_id: EnvironmentId): Promise<PublicKey[]> {
  const rows = await db.of(environment_id).all(
    ErasedRow,
    sql`select kid, public_jwk from signing_keys
         where environment_id = ${environment_id} and private_key = '' order by signs_from desc limit ${most_erased}`,
  )
  return rows.map(({ kid, public_jwk }) => ({
    kid,
    alg: 'RS256',
    public_key: () => createPublicKey({ key: JSON.parse(public_jwk), format: 'jwk' }),
  }))
}

/** A next key, which signs once every cached JWKS has expired. The batch happens only where the sequence is in use and has no next key. */
export async function insertSigningKey(
  deployment: Pick<Deployment, 'secrets'>,
  pool: KeyPool,
  { environment_id, alg }: { environment_id: EnvironmentId; alg: SigningAlg },
  now: Date,
) {
  const { table, is_used } = sequences[alg]
  const pair = await pool.take(alg)
  const key = { alg, pair, signs_from: new Date(now.getTime() + publish_before_signing_ms), created_at: now }
  const used = sql`select 1 from ${table} where environment_id = ${environment_id} and ${is_used}`
  const condition = sql`exists (${used}) and not exists (${used} and signs_from > ${now})`
  const { kid, public_jwk } = pair
  const { signs_from, created_at } = key
  return { key: { kid, alg, public_jwk, signs_from, created_at }, statements: insertKey(deployment, environment_id, key, condition) }
}

/** The next key signs from now on. Fails as a guard where its time was changed since it was read: of several callers, whose clocks differ, one does it. */
export function signFrom(
  environment_id: EnvironmentId,
  { kid, alg, signs_from }: Pick<SigningKey, 'kid' | 'alg' | 'signs_from'>,
  now: Date,
): Statement[] {
  const { table } = sequences[alg]
  return [
    raiseKeysVersion(environment_id),
    guard(
      sql`update ${table} set signs_from = ${now} where environment_id = ${environment_id} and kid = ${kid} and signs_from = ${signs_from}`,
    ),
  ]
}

const Aged = z.object({ environment_id: z.custom<EnvironmentId>() })

/** A key that has signed for this long is replaced automatically. */
const rotation_ms = 90 * day_ms
const most_at_once = 20
const most_erased_at_once = 100

/**
 * Replaces keys that have signed for 90 days, erases the private half of keys whose last token has expired, and deletes keys whose ID
 * tokens can name no session any more. A key of ES256 signs no ID tokens, and goes with its last token.
 */
export async function rotateAgedKeys(deployment: Deployment, pool: KeyPool): Promise<void> {
  const { db, now } = deployment
  const at = now()
  for (const alg of ['RS256', 'ES256'] as const) await replaceAgedKeys(deployment, pool, alg, at)
  const before = (ms: number) => new Date(at.getTime() - ms)
  const replacedFor = (
    { table }: Sequence,
    ms: number,
  ) => sql`exists (select 1 from ${table} newer where newer.environment_id = ${table}.environment_id
    and newer.signs_from > ${table}.signs_from and newer.signs_from <= ${before(ms)})`
  const { RS256, ES256 } = sequences
  const erased = sql`private_key <> '' and ${replacedFor(RS256, longest_token_ms)}`
  await changeOld(db, RS256, erased, sql`update signing_keys set private_key = ''`)
  await changeOld(db, RS256, replacedFor(RS256, longest_session_ms), sql`delete from signing_keys`)
  const ended = sql`(unused_from <= ${before(longest_token_ms)} or ${replacedFor(ES256, longest_token_ms)})`
  await changeOld(db, ES256, ended, sql`delete from es256_keys`)
}

async function replaceAgedKeys(deployment: Deployment, pool: KeyPool, alg: SigningAlg, at: Date): Promise<void> {
  const { db, newId } = deployment
  const { table, is_used } = sequences[alg]
  const aged = await db.many.all(
    Aged,
    sql`select environment_id from ${table} where ${is_used}
         group by environment_id having max(signs_from) < ${new Date(at.getTime() - rotation_ms)} limit ${most_at_once}`,
  )
  for (const { environment_id } of aged) {
    const { key, statements } = await insertSigningKey(deployment, pool, { environment_id, alg }, at)
    const origin = originOf({ newId }, bySystem, null)
    const data = { kid: key.kid, signs_from: key.signs_from.toISOString() }
    await db.of(environment_id).batch([...statements, insertEvent(environment_id, origin, { type: 'signing_key.rotated', data }, at)])
  }
}

const Old = z.object({ environment_id: z.string(), kid: z.string() })

/** Erases or deletes the keys to which the condition applies, a slice at a time. */
async function changeOld(db: Db, { table }: Sequence, condition: Statement, change: Statement): Promise<void> {
  const find = (limit: number) => db.many.all(Old, sql`select environment_id, kid from ${table} where ${condition} limit ${limit}`)
  const write = (keys: readonly z.infer<typeof Old>[]) => {
    const environment_ids = list([...new Set(keys.map(({ environment_id }) => environment_id))])
    return db.many.batch([
      onEveryNode`update environments set keys_version = keys_version + 1 where id in (${environment_ids})`,
      sql`${change} where environment_id in (${environment_ids}) and kid in (${list(keys.map(({ kid }) => kid))})`,
    ])
  }
  const last = await changeAllButLast(most_erased_at_once, find, write)
  if (last && last.length > 0) await write(last)
}
