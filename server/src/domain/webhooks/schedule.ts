// pure
/** When a delivery is retried, and when a webhook is disabled. */
import { retryDelay } from '../queue/schedule.ts'

const minute = 60
const hour = 3_600

/** The delay after each failed attempt: ten attempts over about three days. */
const retry_after_seconds = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

const max_retry_after_seconds = 24 * hour

/** A webhook without a success for this long is disabled. */
const max_failing_ms = 5 * 24 * hour * 1000

/**
 * When the attempt after failure number `attempt` is due; `null` after the last one. The receiver's Retry-After is the minimum
 * delay, up to one day. `chance`, from 0 to 1, spreads the delays.
 */
export function nextAttemptAt(attempt: number, retry_after: string | undefined, chance: number, now: Date): Date | null {
  const at_least_seconds = Math.min(readRetryAfter(retry_after, now), max_retry_after_seconds)
  const delay_ms = retryDelay(retry_after_seconds, attempt, chance, at_least_seconds)
  return delay_ms === null ? null : new Date(now.getTime() + delay_ms)
}

/** RFC 9110 §10.2.3: a number of seconds or a date. Returns seconds, 0 for a malformed value. */
function readRetryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}

/** Whether the webhook has been failing so long that it is disabled. */
export function hasFailedTooLong(failing_since: Date | null, now: Date): boolean {
  return failing_since !== null && now.getTime() - failing_since.getTime() >= max_failing_ms
}
