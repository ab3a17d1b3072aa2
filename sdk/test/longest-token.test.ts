/**
 * The longest tokens that roles, an organization and data make: their length, and that an API behind Node's limit of headers, the library and the
 * service take them.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import * as forExpress from '@ostiary/sdk/express'
import * as forHono from '@ostiary/sdk/hono'
import { createKeySet, type VerifyOptions } from '@ostiary/sdk/verify'
import express from 'express'
import { Hono } from 'hono'
import { createPerson, userinfo } from '../../server/test/support/cookie-browser.ts'
import { joinMany } from '../../server/test/support/organizations.ts'
import { createRoleWorld, payloadOf } from '../../server/test/support/role-person.ts'
import { createAuthKey } from '../../server/test/support/tenants.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'

const w = await world()
const environment = w.test
const roles = await createRoleWorld(w, environment)
const { key } = await createAuthKey(w, environment, 'auth_secret')

/** What the contract allows. */
const longest = {
  ...{ slug: 63, claim: 60, identifier_and_scope: 6_500, identifiers: 20, scope_name: 200, data: 1_024, data_names: 20 },
  ...{ more_by_roles_and_data: 5_000, header: 16_384 },
}
const roles_claim = 'roles'.padEnd(longest.claim, '_')
const slugOf = (name: string) => name.padEnd(longest.slug, 'x')

const identifiers = Array.from({ length: longest.identifiers }, (_, n) => `https://api-${n}.example.com/`.padEnd(125, 'x'))
const own_scopes = 'openid offline_access'
const names: string[] = []
for (let left = longest.identifier_and_scope - identifiers.join('').length - own_scopes.length; left > 1; ) {
  const name = `${names.length}:`.padEnd(Math.min(longest.scope_name, left - 1), 'y')
  names.push(name)
  left -= name.length + 1
}
const scope = [own_scopes, ...names].join(' ')
assert.equal(scope.length + identifiers.join('').length, longest.identifier_and_scope)

const servers = await Promise.all(
  identifiers.map((identifier, n) =>
    roles.createServer(`api-${n}`, n === 0 ? names : [`only-${n}`], { identifier, require_roles: n === 0 }),
  ),
)
const of_members = { kind: 'organization' }
const given = await Promise.all(
  Array.from({ length: 20 }, (_, n) => roles.createRole(slugOf(`given-${n}-`), { 'api-0': names }, of_members)),
)
const client = await w.createApplication(environment, {
  allowed_scopes: [...scope.split(' '), 'profile', 'email'],
  organizations: 'required',
})

/** Data of as many names and bytes as a user or an organization can have, whose names begin with a letter. */
function fullData(letter: string) {
  const data = Object.fromEntries(Array.from({ length: longest.data_names }, (_, n) => [`${letter}${n}`, '']))
  const [first = ''] = Object.keys(data)
  data[first] = 'x'.repeat(longest.data - JSON.stringify(data).length)
  assert.equal(JSON.stringify(data).length, longest.data)
  return data
}
const [of_user, of_organization] = [fullData('u'), fullData('o')]
// Every character takes three bytes, as in Chinese and Japanese.
const name = '名'.repeat(200)
const profile = {
  ...{ name, given_name: name, family_name: name, nickname: name, preferred_username: name },
  ...{ picture: 'https://a.example/'.padEnd(2_000, '写'), locale: 'de-x-aaaaaaaa-aaaaaaaa-aaaaaaaa', zoneinfo: 'z'.repeat(64) },
}
const person = await createPerson(w, environment, profile)
const organization = await roles.createOrganization(person, ...given)
await roles.changeOrganization(organization, { name: '社'.repeat(100), claims: of_organization })
expectStatus(200, await w.call('PATCH', `/v1/auth/users/${person.id}`, { key, body: { claims: of_user } }))
const ask = { scope, resource: identifiers, organization: organization.id }
const [identifier = ''] = identifiers

