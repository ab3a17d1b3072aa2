/** Credentials: every row of the route table refuses every wrong caller. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { platformScopes } from '@ostiary/contract/scopes.ts'
import { type Role, roles } from '@ostiary/contract/tenancy.ts'
import { asAdministrator } from '../support/administrator.ts'
import {
  admittedCredentials,
  ask,
  bearer,
  type CredentialKind,
  credentialHeaders,
  eachRow,
  parametersOf,
  pathOf,
  rows,
  testRows,
  validRequest,
} from '../support/route-table.ts'
import { app_origin, createAuthKey, createMember, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' } })
const { ours } = await createTwoTenants(w)
const tokens = new Map<Role, string>([['owner', ours.token]])
for (const role of ['viewer', 'developer', 'admin'] as const) tokens.set(role, await createMember(w, ours, role))
const kinds: readonly CredentialKind[] = ['publishable', 'secret', 'platform', 'administrator']

/** A row's valid request with these headers instead of its credential. */
const askAs = (route: Route, headers: Record<string, string>) => ask(w, { ...validRequest(route, ours), headers })

function assertRefused(reply: Reply, status: number, code: string, about: string): void {
  assert.equal(`${reply.status} ${reply.body.code}`, `${status} ${code}`, about)
  assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8', about)
  assert.equal(reply.headers.get('x-request-id'), reply.body.request_id, about)
  assert.equal(reply.headers.get('cache-control'), 'no-store', about)
}

testRows(
  'a request without a credential is 401 unauthenticated, and WWW-Authenticate names the accepted schemes',
  rows,
  async ({ name, route }) => {
    for (const headers of [{}, { 'x-api-key': '' }, { origin: app_origin }] as Record<string, string>[]) {
      const reply = await askAs(route, headers)
      assertRefused(reply, 401, 'unauthenticated', name)
      const challenge = admittedCredentials(route).includes('administrator') ? 'ApiKey, Bearer' : 'ApiKey'
      assert.equal(reply.headers.get('www-authenticate'), challenge, name)
    }
  },
)

testRows('a request without a credential is refused before its body arrives', rows, async ({ name, route }) => {
  const { method, path } = validRequest(route, ours)
  const headers = { 'content-type': 'application/json', 'content-length': '100000' }
  const sent = request(w.reach(w.base_url + path), { method, headers, agent: false })
  sent.flushHeaders()
  const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage] // as: what a 'response' comes with
  sent.on('error', () => {}).destroy() // the body is never sent
  assert.equal(statusCode, 401, name)
})

