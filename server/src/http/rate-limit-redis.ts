/**
 * The limit of a key over a whole deployment: its admitted calls of the last window stand in one list in Redis or
 * Valkey, by Redis' own clock, and one script looks and appends in a single step. So it is as exact as the one in
 * memory (rate-limit.ts), however many processes ask at once.
 *
 * We choose: where Redis is out of reach or slow, each process counts for itself and says so in the log (decision
 * 0020). A limit protects the service; it must not be what takes it down.
 */
import { Redis } from 'ioredis'
import type { Deployment } from '../deployment.ts'
import { createRateLimiter, type RateLimiter, type RateLimitPolicy, type RateLimitResult } from './rate-limit.ts'

const patience_ms = 250
const rest_ms = 1_000
const prefix = 'ostiary:rate:'

/**
 * KEYS[1]: the times of the admitted calls, oldest first, in milliseconds. ARGV: limit, window in milliseconds.
 * A clock that was set back stands still until it has caught up, as in memory. Idle keys forget themselves.
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
  const alone = createRateLimiter({ now })
  const redis = connect(url)
  let is_away = false
  let looks_again_at = 0

  /** No call waits for this: until it succeeds, each is counted here. */
  function lookAgain(): void {
    const at = now().getTime()
    if (at < looks_again_at) return
    looks_again_at = at + rest_ms
    takeFrom(redis, 'probe', { limit: 1, window_seconds: 1 }).then(
      () => {
        is_away = false
        log.info('Redis answers again: rate limits are counted together.')
      },
      () => {}, // it was said that Redis is away
    )
  }

  return {
    async take(key_id, policy) {
      if (is_away) {
        lookAgain()
        return alone.take(key_id, policy)
      }
      try {
        return await takeFrom(redis, key_id, policy)
      } catch (error) {
        if (!is_away) log.warn('Redis does not answer: until it does, this process counts rate limits for itself.', {}, error)
        is_away = true
        looks_again_at = now().getTime() + rest_ms
        return alone.take(key_id, policy)
      }
    },
    close: () => redis.disconnect(),
  }
}

/** Whether the store can be used as it has to be; `null`, or what is wrong with it. */
export async function sharedStoreProblem(url: string): Promise<string | null> {
  const redis = connect(url, 2_000)
  let on_the_way: Error | null = null
  redis.on('error', (error) => {
    on_the_way = error
  })
  try {
    await takeFrom(redis, 'probe', { limit: 1, window_seconds: 1 })
    return null
  } catch (error) {
    return String(on_the_way ?? error)
  } finally {
    redis.disconnect()
  }
}

/** Connects at the first call, and again for as long as it is there. A call waits no longer than it has patience. */
function connect(url: string, commandTimeout = patience_ms): Redis & Scripted {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(2 ** times * 50, 2_000),
    scripts: { takeCall: { lua: script, numberOfKeys: 1 } },
  })
  redis.on('error', () => {}) // whoever asks is told
  return redis as Redis & Scripted // as: the option makes this method
}

async function takeFrom(redis: Scripted, key_id: string, { limit, window_seconds }: RateLimitPolicy): Promise<RateLimitResult> {
  const [admitted, count, wait_ms] = await redis.takeCall(prefix + key_id, limit, window_seconds * 1000)
  const seconds = Math.ceil(wait_ms / 1000)
  const allowed = admitted === 1
  return { allowed, remaining: Math.max(0, limit - count), reset_seconds: seconds, retry_after_seconds: allowed ? 0 : seconds }
}
