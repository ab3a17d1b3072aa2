/** The data directory of an embedded database: creates it for the service's user only, and keeps a second service out. */
import { join } from 'node:path'
import { CannotStart } from '../../base/cannot-start.ts'
import type { Engine } from '../db.ts'
import { lockFile } from './file-lock.ts'
import { hasLog } from './found-log.ts'
import { makePrivateDirectory } from './private-files.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

export function openDatabaseFile(data_dir: string, { serves = false }: Pick<SqliteOptions, 'serves'> = {}): Engine {
  const path = join(data_dir, 'ostiary.db')
  return inDataDirectory(data_dir, () => {
    if (serves || !hasLog(path)) return openSqlite(path, { serves })
    const lock = lockFile(lockOf(data_dir))
    try {
      return openSqlite(path, { is_alone: lock !== null })
    } finally {
      lock?.release()
    }
  })
}

const lockOf = (data_dir: string): string => join(data_dir, 'serve.lock')

/** A start waits for so long: a command holds the lock while it moves a log. */
const longest_wait_ms = 2_000

/** Locks the directory until `release` or the end of the process. */
export function takeDataDirectory(data_dir: string): { release(): void } {
  const lock = inDataDirectory(data_dir, () => lockFile(lockOf(data_dir), longest_wait_ms))
  if (lock) return lock
  throw new CannotStart(
    `Another ostiary serve uses the data directory ${data_dir}. Stop it first, or set OSTIARY_DATA_DIR to another folder. Several processes need a PostgreSQL database: set OSTIARY_DATABASE_URL.`,
  )
}

/** Creates the directory and runs the work. Errors of the file system and of SQLite become one sentence. */
function inDataDirectory<T>(data_dir: string, work: () => T): T {
  try {
    makePrivateDirectory(data_dir)
    return work()
  } catch (error) {
    const { message } = error as Error // as: node:fs and node:sqlite throw these
    throw new CannotStart(
      `The data directory ${data_dir} cannot be used: ${message}. Repair it, restore a backup, or set OSTIARY_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}
