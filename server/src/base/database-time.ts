/**
 * How long one request waits for the database, over all its calls. The time runs while a call is open, so that passwords, providers and
 * slow clients take none of it. It reaches the engine by an `AsyncLocalStorage`, so that no path can forget it. Background work, and what
 * goes on after the response, has a limit for each call instead. See docs/decisions/0070.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

interface DatabaseTime {
  /** The time of the calls that have ended. Concurrent calls are counted once. */
  waited_ms: number
  open_calls: number
  /** Since when a call is open. */
  since_ms: number
  isAnswered(): boolean
}

const running = new AsyncLocalStorage<DatabaseTime | null>()

/** Runs the handling of a request, all of whose calls share one limit until it is answered. */
export const withinRequest = (isAnswered: () => boolean, handle: () => void): void =>
  running.run({ waited_ms: 0, open_calls: 0, since_ms: 0, isAnswered }, handle)

/** Runs background work that a request may have woken. */
export const outsideRequests = <T>(work: () => T): T => running.run(null, work)

/** Gives this request its whole limit again: for the next page of a stream, or the next slice of a change of any size. */
export function restartLimit(): void {
  const time = running.getStore()
  if (!time) return
  time.waited_ms = 0
  time.since_ms = performance.now()
}

/** Runs a call, which must end at the deadline that it gets: after what is left of the limit for this request. */
export async function withDeadline<T>(limit_ms: number, call: (deadline: number) => Promise<T>): Promise<T> {
  const time = running.getStore()
  const now = performance.now()
  if (!time || time.isAnswered()) return call(now + limit_ms)
  if (time.open_calls === 0) time.since_ms = now
  time.open_calls += 1
  try {
    return await call(time.since_ms + limit_ms - time.waited_ms)
  } finally {
    time.open_calls -= 1
    if (time.open_calls === 0) time.waited_ms += performance.now() - time.since_ms
  }
}
