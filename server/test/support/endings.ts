/** The background worker that ends the rows of endings, for tests. */
import { z } from 'zod'
import { type Db, leavesWork, sql } from '../../src/db/db.ts'
import { replaceMethods } from './db-methods.ts'
import { until } from './receiver.ts'

const Count = z.object({ count: z.int() })

/** Waits until the rows, events and logouts of every ending have followed. */
export const rowsFollowed = (db: Db): Promise<true> =>
  until('the rows of endings', async () => (await db.all(Count, sql`select count(*) as count from endings`))[0]?.count === 0)

/**
 * Stops the worker of a service: its slices fail, as after a crash. `allow` lets it do this many, and `goOn` all of them. Another process
 * could go on as well.
 */
export function holdEndings(db: Db): { allow(slices: number): void; goOn(): void } {
  let allowed = 0
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: (statements) => {
      const is_slice = statements.some(({ parts }) => parts.join('').startsWith('update endings set'))
      if (is_slice && allowed === 0) return Promise.resolve(null)
      if (is_slice) allowed -= 1
      return batch(statements)
    },
  }))
  return {
    allow(slices) {
      allowed = slices
    },
    goOn() {
      restore()
      void db.run(leavesWork(sql`update endings set worked_at = worked_at`, 'endings')) // wakes the worker
    },
  }
}
