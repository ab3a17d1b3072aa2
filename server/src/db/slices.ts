/**
 * Changes that concern any number of rows. No statement may take long (decision 0010), so most rows are changed a slice at a time, before
 * the batch that completes the change. A change that is cut short has done a part of its work, has no event or audit entry yet, and can
 * be repeated.
 */
import { restartLimit } from '../base/database-time.ts'
import type { Result } from './db.ts'

/**
 * Changes rows until fewer than a slice remain, and returns those, for the batch that completes the change.
 * @param find  reads the first rows that remain, after the last row of the slice before
 * @param write changes these rows in one batch. `null` means that a guard failed, which ends the work
 */
export async function changeAllButLast<T>(
  slice: number,
  find: (limit: number, after: T | undefined) => Promise<readonly T[]>,
  write: (rows: readonly T[]) => Promise<readonly Result[] | null>,
): Promise<readonly T[] | null> {
  for (let after: T | undefined; ; ) {
    restartLimit()
    const rows = await find(slice, after)
    if (rows.length < slice) return rows
    if (!(await write(rows))) return null
    after = rows.at(-1)
  }
}
