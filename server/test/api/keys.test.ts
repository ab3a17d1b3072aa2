/** API keys: the three types, their fields, rotation, revocation and expiry. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { app_origin, createAuthKey, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' } })
let token = await administratorToken(w, owner)
let admin = asAdministrator(w, token)
let acme = { tenant_id: w.tenant_id, token }

/** How a key of each type is created, and its path. */
const kinds = {
  auth_publishable: {
    create: (fields: Record<string, unknown> = {}) => createAuthKey(w, w.test, 'auth_publishable', fields),
    path: (id: string) => `${w.test.path}/auth-keys/${id}`,
  },
  auth_secret: {
    create: (fields: Record<string, unknown> = {}) => createAuthKey(w, w.test, 'auth_secret', fields),
    path: (id: string) => `${w.test.path}/auth-keys/${id}`,
  },
  platform_secret: {
    create: (fields: object = {}) => createPlatformKey(w, acme, fields),
    path: (id: string) => `/v1/tenants/${w.tenant_id}/platform-keys/${id}`,
  },
} as const
type Kind = keyof typeof kinds
const each_kind = Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][] // as: these are its members

/** Manages keys of every type, as the owner of the tenant. */
const manage = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => admin(method, path, body, headers)
const whoami = (key: string, headers: Record<string, string> = {}) =>
  w.call('GET', '/v1/api-keys/whoami', { key, headers: { origin: app_origin, ...headers } })

const without = ({ status, body }: Reply, ...names: string[]) => {
  assert.equal(status, 200, JSON.stringify(body))
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

for (const [kind, { create, path }] of each_kind)
  test(`a key is shown once, and its other fields by GET, list and PATCH: ${kind}`, async () => {
    const { key, ...created } = await create({ label: 'One of them', ip_allowlist: ['127.0.0.1', '::1', '10.0.0.0/8'] })
    assert.deepEqual(without(await manage('GET', path(created.id))), created)
    assert.deepEqual(without(await manage('PATCH', path(created.id), {})), created)
    const list = expectStatus(200, await manage('GET', path('').slice(0, -1)))
    assert.deepEqual(list.data[0], created)
    assert.equal(created.type, kind)
    assert.equal(created.label, 'One of them')
    assert.ok(key.startsWith(created.start) && key.endsWith(created.last4))
    assert.equal(created.start.length, key.length - 38 + 4)
  })

test('a new key has the default of every field', async () => {
  const { key, id, key_id, start, last4, created_at, updated_at, ...rest } = expectStatus(
    201,
    await manage('POST', `${w.test.path}/auth-keys`, { type: 'auth_secret' }),
  )
  assert.deepEqual(rest, {
    type: 'auth_secret',
    tenant_id: w.tenant_id,
    project_id: w.project.id,
    environment_id: w.test.id,
    environment_type: 'test',
    label: null,
    scopes: [],
    allowed_origins: [],
    ip_allowlist: [],
    rate_limit: null,
    last_used_at: null,
    last_used_ip: null,
    rotated_at: null,
    revoked_at: null,
    expires_at: null,
  })
  assert.equal(id, key_id)
  assert.equal(created_at, updated_at)
  assert.match(key, /^svc_auth_sk_test_[0-9A-Za-z]{38}$/)
})

for (const [kind, { create }] of each_kind)
  test(`only the SHA-256 digest of a key is stored: ${kind}`, async () => {
    const { key, id } = await create()
    const row = await w.deployment.db.maybeOne(z.object({ digest: z.string() }), sql`select digest from api_keys where id = ${id}`)
    assert.equal(row?.digest, createHash('sha256').update(key).digest('hex'))
  })

// biome-ignore format: this table is read by column
const origin_rules: [type: 'test' | 'live', origins: unknown, pointer: string | null][] = [
  ['test', ['http://localhost:5173'],                 null],
  ['test', ['https://app.example.com', 'http://a.b'], null],
  ['live', ['https://app.example.com:8443'],          null],
  ['live', [w.base_url],                              null],
  ['live', ['http://app.example.com'],                '/allowed_origins/0'],
  ['live', ['https://a.b', 'http://localhost:3000'],  '/allowed_origins/1'],
  ['test', [],                                        '/allowed_origins'],
  ['test', undefined,                                 '/allowed_origins'],
  ['test', ['*'],                                     '/allowed_origins/0'],
  ['test', ['https://*.example.com'],                 '/allowed_origins/0'],
  ['test', ['null'],                                  '/allowed_origins/0'],
  ['test', ['https://app.example.com/'],              '/allowed_origins/0'],
  ['test', ['https://app.example.com/path'],          '/allowed_origins/0'],
  ['test', ['https://app.example.com:443'],           '/allowed_origins/0'],
  ['test', ['https://APP.example.com'],               '/allowed_origins/0'],
  ['test', ['https://user@app.example.com'],          '/allowed_origins/0'],
  ['test', ['app.example.com'],                       '/allowed_origins/0'],
  ['test', ['file://'],                               '/allowed_origins/0'],
  ['test', 'https://app.example.com',                 '/allowed_origins'],
  ['test', [1],                                       '/allowed_origins/0'],
]

for (const [type, allowed_origins, pointer] of origin_rules) {
  test(`a publishable key of ${type} with the origins ${JSON.stringify(allowed_origins)} is ${pointer === null ? 'created' : `422 at ${pointer}`}`, async () => {
    const reply = await manage('POST', `${w[type].path}/auth-keys`, { type: 'auth_publishable', allowed_origins })
    if (pointer === null) assert.deepEqual(expectStatus(201, reply).allowed_origins, allowed_origins)
    else assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, pointer])
  })
}

