/** Rate limits shared by several processes, with a real Redis or Valkey. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { createLog } from '../src/base/log.ts'
import { createRateLimiter } from '../src/http/rate-limit.ts'
import { createSharedRateLimiter, sharedStoreProblem } from '../src/http/rate-limit-redis.ts'
import { administratorToken, asAdministrator } from './support/administrator.ts'
import { freePort } from './support/free-port.ts'
import { until } from './support/receiver.ts'
import { noRedis, startRedis } from './support/redis.ts'
import { openLine } from './support/tcp-proxy.ts'
import { expectStatus, owner, world } from './support/world.ts'

const skip = noRedis
const redis = skip ? null : await startRedis()
const url = redis?.url ?? ''
let keys = 0
const newKey = () => `key_${process.pid}_${++keys}`

function limiter(t: { after(done: () => void): void }, at = url) {
  const log: string[] = []
  const begun_ms = Date.now()
  let ahead_ms = 0
  const now = () => new Date(begun_ms + ahead_ms)
  const shared = createSharedRateLimiter(at, { now, log: createLog('info', now, (line) => log.push(line)) })
  t.after(() => shared.close())
  const advance = (ms: number) => {
    ahead_ms += ms
  }
  return { ...shared, log, advance }
}

const hour_ms = 3_600_000

/** A client that reads and changes what the limiter stores. */
function storeOf(t: { after(done: () => void): void }): Redis {
  const store = new Redis(url)
  t.after(() => store.disconnect())
  return store
}

/** An admitted call an hour ahead stops the clock of a key: the limiter never goes back behind its newest call. */
const stopClock = (store: Redis, key: string) => store.rpush(`ostiary:rate:${key}`, Date.now() + hour_ms)

test('the shared limiter decides as the limiter in memory does, for every call and changed limit', { skip }, async (t) => {
  const shared = limiter(t)
  const alone = createRateLimiter({ now: () => new Date(0) })
  const key = newKey()
  await stopClock(storeOf(t), key)
  alone.take(key, { limit: 3, window_seconds: 3_600 })
  for (const limit of [3, 3, 3, 5, 5, 5, 1, 2, 6, 6, 100]) {
    const policy = { limit, window_seconds: 3_600 }
    assert.deepEqual(await shared.take(key, policy), alone.take(key, policy), `${limit}`)
  }
  assert.deepEqual(shared.log, [])
})

test('the window slides by the clock of Redis, not by that of the process, and a refused call does not count', { skip }, async (t) => {
  const shared = limiter(t)
  const [key, policy] = [newKey(), { limit: 2, window_seconds: 7_200 }]
  const allowed = async () => (await shared.take(key, policy)).allowed
  assert.deepEqual([await allowed(), await allowed(), await allowed()], [true, true, false])
  shared.advance(2 * hour_ms)
  const { retry_after_seconds, ...refused } = await shared.take(key, policy)
  assert.deepEqual([refused.allowed, refused.remaining, retry_after_seconds], [false, 0, refused.reset_seconds])
  const store = storeOf(t)
  const calls = await store.lrange(`ostiary:rate:${key}`, 0, -1)
  assert.equal(calls.length, 2)
  // The first call is moved two hours back, which is two hours later for it.
  await store.lset(`ostiary:rate:${key}`, 0, Number(calls[0]) - 2 * hour_ms)
  assert.deepEqual([await allowed(), await allowed()], [true, false])
})

test('of 1,500 parallel calls from three processes with a limit of 500, exactly 500 are admitted', { skip }, async () => {
  const limit = 500
  const asked = Array.from({ length: 3 }, () =>
    fork(join(import.meta.dirname, 'support/limiter-process.ts'), [url, 'shared', String(limit)]),
  )
  for (const child of asked) await once(child, 'message')
  const answers = asked.map((child) => once(child, 'message'))
  for (const child of asked) child.send('go')
  const admitted = (await Promise.all(answers)).map(([count]) => Number(count))
  assert.equal(
    admitted.reduce((sum, count) => sum + count),
    limit,
  )
  for (const child of asked) child.disconnect()
})

test('keys have separate limits, and their entries expire', { skip }, async (t) => {
  const shared = limiter(t)
  const policy = { limit: 1, window_seconds: 1 }
  const [one, two] = [newKey(), newKey()]
  for (const key of [one, two]) assert.equal((await shared.take(key, policy)).allowed, true)
  const store = storeOf(t)
  assert.ok((await store.pttl(`ostiary:rate:${one}`)) <= 1_000)
  await until('both entries have expired', async () => (await store.exists(`ostiary:rate:${one}`, `ostiary:rate:${two}`)) === 0)
})

