/** What a token gives by roles: requests, pages, tokens and their validation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/db.ts'
import {
  authorizationRequest,
  createAgent,
  exchange,
  type Fields,
  followPages,
  followToClient,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const roles = await createRoleWorld(w, environment)

const orders = await roles.createServer('orders', ['orders:read', 'orders:write', 'read'])
const stock = await roles.createServer('stock', ['stock:read', 'read'])
const open = await roles.createServer('open', ['open:read', 'read'], { require_roles: false })
const reader = await roles.createRole('reader', { orders: ['orders:read', 'read'] })
const writer = await roles.createRole('writer', { orders: ['orders:write'] })
const keeper = await roles.createRole('keeper', { stock: ['stock:read', 'read'] })
const everyone = await roles.createRole('everyone', {}, { default: true })
const of_members = await roles.createRole('of-members', { orders: ['orders:write'] }, { kind: 'organization', default: true })
const all = ['orders:read', 'orders:write', 'read', 'stock:read', 'open:read']
const allowed_scopes = ['openid', 'profile', 'email', 'offline_access', ...all]
const client = await w.createApplication(environment, { allowed_scopes })

const asking = (scope: string, ...servers: { identifier: string }[]): Fields => ({
  scope,
  resource: servers.map(({ identifier }) => identifier),
})
const person = async (...given: { slug: string }[]) => {
  const made = await roles.createPerson()
  await roles.give(made, ...given)
  return made
}
const stepOf = (page: Reply) => /<main [^>]*data-step="([^"]*)"/.exec(page.body)?.[1]

interface Case {
  rule: string
  has: { slug: string }[]
  ask: Fields
  gets: string
}
// biome-ignore format: this table is read by line
const cases: Case[] = [
  { rule: 'a token has the part of its scope that the roles give', has: [reader], ask: asking('openid orders:read orders:write', orders), gets: 'openid orders:read' },
  { rule: 'several roles give their scopes together', has: [reader, writer], ask: asking('openid orders:read orders:write', orders), gets: 'openid orders:read orders:write' },
  { rule: 'scopes of OpenID Connect are never narrowed', has: [reader], ask: asking('openid profile email offline_access orders:read orders:write', orders), gets: 'openid profile email offline_access orders:read' },
  { rule: 'a resource server that requires no roles gives its scopes to everyone', has: [], ask: asking('openid open:read', open), gets: 'openid open:read' },
  { rule: 'a name stays if the roles give it at each resource server that requires them', has: [reader, keeper], ask: asking('openid read', orders, stock, open), gets: 'openid read' },
  { rule: 'a name goes if the roles do not give it at one of them', has: [reader], ask: asking('openid read orders:read', orders, stock), gets: 'openid orders:read' },
  { rule: 'a request that names a resource server without its scopes needs no role', has: [], ask: asking('openid', orders), gets: 'openid' },
]
for (const { rule, has, ask, gets } of cases)
  test(`${rule}, and the response, the token and its validation agree`, async () => {
    const who = await person(...has)
    const tokens = await who.tokens(client, ask)
    assert.equal(tokens.scope, gets)
    assert.equal(payloadOf(tokens.access_token).scope, gets)
    const verdict = await roles.validate(tokens.access_token)
    assert.deepEqual([verdict.active, verdict.scope], [true, gets])
  })

test('roles for members of organizations give nothing to a grant without one', async () => {
  const who = await person(reader)
  const ids = [reader.id, of_members.id] // the API gives users no such role
  await w.deployment.db
    .of(environment.id)
    .run(sql`update users set roles = ${ids} where environment_id = ${environment.id} and id = ${who.id}`)
  assert.equal((await who.tokens(client, asking('openid orders:read orders:write', orders))).scope, 'openid orders:read')
})

test('the grant keeps the scope that was asked for: a role that is given later counts at the next refresh', async () => {
  const who = await person(reader)
  const first = await who.tokens(client, asking('openid offline_access orders:read orders:write', orders))
  assert.equal(first.scope, 'openid offline_access orders:read')
  await roles.give(who, reader, writer)
  const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
  assert.equal(second.scope, 'openid offline_access orders:read orders:write')
  const before = await roles.validate(first.access_token)
  assert.equal(before.scope, first.scope, 'validation gives no more than the token says')
})

test('a refresh for scopes that the roles do not give is invalid_scope, and spends nothing', async () => {
  const who = await person(reader)
  const { refresh_token } = await who.tokens(client, asking('openid offline_access orders:read orders:write', orders))
  const refused = await refresh(w, environment, client, { refresh_token, scope: 'orders:write' })
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope'])
  await roles.give(who)
  const nothing = await refresh(w, environment, client, refresh_token)
  assert.deepEqual([nothing.status, nothing.body.error], [400, 'invalid_scope'])
  const own = expectStatus(200, await refresh(w, environment, client, { refresh_token, scope: 'openid offline_access' }))
  assert.equal(own.scope, 'openid offline_access')
  await roles.give(who, reader)
  assert.equal(expectStatus(200, await refresh(w, environment, client, own.refresh_token)).scope, 'openid offline_access orders:read')
})

test('a code whose person lost the roles is invalid_scope and not spent', async () => {
  const who = await person(reader)
  const obtained = await who.code(client, asking('openid orders:read', orders))
  await roles.give(who)
  const refused = await exchange(w, environment, client, obtained)
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope'])
  await roles.give(who, reader)
  assert.equal(expectStatus(200, await exchange(w, environment, client, obtained)).scope, 'openid orders:read')
})

test('a token request for one of the resource servers is judged by this one alone', async () => {
  const who = await person(keeper)
  const obtained = await who.code(client, asking('openid orders:read stock:read', orders, stock))
  const refused = await exchange(w, environment, client, { ...obtained, change: { resource: orders.identifier } })
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope'])
  const tokens = expectStatus(200, await exchange(w, environment, client, { ...obtained, change: { resource: stock.identifier } }))
  assert.equal(tokens.scope, 'openid stock:read')
})

test('a person whose roles give none of the scopes gets the page no-access, and with prompt=none access_denied', async () => {
  const who = await person(keeper)
  const ask = asking('openid orders:read orders:write', orders)
  await who.tokens(client, { scope: 'openid' })
  const request = authorizationRequest(environment, client, ask)
  const page = await who.agent.get(request.url)
  assert.deepEqual([page.status, stepOf(page)], [403, 'no-access'])
  const silent = new URL((await who.agent.get(`${request.url}&prompt=none`)).headers.get('location') ?? '')
  assert.deepEqual([silent.searchParams.get('error'), silent.searchParams.get('state')], ['access_denied', request.state])
  const back = new URL((await who.agent.submit(page, { decision: 'back' })).headers.get('location') ?? '')
  assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('state')], ['access_denied', request.state])
})

test('an application with allowed_roles lets only holders of one of them in', async () => {
  const inner = await w.createApplication(environment, { allowed_scopes, allowed_roles: ['reader', 'keeper'] })
  const who = await person(writer)
  const page = await followPages(who.agent, await signInAt(who, authorizationRequest(environment, inner).url))
  assert.equal(stepOf(page), 'no-access')
  await roles.give(who, keeper)
  const tokens = await who.tokens(inner)
  await roles.give(who)
  const refused = await refresh(w, environment, inner, tokens.refresh_token)
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
  assert.deepEqual(await roles.validate(tokens.access_token), { active: false, reason: 'not_allowed' })
  const claims = await userinfo(w, environment, tokens.access_token)
  assert.deepEqual([claims.status, /error="([^"]*)"/.exec(claims.headers.get('www-authenticate') ?? '')?.[1]], [401, 'invalid_token'])
  await roles.give(who, reader)
  assert.equal((await roles.validate(tokens.access_token)).active, true)
  expectStatus(200, await userinfo(w, environment, tokens.access_token))
  expectStatus(200, await refresh(w, environment, inner, tokens.refresh_token))
})

/** Signs in at a request that shows the sign-in page. */
async function signInAt(who: { agent: ReturnType<typeof createAgent>; email: string; password: string }, url: string): Promise<Reply> {
  const page = await who.agent.get(url)
  return who.agent.submit(page, { email: who.email, password: who.password, method: 'password' })
}