test('an invalid credential is 401 invalid_key, and the response does not show what is wrong with it', async (t) => {
  const expired = await createPlatformKey(w, ours, { expires_at: new Date(w.now().getTime() + 1_000).toISOString() })
  const revoked = await createPlatformKey(w, ours)
  const rotated = await createPlatformKey(w, ours)
  const admin = asAdministrator(w, ours.token, ours.tenant_id)
  assert.equal((await admin('DELETE', `/v1/tenants/${ours.tenant_id}/platform-keys/${revoked.id}`)).status, 204)
  expectStatus(200, await admin('POST', `/v1/tenants/${ours.tenant_id}/platform-keys/${rotated.id}/rotate`))
  w.advance(2)
  const swap = (key: string, at: number) => key.slice(0, at) + (key.at(at) === 'x' ? 'y' : 'x') + key.slice(at + 1)
  const bad: Record<string, Record<string, string>> = {
    invented: { 'x-api-key': 'svc_platform_sk_0000000000000000000000000000000000000a' },
    'with a mistyped checksum': { 'x-api-key': swap(ours.platform, ours.platform.length - 1) },
    'with a mistyped digit': { 'x-api-key': swap(ours.platform, 20) },
    'cut short': { 'x-api-key': ours.platform.slice(0, -1) },
    'with more after it': { 'x-api-key': `${ours.platform}0` },
    'in another case': { 'x-api-key': ours.platform.toUpperCase() },
    'with the prefix of another type': { 'x-api-key': ours.platform.replace('svc_platform_sk_', 'svc_auth_sk_test_') },
    'with the prefix of the other environment': { 'x-api-key': ours.test.secret.replace('_test_', '_live_') },
    expired: { 'x-api-key': expired.key },
    revoked: { 'x-api-key': revoked.key },
    rotated: { 'x-api-key': rotated.key },
    'its digest': { 'x-api-key': 'a'.repeat(64) },
    'its id': { 'x-api-key': ours.platform_key_id },
    'of another scheme': { authorization: `Basic ${Buffer.from(`${ours.platform}:`).toString('base64')}` },
    'without a scheme': { authorization: ours.platform },
    'an empty ApiKey': { authorization: 'ApiKey' },
    'no token': { authorization: 'Bearer unknown', 'x-tenant-id': ours.tenant_id },
    'a token with another signature': { ...bearer(swap(ours.token, ours.token.length - 9), ours) },
  }
  /** Their refusal says where a key belongs, by its form alone. */
  const keys_as_bearer = Object.fromEntries(
    [ours.platform, ours.test.secret, expired.key, revoked.key, 'svc_platform_sk_0000'].map((key, i) => [
      `key ${i} as Bearer`,
      { authorization: `Bearer ${key}`, 'x-tenant-id': ours.tenant_id },
    ]),
  )
  await eachRow(t, rows, async ({ name, route }) => {
    for (const group of [bad, keys_as_bearer]) {
      const seen = new Set<string>()
      for (const [problem, headers] of Object.entries(group)) {
        const reply = await askAs(route, { ...headers, origin: app_origin })
        assertRefused(reply, 401, 'invalid_key', `${name}: ${problem}`)
        const { request_id, ...body } = reply.body
        seen.add(JSON.stringify([body, [...reply.headers].filter(([header]) => !['x-request-id', 'date'].includes(header))]))
      }
      assert.equal(seen.size, 1, `${name}: ${[...seen].join('\n')}`)
    }
  })
})

const two_credentials: Record<string, string>[] = [
  { 'x-api-key': ours.platform, authorization: `ApiKey ${ours.test.secret}` },
  { 'x-api-key': ours.platform, ...bearer(ours.token, ours) },
  { 'x-api-key': `${ours.platform}, ${ours.test.secret}` },
]

testRows('two different credentials are 400 conflicting_credentials, even when both are valid', rows, async ({ name, route }) => {
  for (const headers of two_credentials) assertRefused(await askAs(route, headers), 400, 'conflicting_credentials', name)
})

const read_with_key = rows.flatMap(({ name, route }) => {
  const { 'x-api-key': key, ...rest } = validRequest(route, ours).headers
  return key === undefined || route.method !== 'GET' ? [] : [{ name, route, key, rest }]
})

testRows('a key is accepted when it is sent twice, or with its scheme in lower case', read_with_key, async ({ route, key, rest }) => {
  const spellings: Record<string, string>[] = [
    { 'x-api-key': key, authorization: `ApiKey ${key}` },
    { 'x-api-key': `${key}, ${key}` },
    { authorization: `apikey ${key}` },
  ]
  for (const headers of spellings) expectStatus(200, await askAs(route, { ...headers, ...rest }))
})

testRows('a key in the query does not authenticate', rows, async ({ name, route }) => {
  const request = validRequest(route, ours)
  for (const parameter of ['key', 'api_key', 'x-api-key', 'access_token'])
    assertRefused(
      await ask(w, { ...request, path: `${request.path}?${parameter}=${ours.platform}`, headers: {} }),
      401,
      'unauthenticated',
      name,
    )
})

testRows('a credential of another type is 403 wrong_key_type', rows, async ({ name, route }) => {
  for (const kind of kinds.filter((each) => !admittedCredentials(route).includes(each)))
    assertRefused(await askAs(route, credentialHeaders(kind, ours)), 403, 'wrong_key_type', `${name} as ${kind}`)
})

