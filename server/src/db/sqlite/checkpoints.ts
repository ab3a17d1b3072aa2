/**
 * Moves the log into the database, in a thread of its own with its own connection. SQLite's automatic checkpoint would run in a commit and
 * drop the error of its sync (docs/decisions/0175).
 */
import type { DatabaseSync } from 'node:sqlite'
import { type DatabaseUnavailable, WritesFail } from '../db.ts'
import { type CheckpointThread, createCheckpointThread } from './checkpoint-thread.ts'
import { isFailedSync } from './errors.ts'

export interface Checkpoints {
  /** Looks now and then whether the log is long. */
  committed(): void
  /** Returns why no commit may be added to the log: it is long and cannot be moved. */
  refusal(): DatabaseUnavailable | null
  /** Waits for the checkpoint that runs. */
  end(): Promise<void>
}

/** In pages of the log, 16 MB. A page that was written several times until then is moved once. */
const due_pages = 4_000
/** In pages of the log, 40 MB. The thread gets too little time beside so many commits. */
const crowded_pages = 10_000
/** In pages of the log, 64 MB. */
const most_pages = 16_000
/** Commits between two looks. */
const unlooked = 64
const longest_pause_ms = 500

export interface CheckpointOptions {
  /** Holds commits back until the returned function is called. */
  pause(): () => void
  /** Gets the error of a sync that failed. */
  failed(error: Error): void
  thread?: CheckpointThread
}

export function createCheckpoints(path: string, database: DatabaseSync, { pause, failed, thread }: CheckpointOptions): Checkpoints {
  const { checkpoint: checkpointBeside, end } = thread ?? createCheckpointThread(path)
  const checkpointHere = database.prepare('pragma wal_checkpoint(passive)')
  // SQLite before 3.51 knows no `noop` and takes it for a passive checkpoint, on this thread.
  const look = database.prepare('pragma wal_checkpoint(noop)')
  let commits = 0
  let pages = 0
  let running: Promise<void> | null = null
  let failure: Error | null = null
  let letGo: (() => void) | null = null

  function moveIfLong(): void {
    pages = Number(look.get()?.log ?? 0)
    if (running && pages >= crowded_pages) hold()
    if (running || pages < due_pages) return
    running = move().finally(() => {
      running = null
    })
  }

  /** Where the system gives no thread, it is done here. */
  const checkpoint = () =>
    checkpointBeside().catch((error) => {
      if ('errcode' in error) throw error
      checkpointHere.get()
    })

  /**
   * Moves most of the log beside commits, and the rest while they are held back: SQLite begins the log again only when all of it was moved,
   * and no commit was added.
   */
  async function move(): Promise<void> {
    try {
      await checkpoint()
      hold()
      await checkpoint()
      failure = null
    } catch (error) {
      failure = error as Error // as: the thread rejects with errors
      if (isFailedSync(error)) failed(failure)
    } finally {
      letGo?.()
    }
  }

  /** Holds commits back until the log is moved, or until they have waited long enough. */
  function hold(): void {
    if (letGo) return
    const resume = pause()
    const release = () => {
      clearTimeout(limit)
      letGo = null
      resume()
    }
    const limit = setTimeout(release, longest_pause_ms)
    letGo = release
  }

  return {
    committed() {
      commits += 1
      if (commits % unlooked === 0) moveIfLong()
    },

    refusal() {
      if (failure === null || pages < most_pages) return null
      moveIfLong()
      return new WritesFail(`The log of the database cannot be moved into it: ${failure.message}. Nothing was changed.`, { cause: failure })
    },

    async end() {
      await running
      await end()
    },
  }
}
