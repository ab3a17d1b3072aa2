import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startCpuTimer } from '../../test/support/cpu-time.ts'
import { createRateLimiter, rateLimitHeaders } from './rate-limit.ts'

function limiterAt(start = 1_000_000) {
  const clock = { ms: start }
  return { clock, limiter: createRateLimiter({ now: () => new Date(clock.ms) }) }
}
const policy = { limit: 3, window_seconds: 10 }

test('limit calls are admitted at once, and the next one is refused until the window has passed', () => {
  const { clock, limiter } = limiterAt()
  const take = () => limiter.take('key_1', policy)
  assert.deepEqual(take(), { allowed: true, remaining: 2, reset_seconds: 10, retry_after_seconds: 0 })
  assert.deepEqual([take().allowed, take().allowed, take().allowed], [true, true, false])
  clock.ms += 9_999
  assert.deepEqual(take(), { allowed: false, remaining: 0, reset_seconds: 1, retry_after_seconds: 1 })
  clock.ms += 1
  assert.deepEqual([take().allowed, take().allowed, take().allowed, take().allowed], [true, true, true, false])
})

test('the window slides: each call makes room when it leaves the window', () => {
  const { clock, limiter } = limiterAt()
  for (let call = 0; call < 3; call++) {
    limiter.take('key_1', policy)
    clock.ms += 3_000
  }
  assert.equal(limiter.take('key_1', policy).retry_after_seconds, 1) // at 9 s; the calls were at 0, 3 and 6 s
  clock.ms += 1_000
  assert.equal(limiter.take('key_1', policy).allowed, true)
  assert.equal(limiter.take('key_1', policy).retry_after_seconds, 3)
})

test('refused calls do not count', () => {
  const { clock, limiter } = limiterAt()
  for (let call = 0; call < 3; call++) limiter.take('key_1', policy)
  for (; clock.ms < 1_009_999; clock.ms += 101) assert.equal(limiter.take('key_1', policy).allowed, false)
  clock.ms = 1_010_000
  assert.equal(limiter.take('key_1', policy).remaining, 2)
})

test('keys do not share a limit', () => {
  const { limiter } = limiterAt()
  for (let call = 0; call < 4; call++) limiter.take('key_1', policy)
  assert.equal(limiter.take('key_2', policy).remaining, 2)
})

test('a lower limit takes effect at once, and the refusal says when a call has room', () => {
  const { clock, limiter } = limiterAt()
  for (let call = 0; call < 3; call++) {
    limiter.take('key_1', policy)
    clock.ms += 1_000
  }
  const lowered = { limit: 1, window_seconds: 10 }
  assert.deepEqual(limiter.take('key_1', lowered), { allowed: false, remaining: 0, reset_seconds: 9, retry_after_seconds: 9 })
  clock.ms += 9_000
  assert.equal(limiter.take('key_1', lowered).allowed, true)
})
test('a higher limit and a shorter window take effect at once', () => {
  const { clock, limiter } = limiterAt()
  for (let call = 0; call < 4; call++) limiter.take('key_1', policy)
  assert.equal(limiter.take('key_1', { limit: 5, window_seconds: 10 }).remaining, 1)
  clock.ms += 1_000
  assert.equal(limiter.take('key_1', { limit: 3, window_seconds: 1 }).remaining, 2)
})

test('a clock that is set back neither locks a key out nor admits more calls', () => {
  const { clock, limiter } = limiterAt()
  for (let call = 0; call < 3; call++) limiter.take('key_1', policy)
  clock.ms -= 3_600_000
  assert.equal(limiter.take('key_1', policy).retry_after_seconds, 10)
  clock.ms += 10_000
  assert.equal(limiter.take('key_1', policy).allowed, true)
})

