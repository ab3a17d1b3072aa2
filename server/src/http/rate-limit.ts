/**
 * Limits the rate of calls of a key: at most `limit` calls in any window of `window_seconds`. This limiter counts in the memory of its
 * process and is exact: a ring buffer has the time of every admitted call of the last window, in 8 bytes each. Refused calls do not
 * count. Calls that are refused for another reason (credential, address, origin) do not get here.
 */

export interface RateLimitPolicy {
  readonly limit: number
  readonly window_seconds: number
}

export interface RateLimitResult {
  readonly allowed: boolean
  /** The number of further calls that would be admitted now. */
  readonly remaining: number
  /** Whole seconds until the oldest counted call leaves the window, which makes room for one more. */
  readonly reset_seconds: number
  /** The same for a refused call; 0 for an admitted one. */
  readonly retry_after_seconds: number
}

/** A shared limiter returns a promise, the one in memory a result. */
export interface RateLimiter {
  take(key_id: string, policy: RateLimitPolicy): RateLimitResult | Promise<RateLimitResult>
}

/** The admitted calls of one key in milliseconds, oldest first. `times` is a ring buffer. */
interface Log {
  times: Float64Array
  first: number
  count: number
  window_ms: number
}

const least_capacity = 8

export function createRateLimiter({ now }: { now: () => Date }) {
  const logs = new Map<string, Log>()
  let visited = logs.entries()
  const steadyNow = steadyClock(now)

  /** Checks two keys at each call, in turn, and drops keys that were idle for a window. So no single call takes long. */
  function forgetIdleKeys(at: number) {
    for (let visits = 0; visits < 2; visits++) {
      const { value, done } = visited.next()
      if (done) visited = logs.entries()
      else if (forgetBefore(value[1], at - value[1].window_ms) === 0) logs.delete(value[0])
    }
  }

  return {
    take(key_id: string, { limit, window_seconds }: RateLimitPolicy): RateLimitResult {
      const at = steadyNow()
      const window_ms = window_seconds * 1000
      forgetIdleKeys(at)
      const log = logs.get(key_id) ?? { times: new Float64Array(least_capacity), first: 0, count: 0, window_ms }
      log.window_ms = window_ms

      const allowed = forgetBefore(log, at - window_ms) < limit
      if (allowed) append(log, at)
      if (allowed) logs.set(key_id, log)

      // Room comes when the oldest call leaves, or a later one if the limit was lowered below the number of counted calls.
      const seconds = Math.ceil((timeOf(log, Math.max(0, log.count - limit)) + window_ms - at) / 1000)
      return { allowed, remaining: Math.max(0, limit - log.count), reset_seconds: seconds, retry_after_seconds: allowed ? 0 : seconds }
    },
    /** The number of keys in memory. */
    get size() {
      return logs.size
    },
  } satisfies RateLimiter & { size: number }
}

/** draft-ietf-httpapi-ratelimit-headers-10 §3, §4; RFC 9110 §10.2.3: Retry-After is the same time as `t`. */
export function rateLimitHeaders(policy: RateLimitPolicy, result: RateLimitResult): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${policy.limit};w=${policy.window_seconds}`,
    ratelimit: `"default";r=${result.remaining};t=${result.reset_seconds}`,
    ...(result.allowed ? {} : { 'retry-after': String(result.retry_after_seconds) }),
  }
}

const timeOf = (log: Log, index: number) => log.times[(log.first + index) % log.times.length] ?? 0

/** Drops the calls up to `time` and returns the number of the others. A call at 0 and one at exactly `window` share no window. */
function forgetBefore(log: Log, time: number): number {
  while (log.count > 0 && timeOf(log, 0) <= time) {
    log.first = (log.first + 1) % log.times.length
    log.count--
  }
  if (log.count * 4 < log.times.length && log.times.length > least_capacity) resize(log, log.times.length / 2)
  return log.count
}

function append(log: Log, time: number): void {
  if (log.count === log.times.length) resize(log, log.times.length * 2)
  log.times[(log.first + log.count) % log.times.length] = time
  log.count++
}

function resize(log: Log, capacity: number): void {
  const times = new Float64Array(capacity)
  for (let index = 0; index < log.count; index++) times[index] = timeOf(log, index)
  log.times = times
  log.first = 0
}

/** A clock that never goes back: after the system clock is set back, it continues from its latest time. */
function steadyClock(now: () => Date): () => number {
  let latest = Number.NEGATIVE_INFINITY
  let offset = 0
  return () => {
    const time = now().getTime()
    if (time + offset < latest) offset = latest - time
    latest = time + offset
    return latest
  }
}
