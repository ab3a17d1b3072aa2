/**
 * After the answer to a change of roles no process gives more than the present ones. On PostgreSQL the change is made at one
 * service and asked about at another, which remembers what it was.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const other = process.env.OSTIARY_TEST_ENGINE === 'postgres' ? await w.startAnotherService() : null
const at = (url: string) => other?.at(url) ?? url
const there = { issuer: at(environment.issuer) }
const roles = await createRoleWorld(w, environment)
const allowed_scopes = ['openid', 'offline_access', 'orders:read', 'orders:write']
const both = 'openid offline_access orders:read orders:write'

let n = 0
/** A person with a role that gives two scopes, at an application that lets in who has it, with tokens and with a code. */
async function signedIn() {
  const slug = `orders-${++n}`
  const server = await roles.createServer(slug, ['orders:read', 'orders:write'])
  const role = await roles.createRole(`role-${n}`, { [slug]: ['orders:read', 'orders:write'] })
  const own = await roles.createRole(`own-${n}`, { [slug]: ['orders:read'] })
  const client = await w.createApplication(environment, { allowed_scopes, roles_claim: 'roles' })
  const person = await roles.createPerson()
  await roles.give(person, role)
  const ask = { scope: both, resource: server.identifier }
  const tokens = await person.tokens(client, ask)
  const verdict = await roles.validate(tokens.access_token, at)
  assert.deepEqual([tokens.scope, verdict.scope, verdict.roles], [both, both, [role.slug]])
  expectStatus(200, await userinfo(w, there, tokens.access_token))
  return { server, role, own, client, person, ask, tokens, obtained: await person.code(client, ask) }
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>

interface After {
  /** The scopes of the resource server; `null`: the person is not let in. */
  left: string[] | null
  roles: string[]
}

const nothing = (): After => ({ left: [], roles: [] })

// biome-ignore format: this table is read by line
const changes: [what: string, change: (who: SignedIn) => Promise<unknown>, after: (who: SignedIn) => After][] = [
  ['a permission is taken from a role', ({ role, server }) => roles.change('roles', role, { permissions: [{ resource_server: server.slug, scopes: ['orders:read'] }] }), ({ role }) => ({ left: ['orders:read'], roles: [role.slug] })],
  ['all permissions are taken from a role', ({ role }) => roles.change('roles', role, { permissions: [] }), ({ role }) => ({ left: [], roles: [role.slug] })],
  ['a role is deleted', ({ role }) => roles.remove('roles', role), nothing],
  ['a role is taken from a user', ({ person }) => roles.give(person), nothing],
  ['a role of a user is replaced', ({ person, own }) => roles.give(person, own), ({ own }) => ({ left: ['orders:read'], roles: [own.slug] })],
  ['an application asks for another role', ({ client, own }) => roles.change('applications', client, { allowed_roles: [own.slug] }), ({ role }) => ({ left: null, roles: [role.slug] })],
  ['a scope is made again under its old name', async ({ server }) => {
    await roles.change('resource-servers', server, { scopes: [{ name: 'orders:read' }] })
    await roles.change('resource-servers', server, { scopes: [{ name: 'orders:read' }, { name: 'orders:write' }] })
  }, ({ role }) => ({ left: ['orders:read'], roles: [role.slug] })],
]
for (const [what, change, after] of changes)
  test(`once ${what}, no refresh, code, validation or UserInfo gives more`, async () => {
    const who = await signedIn()
    await change(who)
    await expectLeft(who, after(who))
  })

test('once a resource server requires roles, a person without one has none of its scopes', async () => {
  const server = await roles.createServer('later', ['orders:read', 'orders:write'], { require_roles: false })
  const client = await w.createApplication(environment, { allowed_scopes })
  const person = await roles.createPerson()
  const ask = { scope: both, resource: server.identifier }
  const tokens = await person.tokens(client, ask)
  const obtained = await person.code(client, ask)
  assert.equal((await roles.validate(tokens.access_token, at)).scope, both)
  await roles.change('resource-servers', server, { require_roles: true })
  await expectLeft({ client, tokens, obtained }, { left: [], roles: [] }, false)
})

test("once a resource server requires no roles any more, its scopes are everyone's again", async () => {
  const who = await signedIn()
  await roles.give(who.person)
  assert.equal((await roles.validate(who.tokens.access_token, at)).scope, 'openid offline_access')
  await roles.change('resource-servers', who.server, { require_roles: false })
  await expectLeft(who, { left: ['orders:read', 'orders:write'], roles: [] })
})

test('a role that is given later is in the next refresh', async () => {
  const who = await signedIn()
  await roles.give(who.person, who.own)
  const narrow = expectStatus(200, await refresh(w, there, who.client, who.tokens.refresh_token))
  assert.equal(narrow.scope, 'openid offline_access orders:read')
  await roles.give(who.person, who.role)
  assert.equal(expectStatus(200, await refresh(w, there, who.client, narrow.refresh_token)).scope, both)
})

const isRefused = (error: string, { status, body }: Reply) => assert.deepEqual([status, body.error], [400, error])

async function expectLeft(
  { client, tokens, obtained }: Pick<SignedIn, 'client' | 'tokens' | 'obtained'>,
  { left, roles: slugs }: After,
  has_claim = true,
): Promise<void> {
  const verdict = await roles.validate(tokens.access_token, at)
  const claims = await userinfo(w, there, tokens.access_token)
  const [code, renewed] = [() => exchange(w, there, client, obtained), () => refresh(w, there, client, tokens.refresh_token)]
  if (left === null) {
    assert.deepEqual(verdict, { active: false, reason: 'not_allowed' })
    assert.equal(claims.status, 401)
    isRefused('invalid_grant', await code())
    isRefused('invalid_grant', await renewed())
    return
  }
  const scope = ['openid offline_access', ...left].join(' ')
  assert.deepEqual([verdict.scope, verdict.roles], [scope, slugs])
  if (has_claim) assert.deepEqual(expectStatus(200, claims).roles, slugs)
  if (left.length === 0) {
    isRefused('invalid_scope', await code())
    isRefused('invalid_scope', await renewed())
    return
  }
  assert.equal(expectStatus(200, await code()).scope, scope)
  assert.equal(expectStatus(200, await renewed()).scope, scope)
}
