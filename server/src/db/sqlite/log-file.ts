/**
 * The file of SQLite's log, to sync it beside SQLite. No lock of SQLite is on it, so it can be opened and closed. That is not so for the
 * database itself and for the `-shm` file: closing one of them drops the locks that SQLite has on it in this process.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, readSync, stat, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncNames } from '../../base/sync-names.ts'

export interface LogFile {
  /** Syncs it in the thread pool. If another file is at its path, it rejects, since SQLite may write that one. */
  sync(): Promise<void>
  close(): void
}

const part_bytes = 1_048_576

export const logOf = (path: string): string => `${path}-wal`

/** Opens the log of a database that is open, and syncs the names of both files. */
export function openLogFile(path: string): LogFile {
  const file = openSync(logOf(path), 'r+') // Windows syncs only what is open for writing
  const opened = fstatSync(file, { bigint: true })
  syncNames(dirname(path))
  return {
    sync: () =>
      new Promise((resolve, reject) => {
        let open_calls = 2
        const ended = (error: Error | null) => {
          if (error) return reject(error)
          open_calls -= 1
          if (open_calls === 0) resolve()
        }
        fdatasync(file, ended)
        stat(logOf(path), { bigint: true }, (error, found) => {
          const is_same = !error && found.dev === opened.dev && found.ino === opened.ino
          ended(is_same ? null : (error ?? new Error(`${logOf(path)} was replaced by another file`)))
        })
      }),
    close: () => closeSync(file),
  }
}

/** Syncs the log of a database that is open, on this thread. */
export function syncLog(path: string): void {
  const file = openSync(logOf(path), 'r+')
  try {
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Writes the log again as it is, and syncs it. The caller holds the lock of writers. */
export function rewriteLog(path: string): void {
  const file = openSync(logOf(path), 'r+')
  try {
    const part = Buffer.alloc(part_bytes)
    for (let at = 0; ; ) {
      const length = readSync(file, part, 0, part_bytes, at)
      if (length === 0) break
      at += writeSync(file, part, 0, length, at)
    }
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}
