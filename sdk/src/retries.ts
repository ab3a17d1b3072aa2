/** When a call is repeated, and after which wait. See docs/decisions/0048. */
import type { Attempt } from './call.ts'
import type { Runtime } from './options.ts'

const first_backoff_ms = 500
const longest_backoff_ms = 8_000

/**
 * Whether the call can be sent again after this attempt.
 *
 * 429 and 409 idempotency_in_progress  the service did nothing, so every method can
 * no answer, 502, 503, 504             the service may have done it: GET and DELETE are idempotent (RFC 9110 §9.2.2), and a POST has an
 *                                      Idempotency-Key; a PATCH could undo the change of another caller
 */
export function mayRepeat(method: string, attempt: Attempt): boolean {
  const is_uncertain = 'error' in attempt || [502, 503, 504].includes(attempt.response.status)
  if (is_uncertain) return method !== 'PATCH'
  if (attempt.response.status === 429) return attempt.response.headers.has('retry-after')
  return attempt.response.status === 409 && method === 'POST' && /"code": ?"idempotency_in_progress"/.test(attempt.text)
}

/** A DELETE that was repeated after an attempt without a certain end is done if the object is gone. */
export function isDone(method: string, attempt: Attempt, earlier: readonly Attempt[]): boolean {
  if (method !== 'DELETE' || 'error' in attempt || attempt.response.status !== 404) return false
  return earlier.some((one) => 'error' in one || one.response.status !== 429)
}

/** The wait before the next attempt in milliseconds: Retry-After, or a growing random time. `null` if Retry-After is over `longest_ms`. */
export function waitBefore(retry: number, attempt: Attempt, longest_ms: number, { now, random }: Runtime): number | null {
  const asked_ms = 'error' in attempt ? null : askedWait(attempt.response, now())
  if (asked_ms !== null) return asked_ms <= longest_ms ? asked_ms : null
  const backoff_ms = Math.min(first_backoff_ms * 2 ** retry, longest_backoff_ms)
  return Math.round(backoff_ms * (0.5 + random() / 2))
}

/** RFC 9110 §10.2.3: Retry-After in milliseconds, from seconds or a date. `null` if it is neither. */
export function askedWait(response: Response, now: Date): number | null {
  const retry_after = response.headers.get('retry-after')
  if (retry_after === null) return null
  if (/^\d{1,9}$/.test(retry_after.trim())) return Number(retry_after) * 1000
  const date = Date.parse(retry_after)
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime())
}
