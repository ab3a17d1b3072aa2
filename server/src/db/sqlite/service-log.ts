/** The log of a service: synced beside the main thread, and moved into the database by a thread of its own. */
import type { DatabaseSync } from 'node:sqlite'
import { CannotStart } from '../../base/cannot-start.ts'
import { WritesFail } from '../db.ts'
import { type CheckpointOptions, createCheckpoints } from './checkpoints.ts'
import { moveFoundLog } from './found-log.ts'
import type { Log } from './log.ts'
import { openLogFile } from './log-file.ts'
import { createLogSyncs } from './log-syncs.ts'

/** @throws CannotStart if another process reads the database all the time */
export function openServiceLog(path: string, database: DatabaseSync, { pause, failed }: CheckpointOptions): Log {
  if (!moveFoundLog(path, database))
    throw new CannotStart('Another process has been reading the database for 10 seconds. End it, and start again.')
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