test('without Redis each process counts for itself, and logs that once', { skip }, async (t) => {
  const shared = limiter(t, `redis://:hush@127.0.0.1:${await freePort()}`)
  const [key, policy] = [newKey(), { limit: 2, window_seconds: 3_600 }]
  const answers = []
  for (let n = 0; n < 100; n++) answers.push((await shared.take(key, policy)).allowed)
  assert.deepEqual(answers.slice(0, 3), [true, true, false])
  assert.equal(shared.log.length, 1)
  assert.match(shared.log[0] ?? '', /"level":"warn","message":"Redis does not answer/)
  assert.ok(!shared.log[0]?.includes('hush'))
})

test('calls wait for a silent Redis once, then count without it until it answers again', { skip }, async (t) => {
  const own = await startRedis()
  const line = await openLine(own.url)
  t.after(() => line.close())
  const shared = limiter(t, line.url)
  const [key, policy] = [newKey(), { limit: 1, window_seconds: 3_600 }]
  assert.equal((await shared.take(key, policy)).allowed, true)
  own.freeze() // no answer arrives from here on, so only a deadline of the limiter ends a call
  const first = await Promise.all(Array.from({ length: 20 }, () => shared.take(key, policy)))
  assert.equal(first.filter(({ allowed }) => allowed).length, 1, 'this process counts alone, from zero')
  let sent = 0
  line.onSent = () => {
    sent++
  }
  for (let n = 0; n < 100; n++) await shared.take(key, policy)
  assert.equal(sent, 0, 'no later call asks Redis')

  own.thaw()
  shared.advance(2_000)
  await until('Redis answers again', async () => {
    await shared.take(key, policy)
    return shared.log.some((message) => message.includes('answers again'))
  })
  assert.equal((await shared.take(key, policy)).allowed, false)
  await own.stop()
})

test('Redis is asked again within a second after the clock was set back', { skip }, async (t) => {
  const own = await startRedis()
  const shared = limiter(t, own.url)
  const policy = { limit: 1_000, window_seconds: 3_600 }
  await shared.take(newKey(), policy)
  await own.stop()
  await shared.take(newKey(), policy)
  await startRedis(own.port)
  shared.advance(-hour_ms)
  let asked = 0
  await until('Redis answers again', async () => {
    asked += 1
    shared.advance(1_000)
    await shared.take(newKey(), policy)
    return shared.log.some((line) => line.includes('answers again'))
  })
  assert.ok(asked < 3_000, 'the clock need not catch up')
})

test('a restarted Redis is used again', { skip }, async (t) => {
  const own = await startRedis()
  const shared = limiter(t, own.url)
  const policy = { limit: 1_000, window_seconds: 3_600 }
  await shared.take(newKey(), policy)
  await own.stop()
  const key = newKey()
  for (let n = 0; n < 3; n++) assert.equal((await shared.take(key, policy)).allowed, true)
  await startRedis(own.port)
  await until('Redis answers again', async () => {
    shared.advance(1_000)
    await shared.take(key, policy)
    return shared.log.some((line) => line.includes('answers again'))
  })
  assert.equal((await shared.take(newKey(), policy)).remaining, 999)
})

test('sharedStoreProblem names a missing server and a wrong password', { skip }, async () => {
  assert.equal(await sharedStoreProblem(url), null)
  assert.match((await sharedStoreProblem(`redis://127.0.0.1:${await freePort()}`)) ?? '', /ECONNREFUSED|closed/)
  for (const password of ['', ':wrong@'])
    assert.match((await sharedStoreProblem(url.replace(':hush@', password))) ?? '', /NOAUTH|WRONGPASS|auth/i)
})

test('services with one Redis count the calls of a key and of an administrator together', { skip }, async (t) => {
  const w = await world({ env: { OSTIARY_REDIS_URL: url } })
  const ask = () => w.call('GET', '/v1/api-keys/whoami')
  const asOwner = asAdministrator(w, await administratorToken(w, owner))
  const shared = createSharedRateLimiter(url, w.deployment)
  t.after(() => shared.close())
  const store = storeOf(t)
  const callers = [
    { id: w.key_id, ask },
    { id: w.owner_id, ask: () => asOwner('GET', '/v1/me') },
  ]
  for (const { id, ask } of callers) {
    await stopClock(store, id)
    for (let n = 1; n < 999; n++) await shared.take(id, { limit: 1_000, window_seconds: 10 })
    const replies = [await ask(), await ask()].map(({ status }) => status)
    assert.ok(replies.includes(429), `${id}: ${replies}`)
  }
  expectStatus(200, await w.call('GET', '/healthz', { key: null }))
})
