/** Observes the batches of a change of many rows. */
import type { Db } from '../../src/db/db.ts'

/** Returns the most rows that a statement changes during a call. */
export async function mostRowsOfStatement(db: Db, call: () => Promise<unknown>): Promise<number> {
  const { batch } = db
  let most = 0
  db.batch = async (statements) => {
    const results = await batch(statements)
    most = Math.max(most, ...(results ?? []).map(({ changed }) => changed))
    return results
  }
  try {
    await call()
  } finally {
    db.batch = batch
  }
  return most
}
