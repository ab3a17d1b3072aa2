/** Data of users and organizations in tokens: which token carries which, and what it never replaces (decision 0179). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClaimTaken } from '@ostiary/contract/jwt-claims.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()

type Claims = Record<string, unknown>
const of_user: Claims = { plan: 'free', age: 7, 'https://shop.example/tags': ['a', { deep: null }] }
const of_organization: Claims = { plan: 'team', seats: 5 }
const both: Claims = { ...of_user, ...of_organization }

/** The claims of a token or of UserInfo that no standard and no part of the service defines. */
const dataIn = (payload: Claims) => Object.fromEntries(Object.entries(payload).filter(([name]) => !isClaimTaken(name)))

interface Case {
  rule: string
  user?: Claims
  organization?: Claims | null
  application?: 'learns' | 'ignores'
  /** The resource servers of the token. */
  servers: readonly ('asks' | 'also-asks' | 'never')[]
  minimal?: boolean
  gives: { access: Claims; id: Claims; present: Claims }
}
const all = (data: Claims) => ({ access: data, id: data, present: data })

// biome-ignore format: this table is read by line
const cases: Case[] = [
  { rule: 'without an organization tokens carry the data of the user', user: of_user, servers: ['asks'], gives: all(of_user) },
  { rule: 'with an organization they carry that of the organization', organization: of_organization, servers: ['asks'], gives: all(of_organization) },
  { rule: 'they carry both, and the organization wins', user: of_user, organization: of_organization, servers: ['asks'], gives: all(both) },
  { rule: 'an organization without data leaves that of the user', user: of_user, organization: {}, servers: ['asks'], gives: all(of_user) },
  { rule: 'a person without data has none', servers: ['asks'], gives: all({}) },
  { rule: 'all resource servers of the token ask for it', user: of_user, organization: of_organization, servers: ['asks', 'also-asks'], gives: all(both) },
  { rule: 'one resource server of the token does not ask', user: of_user, organization: of_organization, servers: ['asks', 'never'], gives: { access: {}, id: both, present: both } },
  { rule: 'no resource server of the token asks', user: of_user, servers: ['never'], gives: { access: {}, id: of_user, present: of_user } },
  { rule: 'an access token without a resource server carries none', user: of_user, organization: of_organization, servers: [], gives: { access: {}, id: both, present: both } },
  { rule: 'the application does not ask', user: of_user, application: 'ignores', servers: ['asks'], gives: { access: of_user, id: {}, present: of_user } },
  { rule: 'nobody asks', user: of_user, organization: of_organization, application: 'ignores', servers: ['never'], gives: { access: {}, id: {}, present: both } },
  { rule: 'a minimal ID token carries it too', user: of_user, organization: of_organization, servers: ['asks'], minimal: true, gives: all(both) },
]