testRows(
  'every admittedCredentials type of credential can read',
  rows.filter((row) => row.route.method === 'GET'),
  async ({ name, route }) => {
    for (const kind of admittedCredentials(route)) {
      const reply = await askAs(route, credentialHeaders(kind, ours))
      assert.equal(reply.status, 200, `${name} as ${kind}: ${JSON.stringify(reply.body)}`)
    }
  },
)

/** Returns the scopes that a row declares, without the code that enforces them. */
const declaredScopes = ({ credential }: Route) => (credential.kind === 'platform' ? [credential.scope, ...(credential.also ?? [])] : [])
const with_scope = rows.flatMap(({ name, route }) => declaredScopes(route).map((scope) => ({ name, route, scope })))

test('a platform key without the required scope is 403 insufficient_scope, and the required scope alone is enough', async (t) => {
  const without = new Map<string, Record<string, string>>()
  const only = new Map<string, Record<string, string>>()
  for (const scope of platformScopes) {
    const others = await createPlatformKey(w, ours, { scopes: platformScopes.filter((each) => each !== scope) })
    without.set(scope, { 'x-api-key': others.key })
    only.set(scope, { 'x-api-key': (await createPlatformKey(w, ours, { scopes: [scope] })).key })
  }
  await eachRow(t, with_scope, async ({ name, route, scope }) => {
    const reply = await askAs(route, without.get(scope) ?? {})
    assertRefused(reply, 403, 'insufficient_scope', name)
    assert.deepEqual(reply.body.required_scopes, [scope], name)
    if (route.method !== 'GET') return
    const enough = await askAs(route, only.get(scope) ?? {})
    const others = declaredScopes(route).filter((each) => each !== scope)
    if (others.length === 0) return expectStatus(200, enough)
    assertRefused(enough, 403, 'insufficient_scope', name)
    assert.deepEqual(enough.body.required_scopes, others, `${name} names every scope that the key lacks`)
  })
})

const with_role = rows.flatMap(({ name, route }) => {
  const needed = requiredRole(route)
  return needed === null ? [] : [{ name, route, needed }]
})

testRows(
  'a lower role is 403 insufficient_role, and the required role and every higher one can read',
  with_role,
  async ({ name, route, needed }) => {
    for (const role of roles) {
      const is_enough = roles.indexOf(role) >= roles.indexOf(needed)
      if (is_enough && route.method !== 'GET') continue
      const reply = await askAs(route, bearer(tokens.get(role) ?? '', ours))
      if (is_enough) assert.equal(reply.status, 200, `${name} as ${role}`)
      else assertRefused(reply, 403, 'insufficient_role', `${name} as ${role}`)
    }
  },
)

testRows(
  'a lower role is 403 before the body, the Idempotency-Key and the object are checked',
  with_role.filter(({ needed }) => needed !== roles[0]),
  async ({ name, route, needed }) => {
    for (const role of roles.slice(0, roles.indexOf(needed))) {
      for (const id of ['01m7wwr5ftevtv5yxb47hmb4ht', 'x', '%00']) {
        const nowhere = parametersOf(route).map((parameter) => [parameter, parameter === 'tenant_id' ? ours.tenant_id : id])
        const path = pathOf(route, Object.fromEntries(nowhere))
        const wrong = { 'x-environment-id': 'env_nowhere', 'idempotency-key': 'x'.repeat(256), 'content-type': 'text/plain' }
        const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '{' }
        const headers = { ...bearer(tokens.get(role) ?? '', ours), ...wrong }
        assertRefused(await ask(w, { method: route.method, path, headers, ...body }), 403, 'insufficient_role', `${name} as ${role}`)
      }
    }
  },
)

/**
 * A viewer reads everything but users, organizations, inbox, audit, events, deliveries and refused calls. A developer reads
 * these too, except audit, and writes projects and environments. An admin also has platform keys, members, audit and the
 * refused calls of the tenant. An owner also has the tenant. Back-channel logouts are deliveries that name a person.
 */
