/**
 * Stores the client secrets of applications as digests, at most two of each (decision 0188). Every change of them is one of the application: it
 * raises its version, so of parallel changes one happens. `client_secret_hash` of the application is the digest of one of them, for programs from
 * before: where no row has it, such a program replaced it, and it is the only secret.
 */
import { ClientSecret } from '@ostiary/contract/client-secret.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { StoredSecret } from '../../protocol/client.ts'
import type { ApplicationRow } from './store.ts'

const Row = ClientSecret.extend({ secret_hash: z.string(), slot: z.int() })
export type SecretRow = z.infer<typeof Row>

/** The record as the API shows it. It never changes, so its version is always 1. */
export const shown = ({ secret_hash, slot, ...secret }: SecretRow): ClientSecret & { version: number } => ({ ...secret, version: 1 })

const Joined = z.object({
  current_hash: z.string().nullable(),
  ...z.object({ id: Row.shape.id, secret_hash: z.string(), slot: z.int(), created_at: Row.shape.created_at }).partial().shape,
  label: Row.shape.label,
  expires_at: Row.shape.expires_at,
  last_used_at: Row.shape.last_used_at,
})

/** The secrets of an application, newest first. Read them after its row, whose version guards what follows from them. */
export async function findSecrets(db: Db, { environment_id, ...application }: ApplicationRow): Promise<SecretRow[]> {
  const joined = await db.of(environment_id).all(
    Joined,
    sql`select a.client_secret_hash as current_hash, s.id, s.label, s.created_at, s.expires_at, s.last_used_at, s.secret_hash, s.slot
          from applications a left join application_secrets s on s.environment_id = ${environment_id} and s.application_id = a.id
         where a.environment_id = ${environment_id} and a.id = ${application.id} order by s.id desc`,
  )
  const current_hash = joined[0]?.current_hash ?? null
  if (current_hash === null) return []
  const rows = joined.map(({ current_hash: _, ...row }) => row as SecretRow) // as: only an application without rows has one without values
  return rows.some(({ secret_hash }) => secret_hash === current_hash) ? rows : [onlyOne(application, current_hash)]
}

/** The secret that a program from before has made. */
const onlyOne = ({ id, created_at, secret_rotated_at }: Omit<ApplicationRow, 'environment_id'>, secret_hash: string): SecretRow => ({
  id: `sec${id.slice('app'.length)}` as SecretRow['id'], // as: the suffix is that of an id
  label: null,
  created_at: secret_rotated_at ?? created_at,
  expires_at: null,
  last_used_at: null,
  secret_hash,
  slot: 1,
})

/** The columns by which `findClient` reads both secrets with the client, in one query. */
export const secretColumns = sql`a.client_secret_hash, s1.id as first_id, s1.secret_hash as first_hash, s1.expires_at as first_expires_at,
  s2.id as second_id, s2.secret_hash as second_hash, s2.expires_at as second_expires_at`

export const joinSecrets = (environment_id: EnvironmentId): Statement => sql`
  left join application_secrets s1 on s1.environment_id = ${environment_id} and s1.application_id = a.id and s1.slot = 1
  left join application_secrets s2 on s2.environment_id = ${environment_id} and s2.application_id = a.id and s2.slot = 2`

export const SecretColumns = z.object({
  client_secret_hash: z.string().nullable(),
  first_id: z.string().nullable(),
  first_hash: z.string().nullable(),
  first_expires_at: z.date().nullable(),
  second_id: z.string().nullable(),
  second_hash: z.string().nullable(),
  second_expires_at: z.date().nullable(),
})

/** The secrets of a client, expired ones included. */
export function secretsOf(row: z.infer<typeof SecretColumns>): StoredSecret[] {
  if (row.client_secret_hash === null) return []
  const rows = [
    { id: row.first_id, hash: row.first_hash, expires_at: row.first_expires_at },
    { id: row.second_id, hash: row.second_hash, expires_at: row.second_expires_at },
  ].flatMap(({ hash, ...secret }) => (hash === null ? [] : [{ ...secret, hash }]))
  return rows.some(({ hash }) => hash === row.client_secret_hash) ? rows : [{ id: null, hash: row.client_secret_hash, expires_at: null }]
}

interface Of {
  readonly environment_id: EnvironmentId
  readonly id: string
}

interface NewSecret extends Pick<SecretRow, 'secret_hash'> {
  readonly id: string
  readonly label?: string | null
  readonly expires_at?: string | null
}

/** A slot is free: the batch has deleted its row, or the version of the application guards it. */
export function insertSecret({ environment_id, id: application_id }: Of, secret: NewSecret, slot: number, created_at: Date): Statement {
  const { id, secret_hash, label = null, expires_at = null } = secret
  const facts = { environment_id, application_id, slot, id, label, secret_hash, created_at }
  return insertInto('application_secrets', { ...facts, expires_at: expires_at === null ? null : new Date(expires_at) })
}

export const deleteSecrets = ({ environment_id, id }: Of): Statement =>
  sql`delete from application_secrets where environment_id = ${environment_id} and application_id = ${id}`

/** Fails as a guard where the application changed since it was read. */
export function changeSecrets(
  { environment_id, id, version }: ApplicationRow,
  { kept, added }: { kept: readonly SecretRow[]; added: NewSecret | null },
  now: Date,
): Statement[] {
  const of = { environment_id, id }
  const left: NewSecret[] = [...kept, ...(added ? [added] : [])]
  const [lasting] = left.toSorted((one, other) => endOf(other) - endOf(one))
  return [
    guard(sql`update applications set client_secret_hash = ${lasting?.secret_hash ?? null}, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    kept.length === 0
      ? deleteSecrets(of)
      : sql`${deleteSecrets(of)} and secret_hash not in (${list(kept.map(({ secret_hash }) => secret_hash))})`,
    ...kept.map((secret) => sql`${insertSecret(of, secret, secret.slot, new Date(secret.created_at))} on conflict do nothing`),
    ...(added ? [insertSecret(of, added, kept[0]?.slot === 1 ? 2 : 1, now)] : []),
  ]
}

/** A program from before knows no expiry, so it gets the digest of the secret that lasts longest. */
const endOf = ({ expires_at }: NewSecret): number => (expires_at ? Date.parse(expires_at) : Number.MAX_SAFE_INTEGER)
