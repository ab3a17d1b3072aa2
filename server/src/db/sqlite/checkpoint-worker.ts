/** The thread of `checkpoint-thread.ts`: runs a checkpoint at each message. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointAnswer } from './checkpoint-thread.ts'

const database = new DatabaseSync(String(workerData))
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', () => parentPort?.postMessage(run()))

function run(): CheckpointAnswer {
  try {
    checkpoint.get()
    return { error: null }
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number } // as: node:sqlite throws these
    return { error: { message, errcode } }
  }
}