test('tokens are as long for a member of 2,000 organizations as for one of 1', async () => {
  const lengths = []
  for (const count of [1, 2_000]) {
    const member = await roles.createPerson()
    const { id } = await roles.createOrganization(member, ...given)
    if (count > 1) await joinMany(w, environment, member.id, count - 1)
    const tokens = await member.tokens(client, { ...ask, organization: id })
    assert.equal(payloadOf(tokens.access_token).org_id, id)
    lengths.push([tokens.access_token, tokens.id_token, tokens.refresh_token].map(({ length }: string) => length))
  }
  assert.deepEqual(lengths[1], lengths[0])
})

test('20 roles with the longest slugs and all data of a user and an organization add at most 5,000 characters to an access token', async () => {
  const without = await person.tokens(client, ask)
  for (const server of servers) await roles.change('resource-servers', server, { roles_claim, data_claims: true })
  const tokens = await person.tokens(client, ask)
  const payload = payloadOf(tokens.access_token)
  assert.equal(payload[roles_claim].length, given.length)
  for (const [name, value] of Object.entries({ ...of_user, ...of_organization })) assert.equal(payload[name], value)
  const more = tokens.access_token.length - without.access_token.length
  assert.ok(more > given.length * longest.slug + 2 * longest.data && more <= longest.more_by_roles_and_data, `${more}`)
})

const reaching: typeof fetch = (input, init) => fetch(w.reach(String(input)), init)
const options: VerifyOptions = {
  keys: createKeySet({ issuer: environment.issuer, fetch: reaching, now: w.now }),
  issuer: environment.issuer,
  audience: identifier,
  required_scopes: names,
  organization: organization.id,
  now: w.now,
}
const paths: Record<string, VerifyOptions> = {
  '/orders': options,
  '/live': { ...options, live: { key, base_url: w.base_url, fetch: reaching } },
}

/** Listens with the limits that Node has by default. */
async function startExpress() {
  const app = express()
  for (const [path, each] of Object.entries(paths))
    app.get(path, forExpress.protect(each), (request, response) => void response.json(forExpress.tokenOf(request)))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const address = server.address()
  const base_url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return (path: string, init: RequestInit) => fetch(base_url + path, init)
}

function startHono() {
  const app = new Hono()
  for (const [path, each] of Object.entries(paths)) {
    app.use(path, forHono.protect(each))
    app.get(path, (c) => c.json(forHono.tokenOf(c)))
  }
  return async (path: string, init: RequestInit) => app.request(path, init)
}

test('a token of the longest request with the most roles and data passes protect, UserInfo and validation', async () => {
  for (let n = 0; n < 5; n++) await roles.createRole(slugOf(`default-${n}-`), {}, { ...of_members, default: true })
  const { access_token } = await person.tokens(client, ask)
  const payload = payloadOf(access_token)
  assert.deepEqual([payload.scope, payload[roles_claim].length, payload.org_id], [scope, 25, organization.id])
  assert.deepEqual([payload.u1, payload.o1], ['', ''])
  assert.ok(access_token.length < longest.header, `${access_token.length}`)
  const headers = { authorization: `Bearer ${access_token}`, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101' }
  for (const send of [await startExpress(), startHono()])
    for (const path of Object.keys(paths)) {
      const response = await send(path, { headers })
      const claims = (await response.json()) as Record<string, unknown> // as: JSON of the test or of the middleware
      const said = path === '/live' ? claims.roles : claims[roles_claim] // with live the roles are those of now, under one name
      assert.deepEqual([response.status, claims.scope, said], [200, scope, payload[roles_claim]])
    }
  expectStatus(200, await userinfo(w, environment, access_token))
  assert.equal((await roles.validate(access_token)).roles.length, 25)
})

test('an ID token with the longest profile, the most roles and all data is accepted as a hint, with its organization', async () => {
  const longer = await w.createApplication(environment, { organizations: 'required', roles_claim, data_claims: true })
  const { id_token } = await person.tokens(longer, { scope: 'openid profile email', organization: organization.id })
  const payload = payloadOf(id_token)
  assert.deepEqual([payload[roles_claim].length, payload.u1, payload.o1, payload.name], [25, '', '', name])
  assert.ok(id_token.length > longest.header, `${id_token.length}`)
  await roles.createOrganization(person, ...given)
  const silent = { scope: 'openid', id_token_hint: id_token, prompt: 'none' }
  assert.equal(payloadOf((await person.tokens(longer, silent)).access_token).org_id, organization.id)
})