test('the page no-access leads to another account of the browser, which gets in', async () => {
  const inner = await w.createApplication(environment, { allowed_roles: ['reader'] })
  const [without, within] = [await person(), await person(reader)]
  const request = authorizationRequest(environment, inner)
  const page = await followPages(without.agent, await signInAt(without, request.url))
  const other = /<a [^>]*href="([^"]*)"[^>]*data-action="use-other-account"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const chooser = await without.agent.get(other)
  assert.equal(stepOf(chooser), 'select-account')
  const another = /<a [^>]*href="([^"]*)"[^>]*data-action="use-other-account"/.exec(chooser.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const back = await followToClient(without.agent, { url: another, redirect_uri: request.redirect_uri }, within)
  assert.ok(back.searchParams.get('code'))
})

test('a request for exactly this account is offered no other account', async () => {
  const inner = await w.createApplication(environment, { allowed_roles: ['reader'] })
  const who = await person()
  const { id_token } = await who.tokens(client, { scope: 'openid' })
  const page = await who.agent.get(authorizationRequest(environment, inner, { id_token_hint: id_token }).url)
  assert.equal(stepOf(page), 'no-access')
  assert.doesNotMatch(page.body, /use-other-account/)
})

test('the slug of a deleted role stays in allowed_roles, and a later role with it lets nobody in whom the first let in', async () => {
  const guest = await roles.createRole('guest')
  const inner = await w.createApplication(environment, { allowed_roles: ['guest'] })
  const who = await person(guest)
  const { access_token } = await who.tokens(inner)
  await roles.remove('roles', guest)
  assert.deepEqual(await roles.validate(access_token), { active: false, reason: 'not_allowed' })
  assert.deepEqual((await roles.change('applications', inner, { name: 'Inner' })).allowed_roles, ['guest'])
  assert.deepEqual((await roles.change('applications', inner, { allowed_roles: ['guest'] })).allowed_roles, ['guest'])
  await roles.createRole('guest')
  assert.deepEqual(await roles.validate(access_token), { active: false, reason: 'not_allowed' })
  await roles.change('applications', inner, { allowed_roles: [] })
  assert.equal((await roles.validate(access_token)).active, true)
})