for (const environment of [w.test, w.live]) {
  const in_type = `(${environment.type})`
  const roles = await createRoleWorld(w, environment)
  const orgs = await organizationsOf(w, environment)
  const server = (slug: string, fields: object = {}) => roles.createServer(slug, [slug], { require_roles: false, ...fields })
  const servers = {
    asks: await server('asks', { data_claims: true }),
    'also-asks': await server('also-asks', { data_claims: true }),
    never: await server('never'),
  }
  const allowed_scopes = ['openid', 'profile', 'email', 'offline_access', ...Object.keys(servers)]
  const application = (fields: object = {}) =>
    w.createApplication(environment, { allowed_scopes, organizations: 'optional', data_claims: true, ...fields })
  const clients = { learns: await application(), ignores: await application({ data_claims: false }) }

  /** A person with this data, who is a member of an organization with that. */
  async function member(user: Claims = {}, organization: Claims | null = null) {
    const person = await roles.createPerson()
    expectStatus(200, await orgs.auth('PATCH', `users/${person.id}`, { claims: user }))
    if (organization === null) return { person, organization: 'none' }
    const { id } = await orgs.create({ claims: organization })
    expectStatus(201, await orgs.add(id, person.id))
    return { person, organization: id }
  }

  for (const { rule, user, organization, application = 'learns', servers: named, minimal = false, gives } of cases)
    test(`${rule}: in tokens, after a refresh, in UserInfo and in validation ${in_type}`, async () => {
      const client = clients[application]
      await w.changeSettings(environment, { tokens: { id_token_claims: minimal ? 'minimal' : null } })
      const { person, organization: chosen } = await member(user, organization)
      const ask = {
        scope: ['openid', 'profile', 'offline_access', ...named].join(' '),
        resource: named.map((slug) => servers[slug].identifier),
        organization: chosen,
      }
      const first = await person.tokens(client, ask)
      for (const tokens of [first, expectStatus(200, await refresh(w, environment, client, first.refresh_token))]) {
        assert.deepEqual(dataIn(payloadOf(tokens.access_token)), gives.access)
        assert.deepEqual(dataIn(payloadOf(tokens.id_token)), gives.id)
        assert.deepEqual(dataIn(expectStatus(200, await userinfo(w, environment, tokens.access_token))), gives.id)
        assert.deepEqual((await roles.validate(tokens.access_token)).claims, gives.present)
      }
      await w.changeSettings(environment, { tokens: { id_token_claims: null } })
    })

  test(`a grant without an organization has nothing of those of the person, and of two it has the one that was chosen ${in_type}`, async () => {
    const { person, organization } = await member(of_user, of_organization)
    const other = await orgs.create({ claims: { plan: 'enterprise' } })
    expectStatus(201, await orgs.add(other.id, person.id))
    const ask = { scope: 'openid asks', resource: servers.asks.identifier }
    for (const [chosen, data] of [
      ['none', of_user],
      [organization, both],
      [other.id, { ...of_user, plan: 'enterprise' }],
    ] as const) {
      const { access_token } = await person.tokens(clients.learns, { ...ask, organization: chosen })
      assert.deepEqual([dataIn(payloadOf(access_token)), (await roles.validate(access_token)).claims], [data, data])
    }
  })

  test(`a token request for one of the resource servers is judged by this one alone ${in_type}`, async () => {
    const { person } = await member(of_user)
    const ask = { scope: 'openid asks never', resource: [servers.asks.identifier, servers.never.identifier], organization: 'none' }
    const one = await exchange(w, environment, clients.learns, {
      ...(await person.code(clients.learns, ask)),
      change: { resource: servers.asks.identifier },
    })
    assert.deepEqual(dataIn(payloadOf(expectStatus(200, one).access_token)), of_user)
  })

  test(`the claims of the token win over data that took their names before ${in_type}`, async () => {
    const taken = { email: 'other@example.com', sub: 'usr_x', acr: 'x', grant_id: 'x', org_id: 'x', org_role: 'boss', roles: ['boss'] }
    const { person } = await member({})
    const stored = { ...taken, plan: 'free' } // as an earlier list of names let pass
    await w.deployment.db
      .of(environment.id)
      .run(sql`update users set claims = ${stored} where environment_id = ${environment.id} and id = ${person.id}`)
    const ask = { scope: 'openid asks', resource: servers.asks.identifier, organization: 'none' }
    const tokens = await person.tokens(clients.learns, ask)
    const answers = [
      payloadOf(tokens.access_token),
      payloadOf(tokens.id_token),
      expectStatus(200, await userinfo(w, environment, tokens.access_token)),
    ]
    for (const answer of answers) {
      assert.deepEqual([answer.plan, answer.sub], ['free', person.id])
      for (const name of ['email', 'org_id', 'org_role', 'roles']) assert.ok(!(name in answer), name)
      assert.notEqual(answer.acr, 'x')
      assert.notEqual(answer.grant_id, 'x')
    }
    const { sub, claims, roles: present } = await roles.validate(tokens.access_token)
    assert.deepEqual([sub, claims, present], [person.id, stored, []])
  })

  test(`a claim of roles wins over data of its name, and where the token has no roles nothing stands in its place ${in_type}`, async () => {
    const named = await server(`team-${environment.type}`, { data_claims: true })
    const client = await application({ allowed_scopes: [...allowed_scopes, named.slug] })
    const { person } = await member({ team_roles: ['boss'], plan: 'free' })
    const role = await roles.createRole(`team-${environment.type}`)
    await roles.give(person, role)
    const answersOf = async (...of: { identifier: string }[]) => {
      const ask = { scope: 'openid', resource: of.map(({ identifier }) => identifier), organization: 'none' }
      const { access_token, id_token } = await person.tokens(client, ask)
      const info = expectStatus(200, await userinfo(w, environment, access_token))
      const { claims, roles: present } = await roles.validate(access_token)
      assert.deepEqual([claims, present], [{ team_roles: ['boss'], plan: 'free' }, [role.slug]])
      return [payloadOf(access_token), payloadOf(id_token), info].map(dataIn)
    }
    const data = { team_roles: ['boss'], plan: 'free' }
    assert.deepEqual(await answersOf(named, servers.asks), [data, data, data])
    await roles.change('resource-servers', named, { roles_claim: 'team_roles' })
    assert.deepEqual(await answersOf(named), [{ team_roles: [role.slug], plan: 'free' }, data, data])
    assert.deepEqual(await answersOf(named, servers.asks), [{ plan: 'free' }, data, data])
    assert.deepEqual(await answersOf(servers.asks), [data, data, data])
    await roles.change('applications', client, { roles_claim: 'team_roles' })
    const own = { team_roles: [role.slug], plan: 'free' }
    assert.deepEqual(await answersOf(servers.asks), [data, own, own])
  })

  test(`data of an opaque token is in its validation, and is not stored beside the token ${in_type}`, async () => {
    const opaque = await server(`opaque-${environment.type}`, { data_claims: true, access_token_format: 'opaque' })
    const client = await application({ allowed_scopes: [...allowed_scopes, opaque.slug] })
    const { person, organization } = await member(of_user, of_organization)
    const tokens = await person.tokens(client, { scope: `openid ${opaque.slug}`, resource: opaque.identifier, organization })
    assert.match(tokens.access_token, /^svc_at_/)
    const verdict = await roles.validate(tokens.access_token)
    assert.deepEqual([verdict.claims, dataIn(payloadOf(tokens.id_token))], [both, both])
    const Stored = z.object({ claims: z.record(z.string(), z.unknown()) })
    const rows = await w.deployment.db
      .of(environment.id)
      .all(Stored, sql`select claims from opaque_access_tokens where environment_id = ${environment.id}`)
    assert.deepEqual(
      rows.filter(({ claims }) => claims.jti === verdict.jti).map(({ claims }) => dataIn(claims)),
      [{}],
    )
  })

  test(`where tokens have data, identifiers and scope have at most 6,500 characters together ${in_type}`, async () => {
    const names = Array.from({ length: 19 }, (_, i) => `${i}`.padStart(200, 'x'))
    const wide = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        roles.createServer(`wide-${i}`, names, { identifier: `https://wide-${i}.example.com/${'x'.repeat(470)}`, require_roles: false }),
      ),
    )
    const client = await application({ allowed_scopes: ['openid', ...names], data_claims: false })
    const { person } = await member(of_user)
    const ask = { scope: ['openid', ...names].join(' '), resource: wide.map(({ identifier }) => identifier), organization: 'none' }
    const errorOf = async () => {
      const location = (await person.agent.get(authorizationRequest(environment, client, ask).url)).headers.get('location') ?? ''
      return new URL(location).searchParams.get('error')
    }
    await person.tokens(client, ask)
    const before = await person.code(client, ask)
    await roles.change('applications', client, { data_claims: true })
    assert.equal(await errorOf(), 'invalid_scope')
    await roles.change('applications', client, { data_claims: false })
    assert.equal(await errorOf(), null)
    for (const each of wide) await roles.change('resource-servers', each, { data_claims: true })
    assert.equal(await errorOf(), 'invalid_scope')
    const refused = await exchange(w, environment, client, before)
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope'])
    const part = expectStatus(200, await exchange(w, environment, client, { ...before, change: { resource: wide[0]?.identifier } }))
    assert.deepEqual(dataIn(payloadOf(part.access_token)), of_user)
  })
}

