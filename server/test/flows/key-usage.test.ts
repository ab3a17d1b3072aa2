/** The uses of keys by hour, route and address: what is counted, what is refused, and how much is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyUsage } from '@ostiary/contract/api-key.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createKeyStore } from '../../src/domain/keys/store.ts'
import { createKeyUsage, findKeyUsage } from '../../src/domain/keys/usage.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { withMethods } from '../support/db-methods.ts'
import { app_origin, createAuthKey, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1/32, ::1/128' } })
const token = await administratorToken(w, owner)
const admin = asAdministrator(w, token)
const { db } = w.deployment

const from = (ip: string) => ({ 'x-forwarded-for': ip })
type Shown = [route: string, ip: string | null, count: number, refused: number]
const shown = ({ data }: KeyUsage): Shown[] => data.map(({ route, ip, count, refused }) => [route, ip, count, refused])

/** The usage after this process has written what it counted. */
async function usageOf({ path }: TestEnvironment, key_id: string, query = ''): Promise<KeyUsage> {
  await written()
  return expectStatus(200, await w.call('GET', `${path}/auth-keys/${key_id}/usage${query}`))
}

/** Waits until the service has written what it counted. */
async function written(): Promise<void> {
  const marker = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  await w.call('GET', '/v1/api-keys/whoami', { key: marker.key })
  const found = sql`select count(*) as count from key_usage where key_id = ${marker.id} and count > 0`
  for (let tries = 0; tries < 1_000; tries++) {
    if ((await db.maybeOne(z.object({ count: z.int() }), found))?.count) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('The counts were not written.')
}

for (const environment of [w.test, w.live]) {
  test(`calls count by route and address, and refused ones beside them (${environment.type})`, async () => {
    const allowed = { ip_allowlist: ['192.0.2.0/24'], rate_limit: { limit: 6, window_seconds: 3_600 } }
    const key = await createAuthKey(w, environment, 'auth_secret', allowed)
    const call = (path: string, ip: string) => w.call('GET', path, { key: key.key, headers: from(ip) })
    for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) expectStatus(200, await call('/v1/auth/users', ip))
    expectStatus(404, await call('/v1/auth/users/usr_01m7wwr5ftevtv5yxb47hmb4ht', '192.0.2.1'))
    expectStatus(403, await call('/v1/auth/users', '198.51.100.1'))
    expectStatus(403, await call('/v1/platform/projects', '192.0.2.1'))
    expectStatus(403, await call('/v1/platform/projects', '192.0.2.1'))
    expectStatus(429, await call('/v1/auth/users', '192.0.2.2'))
    const usage = await usageOf(environment, key.id)
    assert.deepEqual(shown(usage), [
      ['/v1/auth/users', '192.0.2.1', 2, 0],
      ['/v1/auth/users', '192.0.2.2', 2, 1],
      ['/v1/platform/projects', '192.0.2.1', 2, 2],
      ['/v1/auth/users', '198.51.100.1', 1, 1],
      ['/v1/auth/users/{user_id}', '192.0.2.1', 1, 0],
    ])
    for (const { hour } of usage.data) assert.match(hour, /T\d\d:00:00\.000Z$/)
  })

  test(`a publishable key counts calls from other origins as refused (${environment.type})`, async () => {
    const key = await createAuthKey(w, environment, 'auth_publishable')
    for (const origin of [app_origin, 'https://evil.example'])
      await w.call('GET', '/v1/auth/config', { key: key.key, headers: { origin, ...from('192.0.2.9') } })
    assert.deepEqual(shown(await usageOf(environment, key.id)), [['/v1/auth/config', '192.0.2.9', 2, 1]])
  })
}

test('a platform key counts calls without its scope as refused, and its usage is read under its tenant', async () => {
  const key = await createPlatformKey(w, { tenant_id: w.tenant_id, token }, { scopes: ['projects:read'] })
  await w.call('GET', '/v1/platform/projects', { key: key.key, headers: from('192.0.2.1') })
  await w.call('POST', '/v1/platform/projects', { key: key.key, headers: from('192.0.2.1'), body: { slug: 'x', name: 'X' } })
  await written()
  const path = `/v1/tenants/${w.tenant_id}/platform-keys/${key.id}/usage`
  assert.deepEqual(shown(expectStatus(200, await admin('GET', path))), [['/v1/platform/projects', '192.0.2.1', 2, 1]])
  assert.equal((await w.call('GET', `${w.test.path}/auth-keys/${key.id}/usage`)).status, 404)
})

test('a mistyped, revoked or unknown key counts nowhere', async () => {
  const key = await createAuthKey(w, w.test, 'auth_secret')
  await w.call('DELETE', `${w.test.path}/auth-keys/${key.id}`)
  await w.call('GET', '/v1/auth/users', { key: key.key })
  assert.deepEqual((await usageOf(w.test, key.id)).data, [])
})

test('the range selects hours, is 24 hours by default and at most 7 days', async () => {
  const key = await createAuthKey(w, w.test, 'auth_secret')
  await w.call('GET', '/v1/auth/users', { key: key.key })
  await written()
  w.advance(3_600)
  await w.call('GET', '/v1/auth/users', { key: key.key })
  const { data } = await usageOf(w.test, key.id)
  assert.equal(data.length, 2)
  const [first, second] = data
  assert.ok(first && second && first.hour < second.hour)
  assert.deepEqual((await usageOf(w.test, key.id, `?from=${second.hour}`)).data, [second])
  assert.deepEqual((await usageOf(w.test, key.id, `?to=${second.hour}`)).data, [first])
  w.advance(25 * 3_600)
  assert.deepEqual((await usageOf(w.test, key.id)).data, [])
  assert.equal((await usageOf(w.test, key.id, `?from=${first.hour}`)).data.length, 2)
  for (const query of [
    '?from=2026-01-01T00:00:00Z&to=2026-01-08T00:00:01Z',
    '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    '?to=soon',
  ])
    assert.equal((await w.call('GET', `${w.test.path}/auth-keys/${key.id}/usage${query}`)).status, 422, query)
})

