/**
 * The rate limit of a key across all processes. A list in Redis or Valkey contains the admitted calls of the last window, by the clock of
 * Redis. One script checks and appends atomically, so the limit is as exact as the one in memory (rate-limit.ts).
 *
 * If Redis is out of reach or slow, each process counts on its own and logs that (decision 0020), since a limit must not take the service
 * down.
 */
import { Redis } from 'ioredis'
import type { Deployment } from '../deployment/deployment.ts'
import { createRateLimiter, type RateLimiter, type RateLimitPolicy, type RateLimitResult } from './rate-limit.ts'

/** A call waits no longer for Redis. */
const command_timeout_ms = 250
/** While Redis is away, a process probes it this often. */
const probe_interval_ms = 1_000
const connect_timeout_ms = 2_000
const first_reconnect_pause_ms = 50
const longest_reconnect_pause_ms = 2_000
/** `ostiary doctor` has more time than a call. */
const doctor_timeout_ms = 2_000
const prefix = 'ostiary:rate:'

/**
 * KEYS[1]: the times of the admitted calls in milliseconds, oldest first. ARGV: limit, window in milliseconds.
 * A clock that was set back does not move until it has caught up, as in memory. The list of an idle key expires.
 */
const script = `
  local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  now = math.max(now, tonumber(redis.call('LINDEX', KEYS[1], -1) or now))
  local oldest = redis.call('LINDEX', KEYS[1], 0)
  while oldest and tonumber(oldest) <= now - window do
    redis.call('LPOP', KEYS[1])
    oldest = redis.call('LINDEX', KEYS[1], 0)
  end
  local count = redis.call('LLEN', KEYS[1])
  local allowed = count < limit
  if allowed then
    redis.call('RPUSH', KEYS[1], string.format('%d', now))
    count = count + 1
  end
  redis.call('PEXPIRE', KEYS[1], window)
  local leaving = redis.call('LINDEX', KEYS[1], math.max(0, count - limit))
  return { allowed and 1 or 0, count, tonumber(leaving) + window - now }`

interface Scripted {
  takeCall(key: string, limit: number, window_ms: number): Promise<[allowed: number, count: number, wait_ms: number]>
}

export interface SharedRateLimiter extends RateLimiter {
  take(key_id: string, policy: RateLimitPolicy): Promise<RateLimitResult>
  close(): void
}

export function createSharedRateLimiter(url: string, { now, log }: Pick<Deployment, 'now' | 'log'>): SharedRateLimiter {
  const local = createRateLimiter({ now })
  const redis = connect(url)
  let is_away = false
  let probed_at_ms = Number.NEGATIVE_INFINITY

  /** Checks whether Redis answers again. No call waits for it. */
  function probe(): void {
    const at_ms = now().getTime()
    if (Math.abs(at_ms - probed_at_ms) < probe_interval_ms) return // a clock that was set back delays no probe
    probed_at_ms = at_ms
    takeFrom(redis, 'probe', { limit: 1, window_seconds: 1 }).then(
      () => {
        is_away = false
        log.info('Redis answers again: rate limits are counted together.')
      },
      () => {}, // the log already says that Redis is away
    )
  }

  return {
    async take(key_id, policy) {
      if (is_away) {
        probe()
        return local.take(key_id, policy)
      }
      try {
        return await takeFrom(redis, key_id, policy)
      } catch (error) {
        if (!is_away) log.warn('Redis does not answer: until it does, this process counts rate limits on its own.', {}, error)
        is_away = true
        probed_at_ms = now().getTime()
        return local.take(key_id, policy)
      }
    },
    close: () => redis.disconnect(),
  }
}

/** Tries the store. Returns the problem, or `null` if it works. */
export async function sharedStoreProblem(url: string): Promise<string | null> {
  const redis = connect(url, doctor_timeout_ms)
  let connection_error: Error | null = null
  redis.on('error', (error) => {
    connection_error = error
  })
  try {
    await takeFrom(redis, 'probe', { limit: 1, window_seconds: 1 })
    return null
  } catch (error) {
    return String(connection_error ?? error)
  } finally {
    redis.disconnect()
  }
}

/** Connects at the first call, and reconnects until `disconnect`. */
function connect(url: string, commandTimeout = command_timeout_ms): Redis & Scripted {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout,
    connectTimeout: connect_timeout_ms,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(2 ** times * first_reconnect_pause_ms, longest_reconnect_pause_ms),
    scripts: { takeCall: { lua: script, numberOfKeys: 1 } },
  })
  redis.on('error', () => {}) // each call gets its own error
  return redis as Redis & Scripted // as: the option `scripts` adds this method
}

async function takeFrom(redis: Scripted, key_id: string, { limit, window_seconds }: RateLimitPolicy): Promise<RateLimitResult> {
  const [admitted, count, wait_ms] = await redis.takeCall(prefix + key_id, limit, window_seconds * 1000)
  const seconds = Math.ceil(wait_ms / 1000)
  const allowed = admitted === 1
  return { allowed, remaining: Math.max(0, limit - count), reset_seconds: seconds, retry_after_seconds: allowed ? 0 : seconds }
}