test('idle keys are dropped', () => {
  const { clock, limiter } = limiterAt()
  limiter.take('key_long', { limit: 1, window_seconds: 3_600 })
  for (let key = 0; key < 10_000; key++) limiter.take(`key_${key}`, policy)
  assert.equal(limiter.size, 10_001)
  clock.ms += 10_000
  for (let call = 0; call < 10_002; call++) limiter.take('key_busy', { limit: 100_000, window_seconds: 1 })
  assert.equal(limiter.size, 2)
  assert.equal(limiter.take('key_long', { limit: 1, window_seconds: 3_600 }).allowed, false)
})

// A naive limiter: it keeps every admitted call and counts them all each time.
function naiveLimiter() {
  const calls: { key: string; at: number }[] = []
  return (key: string, at: number, { limit, window_seconds }: typeof policy) => {
    const counted = calls.filter((call) => call.key === key && call.at > at - window_seconds * 1000).length
    if (counted < limit) calls.push({ key, at })
    return { allowed: counted < limit, remaining: Math.max(0, limit - counted - 1) }
  }
}

const pauses = fc.oneof(fc.constant(0), fc.constant(1), fc.integer({ min: 0, max: 400 }), fc.constantFrom(999, 1_000, 1_001, 5_000))

test('the limiter admits the same calls as a naive one, and a call is admitted after retry_after_seconds', () => {
  const steps = fc.array(fc.record({ pause: pauses, key: fc.constantFrom('a', 'b'), burst: fc.integer({ min: 1, max: 12 }) }), {
    maxLength: 120,
  })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 3 }), (list, limit, window_seconds) => {
      const { clock, limiter } = limiterAt()
      const naive = naiveLimiter()
      const promised = new Map<string, number>()
      for (const { pause, key, burst } of list) {
        clock.ms += pause
        for (let call = 0; call < burst; call++) {
          const { allowed, remaining, retry_after_seconds, reset_seconds } = limiter.take(key, { limit, window_seconds })
          assert.deepEqual({ allowed, remaining }, naive(key, clock.ms, { limit, window_seconds }))
          assert.ok(allowed || clock.ms < (promised.get(key) ?? Number.POSITIVE_INFINITY))
          assert.ok(reset_seconds >= 1 && reset_seconds <= window_seconds && retry_after_seconds === (allowed ? 0 : reset_seconds))
          if (allowed) promised.delete(key)
          else promised.set(key, clock.ms + retry_after_seconds * 1000)
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('no window has more admitted calls than the limit', () => {
  fc.assert(
    fc.property(fc.array(pauses, { minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (list, limit) => {
      const { clock, limiter } = limiterAt()
      const admitted: number[] = []
      for (const pause of list) {
        clock.ms += pause
        if (limiter.take('key_1', { limit, window_seconds: 1 }).allowed) admitted.push(clock.ms)
      }
      for (const begin of admitted) assert.ok(admitted.filter((at) => at >= begin && at < begin + 1_000).length <= limit)
    }),
  )
})

test('the time of a call does not grow with the limit', () => {
  const { clock, limiter } = limiterAt()
  const usedCpuMs = startCpuTimer()
  for (let call = 0; call < 300_000; call++) {
    clock.ms += 1
    assert.ok(limiter.take('key_1', { limit: 100_000, window_seconds: 100 }).allowed)
  }
  assert.ok(usedCpuMs() < 3_000)
})

test('the headers are those of draft-ietf-httpapi-ratelimit-headers-10', () => {
  const shown = { limit: 100, window_seconds: 10 }
  assert.deepEqual(rateLimitHeaders(shown, { allowed: true, remaining: 99, reset_seconds: 10, retry_after_seconds: 0 }), {
    'ratelimit-policy': '"default";q=100;w=10',
    ratelimit: '"default";r=99;t=10',
  })
  assert.deepEqual(rateLimitHeaders(shown, { allowed: false, remaining: 0, reset_seconds: 4, retry_after_seconds: 4 }), {
    'ratelimit-policy': '"default";q=100;w=10',
    ratelimit: '"default";r=0;t=4',
    'retry-after': '4',
  })
})