/** A counter of its own, as another process has, for a key that is not called otherwise. */
const at = w.now()
const read = (key_id: string) =>
  findKeyUsage(db, w.tenant_id, key_id, { from: new Date(at.getTime() - 1), to: new Date(at.getTime() + 3_600_000) })
const countedBy = (
  usage: ReturnType<typeof createKeyUsage>,
  key_id: string,
  { route = '/v1/auth/users', ip, times = 1 }: { route?: string; ip: string; times?: number },
) => {
  for (let n = 0; n < times; n++) usage.count({ key_id, tenant_id: w.tenant_id, route, ip, at }, n % 2 === 1)
}

test('beyond 100 pairs of route and address in an hour a key counts the rest together, over several writes', async () => {
  const key_id = w.deployment.newId('key')
  const usage = createKeyUsage(db)
  for (let n = 0; n < 60; n++) countedBy(usage, key_id, { ip: `192.0.2.${n}` })
  await usage.write()
  for (let n = 30; n < 250; n++) countedBy(usage, key_id, { ip: `192.0.2.${n}`, times: 2 })
  await usage.write()
  const rows = await read(key_id)
  assert.equal(rows.length, 101)
  assert.deepEqual(
    rows.filter(({ route }) => route === 'other').map(({ ip, count, refused }) => [ip, count, refused]),
    [[null, 300, 150]],
  )
  assert.equal(
    rows.reduce((sum, { count }) => sum + count, 0),
    60 + 2 * 220,
  )
})

test('counts of several processes add up, and together they keep to 100 pairs', async () => {
  const key_id = w.deployment.newId('key')
  const processes = Array.from({ length: 8 }, () => createKeyUsage(db))
  for (const [i, usage] of processes.entries()) {
    countedBy(usage, key_id, { ip: '192.0.2.1', times: 10 })
    for (let n = 0; n < 40; n++) countedBy(usage, key_id, { route: '/v1/auth/sessions/{session_id}', ip: `198.51.${i}.${n}` })
  }
  await Promise.all(processes.map((usage) => usage.write()))
  const rows = await read(key_id)
  assert.equal(rows.filter(({ route }) => route !== 'other').length, 100)
  const shared = rows.find(({ ip }) => ip === '192.0.2.1')
  const others = rows.filter(({ ip }) => ip !== '192.0.2.1').reduce((sum, { count }) => sum + count, 0)
  assert.equal((shared?.count ?? 0) + others, 8 * 10 + 8 * 40)
})

test('what the database did not take is written the next time', async () => {
  const key_id = w.deployment.newId('key')
  let is_down = true
  const failing = withMethods(db, ({ batch }) => ({
    batch: (statements) => (is_down ? Promise.reject(new Error('down')) : batch(statements)),
  }))
  const usage = createKeyUsage(failing)
  countedBy(usage, key_id, { ip: '192.0.2.1', times: 3 })
  await assert.rejects(usage.write(), /down/)
  countedBy(usage, key_id, { ip: '192.0.2.1', times: 2 })
  is_down = false
  await usage.write()
  await usage.write()
  assert.deepEqual(shown({ data: await read(key_id) }), [['/v1/auth/users', '192.0.2.1', 5, 2]])
})

test('the last uses of any number of keys are written a slice at a time, and what the database did not take the next time', async () => {
  const batches: number[] = []
  let is_down = false
  const observed = withMethods(db, ({ batch }) => ({
    batch: (statements) => {
      if (is_down && batches.length > 0) return Promise.reject(new Error('down'))
      batches.push(statements.length)
      return batch(statements)
    },
  }))
  const store = createKeyStore(observed)
  const key = await createAuthKey(w, w.test, 'auth_secret')
  const at = w.now()
  for (let n = 0; n < 1_200; n++) store.noteUse(w.deployment.newId('key'), at, null)
  store.noteUse(key.id, at, '192.0.2.7')

  is_down = true
  await assert.rejects(store.writeUses(), /down/)
  is_down = false
  await store.writeUses()
  await store.writeUses()
  assert.deepEqual(batches, [500, 500, 201])
  const written = expectStatus(200, await w.call('GET', `${w.test.path}/auth-keys/${key.id}`))
  assert.deepEqual([written.last_used_at, written.last_used_ip], [at.toISOString(), '192.0.2.7'])
})

test('memory is bounded: beyond 20,000 pairs a key counts new pairs together', async () => {
  const usage = createKeyUsage(db)
  const keys = Array.from({ length: 210 }, () => w.deployment.newId('key'))
  for (const key_id of keys) for (let n = 0; n < 150; n++) countedBy(usage, key_id, { ip: `192.0.2.${n}` })
  await usage.write()
  const rows = await Promise.all(keys.map(read))
  assert.ok(rows.flat().length <= 20_000 + 2 * keys.length)
  for (const of_key of rows)
    assert.equal(
      of_key.reduce((sum, { count }) => sum + count, 0),
      150,
    )
})

test('usage is removed after 30 days', async () => {
  const key_id = w.deployment.newId('key')
  const usage = createKeyUsage(db)
  countedBy(usage, key_id, { ip: '192.0.2.1' })
  await usage.write()
  const in_days = (days: number) => new Date(at.getTime() + days * 86_400_000)
  await removeExpiredRows(db, in_days(29))
  assert.equal((await read(key_id)).length, 1)
  await removeExpiredRows(db, in_days(31))
  assert.equal((await read(key_id)).length, 0)
})
