// pure
/** When a delivery is tried again, and when a webhook is given up. */
import { retryDelay } from '../outbound/schedule.ts'

const minute = 60
const hour = 3_600

/** After each failed attempt. Ten attempts in all, over about three days. */
const retry_after_seconds = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

const longest_wait_seconds = 24 * hour

/** A webhook that never succeeded for this long is disabled. */
const patience_ms = 5 * 24 * hour * 1000

/**
 * When attempt number `attempt` is followed by another; `null` where it was the last. A receiver's Retry-After is the
 * least wait, up to a day.
 */
export function nextAttemptAt(attempt: number, retry_after: string | undefined, chance: number, now: Date): Date | null {
  const wanted = Math.min(readRetryAfter(retry_after, now), longest_wait_seconds)
  const delay_ms = retryDelay(retry_after_seconds, attempt, chance, wanted)
  return delay_ms === null ? null : new Date(now.getTime() + delay_ms)
}

/** RFC 9110 §10.2.3: seconds, or a date; 0 where it is neither. */
function readRetryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}

export function isGivenUp(failing_since: Date | null, now: Date): boolean {
  return failing_since !== null && now.getTime() - failing_since.getTime() >= patience_ms
}
