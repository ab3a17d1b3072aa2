/** Remembers when grants got tokens, and writes the times together every few seconds, so that no token request writes its grant. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Db, sql } from '../db/db.ts'

export interface GrantUses {
  note(environment_id: EnvironmentId, grant_id: string, at: Date): void
  /** Writes the times. Keeps them for the next time if the database fails. */
  write(): Promise<void>
}

/** While the database fails, the uses of further grants are not remembered. */
const most_remembered = 50_000
const most_at_once = 500

export function createGrantUses(db: Db): GrantUses {
  const uses = new Map<string, { environment_id: EnvironmentId; at: Date }>()
  return {
    note(environment_id, grant_id, at) {
      if (uses.size < most_remembered || uses.has(grant_id)) uses.set(grant_id, { environment_id, at })
    },
    async write() {
      // Sorted by id, so that two processes that write the same grants do not deadlock.
      const all = [...uses].sort(([a], [b]) => (a < b ? -1 : 1))
      for (let first = 0; first < all.length; first += most_at_once) {
        const some = all.slice(first, first + most_at_once)
        await db.batch(
          some.map(
            ([id, { environment_id, at }]) =>
              sql`update grants set last_used_at = ${at}
                   where environment_id = ${environment_id} and id = ${id} and (last_used_at is null or last_used_at < ${at})`,
          ),
        )
        for (const [id, use] of some) if (uses.get(id) === use) uses.delete(id)
      }
    },
  }
}
