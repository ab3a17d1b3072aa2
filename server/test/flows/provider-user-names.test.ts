/** The user name that a provider sends is taken once in an environment, by the first who has it (`accept_preferred_username`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { takeName } from '../../src/domain/users/store.ts'
import { authorizationRequest, createAgent, exchange, followToClient, formOf } from '../support/cookie-browser.ts'
import { loopback_networks, startProvider } from '../support/own-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const op = await startProvider()
const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: loopback_networks }, outbound: op.outbound })
const environment = w.test
const application = await w.createApplication(environment)
const addProvider = async (accept_preferred_username: boolean) => {
  const body = { type: 'oidc', issuer: op.issuer, client_id: 'c', client_secret: 's', accept_preferred_username }
  return expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
}
const [first, second, third] = [await addProvider(true), await addProvider(true), await addProvider(false)]

const Data = z.object({ data: z.object({ left_out: z.object({ preferred_username: z.string() }).optional() }) })
let people = 0

/** A new person signs in with this name. Returns the name in the ID token, or why it was left out. */
async function signUp(provider: typeof first, preferred_username: unknown) {
  const agent = createAgent()
  const request = authorizationRequest(environment, application)
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const { searchParams } = new URL(started.headers.get('location') ?? '')
  op.people.set(`${++people}`, { claims: { sub: `person-${people}`, preferred_username }, nonce: searchParams.get('nonce') ?? '' })
  const answer = new URLSearchParams({ code: `${people}`, state: searchParams.get('state') ?? '' })
  const back = await followToClient(agent, { ...request, url: `${provider.callback_url}?${answer}` }, { email: '', password: '' })
  const { id_token } = expectStatus(
    200,
    await exchange(w, environment, application, { request, code: back.searchParams.get('code') ?? '' }),
  )
  const { sub, preferred_username: name = null } = decodeJwt(id_token)
  const event = await w.deployment.db.maybeOne(
    Data,
    sql`select data from events where environment_id = ${environment.id} and type = 'user.created' and user_id = ${String(sub)}`,
  )
  return name ?? event?.data.left_out?.preferred_username ?? 'none'
}

const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email: 'grace@example.com', preferred_username: 'Grace' } }))

// biome-ignore format: this table is read by column
const names: [why: string, provider: typeof first, sent: unknown, becomes: string][] = [
  ['nobody has it',                            first,  'Pat',             'Pat'],
  ['a person of another provider has it',      second, 'Pat',             'taken'],
  ['it differs in case',                       first,  'pAT',             'taken'],
  ['it differs in width',                      second, 'ｐａｔ',          'taken'],
  ['it has a character that nobody sees',      first,  'P\u200bat',       'unusable'],
  ['the API gave it to a user',                first,  'grace',           'taken'],
  ['it is an address',                         first,  'grace@example.com', 'unusable'],
  ['it has 101 characters',                    first,  'x'.repeat(101),   'unusable'],
  ['it is a number',                           first,  7,                 'none'],
  ['none was sent',                            first,  undefined,         'none'],
  ['the provider is not set so',               third,  'Lee',             'none'],
  ['no provider that is set so sent it',       first,  'Lee',             'Lee'],
]
test('a provider names a person once, and the event says why a name was left out', async (t) => {
  for (const [why, provider, sent, becomes] of names)
    await t.test(`${JSON.stringify(sent)?.slice(0, 30)} gives ${becomes} where ${why}`, async () =>
      assert.equal(await signUp(provider, sent), becomes),
    )
})

test('of people who sign up at the same time with one name one gets it, and all are signed in', async () => {
  const got = await Promise.all(Array.from({ length: 50 }, (_, n) => signUp(n % 2 === 0 ? first : second, n < 25 ? 'Robin' : 'ROBIN')))
  assert.equal(got.filter((name) => name === 'taken').length, 49, got.join())
})

test('a user name that was taken after it was looked up is not taken again, whatever its case', async () => {
  const newUser = async (email: string) => expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email } })).id
  const [one, other] = [await newUser('one@example.com'), await newUser('other@example.com')]
  const take = (id: string, name: string) => w.deployment.db.batch(takeName({ environment_id: environment.id, id }, name))
  assert.notEqual(await take(one, 'Jordan'), null)
  assert.equal(await take(other, 'JORDAN'), null)
})
