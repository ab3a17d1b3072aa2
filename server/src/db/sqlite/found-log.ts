/** The log that an ended process has left. */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { logOf, rewriteLog } from './log-file.ts'
import { busy_timeout_ms } from './schema.ts'

/** How long a start waits for commands that read or write the database. */
const start_busy_timeout_ms = 10_000

export const hasLog = (path: string): boolean => (statSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Moves the log of an earlier process into the database. That log may have commits that no sync reached, and another sync of it would prove
 * nothing: after a failed one the system may take what it could not write for written. So the log is written again first, or a loss of power
 * would leave a database with half of a commit, and no log to complete it. Returns false where another process reads the database all the
 * time, and so keeps a part of the log.
 */
export function moveFoundLog(path: string, database: DatabaseSync): boolean {
  database.exec(`pragma busy_timeout = ${start_busy_timeout_ms}; begin immediate`)
  rewriteLog(path)
  database.exec('rollback')
  const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number } // as: the pragma's own columns
  database.exec(`pragma busy_timeout = ${busy_timeout_ms}`)
  return busy === 0
}
