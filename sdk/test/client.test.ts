/** What the client adds to the rows of the table: lists, versions, errors, idempotency and credentials, against the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientOptions, createClient, OstiaryError } from '@ostiary/sdk'
import { administratorToken } from '../../server/test/support/administrator.ts'
import { owner, world } from '../../server/test/support/world.ts'

const w = await world()
const base_url = w.reach(w.base_url)
const client = createClient({ base_url, api_key: w.key })
const project_id = w.project.id
const path = { project_id, environment_id: w.test.id }

const refusal = (expected: Partial<OstiaryError>) => (error: unknown) => {
  assert.ok(error instanceof OstiaryError, String(error))
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(error[name as keyof OstiaryError], value, name) // as: a name of `expected`
  return true
}

test('a list yields every object once, whatever the size of its pages', async () => {
  for (let i = 0; i < 7; i++) await client.createResourceServer(path, { identifier: `https://api${i}.example.com`, name: `API ${i}` })
  for (const limit of [1, 3, 7, 100]) {
    const seen: string[] = []
    for await (const { identifier } of client.listResourceServers({ ...path, limit })) seen.push(identifier)
    assert.deepEqual(
      seen,
      [6, 5, 4, 3, 2, 1, 0].map((i) => `https://api${i}.example.com`),
      `${limit}`,
    )
  }
})

test('pages are read when they are asked for, and a cursor continues a list', async () => {
  let requests = 0
  const counted: typeof fetch = (...args) => {
    requests += 1
    return fetch(...args)
  }
  const counting = createClient({ base_url, api_key: w.key, fetch: counted })
  const list = counting.listResourceServers({ ...path, limit: 2 })
  assert.equal(requests, 0)
  for await (const _ of list) break
  assert.equal(requests, 1)
  const first = await list.page()
  const second = await counting
    .listResourceServers({ ...path, limit: 2, ...(first.next_cursor ? { cursor: first.next_cursor } : {}) })
    .page()
  assert.deepEqual(
    second.data.map(({ name }) => name),
    ['API 4', 'API 3'],
  )
  const sizes: number[] = []
  for await (const { data } of counting.listResourceServers({ ...path, limit: 3 }).pages()) sizes.push(data.length)
  assert.deepEqual(sizes, [3, 3, 1])
})

test('if_match changes the version that was read, and refuses another one', async () => {
  const { data, etag } = await client.responses.getProject({ project_id })
  assert.ok(etag)
  await client.changeProject({ project_id }, { name: `${data.name} 2` }, { if_match: etag })
  await assert.rejects(
    client.changeProject({ project_id }, { name: 'Lost' }, { if_match: etag }),
    refusal({ status: 412, code: 'stale_version' }),
  )
  assert.equal((await client.getProject({ project_id })).name, `${data.name} 2`)
})

test('a refusal has the members of the problem details', async () => {
  await assert.rejects(
    client.createProject({ slug: 'Not a slug', name: '' }),
    (error) =>
      refusal({ status: 422, code: 'validation_failed' })(error) &&
      error instanceof OstiaryError &&
      error.errors.map(({ pointer }) => pointer).join() === '/slug,/name' &&
      error.request_id !== null &&
      error.message.startsWith('validation_failed: ') &&
      error.message.includes(error.request_id),
  )
  const token = await administratorToken(w, owner)
  const administrator = createClient({ base_url, token, tenant_id: w.tenant_id })
  const { key } = await administrator.createPlatformKey({ tenant_id: w.tenant_id }, { label: 'Reader', scopes: ['environments:read'] })
  const reader = createClient({ base_url, api_key: key ?? '' })
  await assert.rejects(
    reader.listProjects().page(),
    refusal({ status: 403, code: 'insufficient_scope', required_scopes: ['projects:read'] }),
  )
})

test('two calls with one idempotency_key create one object, and two calls without it have different keys', async () => {
  const body = { slug: 'once', name: 'Once' }
  const first = await client.responses.createProject(body, { idempotency_key: 'the same key' })
  const again = await client.responses.createProject(body, { idempotency_key: 'the same key' })
  assert.deepEqual([first.replayed, again.replayed, again.data.id], [false, true, first.data.id])
  await assert.rejects(client.createProject(body), refusal({ status: 409, code: 'slug_taken' }))
})

const token = await administratorToken(w, owner)
// biome-ignore format: this table is read by column
const credentials: [string, Omit<ClientOptions, 'base_url'>, string | null][] = [
  ['an API key',                            { api_key: w.key },                                     null],
  ['a token',                               { token, tenant_id: w.tenant_id },                      null],
  ['a function that returns a token',       { token: () => token, tenant_id: w.tenant_id },         null],
  ['a function that returns a promise',     { token: async () => token, tenant_id: w.tenant_id },   null],
  ['a header',                              { headers: { 'x-api-key': w.key } },                    null],
  ['a token without a tenant',              { token },                                              'tenant_required'],
  ['no credential',                         {},                                                     'unauthenticated'],
]
for (const [what, options, code] of credentials) {
  test(`a client with ${what} ${code === null ? 'is admitted' : `is refused with ${code}`}`, async () => {
    const listing = createClient({ base_url, ...options })
      .listProjects()
      .page()
    if (code === null) assert.ok((await listing).data.length > 0)
    else await assert.rejects(listing, refusal({ code: code as OstiaryError['code'] })) // as: a code of the table
  })
}

test('the tenant of a call takes precedence over that of the client', async () => {
  const client = createClient({ base_url, token, tenant_id: 'ten_01m7wwr5ftevtv5yxb47hmb4ht' })
  await assert.rejects(client.getProject({ project_id }), refusal({ code: 'not_found' }))
  assert.equal((await client.getProject({ project_id }, { tenant_id: w.tenant_id })).id, project_id)
})

test('a client with a key and a token is refused', () => {
  assert.throws(() => createClient({ base_url, api_key: w.key, token }), TypeError)
})