// biome-ignore format: this table is read by column
const bad_fields: [Kind, Record<string, unknown>, pointer: string][] = [
  ['auth_secret',      { allowed_origins: [app_origin] },                     '/allowed_origins'],
  ['auth_secret',      { type: 'platform_secret' },                           '/type'],
  ['platform_secret',  { allowed_origins: [app_origin] },                     '/allowed_origins'],
  ['platform_secret',  { scopes: [] },                                        '/scopes'],
  ['platform_secret',  { scopes: ['everything'] },                            '/scopes/0'],
  ['platform_secret',  { label: '' },                                         '/label'],
  ['platform_secret',  { label: null },                                       '/label'],
  ['auth_secret',      { scopes: ['*'] },                                     '/scopes'],
  ['auth_secret',      { ip_allowlist: ['10.0.0.1/8'] },                      '/ip_allowlist/0'],
  ['auth_secret',      { ip_allowlist: ['10.0.0.0/8', 'localhost'] },         '/ip_allowlist/1'],
  ['platform_secret',  { ip_allowlist: ['256.0.0.1'] },                       '/ip_allowlist/0'],
  ['platform_secret',  { rate_limit: { limit: 0, window_seconds: 10 } },      '/rate_limit/limit'],
  ['platform_secret',  { rate_limit: { limit: 100_001, window_seconds: 1 } }, '/rate_limit/limit'],
  ['platform_secret',  { rate_limit: { limit: 1, window_seconds: 3_601 } },   '/rate_limit/window_seconds'],
  ['platform_secret',  { rate_limit: { limit: 1 } },                          '/rate_limit/window_seconds'],
  ['platform_secret',  { rate_limit: { limit: 1, window_seconds: 1, x: 1 } }, '/rate_limit/x'],
  ['platform_secret',  { rate_limit: 5 },                                     '/rate_limit'],
  ['auth_publishable', { expires_at: 'tomorrow' },                            '/expires_at'],
  ['auth_publishable', { expires_at: 1_800_000_000 },                         '/expires_at'],
]

for (const [kind, fields, pointer] of bad_fields) {
  test(`a key of type ${kind} with ${JSON.stringify(fields)} is 422 at ${pointer}`, async () => {
    const valid =
      kind === 'platform_secret'
        ? { label: 'x', scopes: ['*'] }
        : { type: kind, ...(kind === 'auth_publishable' ? { allowed_origins: [app_origin] } : {}) }
    const reply = await manage('POST', kinds[kind].path('').slice(0, -1), { ...valid, ...fields })
    assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, pointer], JSON.stringify(reply.body))
  })
}

