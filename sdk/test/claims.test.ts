/** Roles and data in access tokens: what `verifyAccessToken` returns of them, and the largest token that has them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createKeySet, type VerifyOptions, verifyAccessToken } from '@ostiary/sdk/verify'
import { organizationsOf } from '../../server/test/support/organizations.ts'
import { createRoleWorld } from '../../server/test/support/role-person.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'

const w = await world()
const roles = await createRoleWorld(w, w.test)
const orgs = await organizationsOf(w, w.test)
const reaching: typeof fetch = (input, init) => fetch(w.reach(String(input)), init)
const { issuer } = w.test
const options = { keys: createKeySet({ issuer, fetch: reaching, now: w.now, cooldown_seconds: 0 }), issuer, now: w.now }
const live = { key: orgs.key, base_url: w.base_url, fetch: reaching }

test('a token has the roles and the data of when it was issued, and with live the answer has those of now and no others', async () => {
  const api = await roles.createServer('orders', ['orders:read'], { require_roles: false, roles_claim: 'team_roles', data_claims: true })
  const role = await roles.createRole('reader')
  const application = await w.createApplication(w.test, { allowed_scopes: ['openid', 'orders:read'] })
  const person = await roles.createPerson()
  await roles.give(person, role)
  expectStatus(200, await orgs.auth('PATCH', `users/${person.id}`, { claims: { plan: 'team', seats: 5 } }))
  const { access_token } = await person.tokens(application, { scope: 'openid orders:read', resource: api.identifier })
  await roles.give(person)
  expectStatus(200, await orgs.auth('PATCH', `users/${person.id}`, { claims: { plan: 'free', seats: null } }))
  const of_api: VerifyOptions = { ...options, audience: api.identifier }
  const { plan, seats, team_roles, grant_id, acr } = await verifyAccessToken(access_token, of_api)
  assert.deepEqual([plan, seats, team_roles], ['team', 5, ['reader']])
  const present = await verifyAccessToken(access_token, { ...of_api, live })
  assert.deepEqual([present.roles, present.claims], [[], { plan: 'free' }])
  assert.deepEqual([present.grant_id, present.acr], [grant_id, acr])
  for (const name of ['plan', 'seats', 'team_roles']) assert.ok(!(name in present), name)
})

test('the largest token with 25 roles and all data is accepted, and passes the header limit of Node', async () => {
  const slugOf = (kind: string, i: number) => `${kind}-${i}-`.padEnd(63, 'x')
  const of_members = { kind: 'organization' }
  for (let i = 0; i < 5; i++) await roles.createRole(slugOf('all', i), {}, { ...of_members, default: true })
  const given = Array.from({ length: 20 }, (_, i) => slugOf('given', i))
  for (const slug of given) await roles.createRole(slug, {}, of_members)
  const names = Array.from({ length: 8 }, (_, i) => `${i}`.padEnd(180, 's'))
  const scope = ['openid', ...names].join(' ')
  const fields = { require_roles: false, roles_claim: 'r'.repeat(60), data_claims: true }
  const room = 6_500 - scope.length
  const identifiers = Array.from({ length: 20 }, (_, i) => `https://${i}.example.com/`.padEnd(Math.floor((room + i) / 20), 'x'))
  assert.equal(identifiers.join('').length + scope.length, 6_500)
  for (const [i, identifier] of identifiers.entries()) await roles.createServer(`api-${i}`, i === 0 ? names : [], { ...fields, identifier })
  const application = await w.createApplication(w.test, { allowed_scopes: ['openid', ...names], organizations: 'required' })
  const person = await roles.createPerson()
  /** An object of 1,024 bytes as compact JSON, with letters of two bytes. */
  const fit = (letter: string) => ({ [letter.repeat(100)]: `x${'ä'.repeat(458)}` })
  expectStatus(200, await orgs.auth('PATCH', `users/${person.id}`, { claims: fit('u') }))
  const { id } = await orgs.create({ claims: fit('o') })
  expectStatus(201, await orgs.add(id, person.id, given))
  const { access_token } = await person.tokens(application, { scope, resource: identifiers, organization: id })
  assert.ok(access_token.length > 14_500, `${access_token.length}`)
  const claims = await verifyAccessToken(access_token, { ...options, audience: identifiers[7] ?? '', organization: id })
  assert.equal((claims[fields.roles_claim] as string[]).length, 25) // as: checked here

  const api = createServer((request, response) => void response.end(`${request.headers.authorization?.length}`)).listen(0, '127.0.0.1')
  await once(api, 'listening')
  try {
    const { port } = api.address() as AddressInfo // as: it listens on a port
    const browser = { accept: 'application/json', 'user-agent': 'Mozilla/5.0'.padEnd(150, 'x'), origin: 'https://app.example.com' }
    const reply = await fetch(`http://127.0.0.1:${port}/orders`, { headers: { ...browser, authorization: `Bearer ${access_token}` } })
    assert.deepEqual([reply.status, await reply.text()], [200, `${'Bearer '.length + access_token.length}`])
  } finally {
    api.close()
  }
})
