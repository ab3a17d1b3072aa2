/** What a change of a role would give and take, before it is made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join, sql } from '../../src/db/db.ts'
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
    effects: [
      { resource_server: 'orders', scope: 'orders:delete', change: 'gained', users: 2 },
      { resource_server: 'orders', scope: 'orders:read', change: 'lost', users: 1 },
      { resource_server: 'orders', scope: 'orders:write', change: 'lost', users: 2 },
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
  assert.deepEqual(await preview(again, { permissions: [] }), { users: 0, effects: [], without_effect: [] })
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
  assert.deepEqual(await preview(role, {}), { users: 1, effects: [], without_effect })
  await roles.change('resource-servers', server, { scopes: [{ name: 'stock:read' }, { name: 'stock:write' }] })
  assert.deepEqual(await preview(role, {}), { users: 1, effects: [], without_effect })
  assert.deepEqual(await preview(role, { permissions: role.permissions }), {
    users: 1,
    effects: [{ resource_server: 'stock', scope: 'stock:write', change: 'gained', users: 1 }],
    without_effect,
  })
})

test('a role of organizations has no users, and a change that is refused has no preview', async () => {
  const staff = await roles.createRole('staff', { orders: ['orders:read'] }, { kind: 'organization' })
  assert.deepEqual(await preview(staff, { permissions: [] }), { users: 0, effects: [], without_effect: [] })
  const refused = await ask(editor, { permissions: [at('orders', 'orders:unknown')] })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/permissions/0/scopes/0'])
  assert.equal((await ask(editor, { administers: true })).status, 422)
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
