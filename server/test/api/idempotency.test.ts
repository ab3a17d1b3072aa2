/** Idempotency-Key: a repeated request takes effect once. The first test covers every POST of the route table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { startService } from '../../src/main.ts'
import { asAdministrator } from '../support/administrator.ts'
import { type ApiRequest, ask, eachRow, rows, validRequest } from '../support/route-table.ts'
import { createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
let keys = 0
const newKey = () => `key ${++keys}`
const withKey = (request: ApiRequest, key: string): ApiRequest => ({ ...request, headers: { ...request.headers, 'idempotency-key': key } })

const projects = (key: string, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  w.call('POST', '/v1/platform/projects', { key: w.key, body, headers: { 'idempotency-key': key, ...headers } })
const Count = z.object({ n: z.int() })
const count = async (from: Statement) => (await w.deployment.db.maybeOne(Count, sql`select count(*) as n from ${from}`))?.n ?? 0

test('a repeated POST returns the first response without its secret, and changes nothing', async (t) => {
  const changes = async () => [await count(sql`audit_log`), await count(sql`idempotency_records`)]
  let repeated = 0
  await eachRow(
    t,
    rows.filter(({ route }) => route.method === 'POST'),
    async ({ name, route }) => {
      const request = withKey(validRequest(route, ours), newKey())
      const first = await ask(w, request)
      if (first.status >= 300) return // its object cannot be created here
      const before = await changes()
      const second = await ask(w, request)
      if (['validateToken', 'previewSettings', 'previewRole'].includes(name)) return // they change nothing, so they keep no record
      repeated++
      assert.equal(second.status, first.status, name)
      assert.deepEqual(second.body, route.shown_once ? { ...first.body, [route.shown_once]: null } : first.body, name)
      for (const header of ['etag', 'location', 'content-type', 'cache-control'])
        assert.equal(second.headers.get(header), first.headers.get(header), name)
      assert.deepEqual([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')], [null, 'true'], name)
      assert.deepEqual(await changes(), before, name)

      const other = await ask(w, {
        ...request,
        body: route.body ? `${JSON.stringify(request.body)} ` : ' {}',
        headers: { ...request.headers, 'content-type': 'application/json' },
      })
      assert.equal(`${other.status} ${other.body.code}`, '422 idempotency_mismatch', name)
      assert.deepEqual(await changes(), before, name)
    },
  )
  assert.ok(repeated >= 16, `${repeated}`)
})

test('of 20 parallel duplicates one takes effect, and all get its response', async () => {
  const key = newKey()
  const replies = await Promise.all(Array.from({ length: 20 }, () => projects(key, { slug: 'at-once', name: 'At once' })))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1)
  assert.equal(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 19)
})

test('only one of ten parallel duplicates gets the secret', async () => {
  const request = withKey(
    { method: 'POST', path: `${ours.test.path}/auth-keys`, headers: { 'x-api-key': w.key }, body: { type: 'auth_secret' } },
    newKey(),
  )
  const replies = await Promise.all(Array.from({ length: 10 }, () => ask(w, request)))
  assert.equal(replies.filter(({ body }) => body.key !== null).length, 1)
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
})

test('a refusal is not recorded: a corrected request with the same key succeeds', async () => {
  const key = newKey()
  expectStatus(422, await projects(key, { slug: 'Not a slug', name: 'X' }))
  expectStatus(409, await projects(key, { slug: 'ours', name: 'X' }))
  expectStatus(201, await projects(key, { slug: 'mended', name: 'X' }))
  expectStatus(422, await projects(key, { slug: 'mended-2', name: 'X' }))
})

test('an idempotency key is scoped to the credential, path, tenant and environment', async () => {
  const key = newKey()
  const body = { slug: 'elsewhere', name: 'X' }
  const { id } = expectStatus(201, await projects(key, body))
  const second = await createPlatformKey(w, ours)
  assert.equal(
    (await w.call('POST', '/v1/platform/projects', { key: second.key, body, headers: { 'idempotency-key': key } })).body.code,
    'slug_taken',
  )
  const environments = (project: string) =>
    w.call('POST', `/v1/platform/projects/${project}/environments`, {
      key: w.key,
      body: { ...body, type: 'test' },
      headers: { 'idempotency-key': key },
    })
  assert.notEqual(expectStatus(201, await environments(id)).id, expectStatus(201, await environments(ours.project_id)).id)

  const as = (tenant_id: string) => asAdministrator(w, ours.token, tenant_id)
  const other = expectStatus(201, await as(ours.tenant_id)('POST', '/v1/tenants', { slug: 'elsewhere', name: 'Elsewhere' }))
  const administrator_key = { 'idempotency-key': newKey() }
  const made = []
  for (const tenant_id of [ours.tenant_id, other.id])
    made.push(expectStatus(201, await as(tenant_id)('POST', '/v1/platform/projects', { slug: 'both', name: 'Both' }, administrator_key)))
  assert.deepEqual(
    made.map(({ tenant_id }) => tenant_id),
    [ours.tenant_id, other.id],
  )

  const users = []
  for (const environment of [ours.test, ours.live]) {
    const headers = { 'x-environment-id': environment.id, 'idempotency-key': 'the same for both' }
    users.push(expectStatus(201, await as(ours.tenant_id)('POST', '/v1/auth/users', { email: 'both@example.com' }, headers)))
  }
  assert.deepEqual(
    users.map(({ environment_id }) => environment_id),
    [ours.test.id, ours.live.id],
  )
})

test('the query is not part of the scope of an idempotency key', async () => {
  const key = newKey()
  const body = { slug: 'queried', name: 'X' }
  const options = { key: w.key, body, headers: { 'idempotency-key': key } }
  const first = expectStatus(201, await w.call('POST', '/v1/platform/projects?a=1', options))
  assert.deepEqual(expectStatus(201, await w.call('POST', '/v1/platform/projects?b=2', options)), first)
})

test('an idempotency key has 1 to 255 characters', async () => {
  for (const key of ['x', 'x'.repeat(255), 'é', '"quoted"', '00000000-0000-4000-8000-000000000000'])
    expectStatus(201, await projects(key, { slug: `length-${++keys}`, name: 'X' }))
  for (const key of ['', 'x'.repeat(256)]) assert.equal((await projects(key, { slug: 'never', name: 'X' })).body.code, 'malformed_request')
})

test('Idempotency-Key has no effect on PATCH', async () => {
  const headers = { 'idempotency-key': newKey() }
  const path = `/v1/platform/projects/${ours.project_id}`
  for (const name of ['One', 'Two']) {
    const reply = await w.call('PATCH', path, { key: w.key, body: { name }, headers })
    assert.deepEqual([expectStatus(200, reply).name, reply.headers.get('idempotent-replayed')], [name, null])
  }
})

test('an idempotency key expires after 24 hours, not before', async () => {
  const key = newKey()
  const first = expectStatus(201, await projects(key, { slug: 'a-day', name: 'X' }))
  w.advance(86_399)
  assert.equal(expectStatus(201, await projects(key, { slug: 'a-day', name: 'X' })).id, first.id)
  w.advance(2)
  expectStatus(409, await projects(key, { slug: 'a-day', name: 'X' }))
  const next = await projects(key, { slug: 'the-next-day', name: 'X' })
  assert.deepEqual([next.status, next.headers.get('idempotent-replayed')], [201, null])
})

test('a success has one record, and a refusal has none', async () => {
  const key = newKey()
  expectStatus(409, await projects(key, { slug: 'ours', name: 'X' }))
  assert.equal(await count(sql`idempotency_records where idempotency_key = ${key}`), 0)
  expectStatus(201, await projects(key, { slug: 'recorded', name: 'X' }))
  assert.equal(await count(sql`idempotency_records where idempotency_key = ${key}`), 1)
})

test('a recorded response is returned after a restart of the service', async () => {
  const key = newKey()
  const body = { slug: 'restarted', name: 'X' }
  const first = expectStatus(201, await projects(key, body))
  await w.service.stop()
  const again = await startService(w.deployment.config, { now: w.now, write: () => {} })
  try {
    const second = await projects(key, body)
    assert.deepEqual(expectStatus(201, second), first)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
  } finally {
    await again.stop()
  }
})
