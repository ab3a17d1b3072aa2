/** Rate limits over several processes, with a real Redis or Valkey. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRateLimiter } from '../src/http/rate-limit.ts'
import { createSharedRateLimiter, sharedStoreProblem } from '../src/http/rate-limit-redis.ts'
import { createLog } from '../src/log.ts'
import { administratorToken, asAdministrator } from './support/administrator.ts'
import { noRedis, startRedis } from './support/redis.ts'
import { expectStatus, freePort, owner, world } from './support/world.ts'

const skip = noRedis
const redis = skip ? null : await startRedis()
const url = redis?.url ?? ''
let keys = 0
const newKey = () => `key_${process.pid}_${++keys}`

function limiter(t: { after(done: () => void): void }, at = url) {
  const log: string[] = []
  let ahead_ms = 0
  const now = () => new Date(Date.now() + ahead_ms)
  const shared = createSharedRateLimiter(at, { now, log: createLog('info', now, (line) => log.push(line)) })
  t.after(() => shared.close())
  const advance = (ms: number) => {
    ahead_ms += ms
  }
  return { ...shared, log, advance }
}

/** Asks again until it is so; for what only real time brings. */
async function until(is_so: () => Promise<boolean>, within_ms = 5_000): Promise<number> {
  const began = performance.now()
  while (!(await is_so())) {
    if (performance.now() - began > within_ms) throw new Error(`Not so within ${within_ms} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return performance.now() - began
}

test('it says what the limiter in memory says, call by call and with every change of the limit', { skip }, async (t) => {
  const shared = limiter(t)
  const alone = createRateLimiter({ now: () => new Date(0) })
  const key = newKey()
  for (const limit of [3, 3, 3, 3, 5, 5, 5, 1, 2, 6, 6, 100]) {
    const policy = { limit, window_seconds: 3_600 }
    assert.deepEqual(await shared.take(key, policy), alone.take(key, policy), `${limit}`)
  }
  assert.deepEqual(shared.log, [])
})

test('the window slides by the clock of Redis, whatever that of the process says; a refused call does not count', { skip }, async (t) => {
  const shared = limiter(t)
  const [key, policy] = [newKey(), { limit: 2, window_seconds: 1 }]
  const began = performance.now()
  for (const allowed of [true, true, false]) assert.equal((await shared.take(key, policy)).allowed, allowed)
  shared.advance(3_600_000)
  assert.deepEqual(await shared.take(key, policy), { allowed: false, remaining: 0, reset_seconds: 1, retry_after_seconds: 1 })
  await until(async () => (await shared.take(key, policy)).allowed)
  assert.ok(performance.now() - began >= 999)
})

test('of three times the limit in parallel, from three processes, exactly the limit is admitted', { skip }, async () => {
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

test('keys do not share a limit, and forget themselves', { skip }, async (t) => {
  const shared = limiter(t)
  const policy = { limit: 1, window_seconds: 1 }
  const [one, two] = [newKey(), newKey()]
  for (const key of [one, two]) assert.equal((await shared.take(key, policy)).allowed, true)
  const { Redis } = await import('ioredis')
  const client = new Redis(url)
  t.after(() => client.disconnect())
  assert.ok((await client.pttl(`ostiary:rate:${one}`)) <= 1_000)
  await until(async () => (await client.exists(`ostiary:rate:${one}`, `ostiary:rate:${two}`)) === 0)
})

test('where there is no Redis each process counts for itself, at once, and says so once', { skip }, async (t) => {
  const shared = limiter(t, `redis://:hush@127.0.0.1:${await freePort()}`)
  const [key, policy] = [newKey(), { limit: 2, window_seconds: 3_600 }]
  const began = performance.now()
  const answers = []
  for (let n = 0; n < 100; n++) answers.push((await shared.take(key, policy)).allowed)
  assert.deepEqual(answers.slice(0, 3), [true, true, false])
  assert.ok(performance.now() - began < 1_000, 'nobody waits')
  assert.equal(shared.log.length, 1)
  assert.match(shared.log[0] ?? '', /"level":"warn","message":"Redis does not answer/)
  assert.ok(!shared.log[0]?.includes('hush'))
})

test('a Redis that stands still is waited for a quarter of a second, once; when it goes on it is asked again', { skip }, async (t) => {
  const own = await startRedis()
  const shared = limiter(t, own.url)
  const [key, policy] = [newKey(), { limit: 1, window_seconds: 3_600 }]
  assert.equal((await shared.take(key, policy)).allowed, true)
  own.freeze()
  const began = performance.now()
  const first = await Promise.all(Array.from({ length: 20 }, () => shared.take(key, policy)))
  const waited = performance.now() - began
  assert.ok(waited > 200 && waited < 1_000, `${waited}`)
  assert.equal(first.filter(({ allowed }) => allowed).length, 1, 'counted from nothing, by this process alone')
  for (let n = 0; n < 100; n++) await shared.take(key, policy)
  assert.ok(performance.now() - began - waited < 200, 'nobody else waits')

  own.thaw()
  shared.advance(2_000)
  await until(async () => {
    await shared.take(key, policy)
    return shared.log.some((line) => line.includes('answers again'))
  })
  assert.equal((await shared.take(key, policy)).allowed, false)
  await own.stop()
})

test('a Redis that ended and began anew is found again', { skip }, async (t) => {
  const own = await startRedis()
  const shared = limiter(t, own.url)
  const policy = { limit: 1_000, window_seconds: 3_600 }
  await shared.take(newKey(), policy)
  await own.stop()
  const key = newKey()
  for (let n = 0; n < 3; n++) assert.equal((await shared.take(key, policy)).allowed, true)
  await startRedis(own.port)
  await until(async () => {
    shared.advance(1_000)
    await shared.take(key, policy)
    return shared.log.some((line) => line.includes('answers again'))
  })
  assert.equal((await shared.take(newKey(), policy)).remaining, 999)
})

test('a store that cannot be used says why: no server, a wrong password', { skip }, async () => {
  assert.equal(await sharedStoreProblem(url), null)
  assert.match((await sharedStoreProblem(`redis://127.0.0.1:${await freePort()}`)) ?? '', /ECONNREFUSED|closed/)
  for (const password of ['', ':wrong@'])
    assert.match((await sharedStoreProblem(url.replace(':hush@', password))) ?? '', /NOAUTH|WRONGPASS|auth/i)
})

test('a service with Redis counts the calls of a key and of a person together with another that has the same one', { skip }, async () => {
  const w = await world({ env: { OSTIARY_REDIS_URL: url } })
  const ask = () => w.call('GET', '/v1/api-keys/whoami')
  const asOwner = asAdministrator(w, await administratorToken(w, owner))
  const shared = createSharedRateLimiter(url, w.deployment)
  const rows = [
    { who: w.key_id, ask },
    { who: w.owner_id, ask: () => asOwner('GET', '/v1/me') },
  ]
  for (const { who, ask } of rows) {
    for (let n = 0; n < 999; n++) await shared.take(who, { limit: 1_000, window_seconds: 10 })
    const replies = [await ask(), await ask()].map(({ status }) => status)
    assert.ok(replies.includes(429), `${who}: ${replies}`)
  }
  shared.close()
  expectStatus(200, await w.call('GET', '/healthz', { key: null }))
})
