/** The limits of time of the PostgreSQL engine. */
import { DatabaseUnavailable } from '../db.ts'

export interface TimeLimits {
  /** To open a connection. */
  readonly connect_ms: number
  /** The server cancels a statement after this time. Its `deadlock_timeout` of 1 s is shorter, so deadlocks are reported as such. */
  readonly statement_ms: number
  /** The server would have cancelled any statement by now, so a connection that is silent for longer is dead. */
  readonly silence_ms: number
  /** The caller gets an error after this time. All that one request waits for from the database ends within it (docs/decisions/0070). */
  readonly answer_ms: number
  /** A connection whose oldest change is not committed after this time gets no other batch, and what waits behind it is read elsewhere. */
  readonly held_ms: number
  /** A process that starts while tables are distributed waits this long until all are where they belong. */
  readonly placed_ms: number
  /** A process that sends anything asks again after this time whether its tables are distributed. */
  readonly asked_ms: number
}

/** A request may take 2 s to notice that the database is gone. */
export const time_limits: TimeLimits = {
  connect_ms: 1_000,
  statement_ms: 1_200,
  silence_ms: 1_400,
  answer_ms: 1_600,
  held_ms: 200,
  placed_ms: 60_000,
  asked_ms: 5_000,
}

/** The error of a batch that was not sent. */
export const too_late = 'The database cannot be reached in time. Nothing was changed.'

/** A batch whose time is over is not sent. */
export function refuseLate(deadline: number): void {
  if (performance.now() >= deadline) throw new DatabaseUnavailable(too_late)
}

/** Resolves like the promise, or rejects with `DatabaseUnavailable` at the deadline. */
export function within<T>(promise: Promise<T>, deadline: number, problem: string): Promise<T> {
  return new Promise((resolve, reject) => {
    // `setImmediate` first reads an answer that arrived while this process was busy.
    const timer = setTimeout(() => setImmediate(() => reject(new DatabaseUnavailable(problem))), Math.max(1, deadline - performance.now()))
    const settle =
      <V>(how: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        how(value)
      }
    promise.then(settle(resolve), settle(reject))
  })
}
