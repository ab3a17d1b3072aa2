/**
 * The syncs of a service: beside the main thread, one at a time. A sync covers every commit that was made before it began; those that are
 * made meanwhile share the next one.
 */
import { DatabaseUnavailable } from '../db.ts'

/** Those who wait are refused after this time, and those who come later at once. The sync goes on. */
const longest_wait_ms = 1_600

/** Numbers commits and says when the disk has them; see `log.ts`. */
export interface LogSyncs {
  readonly last: number
  /** Counts a commit. */
  committed(): void
  reached(commit: number): Promise<void> | null
  /** Reports whether the disk has not answered for longer than anybody waits. */
  isStuck(): boolean
  /** Resolves when every commit is on the disk. */
  end(): Promise<void>
}

/** The callers that wait for one sync. */
interface Waiting {
  readonly promise: Promise<void>
  resolve(): void
}

/**
 * @param sync   brings what was written before the call to the disk
 * @param failed gets the error of a sync. Nothing is synced afterwards: a system may report success for the next sync and have lost the data
 */
export function createLogSyncs(sync: () => Promise<void>, failed: (error: Error) => void, limit_ms = longest_wait_ms): LogSyncs {
  let last = 0
  let reached = 0
  /** The last commit that the running sync covers; `null` without one. */
  let covers: number | null = null
  let is_stuck = false
  /** It begins with the sync, so it is never behind those who came for that sync. */
  let becomeStuck: NodeJS.Timeout | undefined
  let for_running: Waiting | null = null
  let for_next: Waiting | null = null
  let whenAllReached = () => {}

  function begin(): void {
    const covered = last
    covers = covered
    becomeStuck = setTimeout(() => {
      is_stuck = true
    }, limit_ms).unref()
    for_running = for_next
    for_next = null
    sync().then(() => ended(covered), failed)
  }

  function ended(covered: number): void {
    clearTimeout(becomeStuck)
    is_stuck = false
    covers = null
    reached = covered
    for_running?.resolve()
    for_running = null
    if (last > reached) begin()
    else whenAllReached()
  }

  /** They share one promise, which is rejected when the first of them has waited long enough. */
  function wait(): Waiting {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const limit = setTimeout(() => {
      if (for_running === waiting) for_running = null
      if (for_next === waiting) for_next = null
      reject(tooLate())
    }, limit_ms)
    const waiting = {
      promise,
      resolve() {
        clearTimeout(limit)
        resolve()
      },
    }
    return waiting
  }

  return {
    get last() {
      return last
    },

    committed() {
      last += 1
      if (covers === null) begin()
    },

    isStuck: () => is_stuck,

    reached(commit) {
      if (commit <= reached) return null
      if (is_stuck) return Promise.reject(tooLate())
      if (covers !== null && commit <= covers) {
        for_running ??= wait()
        return for_running.promise
      }
      for_next ??= wait()
      return for_next.promise
    },

    async end() {
      if (last === reached) return
      await new Promise<void>((resolve) => {
        whenAllReached = resolve
      })
    },
  }
}

const tooLate = () => new DatabaseUnavailable('The disk of the database did not answer in time.')
