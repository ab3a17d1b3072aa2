/**
 * After the answer to a change of data no process gives what it was. On PostgreSQL the change is made at one service and asked about at another,
 * which remembers the data from before.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClaimTaken } from '@ostiary/contract/jwt-claims.ts'
import { exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const other = process.env.OSTIARY_TEST_ENGINE === 'postgres' ? await w.startAnotherService() : null
const at = (url: string) => other?.at(url) ?? url
const there = { issuer: at(environment.issuer) }
const roles = await createRoleWorld(w, environment)
const orgs = await organizationsOf(w, environment)

type Claims = Record<string, unknown>
const dataIn = (payload: Claims) => Object.fromEntries(Object.entries(payload).filter(([name]) => !isClaimTaken(name)))

let n = 0
/** A member with data, who has used the tokens of an application once. */
async function signedIn() {
  const slug = `api-${++n}`
  const server = await roles.createServer(slug, [slug], { require_roles: false, data_claims: true })
  const client = await w.createApplication(environment, {
    allowed_scopes: ['openid', 'offline_access', slug],
    organizations: 'required',
    data_claims: true,
  })
  const person = await roles.createPerson()
  expectStatus(200, await orgs.auth('PATCH', `users/${person.id}`, { claims: { plan: 'free', age: 7 } }))
  const organization = await orgs.create({ claims: { plan: 'team' } })
  expectStatus(201, await orgs.add(organization.id, person.id))
  const ask = { scope: `openid offline_access ${slug}`, resource: server.identifier }
  const tokens = await person.tokens(client, ask)
  const obtained = await person.code(client, ask)
  const who = { server, client, person, organization, tokens, obtained }
  await expectData(who, { access: { plan: 'team', age: 7 }, id: { plan: 'team', age: 7 } }, false)
  return who
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>

interface Expected {
  access: Claims
  id: Claims
  /** Of validation, which answers it whatever the claims. */
  present?: Claims
}

async function expectData(
  { client, tokens, obtained }: Pick<SignedIn, 'client' | 'tokens' | 'obtained'>,
  { access, id, present = access }: Expected,
  redeems = true,
): Promise<void> {
  assert.deepEqual((await roles.validate(tokens.access_token, at)).claims, present)
  assert.deepEqual(dataIn(expectStatus(200, await userinfo(w, there, tokens.access_token))), id)
  if (!redeems) return
  for (const reply of [await exchange(w, there, client, obtained), await refresh(w, there, client, tokens.refresh_token)]) {
    const { access_token, id_token } = expectStatus(200, reply)
    assert.deepEqual([dataIn(payloadOf(access_token)), dataIn(payloadOf(id_token))], [access, id])
  }
}

const both = (data: Claims): Expected => ({ access: data, id: data })
const set = (path: string, claims: unknown) => orgs.auth('PATCH', path, { claims })
const was = { plan: 'team', age: 7 }

// biome-ignore format: this table is read by line
const changes: [what: string, change: (who: SignedIn) => Promise<unknown>, after: Expected][] = [
  ['the data of a user is changed', ({ person }) => set(`users/${person.id}`, { age: 8 }), both({ plan: 'team', age: 8 })],
  ['the data of a user is taken', ({ person }) => set(`users/${person.id}`, null), both({ plan: 'team' })],
  ['the data of an organization is changed', ({ organization }) => set(`organizations/${organization.id}`, { plan: 'enterprise', seats: 5 }), both({ plan: 'enterprise', seats: 5, age: 7 })],
  ['the data of an organization is taken', ({ organization }) => set(`organizations/${organization.id}`, { plan: null }), both({ plan: 'free', age: 7 })],
  ['a resource server asks for no data any more', ({ server }) => roles.change('resource-servers', server, { data_claims: false }), { access: {}, id: was, present: was }],
  ['an application asks for no data any more', ({ client }) => roles.change('applications', client, { data_claims: false }), { access: was, id: {} }],
]
for (const [what, change, after] of changes)
  test(`once ${what}, no refresh, code, validation or UserInfo gives what it was`, async () => {
    const who = await signedIn()
    await change(who)
    await expectData(who, after)
  })

test('once an application asks for data, the next refresh and UserInfo have it', async () => {
  const who = await signedIn()
  await roles.change('applications', who.client, { data_claims: false })
  await expectData(who, { access: was, id: {} }, false)
  await roles.change('applications', who.client, { data_claims: true })
  await expectData(who, both(was))
})

test('data that is written by many at once is that of one of them, in every place', async () => {
  const who = await signedIn()
  await Promise.all(Array.from({ length: 20 }, (_, i) => set(`users/${who.person.id}`, { age: i, [`by${i % 5}`]: i })))
  const { claims } = expectStatus(200, await orgs.auth('GET', `users/${who.person.id}`))
  await expectData(who, both({ ...claims, plan: 'team' }))
})
