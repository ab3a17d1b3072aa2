// pure
/** When a job that failed is tried again. */

/** How far a delay may be from its schedule, either way, so that what failed together does not come back together. */
const spread = 0.2

/**
 * Milliseconds until the next attempt after attempt number `attempt` (the first is 1); `null` where the schedule has
 * no further one. `chance` is from 0 to 1. `at_least_seconds` is what the other side asked for.
 */
export function retryDelay(schedule_seconds: readonly number[], attempt: number, chance: number, at_least_seconds = 0): number | null {
  const seconds = schedule_seconds[attempt - 1]
  if (seconds === undefined) return null
  return Math.round(1000 * Math.max(seconds * (1 - spread + 2 * spread * chance), at_least_seconds))
}
