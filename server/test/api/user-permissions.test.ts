/** What a user may do now: the answer of `access`, for backends and for platform keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { createResourceServer, createRole, deleteRole } from '../support/roles.ts'
import { createAdministrator, createAuthKey, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const secret = await createAuthKey(w, w.test, 'auth_secret')
let emails = 0
const create = async (roles: readonly string[] = []): Promise<string> => {
  const body = { email: `may${++emails}@example.com`, roles }
  return expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret.key, body })).id
}
const accessOf = async (id: string) => {
  const answer = expectStatus(200, await w.call('GET', `/v1/auth/users/${id}/access`, { key: secret.key }))
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/users/${id}/access`)), answer, 'both routes answer the same')
  return answer
}
/** The scopes at one resource server, each with its roles. */
const scopesAt = async (id: string, slug: string): Promise<Record<string, string[]>> => {
  const { permissions } = await accessOf(id)
  const { scopes } = permissions.find(({ resource_server }: { resource_server: string }) => resource_server === slug)
  return Object.fromEntries(scopes.map(({ name, by }: { name: string; by: string[] }) => [name, by]))
}
const requireRoles = async ({ id }: { id: string }) =>
  expectStatus(200, await w.call('PATCH', `${w.test.path}/resource-servers/${id}`, { body: { require_roles: true } }))
const patchServer = async (id: string, names: readonly string[]) =>
  expectStatus(200, await w.call('PATCH', `${w.test.path}/resource-servers/${id}`, { body: { scopes: names.map((name) => ({ name })) } }))
const patchRole = async (id: string, body: object) => expectStatus(200, await w.call('PATCH', `${w.test.path}/roles/${id}`, { body }))

await createResourceServer(w, w.test, 'billing', ['invoices:read', 'invoices:write'])
const orders = await createResourceServer(w, w.test, 'orders', ['orders:read', 'orders:write', 'orders:delete'])
await requireRoles(orders)
const at = (resource_server: string, ...scopes: string[]) => ({ resource_server, scopes })
await createRole(w, w.test, { slug: 'author', permissions: [at('orders', 'orders:read', 'orders:write')] })
await createRole(w, w.test, { slug: 'viewer', permissions: [at('orders', 'orders:read'), at('billing', 'invoices:read')] })
await createRole(w, w.test, { slug: 'idle' })
await createRole(w, w.test, { slug: 'member', kind: 'organization', default: true, permissions: [at('orders', 'orders:delete')] })

// biome-ignore format: this table is read by column
const cases: [roles: string[], orders: object, billing: object][] = [
  [[],                   {},                                                              { 'invoices:read': [],         'invoices:write': [] }],
  [['idle'],             {},                                                              { 'invoices:read': [],         'invoices:write': [] }],
  [['author'],           { 'orders:read': ['author'], 'orders:write': ['author'] },       { 'invoices:read': [],         'invoices:write': [] }],
  [['viewer'],           { 'orders:read': ['viewer'] },                                   { 'invoices:read': ['viewer'], 'invoices:write': [] }],
  [['viewer', 'author'], { 'orders:read': ['author', 'viewer'], 'orders:write': ['author'] }, { 'invoices:read': ['viewer'], 'invoices:write': [] }],
]
for (const [roles, orders_scopes, billing_scopes] of cases)
  test(`a user with ${JSON.stringify(roles)} gets ${JSON.stringify(orders_scopes)} where roles are required`, async () => {
    const id = await create(roles)
    assert.deepEqual(await scopesAt(id, 'orders'), orders_scopes)
    assert.deepEqual(await scopesAt(id, 'billing'), billing_scopes, 'every scope is given where none is required')
  })

test('the answer has the roles and each resource server, in order of slug', async () => {
  const id = await create(['viewer', 'author'])
  assert.deepEqual(await accessOf(id), {
    organization_id: null,
    is_member: null,
    roles: ['author', 'viewer'],
    permissions: [
      {
        resource_server: 'billing',
        identifier: 'https://billing.example.com',
        require_roles: false,
        scopes: [
          { name: 'invoices:read', by: ['viewer'] },
          { name: 'invoices:write', by: [] },
        ],
      },
      {
        resource_server: 'orders',
        identifier: 'https://orders.example.com',
        require_roles: true,
        scopes: [
          { name: 'orders:read', by: ['author', 'viewer'] },
          { name: 'orders:write', by: ['author'] },
        ],
      },
    ],
  })
})

test('a role that every user has counts like one that was given', async () => {
  const id = await create(['viewer'])
  const everyone = await createRole(w, w.test, { slug: 'all-users', default: true, permissions: [at('orders', 'orders:delete')] })
  assert.deepEqual((await accessOf(id)).roles, ['all-users', 'viewer'])
  assert.deepEqual(await scopesAt(id, 'orders'), { 'orders:read': ['viewer'], 'orders:delete': ['all-users'] })
  await deleteRole(w, w.test, everyone)
  assert.deepEqual((await accessOf(id)).roles, ['viewer'])
})

