/** HTTP rules of every row of the route table: methods, queries, cursors, headers, and the order of refusals. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { z } from 'zod'
import {
  admittedCredentials,
  ask,
  type CredentialKind,
  credentialHeaders,
  eachRow,
  idsOf,
  parametersOf,
  pathOf,
  rows,
  testRows,
  validRequest,
} from '../support/route-table.ts'
import { app_origin, createAuthKey, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' } })
const { ours } = await createTwoTenants(w)
const readable = rows.filter(({ route }) => route.method === 'GET')
const lists = readable.filter(({ route }) => route.query && 'limit' in route.query.shape)
const isForBrowsers = ({ credential: { kind } }: Route) => kind === 'publishable' || kind === 'any_key'

/** A secret key and a platform key read the same users and sessions at two paths: their cursors are interchangeable. */
const sameList = (name: string) => name.replace('listAuth', 'list')

/** Sends a request with any method: `fetch` refuses some of them. */
function askBy(method: string, path: string, headers: Record<string, string>): Promise<{ status: number; allow: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(w.base_url + path, { method, headers }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, allow: response.headers.allow }))
    })
    sent.once('error', reject).end()
  })
}

const paths = [...Map.groupBy(rows, ({ route }) => route.path).values()].flatMap((group) => {
  const here = group.map(({ route }) => route)
  return here[0] ? [{ name: here[0].path, route: here[0], here }] : []
})

testRows('an unsupported method is 405 with Allow, with and without a credential', paths, async ({ name: path, route, here }) => {
  const own = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const address = pathOf(route, idsOf(route, ours))
  const preflight = here.some(isForBrowsers) ? ['OPTIONS'] : []
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
    (each) => ![...own, ...preflight].includes(each),
  )) {
    for (const headers of [{}, credentialHeaders('platform', ours)] as Record<string, string>[]) {
      const { status, allow } = await askBy(method, address, headers)
      assert.deepEqual([status, allow?.split(', ').sort()], [405, [...own].sort()], `${method} ${path}`)
    }
  }
  for (const method of ['TRACE', 'PROPFIND', 'PURGE'])
    assert.ok([404, 405, 501].includes((await askBy(method, address, {})).status), `${method} ${path}`)
})

