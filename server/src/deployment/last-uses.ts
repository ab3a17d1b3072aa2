/**
 * Remembers the last uses of rows, and writes them together every few seconds, so that no request writes the row that it uses. They are shown
 * before they are written, so no request waits until the disk has them: each call with a key reads its row.
 */
import { type Db, type Statement, withoutSync } from '../db/db.ts'

/** While the database fails, the uses of further rows are not remembered. */
const most_remembered = 50_000
/** Uses in one batch, so that no request waits for long. */
const most_at_once = 500

export interface LastUses<Use> {
  note(id: string, use: Use): void
  /** The use that is not written yet. */
  find(id: string): Use | undefined
  /** Writes the uses. Keeps for the next time what the database did not take. */
  write(): Promise<void>
}

/** @param statementOf writes a use, unless a later one is stored */
export function createLastUses<Use extends object>(db: Db, statementOf: (id: string, use: Use) => Statement): LastUses<Use> {
  const uses = new Map<string, Use>()
  return {
    note(id, use) {
      if (uses.size < most_remembered || uses.has(id)) uses.set(id, use)
    },
    find: (id) => uses.get(id),
    async write() {
      // Sorted by id, so that two processes that write the same rows do not deadlock.
      const all = [...uses].sort(([a], [b]) => (a < b ? -1 : 1))
      for (let first = 0; first < all.length; first += most_at_once) {
        const some = all.slice(first, first + most_at_once)
        await db.many.batch(some.map(([id, use]) => withoutSync(statementOf(id, use))))
        for (const [id, use] of some) if (uses.get(id) === use) uses.delete(id)
      }
    },
  }
}