for (const [kind, { create, path }] of each_kind)
  test(`whoami returns the tenant, project, environment and scopes of a key: ${kind}`, async () => {
    const tenant = { id: w.tenant_id, slug: 'acme', name: 'Acme' }
    const made = await create(kind === 'platform_secret' ? { scopes: ['projects:write', 'users:read'] } : {})
    const answer = expectStatus(200, await whoami(made.key, { 'x-forwarded-for': '203.0.113.9' }))
    const { tenant: returned, project, environment, effective_scopes, request, ...record } = answer
    assert.deepEqual(returned, tenant)
    assert.deepEqual(request, { ip: '203.0.113.9' })
    assert.deepEqual(effective_scopes, kind === 'platform_secret' ? ['projects:write', 'users:read'] : [])
    const in_test = { id: w.test.id, type: 'test', issuer: w.test.issuer }
    assert.deepEqual(environment, kind === 'platform_secret' ? null : in_test)
    assert.deepEqual(project, kind === 'platform_secret' ? null : { id: w.project.id, slug: 'shop', name: 'Project shop' })
    const { last_used_at, last_used_ip, ...rest } = without(await manage('GET', path(made.id)))
    assert.deepEqual({ ...record, last_used_at: null, last_used_ip: null }, { ...rest, last_used_at: null, last_used_ip: null })
  })

test('whoami expands the scope * to every scope', async () => {
  const { effective_scopes, scopes } = expectStatus(200, await whoami(w.key))
  assert.deepEqual(scopes, ['*'])
  assert.ok(effective_scopes.length === 17 && !effective_scopes.includes('*'))
})

for (const [kind, { create, path }] of each_kind)
  test(`last_used_at and last_used_ip show a use at once, without a new version of the key: ${kind}`, async () => {
    const made = await create()
    const etag = (await manage('GET', path(made.id))).headers.get('etag')
    const before = w.now().getTime()
    expectStatus(200, await whoami(made.key, { 'x-forwarded-for': '2001:db8::7' }))
    const reply = await manage('GET', path(made.id))
    assert.equal(reply.body.last_used_ip, '2001:db8::7')
    assert.ok(Date.parse(reply.body.last_used_at) >= before && Date.parse(reply.body.last_used_at) <= w.now().getTime())
    assert.equal(reply.headers.get('etag'), etag)
    assert.equal(reply.body.updated_at, made.updated_at)
    const listed = expectStatus(200, await manage('GET', path('').slice(0, -1))).data[0]
    assert.equal(listed.last_used_ip, '2001:db8::7')
  })

test('a call that is refused for its address or origin is not a use of the key', async () => {
  const made = await createAuthKey(w, w.test, 'auth_publishable', { ip_allowlist: ['203.0.113.1'] })
  await whoami(made.key, { 'x-forwarded-for': '203.0.113.2' })
  await whoami(made.key, { 'x-forwarded-for': '203.0.113.1', origin: 'https://evil.example' })
  assert.equal(expectStatus(200, await manage('GET', kinds.auth_publishable.path(made.id))).last_used_at, null)
})

for (const [kind, { create, path }] of each_kind)
  test(`a rotated key keeps its id and its fields, and only the new plaintext works: ${kind}`, async () => {
    const { key, ...before } = await create({ label: 'Stays', ip_allowlist: ['127.0.0.1', '::1'] })
    const { key: next, ...after } = expectStatus(200, await manage('POST', `${path(before.id)}/rotate`))
    assert.notEqual(next, key)
    const { start, last4, rotated_at, updated_at, ...rest } = before
    assert.deepEqual({ ...after, start, last4, rotated_at, updated_at }, { ...rest, start, last4, rotated_at, updated_at })
    assert.equal(after.rotated_at, after.updated_at)
    assert.equal((await whoami(key)).body.code, 'invalid_key')
    expectStatus(200, await whoami(next))
  })

