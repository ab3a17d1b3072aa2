/**
 * How often a key may call: at most `limit` calls in any window of `window_seconds`, wherever the window begins.
 * This one counts in the memory of its process and is exact: it remembers the time of every admitted call of the last
 * window, 8 bytes each, in a ring that grows and shrinks with them. Refused calls leave no trace. Who must be refused
 * for other reasons (credential, address, origin) has been refused before and does not get here.
 */

export interface RateLimitPolicy {
  readonly limit: number
  readonly window_seconds: number
}

export interface RateLimitResult {
  readonly allowed: boolean
  /** Calls that would be admitted right now, after this one. */
  readonly remaining: number
  /** Whole seconds until the oldest call that counts leaves the window, so that there is room for one more. */
  readonly reset_seconds: number
  /** The same for a refused call; 0 for an admitted one. */
  readonly retry_after_seconds: number
}

/** A shared store answers later, this process's memory at once. */
export interface RateLimiter {
  take(key_id: string, policy: RateLimitPolicy): RateLimitResult | Promise<RateLimitResult>
}

/** The admitted calls of one key, oldest first, in milliseconds; `times` is used as a ring. */
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

  /** Two keys at each call, round and round: whoever has been idle for a window is forgotten, at no noticeable moment. */
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

      // The call whose leaving makes room: the oldest, but for a limit that was lowered beneath what is already spent.
      const seconds = Math.ceil((timeOf(log, Math.max(0, log.count - limit)) + window_ms - at) / 1000)
      return { allowed, remaining: Math.max(0, limit - log.count), reset_seconds: seconds, retry_after_seconds: allowed ? 0 : seconds }
    },
    /** How many keys are remembered. */
    get size() {
      return logs.size
    },
  } satisfies RateLimiter & { size: number }
}

/** draft-ietf-httpapi-ratelimit-headers-10 §3, §4; RFC 9110 §10.2.3: Retry-After names the same moment as `t`. */
export function rateLimitHeaders(policy: RateLimitPolicy, result: RateLimitResult): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${policy.limit};w=${policy.window_seconds}`,
    ratelimit: `"default";r=${result.remaining};t=${result.reset_seconds}`,
    ...(result.allowed ? {} : { 'retry-after': String(result.retry_after_seconds) }),
  }
}

const timeOf = (log: Log, index: number) => log.times[(log.first + index) % log.times.length] ?? 0

/** Forgets the calls that have left the window: a call at 0 and one at exactly `window` never share one. Tells how many are left. */
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

/** A clock that was set back goes on from the latest time it told, so that no call seems to lie in the future. */
function steadyClock(now: () => Date): () => number {
  let latest = Number.NEGATIVE_INFINITY
  let offset = 0
  return () => {
    const told = now().getTime()
    if (told + offset < latest) offset = latest - told
    latest = told + offset
    return latest
  }
}
