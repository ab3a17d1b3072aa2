/** API keys: only a digest is stored. Uses are gathered in memory and written together. */
import { ApiKey, type KeyType } from '@ostiary/contract/api-key.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import type { NewKey } from './format.ts'

const Row = ApiKey.extend({ version: z.int() })

/** A key with the version that its ETag shows. */
export type KeyRow = z.infer<typeof Row>

const columns = sql`
  k.id, k.id as key_id, k.type, k.tenant_id, k.project_id, k.environment_id, e.type as environment_type, k.label, k.start, k.last4, k.scopes, k.allowed_origins,
  k.ip_allowlist, k.rate_limit, k.version, k.created_at, k.updated_at, k.last_used_at, k.last_used_ip, k.rotated_at, k.revoked_at, k.expires_at`
const from = sql`from api_keys k left join environments e on e.id = k.environment_id`

/** What whoever manages a key may set. */
export interface KeyFields {
  label: string | null
  scopes: readonly z.infer<typeof ApiKey>['scopes'][number][]
  allowed_origins: readonly string[]
  ip_allowlist: readonly string[]
  rate_limit: { limit: number; window_seconds: number } | null
  expires_at: string | null
}

/** Where a key belongs: platform keys to the tenant alone. */
export interface KeyPlace {
  tenant_id: TenantId
  project_id: ApiKey['project_id']
  environment_id: ApiKey['environment_id']
}

/** For a batch, so that a key comes into being together with what it belongs to. */
export function insertKey(
  { tenant_id, project_id, environment_id }: KeyPlace,
  id: string,
  type: KeyType,
  made: NewKey,
  fields: KeyFields,
  now: Date,
): Statement {
  return guard(sql`insert into api_keys (tenant_id, project_id, environment_id, id, type, label, digest, start, last4, scopes, allowed_origins, ip_allowlist, rate_limit, created_at, updated_at, expires_at)
    values (${tenant_id}, ${project_id}, ${environment_id}, ${id}, ${type}, ${fields.label}, ${made.digest}, ${made.start}, ${made.last4},
            ${fields.scopes}, ${fields.allowed_origins}, ${fields.ip_allowlist}, ${fields.rate_limit}, ${now}, ${now}, ${time(fields.expires_at)})`)
}

const time = (text: string | null) => (text === null ? null : new Date(text))

/** `digest` only where the plaintext is replaced. Says nothing about keys that are revoked: those cannot be changed. */
export function updateKey(current: KeyRow, fields: KeyFields, made: NewKey | null, now: Date): Statement {
  const plaintext = made ? sql`, digest = ${made.digest}, start = ${made.start}, last4 = ${made.last4}, rotated_at = ${now}` : sql``
  return guard(sql`update api_keys set label = ${fields.label}, scopes = ${fields.scopes}, allowed_origins = ${fields.allowed_origins}, ip_allowlist = ${fields.ip_allowlist},
      rate_limit = ${fields.rate_limit}, expires_at = ${time(fields.expires_at)}, version = version + 1, updated_at = ${now}${plaintext}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version} and revoked_at is null`)
}

export function revokeKey(current: KeyRow, now: Date): Statement {
  return guard(sql`update api_keys set revoked_at = ${now}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version} and revoked_at is null`)
}

/**
 * Holds while the environment has fewer keys that are not revoked than `most`, or the tenant fewer such platform keys. Expired keys
 * count, since their expiry can be changed. For `haveRoom`.
 */
export const roomForKey = ({ tenant_id, environment_id }: KeyPlace, most: number) => {
  const within = environment_id === null ? sql`environment_id is null` : sql`environment_id = ${environment_id}`
  return sql`(select count(*) from api_keys where tenant_id = ${tenant_id} and ${within} and revoked_at is null) < ${most}`
}

export type KeyStore = ReturnType<typeof createKeyStore>

export function createKeyStore(db: Db) {
  const uses = new Map<string, { at: Date; ip: string | null }>()

  /** The record with the latest use, whether or not it is written yet. */
  const current = (row: KeyRow): KeyRow => {
    const use = uses.get(row.id)
    return use ? { ...row, last_used_at: use.at.toISOString(), last_used_ip: use.ip } : row
  }
  const within = ({ tenant_id, environment_id }: KeyPlace) =>
    environment_id === null
      ? sql`k.tenant_id = ${tenant_id} and k.environment_id is null`
      : sql`k.tenant_id = ${tenant_id} and k.environment_id = ${environment_id}`

  return {
    /** For whoever calls with it: without uses that are not written yet, which `current` adds. */
    findByDigest: (digest: string): Promise<KeyRow | null> => db.maybeOne(Row, sql`select ${columns} ${from} where k.digest = ${digest}`),

    current,

    async list(place: KeyPlace, rest: Statement): Promise<ApiKey[]> {
      const rows = await db.all(Row, sql`select * from (select ${columns} ${from} where ${within(place)}) listed where 1 = 1 ${rest}`)
      return rows.map(current).map(({ version: _, ...key }) => key)
    },

    async find(place: KeyPlace, id: string): Promise<KeyRow | null> {
      const row = await db.maybeOne(Row, sql`select ${columns} ${from} where ${within(place)} and k.id = ${id}`)
      return row && current(row)
    },

    noteUse(key_id: string, at: Date, ip: string | null): void {
      uses.set(key_id, { at, ip })
    },

    /** Writes the gathered uses, at most one statement per key. A use that cannot be written is kept for the next time. */
    async writeUses(): Promise<void> {
      // In the order of ids: two processes that write the same keys in another order would wait for each other.
      const gathered = [...uses].sort(([a], [b]) => (a < b ? -1 : 1))
      if (gathered.length === 0) return
      await db.batch(
        gathered.map(
          ([id, { at, ip }]) =>
            sql`update api_keys set last_used_at = ${at}, last_used_ip = ${ip} where id = ${id} and (last_used_at is null or last_used_at <= ${at})`,
        ),
      )
      for (const [id, use] of gathered) if (uses.get(id) === use) uses.delete(id)
    },
  }
}