for (const [kind, { create, path }] of each_kind)
  test(`a revoked key can be read and revoked again, but neither changed nor rotated: ${kind}`, async () => {
    const made = await create()
    assert.equal((await manage('DELETE', path(made.id))).status, 204)
    const reply = await manage('GET', path(made.id))
    assert.match(expectStatus(200, reply).revoked_at, /^2/)
    assert.equal((await manage('DELETE', path(made.id))).status, 204)
    assert.equal((await manage('GET', path(made.id))).headers.get('etag'), reply.headers.get('etag'))
    assert.equal((await manage('POST', `${path(made.id)}/rotate`)).body.code, 'key_revoked')
    assert.equal((await manage('PATCH', path(made.id), { label: 'x' })).body.code, 'key_revoked')
    assert.equal((await whoami(made.key)).body.code, 'invalid_key')
  })

/** Calls with the key in parallel while `end` ends it. No call that starts after the response of `end` may succeed. */
async function assertNoneSucceeds(key: string, end: () => Promise<Reply>) {
  let over = false
  let successes = 0
  const hammer = async () => {
    for (let n = 0; n < 100; n++) {
      const started_after = over
      const { status } = await whoami(key)
      if (started_after && status !== 401) successes++
    }
  }
  const calls = Array.from({ length: 10 }, hammer)
  assert.ok((await end()).status < 300)
  over = true
  await Promise.all(calls)
  await Promise.all(Array.from({ length: 5 }, hammer))
  assert.equal(successes, 0)
}

test('no call that starts after the response to a rotation or revocation succeeds with the old key', async () => {
  const rotated = await createPlatformKey(w, acme)
  await assertNoneSucceeds(rotated.key, () => manage('POST', `${kinds.platform_secret.path(rotated.id)}/rotate`))
  const revoked = await createAuthKey(w, w.test, 'auth_secret')
  await assertNoneSucceeds(revoked.key, () => manage('DELETE', kinds.auth_secret.path(revoked.id)))
})

test('a key is invalid after its expires_at, and valid again when that is moved or removed', async () => {
  const at = (seconds: number) => new Date(w.now().getTime() + seconds * 1000).toISOString()
  const made = await createPlatformKey(w, acme, { expires_at: at(60) })
  const moved = await createPlatformKey(w, acme, { expires_at: at(60) })
  const freed = await createPlatformKey(w, acme, { expires_at: at(60).replace('Z', '+00:00') })
  assert.match(freed.expires_at, /Z$/)
  expectStatus(200, await whoami(made.key))
  expectStatus(200, await manage('PATCH', kinds.platform_secret.path(moved.id), { expires_at: at(600) }))
  assert.equal(expectStatus(200, await manage('PATCH', kinds.platform_secret.path(freed.id), { expires_at: null })).expires_at, null)
  w.advance(61)
  assert.equal((await whoami(made.key)).body.code, 'invalid_key')
  expectStatus(200, await whoami(moved.key))
  expectStatus(200, await whoami(freed.key))
  w.advance(600)
  assert.equal((await whoami(moved.key)).body.code, 'invalid_key')
  // The sign-in is no longer fresh.
  token = await administratorToken(w, owner)
  admin = asAdministrator(w, token)
  acme = { tenant_id: w.tenant_id, token }
  expectStatus(200, await manage('PATCH', kinds.platform_secret.path(made.id), { expires_at: null }))
  expectStatus(200, await whoami(made.key))
})

test('expires_at in the past is 422, of a new key and of a change; the time that a key has can be sent back', async () => {
  const at = (seconds: number) => new Date(w.now().getTime() + seconds * 1000).toISOString()
  const made = await createPlatformKey(w, acme, { expires_at: at(60) })
  const path = kinds.platform_secret.path(made.id)
  const refused = async (reply: Promise<Reply>) => {
    const { status, body } = await reply
    assert.deepEqual([status, body.errors?.[0]?.pointer], [422, '/expires_at'])
  }
  for (const seconds of [0, -1, -86_400]) {
    await refused(manage('POST', `/v1/tenants/${acme.tenant_id}/platform-keys`, { label: 'Past', scopes: ['*'], expires_at: at(seconds) }))
    await refused(manage('POST', `${w.test.path}/auth-keys`, { type: 'auth_secret', expires_at: at(seconds) }))
    await refused(manage('PATCH', path, { expires_at: at(seconds) }))
  }
  w.advance(61)
  expectStatus(200, await manage('PATCH', path, { label: 'Past', expires_at: made.expires_at }))
  await refused(manage('PATCH', path, { expires_at: at(-120) }))
})

