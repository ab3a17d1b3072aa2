/**
 * The signing keys of an environment: RSA 2048, made in advance, with sealed private keys in the database. A new key is published before
 * it signs. An old key stays published until the last token that it signed has expired. Then its private key is erased, and the public key
 * stays for ID tokens that come back as hints.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../base/durations.ts'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import { onEveryNode } from '../db/environment.ts'
import { changeAllButLast } from '../db/slices.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { sealed_columns } from '../deployment/secrets/sealed-columns.ts'
import { bySystem, originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { longest_session_ms, longest_token_ms } from '../protocol/key-states.ts'
import type { KeyPool } from './key-pool.ts'

const KeyRow = z.object({
  kid: z.string(),
  public_jwk: z.record(z.string(), z.string()),
  private_key: z.string(),
  signs_from: z.date(),
  created_at: z.date(),
})

/** A key that signatures can be verified with. */
export interface PublicKey {
  readonly kid: string
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
const publish_before_signing_ms = 2 * jwks_max_age_seconds * 1000

const { associatedData } = sealed_columns.signing_keys

/** The keys of the environment that sign, will sign or have signed tokens, oldest first. Makes the first key where there is none. */
export async function loadSigningKeys(
  { db, secrets, now }: Deployment,
  pool: KeyPool,
  environment_id: EnvironmentId,
): Promise<SigningKey[]> {
  const stored = () =>
    db.of(environment_id).all(
      KeyRow,
      sql`select kid, public_jwk, private_key, signs_from, created_at
            from signing_keys where environment_id = ${environment_id} and private_key <> '' order by signs_from, kid`,
    )
  let rows = await stored()
  if (rows.length === 0) {
    const key = await pool.take()
    await db.of(environment_id).batch([
      // Writes the environment first: a process that makes the first key at the same time waits for this row.
      onEveryNode`update environments set keys_version = keys_version + 1 where id = ${environment_id}`,
      guard(sql`insert into signing_keys (environment_id, kid, public_jwk, private_key, signs_from, created_at)
          select id, ${key.kid}, ${key.public_jwk}, ${secrets.seal(key.pem, associatedData(environment_id, key.kid))}, ${now()}, ${now()}
            from environments
           where id = ${environment_id} and not exists (select 1 from signing_keys where environment_id = ${environment_id})`),
    ])
    rows = await stored()
  }
  return rows.map((row) => {
    let private_key: KeyObject | null = null
    const public_key = createPublicKey({ key: row.public_jwk, format: 'jwk' })
    return {
      kid: row.kid,
      public_jwk: row.public_jwk,
      signs_from: row.signs_from,
      created_at: row.created_at,
      public_key: () => public_key,
      private_key: () => {
        private_key ??= createPrivateKey(secrets.unseal(row.private_key, associatedData(environment_id, row.kid)))
        return private_key
      },
    }
  })
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
  return rows.map(({ kid, public_jwk }) => ({ kid, public_key: () => createPublicKey({ key: JSON.parse(public_jwk), format: 'jwk' }) }))
}

/** A next key, which signs once every cached JWKS has expired. The batch happens only where the environment has no next key. */
export async function insertSigningKey({ secrets }: Pick<Deployment, 'secrets'>, pool: KeyPool, environment_id: EnvironmentId, now: Date) {
  const { kid, public_jwk, pem } = await pool.take()
  const signs_from = new Date(now.getTime() + publish_before_signing_ms)
  const statements = [
    // Writes the environment first: a process that adds a key at the same time waits for this row, and then finds the next key.
    onEveryNode`update environments set keys_version = keys_version + 1 where id = ${environment_id}`,
    guard(sql`insert into signing_keys (environment_id, kid, public_jwk, private_key, signs_from, created_at)
        select id, ${kid}, ${public_jwk}, ${secrets.seal(pem, associatedData(environment_id, kid))}, ${signs_from}, ${now}
          from environments
         where id = ${environment_id}
           and not exists (select 1 from signing_keys where environment_id = ${environment_id} and signs_from > ${now})`),
  ]
  return { key: { kid, public_jwk, signs_from, created_at: now }, statements }
}

const Aged = z.object({ environment_id: z.custom<EnvironmentId>() })

/** A key that has signed for this long is replaced automatically. */
const rotation_ms = 90 * day_ms
const most_at_once = 20
const most_erased_at_once = 100

/**
 * Replaces keys that have signed for 90 days, erases the private half of keys whose last token has expired, and deletes keys whose ID
 * tokens can name no session any more.
 */
export async function rotateAgedKeys(deployment: Deployment, pool: KeyPool): Promise<void> {
  const { db, now, newId } = deployment
  const at = now()
  const aged = await db.many.all(
    Aged,
    sql`select environment_id from signing_keys
         group by environment_id having max(signs_from) < ${new Date(at.getTime() - rotation_ms)} limit ${most_at_once}`,
  )
  for (const { environment_id } of aged) {
    const { key, statements } = await insertSigningKey(deployment, pool, environment_id, at)
    const origin = originOf({ newId }, bySystem, null)
    const data = { kid: key.kid, signs_from: key.signs_from.toISOString() }
    await db.of(environment_id).batch([...statements, insertEvent(environment_id, origin, { type: 'signing_key.rotated', data }, at)])
  }
  const replacedFor = (ms: number) => sql`exists (select 1 from signing_keys newer where newer.environment_id = signing_keys.environment_id
    and newer.signs_from > signing_keys.signs_from and newer.signs_from <= ${new Date(at.getTime() - ms)})`
  await changeOld(db, sql`private_key <> '' and ${replacedFor(longest_token_ms)}`, sql`update signing_keys set private_key = ''`)
  await changeOld(db, replacedFor(longest_session_ms), sql`delete from signing_keys`)
}

const Old = z.object({ environment_id: z.string(), kid: z.string() })

/** Erases or deletes the keys to which the condition applies, a slice at a time. */
async function changeOld(db: Db, condition: Statement, change: Statement): Promise<void> {
  const find = (limit: number) => db.many.all(Old, sql`select environment_id, kid from signing_keys where ${condition} limit ${limit}`)
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
