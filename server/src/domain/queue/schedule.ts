// pure
/** When a failed job is retried. */

/** Jitter: how far a delay may differ from the schedule in either direction, so that jobs that failed together spread out. */
const spread = 0.2

/**
 * Milliseconds between failed attempt number `attempt` (the first is 1) and the next; `null` if there is no next attempt.
 * `chance`, from 0 to 1, is the jitter. `at_least_seconds` is the delay that the receiver asked for.
 */
export function retryDelay(schedule_seconds: readonly number[], attempt: number, chance: number, at_least_seconds = 0): number | null {
  const seconds = schedule_seconds[attempt - 1]
  if (seconds === undefined) return null
  return Math.round(1000 * Math.max(seconds * (1 - spread + 2 * spread * chance), at_least_seconds))
}
