/** The roles of members are read and compared once, and again after each change of what a member may give (decision 0181). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine, Statement } from '../../src/db/db.ts'
import { createAgent, followPages } from '../support/cookie-browser.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

/** The reads of permissions of roles. */
let reads = 0
/** Happens when permissions have been read. */
let onceRead: (() => Promise<unknown>) | null = null
const isOfPermissions = ({ parts }: Statement) => /^\s*select [^;]*\br\.permissions\b/.test(parts.join('?'))
const noting = (engine: Engine): Engine => ({
  ...engine,
  async read(statement, owner) {
    const rows = await engine.read(statement, owner)
    if (!isOfPermissions(statement)) return rows
    reads++
    const change = onceRead
    onceRead = null
    await change?.()
    return rows
  },
})

const w = await world({ database: noting })
const environment = w.test
const roles = await createRoleWorld(w, environment)
/** Nothing of it requires roles: what its scopes are counts for giving all the same. */
const api = await roles.createServer('api', ['read', 'write'], { require_roles: false })
const of_members = { kind: 'organization' }
const manager = await roles.createRole('manager', { api: ['read', 'write'] }, { ...of_members, administers: true })
const reader = await roles.createRole('reader', { api: ['read'] }, of_members)

async function signedIn(at: TestEnvironment) {
  const user = await w.createUser(at)
  const agent = createAgent()
  await followPages(agent, await agent.submit(await agent.get(`${at.issuer}/account`), { ...user, method: 'password' }))
  return { ...user, agent }
}
const person = await signedIn(environment)
const organization = await roles.createOrganization(person, manager)

/** The slugs of the roles that the page offers. */
async function offered(): Promise<string[]> {
  const page = await person.agent.get(`${environment.issuer}/organizations/${organization.id}`)
  assert.equal(page.status, 200)
  return [...page.body.matchAll(/name="roles" value="([^"]*)"/g)].flatMap(([, slug]) => slug ?? []).sort()
}
const scopes = (...names: string[]) => ({ scopes: names.map((name) => ({ name })) })

test('the page of a member who administers reads no permissions but after a change', async () => {
  assert.deepEqual(await offered(), ['manager', 'reader'])
  reads = 0
  await offered()
  await roles.giveMember(organization, person, manager, reader)
  await offered()
  await roles.changeOrganization(organization, { name: 'Acme Customer' })
  await roles.change('resource-servers', api, { name: 'The API' })
  await offered()
  assert.equal(reads, 0)
  await roles.giveMember(organization, person, manager)
})

// biome-ignore format: this table is read by column
const changes: [what: string, change: () => Promise<unknown>, expected: string[]][] = [
  ['a new role',                                         () => roles.createRole('writer', { api: ['write'] }, of_members),                                     ['manager', 'reader', 'writer']],
  ['a role with other permissions',                      () => roles.change('roles', manager, { permissions: [{ resource_server: 'api', scopes: ['read'] }] }), ['manager', 'reader']],
  ['a role with its first permissions',              () => roles.change('roles', manager, { permissions: [{ resource_server: 'api', scopes: ['read', 'write'] }] }), ['manager', 'reader', 'writer']],
  ['scopes that go',                                     () => roles.change('resource-servers', api, scopes('read')),                                           ['manager', 'reader', 'writer']],
  ['scopes that come back, which no role gives',         () => roles.change('resource-servers', api, scopes('read', 'write')),                                  ['manager', 'reader', 'writer']],
  ['a new role that gives the scope of now',             () => roles.createRole('renewed', { api: ['write'] }, of_members),                                     ['manager', 'reader', 'writer']],
  ['an application that lets in holders of a role',      () => w.createApplication(environment, { allowed_roles: ['reader'] }),                                 ['manager', 'writer']],
  ['a role that administers with the permissions of now', () => roles.change('roles', manager, { permissions: [{ resource_server: 'api', scopes: ['read', 'write'] }] }), ['manager', 'renewed', 'writer']],
  ['a deleted resource server',                          () => roles.remove('resource-servers', api),                                                          ['manager', 'renewed', 'writer']],
  ['a deleted role',                                     () => roles.remove('roles', reader),                                                                  ['manager', 'renewed', 'writer']],
]
for (const [what, change, expected] of changes)
  test(`the next page knows of ${what}`, async () => {
    await change()
    reads = 0
    assert.deepEqual(await offered(), expected)
    assert.equal(reads, 1)
    await offered()
    assert.equal(reads, 1)
  })

test('an environment that never had roles reads nothing about them when scopes go, and knows its first role', async () => {
  const { test: other } = await w.createProject('without-roles')
  const without = await createRoleWorld(w, other)
  const server = await without.createServer('api', ['read', 'write'], { require_roles: false })
  const member = await signedIn(other)
  const { id } = await without.createOrganization(member)
  await without.change('resource-servers', server, scopes('read'))
  reads = 0
  const page = () => member.agent.get(`${other.issuer}/organizations/${id}`)
  expectStatus(200, await page())
  assert.equal(reads, 0)
  await without.createRole('everybody', { api: ['read'] }, { ...of_members, default: true })
  assert.match((await page()).body, /Role everybody/)
})

test('what a user may do is of one moment: the permissions of a role with the resource servers that they meant', async () => {
  const stock = await roles.createServer('stock', ['stock:read', 'stock:write'])
  const role = await roles.createRole('keeper', { stock: ['stock:read', 'stock:write'] })
  await roles.change('resource-servers', stock, scopes('stock:read'))
  await roles.change('resource-servers', stock, scopes('stock:read', 'stock:write')) // another scope of the name
  await roles.give(person, role)
  onceRead = () => roles.change('roles', role, { permissions: [{ resource_server: 'stock', scopes: ['stock:read'] }] })
  const { permissions } = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/access`, { key: roles.key }))
  const of_stock = permissions.find(({ resource_server }: { resource_server: string }) => resource_server === 'stock')
  assert.deepEqual([onceRead, of_stock.scopes], [null, [{ name: 'stock:read', by: ['keeper'] }]])
})
