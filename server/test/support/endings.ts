/** The background worker that ends the rows of endings, for tests. */
import { z } from 'zod'
import { type Db, sql } from '../../src/db/db.ts'
import { until } from './receiver.ts'

const Count = z.object({ count: z.int() })

/** Waits until the rows, events and logouts of every ending have followed. */
export const rowsFollowed = (db: Db): Promise<true> =>
  until('the rows of endings', async () => (await db.all(Count, sql`select count(*) as count from endings`))[0]?.count === 0)

/**
 * Stops the worker of a service: its slices fail, as after a crash, until the returned function is called. Another process, or
 * `endSlices` on another connection, can go on.
 */
export function holdEndings(db: Db): () => void {
  const { batch } = db
  db.batch = (statements) =>
    statements.some(({ parts }) => parts.join('').startsWith('update endings set')) ? Promise.resolve(null) : batch(statements)
  return () => {
    db.batch = batch
  }
}