test('a deleted role gives nothing, and a later one of its slug nothing either until it is given', async () => {
  const permissions = [at('orders', 'orders:delete')]
  const first = await createRole(w, w.test, { slug: 'remover', permissions })
  const id = await create(['remover'])
  assert.deepEqual(await scopesAt(id, 'orders'), { 'orders:delete': ['remover'] })
  await deleteRole(w, w.test, first)
  assert.deepEqual([(await accessOf(id)).roles, await scopesAt(id, 'orders')], [[], {}])
  const second = await createRole(w, w.test, { slug: 'remover', permissions })
  assert.deepEqual([(await accessOf(id)).roles, await scopesAt(id, 'orders')], [[], {}])
  await deleteRole(w, w.test, second)
})

test('a scope that is made again under its old name is given only after a change of the role names it', async () => {
  const permissions = [at('orders', 'orders:delete')]
  const role = await createRole(w, w.test, { slug: 'again', permissions })
  const id = await create(['again'])
  await patchServer(orders.id, ['orders:read', 'orders:write'])
  assert.deepEqual(await scopesAt(id, 'orders'), {})
  await patchServer(orders.id, ['orders:read', 'orders:write', 'orders:delete'])
  assert.deepEqual(await scopesAt(id, 'orders'), {})
  await patchRole(role.id, { name: 'Another name' })
  assert.deepEqual(await scopesAt(id, 'orders'), {})
  await patchRole(role.id, { permissions })
  assert.deepEqual(await scopesAt(id, 'orders'), { 'orders:delete': ['again'] })
})

test('a resource server that is made again under its old slug gives nothing by the old permissions', async () => {
  const first = await createResourceServer(w, w.test, 'stock', ['stock:read'])
  await requireRoles(first)
  const permissions = [at('stock', 'stock:read')]
  const role = await createRole(w, w.test, { slug: 'stocker', permissions })
  const id = await create(['stocker'])
  assert.deepEqual(await scopesAt(id, 'stock'), { 'stock:read': ['stocker'] })
  expectStatus(204, await w.call('DELETE', `${w.test.path}/resource-servers/${first.id}`))
  const second = await createResourceServer(w, w.test, 'stock', ['stock:read'])
  await requireRoles(second)
  assert.deepEqual(await scopesAt(id, 'stock'), {})
  await patchRole(role.id, { permissions })
  assert.deepEqual(await scopesAt(id, 'stock'), { 'stock:read': ['stocker'] })
  expectStatus(204, await w.call('DELETE', `${w.test.path}/resource-servers/${second.id}`))
})

test('a blocked user has neither roles nor permissions, until the user is unblocked', async () => {
  const id = await create(['author'])
  const before = await accessOf(id)
  expectStatus(200, await w.call('POST', `/v1/auth/users/${id}/block`, { key: secret.key }))
  assert.deepEqual(await accessOf(id), { organization_id: null, is_member: null, roles: [], permissions: [] })
  expectStatus(200, await w.call('POST', `/v1/auth/users/${id}/unblock`, { key: secret.key }))
  assert.deepEqual(await accessOf(id), before)
})

test('more resource servers than one read has are all there', async () => {
  const live = await createAuthKey(w, w.live, 'auth_secret')
  const body = { email: 'many@example.com' }
  const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: live.key, body }))
  for (let n = 0; n < 101; n++) await createResourceServer(w, w.live, `many-${String(n).padStart(3, '0')}`, ['read'])
  const { permissions } = expectStatus(200, await w.call('GET', `${w.live.path}/users/${id}/access`))
  assert.equal(permissions.length, 101)
  assert.deepEqual(
    permissions.map(({ resource_server }: { resource_server: string }) => resource_server),
    Array.from({ length: 101 }, (_, n) => `many-${String(n).padStart(3, '0')}`),
  )
})

test('an administrator reads it from the role developer on, a key with users:read, and nobody elsewhere', async () => {
  const id = await create(['author'])
  const path = `${w.test.path}/users/${id}/access`
  const token = await administratorToken(w, owner)
  for (const [role, status] of [
    ['viewer', 403],
    ['developer', 200],
  ] as const) {
    const administrator = await createAdministrator(w, `${role}@access.example.com`)
    await joinTenant(w, { tenant_id: w.tenant_id, token }, administrator, role)
    assert.equal((await asAdministrator(w, administrator.token)('GET', path)).status, status, role)
  }
  for (const [scopes, status] of [
    [['users:read'], 200],
    [['resource_servers:read'], 403],
  ] as const) {
    const { key } = await createPlatformKey(w, { tenant_id: w.tenant_id, token }, { scopes })
    assert.equal((await w.call('GET', path, { key })).status, status, scopes.join())
  }
  const live = await createAuthKey(w, w.live, 'auth_secret')
  assert.equal((await w.call('GET', `/v1/auth/users/${id}/access`, { key: live.key })).status, 404)
  assert.equal((await w.call('GET', `${w.live.path}/users/${id}/access`)).status, 404)
  assert.equal((await w.call('GET', '/v1/auth/users/usr_01m7wwr5ftevtv5yxb47hmb4ht/access', { key: secret.key })).status, 404)
})
