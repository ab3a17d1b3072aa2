import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { createAgent } from '../support/cookie-browser.ts'
import { dashboardHeaders, signInToDashboard } from '../support/dashboard.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { eachRow, idsOf, pathOf, rows, sampleBody } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const dashboard = await signInToDashboard(w)
const in_tenant = { 'x-tenant-id': w.tenant_id }

test('a call of the dashboard runs the route of the API as the administrator, and is answered alike', async () => {
  const me = expectStatus(200, await dashboard.call('GET', '/v1/me'))
  assert.equal(me.email, owner.email)
  const body = { slug: 'by-dashboard', name: 'By the dashboard' }
  const made = await dashboard.call('POST', '/v1/platform/projects', body, { ...in_tenant, 'idempotency-key': 'one' })
  assert.equal(made.status, 201)
  assert.equal(made.headers.get('location'), `${w.base_url}/v1/platform/projects/${made.body.id}`)
  assert.match(made.headers.get('ratelimit') ?? '', /^"default";r=/)
  const repeated = await dashboard.call('POST', '/v1/platform/projects', body, { ...in_tenant, 'idempotency-key': 'one' })
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
  const { etag } = Object.fromEntries((await dashboard.call('GET', `/v1/platform/projects/${made.body.id}`, undefined, in_tenant)).headers)
  const changed = { name: 'Changed' }
  const path = `/v1/platform/projects/${made.body.id}`
  assert.equal((await dashboard.call('PATCH', path, changed, { ...in_tenant, 'if-match': etag ?? '' })).status, 200)
  assert.equal((await dashboard.call('PATCH', path, changed, { ...in_tenant, 'if-match': etag ?? '' })).status, 412)
  const { data } = expectStatus(200, await dashboard.call('GET', '/v1/platform/projects?limit=1', undefined, in_tenant))
  assert.equal(data.length, 1)
})

test('every route of the API answers the dashboard', (t) =>
  eachRow(t, rows, async ({ route }) => {
    const path = pathOf(route, idsOf(route, ours))
    const body = route.method === 'POST' || route.method === 'PATCH' ? { body: sampleBody(route.body ?? empty) } : {}
    const headers = { ...dashboardHeaders(w), cookie: dashboard.cookie(), 'x-tenant-id': ours.tenant_id, 'x-environment-id': ours.test.id }
    // An unknown tenant is refused after the credential, so nothing changes.
    const wrong = await w.call(route.method, `/dashboard/api${path}`, {
      key: null,
      ...body,
      headers: { ...headers, 'x-tenant-id': 'ten_1' },
    })
    assert.notEqual(wrong.status, 401)
    assert.notEqual(wrong.body?.code, 'origin_not_allowed')
    const without = await w.call(route.method, `/dashboard/api${path}`, { key: null, ...body, headers: { ...headers, cookie: '' } })
    assert.equal(without.status, 401)
    assert.equal(without.body.code, 'unauthenticated')
    const direct = await w.call(route.method, path, { key: null, ...body, headers })
    assert.equal(direct.status, 401, 'The cookie does not count outside of /dashboard/api.')
  }))

const empty = z.object({})

const project = `/v1/platform/projects`
const { base_url } = w
const mark = { 'x-ostiary-dashboard': '1' }
const own = { ...mark, origin: base_url }
const other_port = `${base_url.replace(/:\d+$/, '')}:1`
// biome-ignore format: this table is read by column
const foreign: [what: string, method: string, headers: Record<string, string>][] = [
  ['a simple form post',                    'POST', { origin: base_url, 'sec-fetch-site': 'same-origin' }],
  ['a form post of another origin',         'POST', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a script of another origin',            'POST', { ...mark, origin: 'https://evil.example' }],
  ['a script at another port',              'POST', { ...mark, origin: other_port }],
  ['a page of a sandboxed frame',           'POST', { ...mark, origin: 'null' }],
  ['a change without Origin',               'POST', { ...mark }],
  ['an Origin with a path',                 'POST', { ...mark, origin: `${base_url}/dashboard` }],
  ['an Origin in other letters',            'POST', { ...mark, origin: base_url.toUpperCase() }],
  ['a page of the same site',               'POST', { ...own, 'sec-fetch-site': 'same-site' }],
  ['a page of another site',                'POST', { ...own, 'sec-fetch-site': 'cross-site' }],
  ['an address typed by the person',        'GET',  { 'sec-fetch-site': 'none' }],
  ['a link',                                'GET',  { 'sec-fetch-site': 'same-origin' }],
  ['a header with another value',           'GET',  { 'x-ostiary-dashboard': 'true' }],
  ['a read by a script of another origin',  'GET',  { ...mark, origin: 'https://evil.example' }],
  ['a read of another site',                'GET',  { ...mark, 'sec-fetch-site': 'cross-site' }],
]
for (const [what, method, headers] of foreign)
  test(`${what} is refused, and nothing changes`, async () => {
    const slug = 'never-made'
    const body = method === 'POST' ? { slug, name: 'Never made' } : undefined
    const reply = await dashboard.ask(method, `/dashboard/api${project}`, body, { ...in_tenant, ...headers })
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'origin_not_allowed')
    const { data } = expectStatus(200, await w.call('GET', `${project}?slug=${slug}`))
    assert.deepEqual(data, [])
    const left = await dashboard.ask('POST', '/dashboard/sign-out', undefined, headers)
    if (method === 'POST') assert.equal(left.status, 403)
    expectStatus(200, await dashboard.session())
  })

