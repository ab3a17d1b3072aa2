/** What a change of a role would give and take, before it is made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join, sql } from '../../src/db/db.ts'
import { organizationsOf } from '../support/organizations.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { deleteRole } from '../support/roles.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const roles = await createRoleWorld(w, w.test)
const { key } = await createAuthKey(w, w.test, 'auth_secret')
const at = (resource_server: string, ...scopes: string[]) => ({ resource_server, scopes })

await roles.createServer('orders', ['orders:read', 'orders:write', 'orders:delete'])
await roles.createServer('billing', ['invoices:read'], { require_roles: false })
let people = 0
const createUser = async (...slugs: string[]) =>
  expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email: `person${++people}@example.com`, roles: slugs } }))
const ask = (role: { id: string }, body: object) => w.call('POST', `${w.test.path}/roles/${role.id}/preview`, { body })
const preview = async (role: { id: string }, body: object) => expectStatus(200, await ask(role, body))
const effectsOf = async (role: { id: string }, body: object) =>
  (await preview(role, body)).effects.map(({ scope, change, users }: Record<string, unknown>) => [scope, change, users])

const editor = await roles.createRole('editor', { orders: ['orders:read', 'orders:write'], billing: ['invoices:read'] })
const reader = await roles.createRole('reader', { orders: ['orders:read'] })
await createUser('editor')
await createUser('editor', 'reader')
await createUser('reader')
await createUser()

test('a preview says who gains and loses which scope, and a scope that another role gives is not lost', async () => {
  assert.deepEqual(await preview(editor, { permissions: [at('orders', 'orders:delete')] }), {
    users: 2,
    members: 0,
    effects: [
      { resource_server: 'orders', scope: 'orders:delete', change: 'gained', users: 2, members: 0 },
      { resource_server: 'orders', scope: 'orders:read', change: 'lost', users: 1, members: 0 },
      { resource_server: 'orders', scope: 'orders:write', change: 'lost', users: 2, members: 0 },
    ],
    without_effect: [],
  })
})

test('a preview stores nothing, and one without a change has no effects', async () => {
  const path = `${w.test.path}/roles/${editor.id}`
  const before = await w.call('GET', path)
  await preview(editor, { name: 'Another', permissions: [] })
  const after = await w.call('GET', path)
  assert.deepEqual([after.body, after.headers.get('etag')], [before.body, before.headers.get('etag')])
  assert.deepEqual(await effectsOf(editor, {}), [])
  assert.deepEqual(await effectsOf(editor, { name: 'Another' }), [])
})

test('a role that everyone gets or loses concerns everyone', async () => {
  assert.deepEqual(await effectsOf(editor, { default: true }), [
    ['orders:read', 'gained', null],
    ['orders:write', 'gained', null],
  ])
  await roles.change('roles', reader, { default: true })
  assert.deepEqual(await effectsOf(reader, { permissions: null, default: null }), [['orders:read', 'lost', null]])
  assert.deepEqual(await effectsOf(editor, { permissions: [] }), [['orders:write', 'lost', 2]])
  await roles.change('roles', reader, { default: false })
})

test('blocked users are not counted, and neither are those of a deleted role', async () => {
  const role = await roles.createRole('writer', { orders: ['orders:write'] })
  const blocked = await createUser('writer')
  await createUser('writer')
  expectStatus(200, await w.call('POST', `/v1/auth/users/${blocked.id}/block`, { key }))
  const { users, effects } = await preview(role, { permissions: [] })
  assert.deepEqual([users, effects.map((each: { users: number }) => each.users)], [1, [1]])
  await deleteRole(w, w.test, role)
  assert.equal((await ask(role, {})).status, 404)
  const again = await roles.createRole('writer', { orders: ['orders:write'] })
  assert.deepEqual(await preview(again, { permissions: [] }), { users: 0, members: 0, effects: [], without_effect: [] })
})

test('permissions that give nothing any more are named, and sending them again gives what was made again', async () => {
  const server = await roles.createServer('stock', ['stock:read', 'stock:write'])
  const gone = await roles.createServer('gone', ['gone:read'])
  const role = await roles.createRole('stocker', { stock: ['stock:read', 'stock:write'], gone: ['gone:read'] })
  await createUser('stocker')
  assert.deepEqual((await preview(role, {})).without_effect, [])
  await roles.remove('resource-servers', gone)
  await roles.change('resource-servers', server, { scopes: [{ name: 'stock:read' }] })
  const without_effect = [at('stock', 'stock:write'), at('gone', 'gone:read')]
  assert.deepEqual(await preview(role, {}), { users: 1, members: 0, effects: [], without_effect })
  await roles.change('resource-servers', server, { scopes: [{ name: 'stock:read' }, { name: 'stock:write' }] })
  assert.deepEqual(await preview(role, {}), { users: 1, members: 0, effects: [], without_effect })
  assert.deepEqual(await preview(role, { permissions: role.permissions }), {
    users: 1,
    members: 0,
    effects: [{ resource_server: 'stock', scope: 'stock:write', change: 'gained', users: 1, members: 0 }],
    without_effect,
  })
})

test('a change that is refused has no preview', async () => {
  const refused = await ask(editor, { permissions: [at('orders', 'orders:unknown')] })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/permissions/0/scopes/0'])
  assert.equal((await ask(editor, { administers: true })).status, 422)
})

const of_test = await organizationsOf(w, w.test)
const manager = await roles.createRole('manager', { orders: ['orders:read', 'orders:delete'] }, { kind: 'organization' })
const clerk = await roles.createRole('clerk', { orders: ['orders:read'] }, { kind: 'organization' })
const membersOf = async (role: { id: string }, body: object) => {
  const { users, members, effects } = await preview(role, body)
  const lines = effects.map((each: Record<string, unknown>) => [each.scope, each.change, each.users, each.members])
  return [users, members, ...lines]
}

test('a preview of a role of organizations counts members, each in the organization where it has the role', async () => {
  assert.deepEqual(await membersOf(manager, { permissions: [] }), [0, 0])
  const [ann, ben] = [await createUser(), await createUser('reader')]
  const members = [{ user_id: ann.id, roles: ['manager'] }]
  await of_test.create({ members })
  await of_test.create({ members: [...members, { user_id: ben.id, roles: ['clerk', 'manager'] }] })
  assert.deepEqual(await membersOf(manager, { permissions: [] }), [0, 3, ['orders:delete', 'lost', 0, 3], ['orders:read', 'lost', 0, 2]])
  assert.deepEqual(await membersOf(clerk, { permissions: [at('orders', 'orders:read', 'orders:write')] }), [
    0,
    1,
    ['orders:write', 'gained', 0, 1],
  ])
  assert.deepEqual(await membersOf(clerk, { permissions: [] }), [0, 1])
})

test('a role of every member concerns every member, and no user', async () => {
  assert.deepEqual((await membersOf(clerk, { default: true })).slice(2), [['orders:read', 'gained', 0, null]])
  await roles.change('roles', clerk, { default: true })
  assert.deepEqual((await membersOf(manager, { permissions: [] })).slice(2), [['orders:delete', 'lost', 0, 3]])
  assert.deepEqual(await effectsOf(editor, { permissions: [] }), [
    ['orders:read', 'lost', 1],
    ['orders:write', 'lost', 2],
  ])
  await roles.change('roles', clerk, { default: false })
})

test('blocked users, members of disabled organizations and removed members are not counted', async () => {
  const role = await roles.createRole('keeper', { orders: ['orders:write'] }, { kind: 'organization' })
  const people = [await createUser(), await createUser(), await createUser(), await createUser()]
  const members = people.map(({ id }) => ({ user_id: id, roles: ['keeper'] }))
  const [open, closed, gone] = [await of_test.create({ members }), await of_test.create({ members }), await of_test.create({ members })]
  const count = async () => membersOf(role, { permissions: [] })
  const counted = (people: number) => [0, people, ['orders:write', 'lost', 0, people]]
  assert.deepEqual(await count(), counted(12))
  expectStatus(200, await of_test.auth('PATCH', `organizations/${closed.id}`, { disabled: true }))
  assert.deepEqual(await count(), counted(8))
  expectStatus(204, await of_test.auth('DELETE', `organizations/${gone.id}`))
  assert.deepEqual(await count(), counted(4))
  expectStatus(200, await of_test.auth('POST', `users/${people[0]?.id}/block`))
  expectStatus(204, await of_test.auth('DELETE', `users/${people[1]?.id}`))
  expectStatus(204, await of_test.remove(open.id, people[2]?.id ?? ''))
  assert.deepEqual(await count(), counted(1))
  expectStatus(201, await of_test.add(open.id, people[2]?.id ?? ''))
  assert.deepEqual(await count(), counted(1))
})

test('more than 1,000 members are 1,000, over as many parts as they need', async () => {
  const role = await roles.createRole('worker', { orders: ['orders:write'] }, { kind: 'organization' })
  const user = await createUser()
  const [first, second] = [await of_test.create(), await of_test.create()]
  const { db } = w.deployment
  const now = w.now()
  const given = JSON.stringify([role.id])
  const addMany = async (organization_id: string, count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `${user.id.slice(0, -4)}${String(i).padStart(4, '0')}`)
    const members = ids.map((id, i) => sql`(${w.test.id}, ${organization_id}, ${id}, ${1_000 + i}, ${given}, ${now}, ${now})`)
    const holders = ids.map((id, i) => sql`(${w.test.id}, ${role.id}, ${organization_id}, ${1_000 + i}, ${id})`)
    const users = ids.map((id) => sql`(${w.test.id}, ${id}, ${id}, ${id}, 0, 0, '{}', '[]', ${now}, ${now})`)
    await db.run(sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, roles, created_at, updated_at)
      values ${join(users, ', ')} on conflict do nothing`)
    await db.run(sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
      values ${join(members, ', ')}`)
    await db.run(sql`insert into organization_role_holders (environment_id, role_id, organization_id, membership, user_id)
      values ${join(holders, ', ')}`)
  }
  await addMany(first.id, 520)
  assert.deepEqual(await membersOf(role, { permissions: [] }), [0, 520, ['orders:write', 'lost', 0, 520]])
  await addMany(second.id, 480)
  assert.deepEqual(await membersOf(role, { permissions: [] }), [0, 1_000, ['orders:write', 'lost', 0, 1_000]])
  expectStatus(201, await of_test.add(second.id, user.id, ['worker']))
  assert.deepEqual(await membersOf(role, { permissions: [] }), [0, 1_000, ['orders:write', 'lost', 0, 1_000]])
})

test('more than 1,000 people are 1,000', async () => {
  const role = await roles.createRole('everybody', { orders: ['orders:delete'] })
  const { id } = await createUser('everybody')
  const now = w.now()
  const given = JSON.stringify([role.id])
  const { db } = w.deployment
  for (let n = 0; n < 1_100; n += 100) {
    const ids = Array.from({ length: 100 }, (_, i) => `${id.slice(0, -4)}${String(n + i).padStart(4, '0')}`)
    const users = ids.map((id) => sql`(${w.test.id}, ${id}, ${id}, ${id}, 0, 0, '{}', ${given}, ${now}, ${now})`)
    const holders = ids.map((id) => sql`(${w.test.id}, ${role.id}, ${id})`)
    await db.run(sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, roles, created_at, updated_at)
      values ${join(users, ', ')}`)
    await db.run(sql`insert into role_holders (environment_id, role_id, user_id) values ${join(holders, ', ')}`)
  }
  const { users, effects } = await preview(role, { permissions: [] })
  assert.deepEqual([users, effects.map((each: { users: number }) => each.users)], [1_000, [1_000]])
})
