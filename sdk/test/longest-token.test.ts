/** The longest access tokens that roles make: their length, and that an API behind Node's limit of headers, the library and the service take them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import * as forExpress from '@ostiary/sdk/express'
import * as forHono from '@ostiary/sdk/hono'
import { createKeySet, type VerifyOptions } from '@ostiary/sdk/verify'
import express from 'express'
import { Hono } from 'hono'
import { userinfo } from '../../server/test/support/cookie-browser.ts'
import { createRoleWorld, payloadOf } from '../../server/test/support/role-person.ts'
import { createAuthKey } from '../../server/test/support/tenants.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'

const w = await world()
const environment = w.test
const roles = await createRoleWorld(w, environment)
const { key } = await createAuthKey(w, environment, 'auth_secret')

/** What the contract allows. */
const longest = { slug: 63, claim: 60, identifier_and_scope: 6_500, identifiers: 20, scope_name: 200, more_by_roles: 5_000, header: 16_384 }
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
const given = await Promise.all(Array.from({ length: 20 }, (_, n) => roles.createRole(slugOf(`given-${n}-`), { 'api-0': names })))
const client = await w.createApplication(environment, { allowed_scopes: scope.split(' ') })
const person = await roles.createPerson()
await roles.give(person, ...given)
const ask = { scope, resource: identifiers }
const [identifier = ''] = identifiers

test('20 roles with the longest slugs add at most 5,000 characters to an access token', async () => {
  const without = await person.tokens(client, ask)
  for (const server of servers) await roles.change('resource-servers', server, { roles_claim })
  const tokens = await person.tokens(client, ask)
  assert.equal(payloadOf(tokens.access_token)[roles_claim].length, given.length)
  const more = tokens.access_token.length - without.access_token.length
  assert.ok(more > given.length * longest.slug && more <= longest.more_by_roles, `${more}`)
})

const reaching: typeof fetch = (input, init) => fetch(w.reach(String(input)), init)
const options: VerifyOptions = {
  keys: createKeySet({ issuer: environment.issuer, fetch: reaching, now: w.now }),
  issuer: environment.issuer,
  audience: identifier,
  required_scopes: names,
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

test('a token of the longest request with the most roles passes protect, UserInfo and validation', async () => {
  for (let n = 0; n < 5; n++) await roles.createRole(slugOf(`default-${n}-`), {}, { default: true })
  const { access_token } = await person.tokens(client, ask)
  const payload = payloadOf(access_token)
  assert.deepEqual([payload.scope, payload[roles_claim].length], [scope, 25])
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