testRows('HEAD answers as GET does, without the body, even when it is refused', readable, async ({ name, route }) => {
  const right = validRequest(route, ours)
  const by = async (method: string, headers: Record<string, string>) => {
    const reply = await ask(w, { ...right, method, headers })
    const varying = ['date', 'x-request-id', 'ratelimit', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']
    return { body: reply.body, head: [reply.status, ...[...reply.headers].filter(([header]) => !varying.includes(header))] }
  }
  for (const headers of [right.headers, {}, { 'x-api-key': 'invented' }] as Record<string, string>[]) {
    const [by_head, by_get] = [await by('HEAD', headers), await by('GET', headers)]
    assert.deepEqual(by_head.head, by_get.head, name)
    assert.equal(by_head.body, '', name)
  }
})

testRows(
  'every response has a request id, nosniff, and Cache-Control: no-store unless the row says otherwise',
  readable,
  async ({ name, route }) => {
    const { status, headers } = await ask(w, validRequest(route, ours))
    assert.equal(status, 200, name)
    assert.match(headers.get('x-request-id') ?? '', /^req_/, name)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', name)
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', name)
    assert.equal(headers.get('cache-control'), route.cache ?? 'no-store', name)
  },
)

const below_rows = rows.map(({ route }) => `${pathOf(route, idsOf(route, ours))}/nothing/at/all`)
const unknown_paths = ['/v1', '/v1/', '/v1/nothing', '/v2/me', '/V1/me', '//v1/me', '/v1//me', '/v1/./me/..', '/v1/me%2f', ...below_rows]

testRows(
  'an unknown path is 404 with a request id, without a credential',
  unknown_paths.map((name) => ({ name })),
  async ({ name: path }) => {
    const reply = await w.call('GET', path, { key: null })
    assert.equal(`${reply.status} ${reply.body.code}`, '404 not_found', path)
    assert.equal(reply.headers.get('x-request-id'), reply.body.request_id, path)
  },
)

testRows('a bad limit is 422 at /limit, and an unknown query parameter is ignored', lists, async ({ name, route }) => {
  const right = validRequest(route, ours)
  for (const limit of ['', '0', '101', '-1', '1.5', 'ten', 'null', '1&limit=2', '%00', '9'.repeat(400)]) {
    const reply = await ask(w, { ...right, path: `${right.path}?limit=${limit}` })
    assert.equal(`${reply.status} ${reply.body.code}`, '422 validation_failed', `${name}?limit=${limit}`)
    assert.equal(reply.body.errors[0].pointer, '/limit', name)
  }
  for (const query of ['surprise=1', 'limit=1', 'limit=100', '__proto__=1', 'limit=1&order=name', 'a[b]=c', '%', '&&'])
    assert.equal((await ask(w, { ...right, path: `${right.path}?${query}` })).status, 200, `${name}?${query}`)
})

test('a malformed, altered or foreign cursor is 400 invalid_cursor, and its own list accepts it', async (t) => {
  await w.createProject('more', { key: ours.platform })
  // A user is added to an organization once, and an application has at most two secrets, of which it has one.
  const once = ['addOrganizationMember', 'addClientSecret']
  const creating = rows.filter(
    ({ name, route }) => route.method === 'POST' && route.body && route.returns[0] === 201 && !once.includes(name),
  )
  for (const { name, route } of creating) {
    for (let n = 0; n < 2; n++) assert.equal((await ask(w, validRequest(route, ours))).status, 201, name)
  }
  const cursors = new Map<string, string>()
  for (const { name, route } of lists) {
    const right = validRequest(route, ours)
    const page = expectStatus(200, await ask(w, { ...right, path: `${right.path}?limit=1` }))
    if (page.next_cursor !== null) cursors.set(name, page.next_cursor)
  }
  assert.ok(cursors.size > 7, `${cursors.size}`)
  await eachRow(t, lists, async ({ name, route }) => {
    const right = validRequest(route, ours)
    for (const [list, cursor] of cursors) {
      const middle = cursor.charAt(12) === 'A' ? 'B' : 'A'
      const altered = [
        cursor.slice(0, 12) + middle + cursor.slice(13),
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        cursor.toLowerCase(),
      ]
      const is_own = sameList(list) === sameList(name)
      const wrong = is_own ? altered : [cursor]
      for (const each of wrong) {
        const reply = await ask(w, { ...right, path: `${right.path}?cursor=${encodeURIComponent(each)}` })
        assert.equal(`${reply.status} ${reply.body.code}`, '400 invalid_cursor', `${name} with a cursor of ${list}`)
      }
      if (is_own) assert.equal((await ask(w, { ...right, path: `${right.path}?cursor=${cursor}` })).status, 200, name)
    }
    for (const cursor of ['', 'x', '0', 'null', '%00', 'AAAA', 'a'.repeat(400), '../..', "'%20or%201=1"]) {
      const reply = await ask(w, { ...right, path: `${right.path}?cursor=${cursor}` })
      assert.equal(`${reply.status} ${reply.body.code}`, '400 invalid_cursor', `${name} with ${cursor}`)
    }
  })
})

testRows(
  'only rows for browsers send CORS headers and answer a preflight',
  rows.filter((row) => !isForBrowsers(row.route)),
  async ({ name, route }) => {
    for (const kind of ['publishable', 'secret', 'platform', 'administrator'] as const) {
      const ids = Object.fromEntries(parametersOf(route).map((parameter) => [parameter, 'x']))
      const headers = { ...credentialHeaders(kind, ours), origin: app_origin }
      const reply = await ask(w, { ...validRequest(route, ours), path: pathOf(route, ids), headers })
      assert.deepEqual(
        [...reply.headers.keys()].filter((header) => header.startsWith('access-control-')),
        [],
        `${name} as ${kind}`,
      )
    }
    const preflight = { origin: app_origin, 'access-control-request-method': route.method, 'access-control-request-headers': 'x-api-key' }
    const reply = await ask(w, { ...validRequest(route, ours), method: 'OPTIONS', headers: preflight, body: undefined })
    assert.equal(reply.status, 405, name)
    assert.deepEqual(
      [...reply.headers.keys()].filter((header) => header.startsWith('access-control-')),
      [],
      name,
    )
  },
)

/** Each step mends one mistake of the request; the next mistake then decides the response. */
test('refusals follow the order of the contract: address, origin, limit, type, scope, body, Idempotency-Key, object', async (t) => {
  const strict = { ip_allowlist: ['203.0.113.7'], rate_limit: { limit: 1, window_seconds: 3_600 } }
  const spent: Record<CredentialKind, Record<string, string>> = {
    platform: { 'x-api-key': (await createPlatformKey(w, ours, { ...strict, scopes: ['users:read'] })).key },
    secret: { 'x-api-key': (await createAuthKey(w, ours.test, 'auth_secret', { made_by: ours.platform, ...strict })).key },
    publishable: {
      'x-api-key': (await createAuthKey(w, ours.test, 'auth_publishable', { made_by: ours.platform, ...strict })).key,
      origin: app_origin,
    },
    administrator: {},
  }
  const from = { 'x-forwarded-for': '203.0.113.7' }
  for (const headers of [spent.platform, spent.secret, spent.publishable])
    expectStatus(200, await w.call('GET', '/v1/api-keys/whoami', { key: null, headers: { ...headers, ...from } }))
  const scopeless = { 'x-api-key': (await createPlatformKey(w, ours, { scopes: ['users:read'] })).key }

  await eachRow(t, rows, async ({ name, route }) => {
    const nowhere = parametersOf(route).length > 0 && parametersOf(route).at(-1) !== 'tenant_id'
    const ids = { ...idsOf(route, ours), ...(nowhere ? { [parametersOf(route).at(-1) ?? '']: 'x' } : {}) }
    const worst = {
      ...validRequest(route, ours),
      path: `${pathOf(route, ids)}${lists.some((list) => list.route === route) ? '?limit=0' : ''}`,
      headers: { 'content-type': 'text/plain', 'idempotency-key': 'x'.repeat(256) } as Record<string, string>,
      ...(route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '{' }),
    }
    const expect = async (code: string, change: { headers?: Record<string, string>; body?: string; path?: string }) => {
      const request = { ...worst, ...change, headers: { ...worst.headers, ...change.headers } }
      const reply = await ask(w, request)
      assert.equal(reply.body.code, code, `${name}: ${JSON.stringify(request)}`)
    }
    for (const kind of ['platform', 'secret', 'publishable'] as const) {
      await expect('ip_not_allowed', { headers: { ...spent[kind], origin: 'https://evil.example' } })
      if (kind === 'publishable')
        await expect('origin_not_allowed', { headers: { ...spent[kind], ...from, origin: 'https://evil.example' } })
      await expect('rate_limited', { headers: { ...spent[kind], ...from } })
      if (!admittedCredentials(route).includes(kind)) await expect('wrong_key_type', { headers: credentialHeaders(kind, ours) })
    }
    const { credential } = route
    if (credential.kind === 'platform' && credential.scope !== 'users:read') await expect('insufficient_scope', { headers: scopeless })

    const right = validRequest(route, ours).headers
    if (lists.some((list) => list.route === route)) await expect('validation_failed', { headers: right })
    if (worst.body !== undefined) {
      const json = { ...right, 'content-type': 'application/json' }
      await expect('unsupported_media_type', { headers: right })
      await expect('malformed_request', { headers: json })
      // The groups of settings depend on the environment, so their names are checked after it is found.
      if (!route.body || route.body instanceof z.ZodObject) await expect('validation_failed', { headers: json, body: '{"surprise":1}' })
      const body = JSON.stringify(validRequest(route, ours).body ?? {})
      if (route.method === 'POST') await expect('malformed_request', { headers: json, body })
      if (nowhere) await expect('not_found', { headers: { ...json, 'idempotency-key': 'fine', 'if-match': 'nonsense' }, body })
    } else if (nowhere) await expect('not_found', { headers: { ...right, 'if-match': 'nonsense' }, path: pathOf(route, ids) })
  })
})