test('a change of origins, addresses, scopes or limit takes effect with its response', async () => {
  const publishable = await createAuthKey(w, w.test, 'auth_publishable')
  const secret = await createAuthKey(w, w.test, 'auth_secret')
  const platform = await createPlatformKey(w, acme)
  const projects = () => w.call('GET', '/v1/platform/projects', { key: platform.key })
  const steps: [path: string, change: object, ask: () => Promise<Reply>, expected: string | undefined][] = [
    [
      kinds.auth_publishable.path(publishable.id),
      { allowed_origins: ['https://other.example.com'] },
      () => whoami(publishable.key),
      'origin_not_allowed',
    ],
    [kinds.auth_publishable.path(publishable.id), { allowed_origins: [app_origin] }, () => whoami(publishable.key), undefined],
    [kinds.auth_secret.path(secret.id), { ip_allowlist: ['203.0.113.1'] }, () => whoami(secret.key), 'ip_not_allowed'],
    [kinds.auth_secret.path(secret.id), { ip_allowlist: null }, () => whoami(secret.key), undefined],
    [kinds.platform_secret.path(platform.id), { scopes: ['users:read'] }, projects, 'insufficient_scope'],
    [kinds.platform_secret.path(platform.id), { scopes: ['projects:read'] }, projects, undefined],
    [kinds.platform_secret.path(platform.id), { rate_limit: { limit: 1, window_seconds: 3_600 } }, projects, 'rate_limited'],
    [kinds.platform_secret.path(platform.id), { rate_limit: null }, projects, undefined],
  ]
  for (const [path, change, ask, expected] of steps) {
    expectStatus(200, await manage('PATCH', path, change))
    assert.equal((await ask()).body.code, expected, JSON.stringify(change))
  }
})

test('a merge patch of rate_limit changes the named members, and null removes the limit', async () => {
  const made = await createPlatformKey(w, acme, { rate_limit: { limit: 5, window_seconds: 60 } })
  const path = kinds.platform_secret.path(made.id)
  assert.deepEqual(without(await manage('PATCH', path, { rate_limit: { limit: 7 } })).rate_limit, { limit: 7, window_seconds: 60 })
  assert.equal((await manage('PATCH', path, { rate_limit: { limit: null } })).body.errors[0].pointer, '/rate_limit/limit')
  assert.equal((await manage('PATCH', path, { rate_limit: { limit: 0 } })).body.errors[0].pointer, '/rate_limit/limit')
  assert.equal(without(await manage('PATCH', path, { rate_limit: null })).rate_limit, null)
  assert.equal((await manage('PATCH', path, { rate_limit: { limit: 7 } })).body.errors[0].pointer, '/rate_limit/window_seconds')
})

test('a key is not found in another environment, nor under the path of another key type', async () => {
  const made = await createAuthKey(w, w.live, 'auth_secret')
  const seen = []
  for (const { path } of [w.test, w.live])
    seen.push(expectStatus(200, await w.call('GET', `${path}/auth-keys?limit=100`)).data.map(({ id }: { id: string }) => id))
  assert.deepEqual(
    seen.map((ids) => ids.includes(made.id)),
    [false, true],
  )
  assert.equal((await w.call('GET', `${w.test.path}/auth-keys/${made.id}`)).status, 404)
  const platform = await createPlatformKey(w, acme)
  assert.equal((await w.call('GET', `${w.test.path}/auth-keys/${platform.id}`)).status, 404)
  assert.equal((await manage('GET', kinds.platform_secret.path(made.id))).status, 404)
})
