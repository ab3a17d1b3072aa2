/** Publishable keys in browsers: allowed origins, CORS, preflights, and the configuration of an environment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { application } from '@ostiary/contract/objects/application.ts'
import { patched } from '../../src/base/patched.ts'
import { insertApplication } from '../../src/domain/applications/store.ts'
import { administratorToken } from '../support/administrator.ts'
import { app_origin, createAuthKey, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const made = await createAuthKey(w, w.test, 'auth_publishable', { allowed_origins: [app_origin, 'http://localhost:5173'] })
const routes = ['/v1/api-keys/whoami', '/v1/auth/config']

const ask = (
  path: string,
  origin: string | undefined,
  key: string | null = made.key,
  headers: Record<string, string> = {},
): Promise<Reply> => w.call('GET', path, { key, headers: { ...(origin === undefined ? {} : { origin }), ...headers } })
const corsOf = (reply: Reply) => Object.fromEntries([...reply.headers].filter(([name]) => name.startsWith('access-control-')))

test('a request from an allowed origin is admitted, and its page can read the response and its headers', async () => {
  for (const path of routes) {
    for (const origin of [app_origin, 'http://localhost:5173']) {
      const reply = await ask(path, origin)
      expectStatus(200, reply)
      assert.deepEqual(corsOf(reply), {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      })
      assert.ok(reply.headers.get('vary')?.split(', ').includes('Origin'))
    }
  }
})

const foreign = [
  undefined,
  '',
  'null',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:443',
  'https://app.example.com:8443',
  'https://app.example.com/',
  'https://APP.EXAMPLE.COM',
  'https://app.example.com.evil.example',
  'https://evil-app.example.com',
  'https://sub.app.example.com',
  'https://app.example.com, https://evil.example',
  'https://app.example.com\u00a0',
  'localhost:5173',
]

for (const origin of foreign) {
  test(`a request from the origin ${JSON.stringify(origin)} is 403 origin_not_allowed without CORS headers`, async () => {
    for (const path of routes) {
      const reply = await ask(path, origin)
      assert.equal(`${reply.status} ${reply.body.code}`, '403 origin_not_allowed')
      assert.deepEqual(corsOf(reply), {})
      assert.equal(reply.headers.get('vary'), 'Origin')
      assert.equal(reply.headers.get('ratelimit'), null)
    }
  })
}

test('a page of an allowed origin can read why its request is refused', async () => {
  const strict = await createAuthKey(w, w.test, 'auth_publishable', { rate_limit: { limit: 1, window_seconds: 60 } })
  for (const status of [200, 429]) {
    const reply = await ask('/v1/auth/config', app_origin, strict.key)
    assert.equal(reply.status, status)
    assert.equal(reply.headers.get('access-control-allow-origin'), app_origin)
  }
})

test('a response to an invalid key has no CORS headers', async () => {
  for (const path of routes) {
    const reply = await ask(path, app_origin, `${made.key.slice(0, -1)}_`)
    assert.equal(reply.status, 401)
    assert.deepEqual(corsOf(reply), {})
  }
})

test('a response to a secret key has no CORS headers', async () => {
  const platform = await createPlatformKey(w, { tenant_id: w.tenant_id, token: await administratorToken(w, owner) })
  const secret = await createAuthKey(w, w.test, 'auth_secret')
  for (const { key } of [platform, secret]) {
    const reply = await ask('/v1/api-keys/whoami', app_origin, key)
    assert.equal(reply.status, 200)
    assert.deepEqual(corsOf(reply), {})
    assert.equal((await ask('/v1/auth/config', app_origin, key)).body.code, 'wrong_key_type')
  }
})

test('a preflight succeeds the same way for every origin and key', async () => {
  for (const path of routes) {
    const answers = new Set<string>()
    for (const origin of [app_origin, 'https://evil.example', 'null']) {
      for (const headers of [{}, { 'x-api-key': made.key }, { 'x-api-key': 'invented' }]) {
        const request = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' }
        const reply = await w.call('OPTIONS', path, { key: null, headers: { origin, ...request, ...headers } })
        assert.equal(reply.status, 204)
        assert.equal(reply.body, '')
        const { 'access-control-allow-origin': allowed, ...rest } = corsOf(reply)
        assert.equal(allowed, origin)
        assert.equal(reply.headers.get('vary'), 'Origin')
        answers.add(JSON.stringify(rest))
      }
    }
    assert.deepEqual(
      [...answers],
      [
        JSON.stringify({
          'access-control-allow-headers': 'X-API-Key, Authorization, If-None-Match, traceparent, tracestate',
          'access-control-allow-methods': 'GET',
          'access-control-max-age': '600',
        }),
      ],
    )
    assert.deepEqual(corsOf(await w.call('OPTIONS', path, { key: null })), {})
  }
})

test('the configuration of an environment shows its settings', async () => {
  const key = await createAuthKey(w, w.live, 'auth_publishable')
  const spa = await w.createApplication(w.live, { application_type: 'spa', name: 'Shop front' })
  const native = await w.createApplication(w.live, { application_type: 'native', name: 'Shop app' })
  const off = await w.createApplication(w.live, { application_type: 'spa', disabled: true })
  const web = await w.createApplication(w.live)
  assert.ok(off.disabled && web.has_client_secret)
  const config = () => ask('/v1/auth/config', app_origin, key.key)
  const expected = {
    environment: { id: w.live.id, type: 'live' },
    project: { id: w.project.id, slug: 'shop', name: 'Project shop' },
    issuer: w.live.issuer,
    discovery_url: `${w.live.issuer}/.well-known/openid-configuration`,
    applications: [
      { client_id: spa.id, name: 'Shop front', application_type: 'spa' },
      { client_id: native.id, name: 'Shop app', application_type: 'native' },
    ],
    sign_in: { methods: ['password'], providers: [] },
    sign_up: { mode: 'open', name: 'off' },
    password_policy: { min_length: 12, reject_common: true },
    branding: { display_name: 'Project shop', logo_url: null, primary_color: null },
    links: { terms_url: null, privacy_url: null, support_url: null },
    test_mode: false,
  }
  const { locales, ...rest } = expectStatus(200, await config())
  assert.deepEqual(rest, expected)
  assert.ok(locales.includes('en'))

  await w.changeSettings(w.live, {
    sign_in: { password: false, passkey: true, passkey_shared_host: true },
    sign_up: { mode: 'closed' },
    password: { min_length: 20 },
    branding: { display_name: 'The Shop', logo_url: 'https://cdn.example.com/logo.svg', primary_color: '#123456' },
    links: { terms_url: 'https://example.com/terms' },
  })
  const changed = expectStatus(200, await config())
  assert.deepEqual(changed.sign_in.methods, ['passkey'])
  assert.deepEqual(changed.sign_up, { mode: 'closed', name: 'off' })
  assert.equal(changed.password_policy.min_length, 20)
  assert.deepEqual(changed.branding, { display_name: 'The Shop', logo_url: 'https://cdn.example.com/logo.svg', primary_color: '#123456' })
  assert.equal(changed.links.terms_url, 'https://example.com/terms')
  assert.equal(expectStatus(200, await ask('/v1/auth/config', app_origin)).test_mode, true)
})

test('the configuration of an environment names every public application, even where there are hundreds', async () => {
  const { test: environment } = await w.createProject('many-applications')
  const key = await createAuthKey(w, environment, 'auth_publishable', { allowed_origins: [app_origin] })
  const fields = patched(application, 'spa', {}, { name: 'Front', redirect_uris: [`${app_origin}/callback`] })
  const ids = Array.from({ length: 250 }, () => w.deployment.newId('app'))
  await w.deployment.db.batch(
    ids.flatMap((id) =>
      insertApplication(environment.id, { id, slug: id, application_type: 'spa', template: null, secret: null }, fields, w.now()),
    ),
  )
  const { applications } = expectStatus(200, await ask('/v1/auth/config', app_origin, key.key))
  assert.deepEqual(
    applications.map(({ client_id }: { client_id: string }) => client_id),
    ids,
  )
})

test('a browser caches the configuration for a minute per key, and revalidates it by its ETag', async () => {
  const first = await ask('/v1/auth/config', app_origin)
  assert.equal(first.headers.get('cache-control'), 'private, max-age=60')
  assert.equal(first.headers.get('vary'), 'Origin, X-API-Key, Authorization')
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{20,}"$/)
  assert.equal((await ask('/v1/auth/config', app_origin)).headers.get('etag'), etag)

  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const reply = await ask('/v1/auth/config', app_origin, made.key, { 'if-none-match': known })
    assert.equal(reply.status, 304, known)
    assert.equal(reply.body, '')
    for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin'])
      assert.equal(reply.headers.get(name), first.headers.get(name), name)
  }
  for (const unknown of ['"other"', '', etag.slice(1, -1)])
    assert.equal((await ask('/v1/auth/config', app_origin, made.key, { 'if-none-match': unknown })).status, 200)

  await w.changeSettings(w.test, { branding: { display_name: 'Renamed' } })
  assert.equal((await ask('/v1/auth/config', app_origin, made.key, { 'if-none-match': etag })).status, 200)
})

test('a refused request for the configuration is no-store', async () => {
  for (const reply of [await ask('/v1/auth/config', 'https://evil.example'), await ask('/v1/auth/config', app_origin, null)])
    assert.equal(reply.headers.get('cache-control'), 'no-store')
})
