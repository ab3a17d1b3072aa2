/** Remembers when grants, metadata clients and client secrets were used, so that no token request writes their rows. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Db, sql } from '../db/db.ts'
import { createLastUses } from './last-uses.ts'

export type GrantUses = ReturnType<typeof createGrantUses>

export function createGrantUses(db: Db) {
  const uses = createLastUses<{ environment_id: EnvironmentId; at: Date }>(
    db,
    (id, { environment_id, at }) =>
      sql`update grants set last_used_at = ${at}
           where environment_id = ${environment_id} and id = ${id} and (last_used_at is null or last_used_at < ${at})`,
  )
  return {
    note: (environment_id: EnvironmentId, grant_id: string, at: Date): void => uses.note(grant_id, { environment_id, at }),
    write: uses.write,
  }
}

export type ClientUses = ReturnType<typeof createClientUses>

/** The same for metadata clients, of which the one that was not used for the longest time gives way to a new one. */
export function createClientUses(db: Db) {
  const uses = createLastUses<{ environment_id: EnvironmentId; at: Date }>(
    db,
    (id, { environment_id, at }) =>
      sql`update metadata_clients set last_used_at = ${at}
           where environment_id = ${environment_id} and id = ${id} and (last_used_at is null or last_used_at < ${at})`,
  )
  return {
    note: (environment_id: EnvironmentId, id: string, at: Date): void => uses.note(id, { environment_id, at }),
    write: uses.write,
  }
}

export type SecretUses = ReturnType<typeof createSecretUses>

/** The same for client secrets, which are shown before they are written, as uses of keys are. */
export function createSecretUses(db: Db) {
  const uses = createLastUses<{ environment_id: EnvironmentId; at: Date }>(
    db,
    (id, { environment_id, at }) =>
      sql`update application_secrets set last_used_at = ${at}
           where environment_id = ${environment_id} and id = ${id} and (last_used_at is null or last_used_at < ${at})`,
  )
  return {
    /** The id is `null` where a program from before has made the secret: it has no row. */
    note(environment_id: EnvironmentId, id: string | null, at: Date): void {
      if (id !== null) uses.note(id, { environment_id, at })
    },
    /** The last use that is not written yet. */
    find: (id: string): Date | null => uses.find(id)?.at ?? null,
    write: uses.write,
  }
}
