/** Observes the batches of a change of many rows. */
import assert from 'node:assert/strict'
import { DatabaseUnavailable, type Db } from '../../src/db/db.ts'

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

/** Makes a call while the database refuses every batch with this text, which only the call sends, after the first one. Expects 503. */
export async function cutShort(db: Db, text: string, call: () => Promise<{ status: number }>): Promise<void> {
  const { batch } = db
  let batches = 0
  db.batch = (statements) =>
    statements.some(({ parts }) => parts.join('').includes(text)) && ++batches > 1
      ? Promise.reject(new DatabaseUnavailable('Nothing was changed.'))
      : batch(statements)
  try {
    assert.equal((await call()).status, 503)
  } finally {
    db.batch = batch
  }
  assert.equal(batches, 2)
}
