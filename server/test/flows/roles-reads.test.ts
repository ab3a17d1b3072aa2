/** What roles give is read with the issuer: never for an environment without them, and once after each change (decision 0176). Data costs no read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentTrace } from '../../src/base/trace.ts'
import type { Engine, Statement } from '../../src/db/db.ts'
import { type Client, exchange, type Fields, refresh, userinfo } from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { outdatedFirst } from '../support/outdated-first.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, type TestEnvironment, type World, world } from '../support/world.ts'

/** The reads of what roles give. */
let reads = 0
/** The statements of requests with a trace. Background work has none. */
let sent: string[] = []
/** Happens when roles have been read. */
let onceRead: (() => Promise<unknown>) | null = null
const isOfRoles = ({ parts }: Statement) => /from (roles|role_resource_servers)( r)?\s+where/.test(parts.join('?'))
function note(...statements: readonly Statement[]): void {
  reads += statements.filter(isOfRoles).length
  if (currentTrace() !== null) sent.push(...statements.map(({ parts }) => parts.join('?')))
}
const noting = (engine: Engine): Engine => ({
  ...engine,
  async read(statement, owner) {
    note(statement)
    const rows = await engine.read(statement, owner)
    if (isOfRoles(statement) && onceRead !== null) {
      const change = onceRead
      onceRead = null
      await change()
    }
    return rows
  },
  lookUp(statement, owner) {
    note(statement)
    return engine.lookUp(statement, owner)
  },
  write(statements, owner) {
    note(...statements)
    return engine.write(statements, owner)
  },
  writeLater(statements, owner) {
    note(...statements)
    return engine.writeLater(statements, owner)
  },
})

const w = await world({ database: (engine) => noting(outdatedFirst(engine)) })
const environment = w.test
const roles = await createRoleWorld(w, environment)
const server = await roles.createServer('orders', ['orders:read'], { require_roles: false })
const allowed_scopes = ['openid', 'offline_access', 'orders:read']
const client = await w.createApplication(environment, { allowed_scopes })
const person = await roles.createPerson()

async function requestsOf(ask: { scope: string; resource?: string }): Promise<number> {
  reads = 0
  const tokens = await person.tokens(client, ask)
  const { access_token } = expectStatus(200, await refresh(w, environment, client, tokens.refresh_token))
  expectStatus(200, await userinfo(w, environment, access_token))
  await roles.validate(access_token)
  return reads
}

test('an environment that never had roles reads nothing about them', async () =>
  assert.equal(await requestsOf({ scope: allowed_scopes.join(' '), resource: server.identifier }), 0))

test('what roles give is read once by many requests at a time, and again after each change', async () => {
  await roles.change('resource-servers', server, { require_roles: true })
  const role = await roles.createRole('reader', { orders: ['orders:read'] })
  await roles.give(person, role)
  const ask = { scope: allowed_scopes.join(' '), resource: server.identifier }
  assert.equal(await requestsOf(ask), 1)
  assert.equal(await requestsOf(ask), 0)
  await roles.give(person)
  await roles.give(person, role)
  await w.changeSettings(environment, { tokens: { access_token_ttl_seconds: 120 } })
  assert.equal(await requestsOf(ask), 0, 'neither a person nor a setting changes it')
  for (const change of [
    () => roles.change('roles', role, { description: 'Reads orders' }),
    () => roles.change('resource-servers', server, { name: 'Orders' }),
    () => roles.change('applications', client, { roles_claim: 'roles' }),
    () => roles.change('applications', client, { data_claims: true }),
  ]) {
    await change()
    assert.equal(await requestsOf(ask), 1)
  }
  const { access_token } = await person.tokens(client, ask)
  await roles.change('roles', role, { description: null })
  reads = 0
  await Promise.all(Array.from({ length: 20 }, () => roles.validate(access_token)))
  assert.equal(reads, 1)
})

test('a role is read as of one moment: its permissions with the versions of the resource servers that they meant', async () => {
  const stock = await roles.createServer('stock', ['stock:read', 'stock:write'])
  const role = await roles.createRole('keeper', { stock: ['stock:read', 'stock:write'] })
  await roles.change('resource-servers', stock, { scopes: [{ name: 'stock:read' }] })
  await roles.change('resource-servers', stock, { scopes: [{ name: 'stock:read' }, { name: 'stock:write' }] }) // another scope of the name
  const scope = 'openid offline_access stock:read stock:write'
  const app = await w.createApplication(environment, { allowed_scopes: scope.split(' ') })
  await roles.give(person, role)
  const { refresh_token, scope: before } = await person.tokens(app, { scope, resource: stock.identifier })
  await roles.change('roles', role, { description: 'Reads the stock' })
  onceRead = () => roles.change('roles', role, { permissions: [{ resource_server: 'stock', scopes: ['stock:read'] }] })
  const tokens = expectStatus(200, await refresh(w, environment, app, refresh_token))
  assert.deepEqual([onceRead, before, tokens.scope], [null, 'openid offline_access stock:read', before])
})

type Person = Awaited<ReturnType<typeof roles.createPerson>>

