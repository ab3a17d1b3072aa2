/** Remembers when grants and metadata clients got tokens, so that no token request writes their rows. */
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
