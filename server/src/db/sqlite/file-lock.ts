/** A lock between processes: SQLite's lock on a file of its own, so it always ends with the process that holds it. */
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './errors.ts'
import { createPrivateFile } from './private-files.ts'

/** Takes the lock. Returns `null` if another process, or another caller in this one, holds it for longer than the wait. */
export function lockFile(path: string, wait_ms = 0): { release(): void } | null {
  createPrivateFile(path)
  const lock = new DatabaseSync(path, { timeout: wait_ms })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if (isBusy(error)) return null
    throw error
  }
  return { release: () => lock.close() }
}