test('a preflight of another origin is not answered, so no page elsewhere can send the header', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-ostiary-dashboard',
  }
  for (const path of ['/dashboard/api/v1/me', '/dashboard/api/v1/auth/config', '/dashboard/session', '/dashboard/sign-out']) {
    const reply = await dashboard.ask('OPTIONS', path, undefined, headers)
    assert.ok(reply.status >= 400, path)
    assert.equal(reply.headers.get('access-control-allow-origin'), null)
    assert.equal(reply.headers.get('access-control-allow-headers'), null)
  }
})

const addresses = [
  '/dashboard/api',
  '/dashboard/api/',
  '/dashboard/api?x=/v1/me',
  '/dashboard/api/v1',
  '/dashboard/api/v1/',
  '/dashboard/api//v1/me',
  '/dashboard/api/./v1/me',
  '/dashboard/api/../v1/me',
  '/dashboard/api/v1/../v1/me',
  '/dashboard/api/v1/../../v1/me',
  '/dashboard/api/v1/%2e%2e/me',
  '/dashboard/api/v1%2Fme',
  '/dashboard/api%2Fv1/me',
  '/dashboard%2Fapi/v1/me',
  '/dashboard/api/v1\\me',
  '/dashboard/api/V1/me',
  '/dashboard/API/v1/me',
  '/dashboard/api/healthz',
  '/dashboard/api/dashboard/api/v1/me',
  '/dashboard/api/dashboard/session',
  `/dashboard/api${new URL(w.admin_issuer).pathname}/account`,
  `/dashboard/api${new URL(w.test.issuer).pathname}/v1/oauth/userinfo`,
  `/dashboard/api/v1/..${new URL(w.test.issuer).pathname}/v1/oauth/userinfo`,
]
for (const address of addresses)
  test(`${address.replace(/env_\w+/, 'env_1')} leads to no route with the credential`, async () => {
    const headers = { host: new URL(base_url).host, cookie: dashboard.cookie(), 'x-ostiary-dashboard': '1' }
    const { status, body } = await sendRaw(w.reach(base_url), rawRequest('GET', address, headers))
    assert.ok([400, 404, 503].includes(status), String(status))
    assert.doesNotMatch(body, /owner@example\.com/)
  })

test('a call with the cookie and another credential is refused', async () => {
  for (const other of [{ 'x-api-key': w.key }, { authorization: `Bearer ${ours.token}` }, { authorization: `ApiKey ${w.key}` }]) {
    const reply = await dashboard.call('GET', '/v1/me', undefined, other as Record<string, string>)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.code, 'conflicting_credentials')
  }
})

test('neither an API key nor a token counts at /dashboard/api', async () => {
  for (const credential of [{ 'x-api-key': w.key }, { authorization: `Bearer ${ours.token}` }]) {
    const reply = await w.call('GET', '/dashboard/api/v1/me', { key: null, headers: { ...own, ...(credential as Record<string, string>) } })
    assert.equal(reply.status, 400)
  }
})

const cookies = [
  '',
  'ostiary_dashboard=',
  'ostiary_dashboard=%00',
  `ostiary_dashboard=${'a'.repeat(43)}`,
  `ostiary_dashboard=${'a'.repeat(9_000)}`,
]
for (const cookie of cookies)
  test(`a call with the cookie ${JSON.stringify(cookie.slice(0, 40))} has no session`, async () => {
    const reply = await w.call('GET', '/dashboard/api/v1/me', { key: null, headers: { ...own, cookie } })
    assert.equal(reply.status, 401)
    assert.equal(reply.headers.get('www-authenticate'), 'ApiKey, Bearer')
  })

test('no answer of the dashboard holds a token, and the log holds no cookie', async () => {
  const agent = createAgent(w.reach)
  const fresh = await signInToDashboard(w, owner, agent)
  for (const reply of [await fresh.session(), await fresh.call('GET', '/v1/me'), await fresh.call('GET', '/v1/nothing')])
    assert.doesNotMatch(JSON.stringify([reply.body, ...reply.headers]), /eyJ[\w-]{10}/)
  const log = w.log.join('')
  assert.ok(!log.includes(fresh.cookie().split('=')[1] ?? ''))
  assert.doesNotMatch(log, /eyJ[\w-]{10}/)
})
