/** The wait that the service asks for (429). */
import { OstiaryError } from '@ostiary/sdk'

/** How long the caller of a refused call waits, in seconds. 0 for every other failure. */
export const waitOf = (error: unknown): number =>
  error instanceof OstiaryError && error.status === 429 ? (error.retry_after_seconds ?? 0) : 0

/** The seconds until a time. 0 from then on. */
export const secondsLeft = (ends_at_ms: number, now_ms: number): number => Math.max(0, Math.ceil((ends_at_ms - now_ms) / 1_000))

/** A wait with its two largest units: 3,725 is `1 h 2 min`. Waits of an hour and more are rounded up, so that nobody comes too early. */
export function countdown(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = seconds < 3_600 ? Math.floor(seconds / 60) : Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`
}
