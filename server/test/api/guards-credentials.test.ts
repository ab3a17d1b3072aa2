/** Who may not call: every row of the table against every wrong caller. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { platformScopes } from '@ostiary/contract/scopes.ts'
import { type Role, roles } from '@ostiary/contract/tenancy.ts'
import { asAdministrator } from '../support/administrator.ts'
import {
  admitted,
  app_origin,
  ask,
  bearer,
  type CredentialKind,
  createAuthKey,
  createMember,
  createPlatformKey,
  credentialHeaders,
  everything,
  parametersOf,
  pathOf,
  rightRequest,
  rows,
} from '../support/everything.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' } })
const { ours } = await everything(w)
const tokens = new Map<Role, string>([['owner', ours.token]])
for (const role of ['viewer', 'developer', 'admin'] as const) tokens.set(role, await createMember(w, ours, role))
const kinds: readonly CredentialKind[] = ['publishable', 'secret', 'platform', 'administrator']

/** Calls a row with these headers for a credential, and all else right. */
const askAs = (route: Route, headers: Record<string, string>) => ask(w, { ...rightRequest(route, ours), headers })

function assertRefused(reply: Reply, status: number, code: string, about: string): void {
  assert.equal(`${reply.status} ${reply.body.code}`, `${status} ${code}`, about)
  assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8', about)
  assert.equal(reply.headers.get('x-request-id'), reply.body.request_id, about)
  assert.equal(reply.headers.get('cache-control'), 'no-store', about)
}

test('no credential is 401 unauthenticated, with the schemes that are taken', async () => {
  for (const { name, route } of rows) {
    for (const headers of [{}, { 'x-api-key': '' }, { origin: app_origin }] as Record<string, string>[]) {
      const reply = await askAs(route, headers)
      assertRefused(reply, 401, 'unauthenticated', name)
      const challenge = admitted(route).includes('administrator') ? 'ApiKey, Bearer' : 'ApiKey'
      assert.equal(reply.headers.get('www-authenticate'), challenge, name)
    }
  }
})

test('who sends no credential is refused before the body is read, which may never come', async () => {
  for (const { name, route } of rows) {
    const { method, path } = rightRequest(route, ours)
    const headers = { 'content-type': 'application/json', 'content-length': '100000' }
    const sent = request(w.reach(w.base_url + path), { method, headers, agent: false })
    sent.flushHeaders()
    const [{ statusCode }] = (await once(sent, 'response', { signal: AbortSignal.timeout(5_000) })) as [IncomingMessage]
    sent.on('error', () => {}).destroy() // the rest of it is not sent
    assert.equal(statusCode, 401, name)
  }
})

test('a bad credential is 401 invalid_key, and no two of them differ by a byte', async () => {
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
    'a key as Bearer': { authorization: `Bearer ${ours.platform}`, 'x-tenant-id': ours.tenant_id },
    'no token': { authorization: 'Bearer nobody', 'x-tenant-id': ours.tenant_id },
    'a token with another signature': { ...bearer(swap(ours.token, ours.token.length - 9), ours) },
  }
  for (const { name, route } of rows) {
    const seen = new Set<string>()
    for (const [what, headers] of Object.entries(bad)) {
      const reply = await askAs(route, { ...headers, origin: app_origin })
      assertRefused(reply, 401, 'invalid_key', `${name}: ${what}`)
      const { request_id, ...body } = reply.body
      seen.add(JSON.stringify([body, [...reply.headers].filter(([header]) => !['x-request-id', 'date'].includes(header))]))
    }
    assert.equal(seen.size, 1, `${name}: ${[...seen].join('\n')}`)
  }
})

test('two different credentials are 400 conflicting_credentials, even where both are good; the same one twice is one', async () => {
  const two: Record<string, string>[] = [
    { 'x-api-key': ours.platform, authorization: `ApiKey ${ours.test.secret}` },
    { 'x-api-key': ours.platform, ...bearer(ours.token, ours) },
    { 'x-api-key': `${ours.platform}, ${ours.test.secret}` },
  ]
  for (const { name, route } of rows) {
    for (const headers of two) assertRefused(await askAs(route, headers), 400, 'conflicting_credentials', name)
    const { 'x-api-key': key, ...rest } = rightRequest(route, ours).headers
    if (key === undefined || route.method !== 'GET') continue
    for (const same of [
      { 'x-api-key': key, authorization: `ApiKey ${key}` },
      { 'x-api-key': `${key}, ${key}` },
      { authorization: `apikey ${key}` },
    ])
      expectStatus(200, await askAs(route, { ...same, ...rest } as Record<string, string>))
  }
})

test('a key is not taken from the address', async () => {
  for (const { name, route } of rows) {
    const request = rightRequest(route, ours)
    for (const parameter of ['key', 'api_key', 'x-api-key', 'access_token'])
      assertRefused(
        await ask(w, { ...request, path: `${request.path}?${parameter}=${ours.platform}`, headers: {} }),
        401,
        'unauthenticated',
        name,
      )
  }
})

test('a credential of another type is 403 wrong_key_type', async () => {
  for (const { name, route } of rows) {
    for (const kind of kinds.filter((each) => !admitted(route).includes(each)))
      assertRefused(await askAs(route, credentialHeaders(kind, ours)), 403, 'wrong_key_type', `${name} as ${kind}`)
  }
})