test('a scope or a resource server that is made again under the old name is given only after the role names it again', async () => {
  const again = await roles.createServer('again', ['again:read', 'again:write'])
  const role = await roles.createRole('again', { again: ['again:read', 'again:write'] })
  const app = await w.createApplication(environment, { allowed_scopes: ['openid', 'again:read', 'again:write'] })
  const who = await person(role)
  const scopeNow = async () => (await who.tokens(app, asking('openid again:read again:write', again))).scope
  assert.equal(await scopeNow(), 'openid again:read again:write')
  await roles.change('resource-servers', again, { scopes: [{ name: 'again:read' }] })
  await roles.change('resource-servers', again, { scopes: [{ name: 'again:read' }, { name: 'again:write' }] })
  assert.equal(await scopeNow(), 'openid again:read')
  await roles.change('roles', role, { permissions: role.permissions })
  assert.equal(await scopeNow(), 'openid again:read again:write')
  await roles.remove('resource-servers', again)
  const { identifier } = await roles.createServer('again', ['again:read'])
  assert.equal(identifier, again.identifier)
  const page = await who.agent.get(authorizationRequest(environment, app, asking('openid again:read', again)).url)
  assert.equal(stepOf(page), 'no-access')
})

test('the consent page has the scopes that no role gives apart, and the consent is kept for all of them', async () => {
  const other = await w.createApplication(environment, { name: 'Planner', allowed_scopes, consent: 'ask' })
  const who = await person(reader)
  const ask = asking('openid email offline_access orders:read orders:write', orders)
  await who.tokens(client, { scope: 'openid' })
  const page = await who.agent.get(authorizationRequest(environment, other, ask).url)
  const lines = [...page.body.matchAll(/<li [^>]*data-scope="([^"]*)" data-given="([^"]*)"/g)].map(([, scope, given]) => [scope, given])
  assert.deepEqual(lines, [
    ['email', 'true'],
    ['orders:read', 'true'],
    ['offline_access', 'true'],
    ['orders:write', 'false'],
  ])
  assert.match(page.body, /You cannot do this now\. If you are given it later, Planner can too\./)
  const tokens = await who.tokens(other, ask)
  assert.equal(tokens.scope, 'openid email offline_access orders:read')
  await roles.give(who, reader, writer)
  const silent = await who.agent.get(authorizationRequest(environment, other, { ...ask, prompt: 'none' }).url)
  assert.ok(new URL(silent.headers.get('location') ?? '').searchParams.get('code'), 'nobody asks again')
  assert.match(expectStatus(200, await refresh(w, environment, other, tokens.refresh_token)).scope, /orders:write/)
})

