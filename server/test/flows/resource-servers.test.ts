/** Resource servers and their scopes, managed with a platform key (decision 0013). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { findAudiences } from '../../src/domain/resource-servers/store.ts'
import { ensureRoot } from '../../src/setup/root.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { expectStatus, owner, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const at = (environment: TestEnvironment) => `${environment.path}/resource-servers`
const orders = {
  identifier: 'https://orders.example.com',
  name: 'Orders API',
  scopes: [{ name: 'orders:read', description: 'See your orders' }],
}
const codeOf = ({ status, body }: Reply) => [status, body.code]

const Event = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })
const eventsOf = (id: string) =>
  w.deployment.db.all(Event, sql`select type, data from events where type like 'resource_server.%' and data like ${`%${id}%`} order by id`)

for (const environment of [w.test, w.live]) {
  const create = (body: unknown, headers: Record<string, string> = {}) => w.call('POST', at(environment), { body, headers })
  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    w.call('PATCH', `${at(environment)}/${id}`, { body, headers })
  let n = 0
  const fresh = async (fields: object = {}) =>
    expectStatus(201, await create({ ...orders, identifier: `https://api${++n}.example.com`, ...fields }))

  test(`a resource server is created, read, listed, changed and deleted, and every change causes an event (${environment.type})`, async () => {
    const key = { 'idempotency-key': randomText() }
    const created = await create({ identifier: orders.identifier, name: orders.name }, key)
    const server = expectStatus(201, created)
    const { id, created_at, updated_at, ...shown } = server
    assert.match(id, /^rs_/)
    assert.equal(created.headers.get('location'), `${w.base_url}${at(environment)}/${id}`)
    assert.deepEqual(shown, {
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment_id: environment.id,
      slug: 'orders-api',
      identifier: orders.identifier,
      name: orders.name,
      scopes: [],
      access_token_ttl_seconds: null,
      access_token_format: 'jwt',
      access_token_signing_alg: 'RS256',
      require_roles: false,
      organizations: 'none',
      roles_claim: null,
      data_claims: false,
      allow_metadata_clients: false,
    })
    assert.deepEqual(expectStatus(201, await create({ identifier: orders.identifier, name: orders.name }, key)), server)
    const got = await w.call('GET', `${at(environment)}/${id}`)
    assert.deepEqual(got.body, server)
    assert.equal(got.headers.get('etag'), created.headers.get('etag'))
    assert.deepEqual(expectStatus(200, await w.call('GET', at(environment))).data, [server])

    const scopes = [{ name: 'orders:read', description: 'See your orders' }, { name: 'orders:write' }]
    const settings = { access_token_ttl_seconds: 60, access_token_format: 'opaque' }
    const changed = await patch(id, { name: 'Orders', scopes, ...settings }, { 'if-match': got.headers.get('etag') ?? '' })
    const stored = [scopes[0], { name: 'orders:write', description: null }]
    assert.deepEqual({ ...changed.body, updated_at: '' }, { ...server, name: 'Orders', scopes: stored, ...settings, updated_at: '' })
    assert.notEqual(changed.headers.get('etag'), got.headers.get('etag'))
    assert.deepEqual(codeOf(await patch(id, { name: 'Late' }, { 'if-match': got.headers.get('etag') ?? '' })), [412, 'stale_version'])
    const unchanged = await patch(id, { name: 'Orders', scopes: stored })
    assert.equal(unchanged.headers.get('etag'), changed.headers.get('etag'))

    const reset = expectStatus(200, await patch(id, { scopes: null, access_token_ttl_seconds: null, access_token_format: null }))
    assert.deepEqual([reset.scopes, reset.access_token_ttl_seconds, reset.access_token_format], [[], null, 'jwt'])

    assert.deepEqual(
      codeOf(await w.call('DELETE', `${at(environment)}/${id}`, { headers: { 'if-match': got.headers.get('etag') ?? '' } })),
      [412, 'stale_version'],
    )
    assert.equal((await w.call('DELETE', `${at(environment)}/${id}`)).status, 204)
    assert.equal((await w.call('DELETE', `${at(environment)}/${id}`)).status, 404)
    assert.equal((await w.call('GET', `${at(environment)}/${id}`)).status, 404)
    assert.deepEqual(await eventsOf(id), [
      {
        type: 'resource_server.created',
        data: { resource_server_id: id, slug: 'orders-api', identifier: orders.identifier, name: orders.name },
      },
      { type: 'resource_server.updated', data: { resource_server_id: id, changed: ['name', 'scopes', ...Object.keys(settings)] } },
      { type: 'resource_server.updated', data: { resource_server_id: id, changed: ['scopes', ...Object.keys(settings)] } },
      {
        type: 'resource_server.deleted',
        data: { resource_server_id: id, slug: 'orders-api', identifier: orders.identifier, name: 'Orders' },
      },
    ])
  })

  test(`an identifier is unique within its environment, and free again once its resource server is deleted (${environment.type})`, async () => {
    const { id, identifier } = await fresh({ identifier: `https://${environment.type}.example.com` })
    assert.deepEqual(codeOf(await create({ ...orders, identifier })), [409, 'identifier_taken'])
    const elsewhere = environment === w.test ? w.live : w.test
    const other = expectStatus(201, await w.call('POST', at(elsewhere), { body: { ...orders, identifier } }))
    assert.equal((await w.call('GET', `${at(environment)}/${other.id}`)).status, 404)
    for (const [there, one] of [
      [environment, id],
      [elsewhere, other.id],
    ] as const)
      await w.call('DELETE', `${at(there)}/${one}`)
    expectStatus(201, await create({ ...orders, identifier }))
  })

  const long = (length: number) => `https://a.test/${'x'.repeat(length - 15)}`
  for (const identifier of ['urn:example:orders', 'api://orders', 'http://localhost:8080/v1?tenant=1', 'https://[::1]/%C3%BC', long(500)])
    test(`the identifier ${identifier.slice(0, 40)} is stored unchanged (${environment.type})`, async () =>
      assert.equal((await fresh({ identifier })).identifier, identifier))

  const long_name = 's'.repeat(201)
  const refusals: [pointer: string, fields: object][] = [
    ...[
      'orders',
      '/orders',
      '//a.test',
      'https://a.test#x',
      'https://a.test#',
      'https://',
      'https:a.test',
      'https://a b',
      'urn:',
      'https://a.test/%zz',
    ].map((identifier): [string, object] => ['/identifier', { identifier }]),
    ['/identifier', { identifier: 'https://bücher.test' }],
    ['/identifier', { identifier: long(501) }],
    ['/identifier', { identifier: environment.issuer }],
    ['/identifier', { identifier: null }],
    ['/name', { name: '' }],
    ['/name', { name: null }],
    ...['', 'a b', 'a"b', 'a\\b', 'ü', 'a\n', long_name, 'openid', 'email', 'offline_access', 'address'].map((name): [string, object] => [
      '/scopes/0/name',
      { scopes: [{ name }] },
    ]),
    ['/scopes/1/name', { scopes: [{ name: 'a' }, { name: 'a', description: 'again' }] }],
    ['/scopes', { scopes: Array.from({ length: 201 }, (_, i) => ({ name: `s${i}` })) }],
    ['/scopes/0/description', { scopes: [{ name: 'a', description: 'two\nlines' }] }],
    ['/scopes/0/secret', { scopes: [{ name: 'a', secret: true }] }],
    ['/access_token_ttl_seconds', { access_token_ttl_seconds: 59 }],
    ['/access_token_ttl_seconds', { access_token_ttl_seconds: 86_401 }],
    ['/access_token_ttl_seconds', { access_token_ttl_seconds: '60' }],
    ['/access_token_format', { access_token_format: 'paseto' }],
    ['/access_token_signing_alg', { access_token_signing_alg: 'PS256' }],
    ['/access_token_signing_alg', { access_token_signing_alg: '' }],
    ['/access_token_signing_alg', { access_token_signing_alg: ['ES256'] }],
    ['/access_token_signing_alg', { access_token_signing_alg: 'ES256', access_token_format: 'opaque' }],
    ['/audience', { audience: 'x' }],
  ]
  for (const [pointer, fields] of refusals) {
    test(`${JSON.stringify(fields).slice(0, 60)} is 422 at ${pointer} (${environment.type})`, async () => {
      const reply = await create({ ...orders, identifier: 'https://new.example.com', ...fields })
      assert.deepEqual([...codeOf(reply), reply.body.errors?.[0].pointer], [422, 'validation_failed', pointer])
    })
  }

  for (const what of ['the same', 'another'])
    test(`a change of the identifier to ${what} value is 422 (${environment.type})`, async () => {
      const { id, identifier } = await fresh()
      const reply = await patch(id, { identifier: what === 'another' ? 'https://elsewhere.example.com' : identifier })
      assert.deepEqual([...codeOf(reply), reply.body.errors[0].pointer], [422, 'validation_failed', '/identifier'])
    })

  test(`an application may have scopes of the environment's resource servers, and keeps one whose resource server was deleted (${environment.type})`, async () => {
    const name = `orders:${randomText()}`
    const wanted = { allowed_scopes: ['openid', name] }
    const body = { name: 'Shop', application_type: 'web', redirect_uris: ['https://app.example.com/callback'], ...wanted }
    const unknown = await w.call('POST', `${environment.path}/applications`, { body })
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, '/allowed_scopes/1'])

    const server = await fresh({ scopes: [{ name }] })
    const application = expectStatus(201, await w.call('POST', `${environment.path}/applications`, { body }))
    const path = `${environment.path}/applications/${application.id}`
    const plain = await w.createApplication(environment)
    const other = `${environment.path}/applications/${plain.id}`
    assert.deepEqual(expectStatus(200, await w.call('PATCH', other, { body: wanted })).allowed_scopes, wanted.allowed_scopes)
    expectStatus(200, await w.call('PATCH', other, { body: { allowed_scopes: null } }))

    await w.call('DELETE', `${at(environment)}/${server.id}`)
    assert.deepEqual(expectStatus(200, await w.call('GET', path)).allowed_scopes, wanted.allowed_scopes)
    expectStatus(200, await w.call('PATCH', path, { body: { name: 'Shop 2', ...wanted } }))
    assert.equal((await w.call('PATCH', other, { body: wanted })).status, 422)
  })
}

test('the list has pages, with the newest resource server first', async () => {
  const { test: environment } = await w.createProject('pages')
  const created: string[] = []
  for (let i = 0; i < 5; i++)
    created.unshift(expectStatus(201, await w.call('POST', at(environment), { body: { ...orders, identifier: `urn:${i}` } })).id)
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = expectStatus(200, await w.call('GET', `${at(environment)}?limit=2${cursor && `&cursor=${cursor}`}`))
    seen.push(...page.data.map(({ id }: { id: string }) => id))
    cursor = page.next_cursor
  }
  assert.deepEqual(seen, created)
})

test('of ten parallel creations with one identifier exactly one succeeds', async () => {
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => w.call('POST', at(w.test), { body: { ...orders, identifier: 'urn:parallel' } })),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
})

test('each operation requires its scope, and is 404 for another tenant', async () => {
  const admin = asAdministrator(w, await administratorToken(w, owner))
  const keyWith = async (scope: string) =>
    expectStatus(201, await admin('POST', `/v1/tenants/${w.tenant_id}/platform-keys`, { label: scope, scopes: [scope] })).key
  const { id } = expectStatus(201, await w.call('POST', at(w.test), { body: { ...orders, identifier: 'urn:guarded' } }))
  const [reader, writer] = [await keyWith('resource_servers:read'), await keyWith('resource_servers:write')]
  const calls = [
    ['GET', at(w.test), undefined],
    ['GET', `${at(w.test)}/${id}`, undefined],
    ['POST', at(w.test), { ...orders, identifier: 'urn:by-writer' }],
    ['PATCH', `${at(w.test)}/${id}`, { name: 'New' }],
    ['DELETE', `${at(w.test)}/${id}`, undefined],
  ] as const
  for (const [method, path, body] of calls) {
    const [allowed, refused] = method === 'GET' ? [reader, writer] : [writer, reader]
    assert.deepEqual(codeOf(await w.call(method, path, { key: refused, body })), [403, 'insufficient_scope'])
    assert.ok((await w.call(method, path, { key: allowed, body })).status < 300)
  }
  const tenant = expectStatus(201, await admin('POST', '/v1/tenants', { slug: 'stranger', name: 'Stranger' }))
  const stranger = asAdministrator(w, await administratorToken(w, owner), tenant.id)
  for (const [method, path, body] of calls) assert.equal((await stranger(method, path, body)).status, 404)
})

test('the resource server of the administrator API is changed by no tenant and no operator, and other environments may use its identifier', async () => {
  const token = await administratorToken(w, owner)
  const admin = asAdministrator(w, token)
  const { root_tenant_id } = expectStatus(200, await admin('GET', '/v1/me'))
  const Row = z.object({ id: z.string(), environment_id: z.string(), project_id: z.string() })
  const row = await w.deployment.db.maybeOne(
    Row,
    sql`select r.id, r.environment_id, e.project_id from resource_servers r
          join environments e on e.id = r.environment_id where r.identifier = ${w.base_url}`,
  )
  assert.ok(row)
  const path = `/v1/platform/projects/${row.project_id}/environments/${row.environment_id}/resource-servers/${row.id}`
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { name: 'Mine' } : undefined
    assert.equal((await w.call(method, path, { body })).status, 404)
    assert.equal((await asAdministrator(w, token, w.tenant_id)(method, path, body)).status, 404)
    const as_operator = await asAdministrator(w, token, root_tenant_id)(method, path, body)
    assert.equal(as_operator.status, method === 'GET' ? 200 : 403)
  }
  expectStatus(201, await w.call('POST', at(w.test), { body: { identifier: w.base_url, name: 'Not this API' } }))
})

test('a start at another base URL adds a resource server for it, once', async () => {
  const moved = { ...w.deployment, config: { ...w.deployment.config, base_url: 'https://moved.example.com' } }
  for (let starts = 0; starts < 2; starts++) {
    const { environment_id } = await ensureRoot(moved)
    const known = await findAudiences(w.deployment.db, environment_id as TestEnvironment['id'], [w.base_url, 'https://moved.example.com']) // as: an environment's
    assert.deepEqual(known.map(({ identifier }) => identifier).sort(), [w.base_url, 'https://moved.example.com'].sort())
  }
})
