/** Stores API keys by their digests. Buffers `last_used_at` and `last_used_ip` in memory, and counts calls with `usage.ts`. */
import { ApiKey, type KeyType } from '@ostiary/contract/api-key.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { createLastUses } from '../../deployment/last-uses.ts'
import type { NewKey } from './format.ts'
import { createKeyUsage } from './usage.ts'

const Row = ApiKey.extend({ version: z.int() })

/** A key with the version that its ETag shows. */
export type KeyRow = z.infer<typeof Row>

const columns = sql`
  k.id, k.id as key_id, k.type, k.tenant_id, k.project_id, k.environment_id, e.type as environment_type, k.label, k.start, k.last4,
  k.scopes, k.allowed_origins, k.ip_allowlist, k.rate_limit, k.version, k.created_at, k.updated_at, k.last_used_at, k.last_used_ip,
  k.rotated_at, k.revoked_at, k.expires_at`
const from = sql`from api_keys k left join environments e on e.id = k.environment_id`

/** The fields of a key that can be changed. */
export interface KeyFields {
  label: string | null
  scopes: readonly z.infer<typeof ApiKey>['scopes'][number][]
  allowed_origins: readonly string[]
  ip_allowlist: readonly string[]
  rate_limit: { limit: number; window_seconds: number } | null
  expires_at: string | null
}

/** The tenant, project and environment that a key belongs to. A platform key belongs to the tenant only. */
export interface KeyOwner {
  tenant_id: TenantId
  project_id: ApiKey['project_id']
  environment_id: ApiKey['environment_id']
}

/** Inserts a key, in the same batch as its tenant or environment where those are new. */
export function insertKey(
  { tenant_id, project_id, environment_id }: KeyOwner,
  { id, type, made_by = [], ...made }: NewKey & { id: string; type: KeyType; made_by?: readonly string[] },
  fields: KeyFields,
  now: Date,
): Statement {
  return guard(
    insertInto('api_keys', {
      tenant_id,
      project_id,
      environment_id,
      id,
      type,
      label: fields.label,
      digest: made.digest,
      start: made.start,
      last4: made.last4,
      scopes: fields.scopes,
      allowed_origins: fields.allowed_origins,
      ip_allowlist: fields.ip_allowlist,
      rate_limit: fields.rate_limit,
      made_by,
      created_at: now,
      updated_at: now,
      expires_at: time(fields.expires_at),
    }),
  )
}

const time = (text: string | null) => (text === null ? null : new Date(text))

type Rotated = NewKey & { readonly made_by: readonly string[] }

/** Changes a key that is not revoked. `made` is the new plaintext where the key is rotated. */
export function updateKey(current: KeyRow, fields: KeyFields, made: Rotated | null, now: Date): Statement {
  const plaintext = made
    ? sql`, digest = ${made.digest}, start = ${made.start}, last4 = ${made.last4}, made_by = ${made.made_by}, rotated_at = ${now}`
    : sql``
  return guard(atCoordinator`update api_keys
      set label = ${fields.label}, scopes = ${fields.scopes}, allowed_origins = ${fields.allowed_origins},
          ip_allowlist = ${fields.ip_allowlist}, rate_limit = ${fields.rate_limit}, expires_at = ${time(fields.expires_at)},
          version = version + 1, updated_at = ${now}${plaintext}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version} and revoked_at is null`)
}

/** How many digests of rotations of one key are kept. */
const most_rotations = 5

/**
 * Keeps the digest that a rotation replaces, before `updateKey` in its batch. A call with it is still refused, and is recorded for the
 * tenant. Of parallel rotations the later one finds the digest kept, and then its guard fails.
 */
export function keepRotated({ tenant_id, id, version }: KeyRow, now: Date): Statement[] {
  const of_key = sql`tenant_id = ${tenant_id} and key_id = ${id}`
  return [
    atCoordinator`insert into rotated_keys (digest, tenant_id, key_id, rotated_at)
      select digest, tenant_id, id, cast(${now} as bigint) from api_keys where tenant_id = ${tenant_id} and id = ${id} and version = ${version}
      on conflict (digest) do nothing`,
    atCoordinator`delete from rotated_keys where ${of_key} and rotated_at <
      (select rotated_at from rotated_keys where ${of_key} order by rotated_at desc limit 1 offset ${most_rotations - 1})`,
  ]
}

export function revokeKey(current: KeyRow, now: Date): Statement {
  return guard(atCoordinator`update api_keys set revoked_at = ${now}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version} and revoked_at is null`)
}

/**
 * The environment has fewer than `most` keys that are not revoked, or the tenant has fewer than `most` such platform keys. Expired
 * keys count, because their expiry can be changed. Pass it to `haveRoom` with `holdEnvironment`, or `holdTenant` for platform keys.
 */
export const roomForKey = ({ tenant_id, environment_id }: KeyOwner, most: number) => {
  const within = environment_id === null ? sql`environment_id is null` : sql`environment_id = ${environment_id}`
  return atCoordinator`(select count(*) from api_keys where tenant_id = ${tenant_id} and ${within} and revoked_at is null) < ${most}`
}

const Made = z.object({ made_by: z.array(z.string()) })

/** The people who made or rotated a key. A key that a key made has the people of that one. */
export async function findMakers(db: Db, tenant_id: TenantId, key_id: string): Promise<readonly string[]> {
  const row = await db.maybeOne(Made, sql`select made_by from api_keys where tenant_id = ${tenant_id} and id = ${key_id}`)
  return row?.made_by ?? []
}

export type KeyStore = ReturnType<typeof createKeyStore>

export function createKeyStore(db: Db) {
  const uses = createLastUses<{ at: Date; ip: string | null }>(
    db,
    (id, { at, ip }) =>
      atCoordinator`update api_keys set last_used_at = ${at}, last_used_ip = ${ip}
           where id = ${id} and (last_used_at is null or last_used_at <= ${at})`,
  )
  const usage = createKeyUsage(db)

  /** Adds the buffered use to a record. */
  const current = (row: KeyRow): KeyRow => {
    const use = uses.find(row.id)
    return use ? { ...row, last_used_at: use.at.toISOString(), last_used_ip: use.ip } : row
  }
  const within = ({ tenant_id, environment_id }: KeyOwner) =>
    environment_id === null
      ? sql`k.tenant_id = ${tenant_id} and k.environment_id is null`
      : sql`k.tenant_id = ${tenant_id} and k.environment_id = ${environment_id}`

  return {
    /** For authentication. Excludes the buffered use, which `current` adds. */
    findByDigest: (digest: string): Promise<KeyRow | null> => db.maybeOne(Row, sql`select ${columns} ${from} where k.digest = ${digest}`),

    current,

    /** Counts a call for `findKeyUsage`. */
    countCall: usage.count,

    async list(owner: KeyOwner, rest: Statement): Promise<ApiKey[]> {
      const rows = await db.all(Row, sql`select * from (select ${columns} ${from} where ${within(owner)}) listed where 1 = 1 ${rest}`)
      return rows.map(current).map(({ version: _, ...key }) => key)
    },

    async find(owner: KeyOwner, id: string): Promise<KeyRow | null> {
      const row = await db.maybeOne(Row, sql`select ${columns} ${from} where ${within(owner)} and k.id = ${id}`)
      return row && current(row)
    },

    noteUse: (key_id: string, at: Date, ip: string | null): void => uses.note(key_id, { at, ip }),

    /** Writes the buffered uses. */
    writeUses: uses.write,

    /** Writes the counted calls. */
    writeUsage: usage.write,
  }
}