test('a consent page without any such scope says nothing about it', async () => {
  const other = await w.createApplication(environment, { allowed_scopes, consent: 'ask' })
  const who = await person(reader)
  await who.tokens(client, { scope: 'openid' })
  const page = await who.agent.get(authorizationRequest(environment, other, asking('openid orders:read', orders)).url)
  assert.equal(stepOf(page), 'consent')
  assert.doesNotMatch(page.body, /data-given="false"|cannot do this now/)
})

test('a claim of roles has the slugs in order, defaults included, in access tokens, ID tokens and UserInfo', async () => {
  const named = await roles.createServer('named', ['named:read'], { require_roles: false, roles_claim: 'roles' })
  const app = await w.createApplication(environment, { allowed_scopes: ['openid', 'named:read'], roles_claim: 'groups' })
  const who = await person(writer, reader)
  const slugs = [everyone.slug, 'reader', 'writer']
  const tokens = await who.tokens(app, asking('openid named:read', named))
  assert.deepEqual(payloadOf(tokens.access_token).roles, slugs)
  assert.equal('groups' in payloadOf(tokens.access_token), false)
  assert.deepEqual(payloadOf(tokens.id_token).groups, slugs)
  const { sub, ...claims } = expectStatus(200, await userinfo(w, environment, tokens.access_token))
  assert.deepEqual([sub, claims], [who.id, { groups: slugs }])
  await roles.give(who)
  assert.deepEqual(expectStatus(200, await userinfo(w, environment, tokens.access_token)).groups, [everyone.slug])
  assert.deepEqual((await roles.validate(tokens.access_token)).roles, [everyone.slug])
})

test('a claim of roles is an empty list for a person without roles', async () => {
  await roles.change('roles', everyone, { default: false })
  const app = await w.createApplication(environment, { roles_claim: 'team_roles' })
  const who = await person()
  assert.deepEqual(payloadOf((await who.tokens(app)).id_token).team_roles, [])
  await roles.change('roles', everyone, { default: true })
})

test('minimal ID tokens have the claim of roles too', async () => {
  const app = await w.createApplication(environment, { roles_claim: 'roles' })
  const who = await person(reader)
  await w.changeSettings(environment, { tokens: { id_token_claims: 'minimal' } })
  assert.deepEqual(payloadOf((await who.tokens(app)).id_token).roles, [everyone.slug, 'reader'])
  await w.changeSettings(environment, { tokens: { id_token_claims: null } })
})

