/** The log of a service: synced beside the main thread, and moved into the database by a thread of its own. */
import type { DatabaseSync } from 'node:sqlite'
import { CannotStart } from '../../base/cannot-start.ts'
import { WritesFail } from '../db.ts'
import { type CheckpointOptions, createCheckpoints } from './checkpoints.ts'
import type { Log } from './log.ts'
import { openLogFile, rewriteLog } from './log-file.ts'
import { createLogSyncs } from './log-syncs.ts'
import { busy_timeout_ms } from './schema.ts'

/** How long a start waits for commands that read the database. */
const start_busy_timeout_ms = 10_000

/** @throws CannotStart if another process reads the database all the time */
export function openServiceLog(path: string, database: DatabaseSync, { pause, failed }: CheckpointOptions): Log {
  moveFoundLog(path, database)
  database.exec('pragma synchronous = normal; select 1 from sqlite_schema') // the read makes the file of the log
  const file = openLogFile(path)
  const syncs = createLogSyncs(file.sync, failed)
  const checkpoints = createCheckpoints(path, database, { pause, failed })

  return {
    get last() {
      return syncs.last
    },
    committed(is_awaited) {
      if (is_awaited) syncs.committed()
      checkpoints.committed()
    },
    committedElsewhere() {}, // it was synced before it could be seen
    reached: syncs.reached,
    refusal() {
      if (syncs.isStuck()) return new WritesFail('The disk of the database does not answer. Nothing was changed.')
      return checkpoints.refusal()
    },
    async end() {
      await checkpoints.end()
      await syncs.end()
      file.close()
    },
  }
}

/**
 * Moves the log of an earlier process into the database. That log may have commits that no sync reached, and another sync of it would prove
 * nothing: after a failed one the system may take what it could not write for written. So the log is written again first, or a loss of power
 * would leave a database with half of a commit, and no log to complete it.
 */
function moveFoundLog(path: string, database: DatabaseSync): void {
  database.exec(`pragma busy_timeout = ${start_busy_timeout_ms}; begin immediate`)
  rewriteLog(path)
  database.exec('rollback')
  const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number } // as: the pragma's own columns
  database.exec(`pragma busy_timeout = ${busy_timeout_ms}`)
  if (busy !== 0) throw new CannotStart('Another process has been reading the database for 10 seconds. End it, and start again.')
}