/** Returns a function that makes each request of a person with tokens, and returns the statements of each. */
async function recorderOf(environment: TestEnvironment, app: Client, who: Person, ask: Fields) {
  const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  const call: World['call'] = (method, path, options) => w.call(method, path, { ...options, headers: { ...options?.headers, ...headers } })
  const traced = { ...w, call }
  const { validate } = await createRoleWorld(traced, environment)
  let tokens = await who.tokens(app, ask)
  const renew = async (by: World) => {
    tokens = expectStatus(200, await refresh(by, environment, app, tokens.refresh_token))
  }
  const asked: Record<string, () => Promise<unknown>> = {
    refresh: () => renew(traced),
    'code exchange': async () => expectStatus(200, await exchange(traced, environment, app, await who.code(app, ask))),
    UserInfo: async () => expectStatus(200, await userinfo(traced, environment, tokens.access_token)),
    validation: () => validate(tokens.access_token),
  }
  return async (): Promise<Record<string, string[]>> => {
    const found: Record<string, string[]> = {}
    for (const [name, request] of Object.entries(asked))
      for (let n = 0; n < 3; n++) {
        await renew(w) // the embedded database remembers rows of grants until one changes
        sent = []
        await request()
        found[name] = sent
      }
    assert.ok(Object.values(found).every((all) => all.length > 0))
    return found
  }
}

test('with 20 roles, requirements and claims, each request sends the statements that it sends without', async () => {
  const of_live = await createRoleWorld(w, w.live)
  const orders = await of_live.createServer('orders', ['orders:read'], { require_roles: false })
  const app = await w.createApplication(w.live, { allowed_scopes })
  const who = await of_live.createPerson()
  const statements = await recorderOf(w.live, app, who, { scope: allowed_scopes.join(' '), resource: orders.identifier })
  const before = await statements()
  const given = []
  for (let n = 0; n < 20; n++) given.push(await of_live.createRole(`role-${n}`, { orders: ['orders:read'] }))
  await of_live.give(who, ...given)
  await of_live.change('resource-servers', orders, { require_roles: true, roles_claim: 'roles' })
  await of_live.change('applications', app, { allowed_roles: ['role-7'], roles_claim: 'groups' })
  assert.deepEqual(await statements(), before)
})

test('a change of an application that names no role raises nothing', async () => {
  const other = await w.createApplication(environment)
  await requestsOf({ scope: 'openid offline_access' })
  await roles.change('applications', other, { name: 'Other' })
  assert.equal(await requestsOf({ scope: 'openid offline_access' }), 0)
})

test('an organization and data in tokens send no further statement', async () => {
  const orgs = await organizationsOf(w, environment)
  const { id } = await orgs.create()
  const who = await roles.createPerson()
  expectStatus(201, await orgs.add(id, who.id))
  const app = await w.createApplication(environment, { allowed_scopes, organizations: 'optional' })
  const api = await roles.createServer('stores', ['stock:read'], { require_roles: false })
  const ask = { scope: 'openid offline_access', resource: api.identifier }
  const alone = await recorderOf(environment, app, who, { ...ask, organization: 'none' })
  const within = await recorderOf(environment, app, who, { ...ask, organization: id })
  const before = await alone()
  assert.deepEqual(await within(), before)
  expectStatus(200, await orgs.auth('PATCH', `users/${who.id}`, { claims: { plan: 'free' } }))
  expectStatus(200, await orgs.auth('PATCH', `organizations/${id}`, { claims: { plan: 'team' } }))
  await roles.change('resource-servers', api, { data_claims: true })
  await roles.change('applications', app, { data_claims: true })
  assert.deepEqual([await alone(), await within()], [before, before])
})

test('an environment with thousands of scopes is read in steps, and its last one counts', async () => {
  const { test: large } = await w.createProject('large')
  const of_large = await createRoleWorld(w, large)
  const names = Array.from({ length: 200 }, (_, i) => `scope:${i}`)
  for (let i = 0; i < 26; i++) await of_large.createServer(`api-${i}`, names)
  const role = await of_large.createRole('all', Object.fromEntries(['api-0', 'api-9', 'api-25'].map((slug) => [slug, names])))
  const app = await w.createApplication(large, { allowed_scopes: ['openid', 'scope:0', 'scope:199'] })
  const [holder, other] = [await of_large.createPerson(), await of_large.createPerson()]
  await of_large.give(holder, role)
  const ask = { scope: 'openid scope:0 scope:199', resource: ['https://api-9.example.com', 'https://api-25.example.com'] }
  assert.equal((await holder.tokens(app, ask)).scope, ask.scope)
  await of_large.change('roles', role, { permissions: [{ resource_server: 'api-25', scopes: ['scope:199'] }] })
  const one = { scope: 'openid scope:0 scope:199', resource: 'https://api-25.example.com' }
  const both = await Promise.all([holder.tokens(app, one), other.tokens(app, { scope: 'openid' })])
  assert.deepEqual(
    both.map(({ scope }) => scope),
    ['openid scope:199', 'openid'],
  )
})