function requiredRole({ credential, method, path }: Route): Role | null {
  if (!('role' in credential) || credential.role === null) return null
  if (/\/(platform-keys|audit-log)\b/.test(path) || path.startsWith('/v1/tenants/{tenant_id}/requests')) return 'admin'
  if (path.endsWith('/promotions/{promotion_id}/approve')) return 'admin'
  if (/^\/v1\/tenants\/.*\/members\b/.test(path)) return method === 'GET' ? 'viewer' : 'admin'
  if (path === '/v1/tenants/{tenant_id}') return method === 'GET' ? 'viewer' : 'owner'
  return method !== 'GET' || /\/(users|organizations|sessions|inbox|events|deliveries|backchannel-logouts|requests)\b/.test(path)
    ? 'developer'
    : 'viewer'
}

/** Rows that act in the tenant, or in the environment, that an administrator names in headers. */
const with_context = rows.flatMap(({ name, route }) => {
  const is_for_role = route.credential.kind === 'administrator' && route.credential.role !== null && !route.path.includes('{tenant_id}')
  const headers_needed = is_for_role
    ? ['x-tenant-id']
    : ({ platform: ['x-tenant-id'], secret: ['x-tenant-id', 'x-environment-id'] }[route.credential.kind as string] ?? [])
  return admittedCredentials(route).includes('administrator') && headers_needed.length > 0 ? [{ name, route, headers_needed }] : []
})

testRows(
  'an administrator who does not name the tenant or the environment is 400 tenant_required',
  with_context,
  async ({ name, route, headers_needed }) => {
    for (const header of headers_needed) {
      const { [header]: _, ...headers } = bearer(ours.token, ours)
      assertRefused(await askAs(route, headers), 400, 'tenant_required', `${name} without ${header}`)
    }
  },
)

test('a key with an IP allowlist is 403 ip_not_allowed from any other address that the trusted proxy reports', async (t) => {
  const ip_allowlist = ['203.0.113.7', '2001:db8::/32']
  const keys = new Map<CredentialKind, Record<string, string>>([
    ['platform', { 'x-api-key': (await createPlatformKey(w, ours, { ip_allowlist })).key }],
    ['secret', { 'x-api-key': (await createAuthKey(w, ours.test, 'auth_secret', { made_by: ours.platform, ip_allowlist })).key }],
    [
      'publishable',
      {
        'x-api-key': (await createAuthKey(w, ours.test, 'auth_publishable', { made_by: ours.platform, ip_allowlist })).key,
        origin: app_origin,
      },
    ],
  ])
  await eachRow(
    t,
    rows.filter(({ route }) => admittedCredentials(route).some((kind) => keys.has(kind))),
    async ({ name, route }) => {
      for (const kind of admittedCredentials(route)) {
        const headers = keys.get(kind)
        if (!headers) continue
        for (const from of [undefined, '203.0.113.8', '203.0.113.7, 203.0.113.8', '203.0.113.7, unknown', '2001:db9::1']) {
          const reply = await askAs(route, { ...headers, ...(from === undefined ? {} : { 'x-forwarded-for': from }) })
          assertRefused(reply, 403, 'ip_not_allowed', `${name} as ${kind} from ${from}`)
        }
        if (route.method !== 'GET') continue
        for (const from of ['203.0.113.7', '::ffff:203.0.113.7', '198.51.100.1, 203.0.113.7', '2001:DB8:0::9'])
          expectStatus(200, await askAs(route, { ...headers, 'x-forwarded-for': from }))
      }
    },
  )
})

for (const role of ['viewer', 'developer', 'admin'] as const)
  test(`a member with the role ${role} can leave the tenant, once`, async () => {
    const member = asAdministrator(w, tokens.get(role) ?? '', null)
    const { user_id } = expectStatus(200, await member('GET', '/v1/me'))
    const path = `/v1/tenants/${ours.tenant_id}/members/${user_id}`
    expectStatus(204, await member('DELETE', path))
    assert.equal((await member('DELETE', path)).body.code, 'not_found')
  })