test('metadata stays in no token', async () => {
  const roles = await createRoleWorld(w, w.test)
  const orgs = await organizationsOf(w, w.test)
  const person = await roles.createPerson()
  expectStatus(200, await orgs.auth('PATCH', `users/${person.id}`, { metadata: { note: 'private' }, claims: { plan: 'free' } }))
  const { id } = await orgs.create({ metadata: { note: 'private' }, claims: { seats: 5 } })
  expectStatus(201, await orgs.add(id, person.id))
  const api = await roles.createServer('metadata', ['metadata'], { require_roles: false, data_claims: true })
  const client = await w.createApplication(w.test, { allowed_scopes: ['openid', 'metadata'], organizations: 'required', data_claims: true })
  const tokens = await person.tokens(client, { scope: 'openid metadata', resource: api.identifier, organization: id })
  const info = expectStatus(200, await userinfo(w, w.test, tokens.access_token))
  const { claims } = await roles.validate(tokens.access_token)
  for (const answer of [payloadOf(tokens.access_token), payloadOf(tokens.id_token), info, claims]) {
    assert.deepEqual(dataIn(answer), { plan: 'free', seats: 5 })
    assert.doesNotMatch(JSON.stringify(answer), /note|private/)
  }
})

test('where nothing asks for data, tokens and answers are the same with data and without', async () => {
  const { test: plain } = await w.createProject('plain')
  const of_plain = await createRoleWorld(w, plain)
  const { auth } = await organizationsOf(w, plain)
  const api = await of_plain.createServer('plain', ['plain:read'], { require_roles: false })
  const client = await w.createApplication(plain, { allowed_scopes: ['openid', 'profile', 'email', 'plain:read'] })
  const person = await of_plain.createPerson()
  const shapes = async () => {
    const tokens = await person.tokens(client, { scope: 'openid profile email plain:read', resource: api.identifier })
    const info = expectStatus(200, await userinfo(w, plain, tokens.access_token))
    return [payloadOf(tokens.access_token), payloadOf(tokens.id_token), info].map((answer) => Object.keys(answer).join(' '))
  }
  const before = await shapes()
  expectStatus(200, await auth('PATCH', `users/${person.id}`, { claims: of_user }))
  assert.deepEqual(await shapes(), before)
})
