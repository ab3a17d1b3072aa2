/**
 * The log of SQLite, where each commit is written first, and when it is on the disk. An answer never shows a commit that a loss of power
 * can take back, so the engine holds the results of batches and the rows of reads until the disk has the commits that they show
 * (docs/decisions/0175).
 */
import type { DatabaseUnavailable } from '../db.ts'
import { unsynced } from './errors.ts'
import { syncLog } from './log-file.ts'

/** Numbers the commits that are shown only when the disk has them, from 1. */
export interface Log {
  /** The number of the last such commit. */
  readonly last: number
  /** Called after each commit of this process. `is_awaited`: it is such a commit. */
  committed(is_awaited: boolean): void
  /** Called where a commit of another process was seen. */
  committedElsewhere(): void
  /** Returns why no commit can be added. */
  refusal(): DatabaseUnavailable | null
  /** Returns `null` if the commit is on the disk, else a promise that resolves when it is, and rejects with `DatabaseUnavailable`. */
  reached(commit: number): Promise<void> | null
  /** Resolves when every commit is on the disk, and closes what is open beside SQLite. */
  end(): Promise<void>
}

/**
 * The log of a command, whose own commits are on the disk when SQLite has made them. A service beside it makes commits that are not yet, so
 * the log is synced before rows of them are shown.
 * @param failed gets the error of a sync
 */
export function createCommandLog(path: string, failed: (error: Error) => void): Log {
  let last = 0
  let reached = 0
  return {
    get last() {
      return last
    },
    committed() {},
    committedElsewhere() {
      last += 1
    },
    refusal: () => null,
    reached(commit) {
      if (commit <= reached) return null
      try {
        syncLog(path)
      } catch (error) {
        failed(error as Error) // as: node:fs throws errors
        return Promise.reject(unsynced(error))
      }
      reached = last
      return null
    },
    end: async () => {},
  }
}
