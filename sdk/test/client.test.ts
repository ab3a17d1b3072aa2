/** What the client adds to the rows of the table: lists, versions, errors, idempotency and credentials, against the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientOptions, createClient, OstiaryError } from '@ostiary/sdk'
import { administratorToken } from '../../server/test/support/administrator.ts'
import { owner, world } from '../../server/test/support/world.ts'
import { clientCases } from './portable/client-cases.ts'

const w = await world()
const base_url = w.reach(w.base_url)
const project_id = w.project.id

const refusal = (expected: Partial<OstiaryError>) => (error: unknown) => {
  assert.ok(error instanceof OstiaryError, String(error))
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(error[name as keyof OstiaryError], value, name) // as: a name of `expected`
  return true
}

for (const { title, run } of clientCases({ base_url, api_key: w.key }, 'portable')) test(title, run)

test('a key without the scope is refused with the scopes that it needs', async () => {
  const token = await administratorToken(w, owner)
  const administrator = createClient({ base_url, token, tenant_id: w.tenant_id })
  const { key } = await administrator.createPlatformKey({ tenant_id: w.tenant_id }, { label: 'Reader', scopes: ['environments:read'] })
  const reader = createClient({ base_url, api_key: key ?? '' })
  await assert.rejects(
    reader.listProjects().page(),
    refusal({ status: 403, code: 'insufficient_scope', required_scopes: ['projects:read'] }),
  )
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