test('an access token has the claim only where all of its resource servers name the same, and one without them never', async () => {
  const [a, b, c] = [
    await roles.createServer('claim-a', ['a'], { require_roles: false, roles_claim: 'roles' }),
    await roles.createServer('claim-b', ['b'], { require_roles: false, roles_claim: 'roles' }),
    await roles.createServer('claim-c', ['c'], { require_roles: false, roles_claim: 'groups' }),
  ]
  const app = await w.createApplication(environment, { allowed_scopes: ['openid', 'a', 'b', 'c'] })
  const who = await person(reader)
  const namesIn = async (...servers: { identifier: string }[]) => {
    const claims = payloadOf((await who.tokens(app, asking('openid', ...servers))).access_token)
    return ['roles', 'groups'].filter((name) => name in claims)
  }
  assert.deepEqual(await namesIn(a), ['roles'])
  assert.deepEqual(await namesIn(a, b), ['roles'])
  assert.deepEqual(await namesIn(a, b, c), [])
  assert.deepEqual(await namesIn(a, orders), [])
  assert.deepEqual(await namesIn(), [])
})

test('an application with a claim of roles can ask for the scope groups, which gives nothing more', async () => {
  const app = await w.createApplication(environment, { roles_claim: 'groups' })
  const who = await person(reader)
  const tokens = await who.tokens(app, { scope: 'openid groups' })
  assert.equal(tokens.scope, 'openid groups')
  await roles.change('applications', app, { roles_claim: null })
  const refused = new URL(
    (await who.agent.get(authorizationRequest(environment, app, { scope: 'openid groups' }).url)).headers.get('location') ?? '',
  )
  assert.equal(refused.searchParams.get('error'), 'invalid_scope')
})

test('with a claim of roles a request has at most 6,500 characters of identifiers and scope', async () => {
  const names = Array.from({ length: 19 }, (_, i) => `${i}`.padStart(200, 'x'))
  const identifierOf = (i: number) => `https://wide-${i}.example.com/${'x'.repeat(470)}`
  const serverAt = (i: number) => roles.createServer(`wide-${i}`, names, { identifier: identifierOf(i), require_roles: false })
  const servers = await Promise.all(Array.from({ length: 6 }, (_, i) => serverAt(i)))
  const app = await w.createApplication(environment, { allowed_scopes: ['openid', ...names] })
  const who = await person()
  const wide = asking(['openid', ...names].join(' '), ...servers)
  const narrow = asking(['openid', ...names.slice(0, 15)].join(' '), ...servers)
  assert.ok((await who.tokens(app, wide)).access_token.length < 16_384)
  const before = await who.code(app, wide)
  for (const server of servers) await roles.change('resource-servers', server, { roles_claim: 'roles' })
  const refused = new URL((await who.agent.get(authorizationRequest(environment, app, wide).url)).headers.get('location') ?? '')
  assert.equal(refused.searchParams.get('error'), 'invalid_scope')
  assert.equal((await exchange(w, environment, app, before)).body.error, 'invalid_scope')
  const part = expectStatus(200, await exchange(w, environment, app, { ...before, change: { resource: identifierOf(0) } }))
  assert.ok('roles' in payloadOf(part.access_token))
  assert.ok('roles' in payloadOf((await who.tokens(app, narrow)).access_token))
})

test('validation answers the present roles whatever the claims, and no scope where the roles leave none', async () => {
  const who = await person(reader)
  const asked = asking('openid offline_access orders:read', orders)
  const { refresh_token } = await who.tokens(client, asked)
  const { access_token } = expectStatus(200, await refresh(w, environment, client, { refresh_token, scope: 'orders:read' }))
  const { org_id, roles: slugs, claims, scope } = await roles.validate(access_token)
  assert.deepEqual({ org_id, slugs, claims, scope }, { org_id: null, slugs: [everyone.slug, 'reader'], claims: {}, scope: 'orders:read' })
  await roles.give(who)
  const without = await roles.validate(access_token)
  assert.deepEqual([without.active, 'scope' in without, without.roles], [true, false, [everyone.slug]])
})

