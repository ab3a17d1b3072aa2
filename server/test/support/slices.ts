/** Observes the batches of a change of many rows. */
import type { Db } from '../../src/db/db.ts'
import { replaceMethods } from './db-methods.ts'

/** Returns the most rows that a statement changes during a call. */
export async function mostRowsOfStatement(db: Db, call: () => Promise<unknown>): Promise<number> {
  let most = 0
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: async (statements) => {
      const results = await batch(statements)
      most = Math.max(most, ...(results ?? []).map(({ changed }) => changed))
      return results
    },
  }))
  try {
    await call()
  } finally {
    restore()
  }
  return most
}