test('every credential of an admitted type is let in', async () => {
  for (const { name, route } of rows.filter((row) => row.route.method === 'GET')) {
    for (const kind of admitted(route)) {
      const reply = await askAs(route, credentialHeaders(kind, ours))
      assert.equal(reply.status, 200, `${name} as ${kind}: ${JSON.stringify(reply.body)}`)
    }
  }
})

test('a platform key without the scope is 403 insufficient_scope, however many others it has; * and the scope alone are enough', async () => {
  const without = new Map<string, Record<string, string>>()
  const only = new Map<string, Record<string, string>>()
  for (const scope of platformScopes) {
    const others = await createPlatformKey(w, ours, { scopes: platformScopes.filter((each) => each !== scope) })
    without.set(scope, { 'x-api-key': others.key })
    only.set(scope, { 'x-api-key': (await createPlatformKey(w, ours, { scopes: [scope] })).key })
  }
  for (const { name, route } of rows) {
    if (route.credential.kind !== 'platform') continue
    const { scope } = route.credential
    const reply = await askAs(route, without.get(scope) ?? {})
    assertRefused(reply, 403, 'insufficient_scope', name)
    assert.deepEqual(reply.body.required_scopes, [scope], name)
    if (route.method === 'GET') expectStatus(200, await askAs(route, only.get(scope) ?? {}))
  }
})

test('a lesser role is 403 insufficient_role, the least that is enough and every greater one is let in', async () => {
  for (const { name, route } of rows) {
    const needed = neededRole(route)
    if (needed === null) continue
    for (const role of roles) {
      const is_enough = roles.indexOf(role) >= roles.indexOf(needed)
      if (is_enough && route.method !== 'GET') continue
      const reply = await askAs(route, bearer(tokens.get(role) ?? '', ours))
      if (is_enough) assert.equal(reply.status, 200, `${name} as ${role}`)
      else assertRefused(reply, 403, 'insufficient_role', `${name} as ${role}`)
    }
  }
})

test('a lesser role is 403 before the body, the Idempotency-Key and the look-up, whether or not the object exists', async () => {
  for (const { name, route } of rows) {
    const needed = neededRole(route)
    for (const role of roles) {
      if (needed === null || roles.indexOf(role) >= roles.indexOf(needed)) continue
      for (const id of ['01m7wwr5ftevtv5yxb47hmb4ht', 'x', '%00']) {
        const nowhere = parametersOf(route).map((parameter) => [parameter, parameter === 'tenant_id' ? ours.tenant_id : id])
        const path = pathOf(route, Object.fromEntries(nowhere))
        const wrong = { 'x-environment-id': 'env_nowhere', 'idempotency-key': 'x'.repeat(256), 'content-type': 'text/plain' }
        const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '{' }
        const headers = { ...bearer(tokens.get(role) ?? '', ours), ...wrong }
        assertRefused(await ask(w, { method: route.method, path, headers, ...body }), 403, 'insufficient_role', `${name} as ${role}`)
      }
    }
  }
})

/**
 * Contract §3: a viewer reads everything but users, inbox, audit, events, deliveries and refused calls. A developer reads
 * these too, except audit, and writes projects and environments. An admin also has platform keys, members and audit. An
 * owner also has the tenant.
 */
function neededRole({ credential, method, path }: Route): Role | null {
  if (!('role' in credential) || credential.role === null) return null
  if (/\/(platform-keys|audit-log)\b/.test(path)) return 'admin'
  if (path.endsWith('/members') || path.includes('/members/')) return method === 'GET' ? 'viewer' : 'admin'
  if (path === '/v1/tenants/{tenant_id}') return method === 'GET' ? 'viewer' : 'owner'
  return method !== 'GET' || /\/(users|sessions|inbox|events|deliveries|requests)\b/.test(path) ? 'developer' : 'viewer'
}

test('an administrator who does not say which tenant or environment is meant is 400 tenant_required', async () => {
  for (const { name, route } of rows) {
    const needs = { platform: ['x-tenant-id'], secret: ['x-tenant-id', 'x-environment-id'] }[route.credential.kind as string] ?? []
    if (!admitted(route).includes('administrator')) continue
    for (const header of needs) {
      const { [header]: _, ...headers } = bearer(ours.token, ours)
      assertRefused(await askAs(route, headers), 400, 'tenant_required', `${name} without ${header}`)
    }
  }
})

test('a key with an IP allowlist is 403 ip_not_allowed from anywhere else, by what the trusted proxy attests', async () => {
  const ip_allowlist = ['203.0.113.7', '2001:db8::/32']
  const keys = new Map<CredentialKind, Record<string, string>>([
    ['platform', { 'x-api-key': (await createPlatformKey(w, ours, { ip_allowlist })).key }],
    ['secret', { 'x-api-key': (await createAuthKey(w, ours.test, 'auth_secret', { ip_allowlist }, ours.platform)).key }],
    [
      'publishable',
      { 'x-api-key': (await createAuthKey(w, ours.test, 'auth_publishable', { ip_allowlist }, ours.platform)).key, origin: app_origin },
    ],
  ])
  for (const { name, route } of rows) {
    for (const kind of admitted(route)) {
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
  }
})

test('a member of any role may leave, and only once', async () => {
  for (const role of ['viewer', 'developer', 'admin'] as const) {
    const member = asAdministrator(w, tokens.get(role) ?? '', null)
    const { user_id } = expectStatus(200, await member('GET', '/v1/me'))
    const path = `/v1/tenants/${ours.tenant_id}/members/${user_id}`
    expectStatus(204, await member('DELETE', path))
    assert.equal((await member('DELETE', path)).body.code, 'not_found', role)
  }
})