test('an opaque token is judged as a JWT is', async () => {
  const opaque = await roles.createServer('opaque', ['opaque:read', 'opaque:write'], {
    access_token_format: 'opaque',
    roles_claim: 'roles',
  })
  const role = await roles.createRole('opaque', { opaque: ['opaque:read'] })
  const app = await w.createApplication(environment, { allowed_scopes: ['openid', 'opaque:read', 'opaque:write'] })
  const who = await person(role)
  const tokens = await who.tokens(app, asking('openid opaque:read opaque:write', opaque))
  assert.equal(tokens.scope, 'openid opaque:read')
  assert.equal((await roles.validate(tokens.access_token)).scope, 'openid opaque:read')
  await roles.give(who)
  assert.equal((await roles.validate(tokens.access_token)).scope, 'openid')
})

test('where nothing asks for roles, discovery, tokens and answers are byte for byte the same before and after there are any', async () => {
  const { test: plain } = await w.createProject('plain')
  const of_plain = await createRoleWorld(w, plain)
  const scopes = ['plain:read']
  const server = await of_plain.createServer('plain', scopes, { require_roles: false })
  const app = await w.createApplication(plain, { allowed_scopes: ['openid', 'email', 'offline_access', ...scopes], consent: 'ask' })
  const who = await of_plain.createPerson()
  const ask = asking('openid email offline_access plain:read', server)
  await who.tokens(app, ask)

  /** Every answer as text, without what differs each time. */
  async function answers(): Promise<string[]> {
    const { url } = authorizationRequest(plain, app, ask)
    const location = (await who.agent.get(url)).headers.get('location') ?? ''
    const page = await createAgent().get(url)
    const tokens = await who.tokens(app, ask)
    const renewed = expectStatus(200, await refresh(w, plain, app, tokens.refresh_token))
    const texts = [
      (await w.call('GET', `${plain.issuer}/.well-known/openid-configuration`, { key: null })).body,
      location,
      page.body.replace(/<style>.*?<\/style>/gs, ''),
      ...[tokens, renewed].flatMap((each) => [each, payloadOf(each.access_token), payloadOf(each.id_token)]),
      expectStatus(200, await userinfo(w, plain, renewed.access_token)),
    ]
    const varies = /ey[\w-]+\.[\w-]+\.[\w-]+|"(?:exp|iat|auth_time|updated_at)":\d+|grt_\w+|rt_[\w.-]+|[\w-]{22,}(?:%3D)?/g
    return texts.map((text) => (typeof text === 'string' ? text : JSON.stringify(text)).replaceAll(varies, '…'))
  }

  const before = await answers()
  const role = await of_plain.createRole('plain', { plain: scopes }, { default: true })
  await of_plain.give(who, role)
  await of_plain.createServer('other', ['other:read'])
  await w.createApplication(plain, { allowed_roles: [role.slug], roles_claim: 'roles' })
  assert.deepEqual(await answers(), before)
})

const refusals: [why: string, list: 'applications' | 'resource-servers', body: object, pointer: string][] = [
  ['an unknown role', 'applications', { allowed_roles: ['reader', 'nobody'] }, '/allowed_roles/1'],
  ['a role twice', 'applications', { allowed_roles: ['reader', 'reader'] }, '/allowed_roles'],
  ...['email', 'sub', 'entitlements', 'org_id', 'grant_id', '__proto__', 'Roles', 'a-b', '', 'x'.repeat(61)].flatMap(
    (roles_claim): [string, 'applications' | 'resource-servers', object, string][] => [
      [`the claim ${roles_claim.slice(0, 20)}`, 'applications', { roles_claim }, '/roles_claim'],
      [`the claim ${roles_claim.slice(0, 20)}`, 'resource-servers', { roles_claim }, '/roles_claim'],
    ],
  ),
]
for (const [why, list, body, pointer] of refusals)
  test(`${why} is refused for ${list}`, async () => {
    const id = list === 'applications' ? client.id : orders.id
    const reply = await w.call('PATCH', `${environment.path}/${list}/${id}`, { body })
    assert.deepEqual([reply.status, reply.body.errors?.map((each: { pointer: string }) => each.pointer)], [422, [pointer]])
  })
