/** Rate limits of keys and administrators, and the client address behind proxies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { eachRow, rows } from '../support/route-table.ts'
import { app_origin, createAuthKey, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' } })
const token = await administratorToken(w, owner)
const acme = { tenant_id: w.tenant_id, token }
const whoami = (key: string, headers: Record<string, string> = {}) =>
  w.call('GET', '/v1/api-keys/whoami', { key, headers: { origin: app_origin, ...headers } })
const withLimit = (limit: number, window_seconds: number) => createPlatformKey(w, acme, { rate_limit: { limit, window_seconds } })
const limitsOf = ({ headers }: Reply) => [headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')]

test('a key is admitted up to its limit, with the remaining calls in RateLimit, and then 429 until the window has passed', async () => {
  const { key } = await withLimit(3, 60)
  const seen = []
  for (let n = 0; n < 5; n++) seen.push(limitsOf(await whoami(key)))
  assert.deepEqual(seen, [
    ['"default";q=3;w=60', '"default";r=2;t=60', null],
    ['"default";q=3;w=60', '"default";r=1;t=60', null],
    ['"default";q=3;w=60', '"default";r=0;t=60', null],
    ['"default";q=3;w=60', '"default";r=0;t=60', '60'],
    ['"default";q=3;w=60', '"default";r=0;t=60', '60'],
  ])
  const refused = await whoami(key)
  assert.equal(`${refused.status} ${refused.body.code}`, '429 rate_limited')
  w.advance(60)
  expectStatus(200, await whoami(key))
})

test('the window slides: calls late in one window reduce the next', async () => {
  const { key } = await withLimit(2, 60)
  expectStatus(200, await whoami(key))
  w.advance(50)
  expectStatus(200, await whoami(key))
  w.advance(10)
  expectStatus(200, await whoami(key))
  const refused = await whoami(key)
  assert.equal(refused.status, 429)
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 45 && wait <= 50, `${wait}`)
  w.advance(wait)
  expectStatus(200, await whoami(key))
})

test('a refused call does not count against the limit', async () => {
  const { key } = await withLimit(2, 60)
  for (let n = 0; n < 2; n++) expectStatus(200, await whoami(key))
  for (let n = 0; n < 20; n++) assert.equal((await whoami(key)).status, 429)
  w.advance(60)
  for (let n = 0; n < 2; n++) expectStatus(200, await whoami(key))
})

test('of 120 parallel calls with a limit of 40, exactly 40 are admitted', async () => {
  const { key } = await withLimit(40, 600)
  const statuses = (await Promise.all(Array.from({ length: 120 }, () => whoami(key)))).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 40)
  assert.equal(statuses.filter((status) => status === 429).length, 80)
})

test('each key has its own limit, shared by all routes and client addresses', async () => {
  const [one, two] = [await withLimit(2, 600), await withLimit(2, 600)]
  expectStatus(200, await whoami(one.key, { 'x-forwarded-for': '203.0.113.1' }))
  expectStatus(200, await w.call('GET', '/v1/platform/projects', { key: one.key }))
  assert.equal((await whoami(one.key, { 'x-forwarded-for': '203.0.113.2' })).status, 429)
  expectStatus(200, await whoami(two.key))
})

test('a call that is refused for its address or origin does not count, and any other refused call counts', async () => {
  const made = await createAuthKey(w, w.test, 'auth_publishable', {
    rate_limit: { limit: 2, window_seconds: 600 },
    ip_allowlist: ['203.0.113.1'],
  })
  const from = { 'x-forwarded-for': '203.0.113.1' }
  for (let n = 0; n < 3; n++) {
    const elsewhere = await whoami(made.key, { 'x-forwarded-for': '203.0.113.2' })
    const foreign = await whoami(made.key, { ...from, origin: 'https://evil.example' })
    assert.deepEqual([elsewhere.body.code, foreign.body.code], ['ip_not_allowed', 'origin_not_allowed'])
    assert.deepEqual([...limitsOf(elsewhere), ...limitsOf(foreign)], [null, null, null, null, null, null])
  }
  const mistaken = await w.call('GET', '/v1/platform/projects', { key: made.key, headers: { origin: app_origin, ...from } })
  assert.equal(mistaken.body.code, 'wrong_key_type')
  assert.equal(mistaken.headers.get('ratelimit'), '"default";r=1;t=600')
  expectStatus(200, await whoami(made.key, from))
  assert.equal((await whoami(made.key, from)).status, 429)
})

test('a changed limit takes effect at once, and includes the calls already made', async () => {
  const made = await withLimit(5, 600)
  const change = (limit: number) =>
    asAdministrator(w, token)('PATCH', `/v1/tenants/${w.tenant_id}/platform-keys/${made.id}`, { rate_limit: { limit } })
  for (let n = 0; n < 3; n++) expectStatus(200, await whoami(made.key))
  expectStatus(200, await change(3))
  assert.equal((await whoami(made.key)).status, 429)
  expectStatus(200, await change(4))
  expectStatus(200, await whoami(made.key))
  assert.equal((await whoami(made.key)).status, 429)
})

test('a rotation does not reset the limit', async () => {
  const made = await withLimit(2, 600)
  for (let n = 0; n < 2; n++) expectStatus(200, await whoami(made.key))
  const rotated = expectStatus(200, await asAdministrator(w, token)('POST', `/v1/tenants/${w.tenant_id}/platform-keys/${made.id}/rotate`))
  assert.equal((await whoami(rotated.key)).status, 429)
})

test('the default limit is 100 calls in 10 s in Test, and 1,000 in Live and for platform keys', async () => {
  const none = { rate_limit: null }
  const keys = [
    [await createAuthKey(w, w.test, 'auth_publishable', none), 100],
    [await createAuthKey(w, w.test, 'auth_secret', none), 100],
    [await createAuthKey(w, w.live, 'auth_secret', none), 1_000],
    [await createPlatformKey(w, acme, none), 1_000],
  ]
  for (const [made, limit] of keys)
    assert.deepEqual(limitsOf(await whoami(made.key)), [`"default";q=${limit};w=10`, `"default";r=${limit - 1};t=10`, null])
})

test('an administrator has 1,000 calls in 10 s, shared by all tokens, tenants and routes', async (t) => {
  const still = await world({ tick_ms: 600_000 })
  const tokens = [await administratorToken(still, owner), await administratorToken(still, owner)]
  const asOwner = tokens.map((each) => asAdministrator(still, each, null))
  const [first, second] = asOwner
  assert.ok(first && second)
  assert.deepEqual(limitsOf(await first('GET', '/v1/me')), ['"default";q=1000;w=10', '"default";r=999;t=10', null])
  assert.equal(limitsOf(await second('GET', '/v1/tenants'))[1], '"default";r=998;t=10')
  const without_tenant = await first('GET', '/v1/platform/projects')
  assert.equal(without_tenant.body.code, 'tenant_required')
  assert.equal(limitsOf(without_tenant)[1], '"default";r=997;t=10', 'a call that is refused later counts')

  const statuses: number[] = []
  for (let n = 0; n < 21; n++)
    statuses.push(
      ...(await Promise.all(Array.from({ length: 50 }, (_, i) => asOwner[i % 2]?.('GET', '/v1/me')))).map((reply) => reply?.status ?? 0),
    )
  assert.equal(statuses.filter((status) => status === 200).length, 997)
  assert.equal(statuses.filter((status) => status === 429).length, 1_050 - 997)

  const refused = await first('GET', '/v1/me')
  assert.equal(`${refused.status} ${refused.body.code}`, '429 rate_limited')
  assert.equal(refused.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.deepEqual(limitsOf(refused), ['"default";q=1000;w=10', '"default";r=0;t=10', '10'])
  expectStatus(200, await still.call('GET', '/v1/platform/projects'))

  // The order of refusals for every row of the table: an invalid token, then the limit, then everything else.
  await eachRow(t, rows, async ({ name, route }) => {
    const path = route.path.replaceAll(/\{\w+\}/g, 'nowhere')
    const ask = (headers: Record<string, string>) => still.call(route.method, path, { key: null, headers })
    assert.equal((await ask({ authorization: 'Bearer invented' })).body.code, 'invalid_key', name)
    assert.equal((await ask({ authorization: `Bearer ${tokens[0]}` })).body.code, 'rate_limited', name)
  })
  still.advance(600)
  assert.deepEqual(limitsOf(await first('GET', '/v1/me')), ['"default";q=1000;w=10', '"default";r=999;t=10', null])
})

test('X-Forwarded-For from an untrusted peer changes neither the client address nor the allowlist decision', async () => {
  const alone = await world()
  const secret = await createAuthKey(alone, alone.test, 'auth_secret', { ip_allowlist: ['203.0.113.1'] })
  for (const spoofed of ['203.0.113.1', '203.0.113.1, 127.0.0.1', '::ffff:203.0.113.1']) {
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']) {
      const headers = { [header]: header === 'forwarded' ? `for=${spoofed}` : spoofed }
      assert.equal((await alone.call('GET', '/v1/api-keys/whoami', { key: secret.key, headers })).body.code, 'ip_not_allowed')
      assert.match(expectStatus(200, await alone.call('GET', '/v1/api-keys/whoami', { headers })).request.ip, /^(127\.0\.0\.1|::1)$/)
    }
  }
})
