/** The name of a person: at sign-up, and once in a sign-in of a person without one (`sign_up.name`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { codeAfter, passwordStep, stepOn } from '../support/authenticator-app.ts'
import { authorizationRequest, createAgent, exchange, followPages, formOf, type Request } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { loopback_networks, startProvider } from '../support/own-provider.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const op = await startProvider()
const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: loopback_networks }, outbound: op.outbound })
const { test: required } = w
const { test: optional } = await w.createProject('optional')
await w.changeSettings(required, { sign_up: { name: 'required' }, email: { delivery: 'none' } })
await w.changeSettings(optional, { sign_up: { name: 'optional' }, sign_in: { email_code: true } })
const scope = 'openid profile'
const asking = await w.createApplication(required, { consent: 'ask' })
const client = await w.createApplication(optional)
const addProvider = async ({ path }: TestEnvironment) =>
  expectStatus(
    201,
    await w.call('POST', `${path}/providers`, { body: { type: 'oidc', issuer: op.issuer, client_id: 'c', client_secret: 's' } }),
  )
const provider = await addProvider(optional)

const Counted = z.object({ name: z.string().nullable(), version: z.int(), changes: z.int() })
const stateOf = async (id: string) =>
  (await w.deployment.db.maybeOne(
    Counted,
    sql`select name, version, (select count(*) from events e where e.environment_id = u.environment_id and e.user_id = u.id
                                  and e.type = 'user.updated' and e.data like '%"changed":["name"]%') as changes
          from users u where u.environment_id = ${required.id} and u.id = ${id}`,
  )) ?? assert.fail('There is no such user.')

async function claimsOf(environment: TestEnvironment, request: Request, code: string | null) {
  const application = environment === required ? asking : client
  return decodeJwt(expectStatus(200, await exchange(w, environment, application, { request, code: code ?? '' })).id_token)
}

async function signUp(name: string) {
  const agent = createAgent()
  const request = authorizationRequest(required, asking, { prompt: 'create', scope })
  const page = await agent.get(request.url)
  assert.match(page.body, /<input id="name"[^>]* required/)
  const reply = await agent.submit(page, { email: `${randomText()}@example.com`, name, password: 'a long enough passphrase' })
  return { agent, request, reply }
}

test('a required name is asked for by the sign-up form, which takes no account without one', async () => {
  for (const [name, says] of [
    ['', 'Enter your name'],
    ['\u200b', 'Enter your name'],
    ['x'.repeat(101), 'at most 100'],
  ] as const) {
    const { reply } = await signUp(name)
    assert.equal(reply.status, 400)
    assert.ok(reply.body.includes(says), says)
  }
  const { agent, request, reply } = await signUp('Ada Example')
  const { page } = await codeAfter(agent, reply, request)
  assert.equal(stepOn(page), 'consent', 'a person with a name is not asked again')
})

test('a person without a required name enters it once, after the factors and before the consent', async () => {
  const user = await w.createUser(required, { name: '' })
  const { agent, request, page } = await passwordStep(required, asking, user, { change: { scope } })
  assert.equal(stepOn(page), 'profile')
  assert.match(page.body, /data-action="save-profile"/)
  assert.doesNotMatch(page.body, /data-action="not-now"|<script/)
  const silent = await agent.get(authorizationRequest(required, asking, { scope, prompt: 'none' }).url)
  assert.equal(new URL(silent.headers.get('location') ?? '').searchParams.get('error'), 'interaction_required')

  const before = await stateOf(user.id)
  const { action, hidden } = formOf(page.body)
  const send = (change: Record<string, string>) => agent.post(action, { ...hidden, ...change })
  // biome-ignore format: this table is read by column
  const refusals: [why: string, change: Record<string, string>, status: number, shown: string][] = [
    ['it is empty',                        { name: ' ' },                                     400, 'Enter your name'],
    ['it has 101 characters',              { name: 'x'.repeat(101) },                         400, 'x'.repeat(101)],
    ['the form is not of this browser',    { name: 'Kim', csrf: 'another' },                  400, 'value="Kim"'],
    ['it belongs to no session here',      { name: 'Kim', session: 'ses_another' },           400, ''],
    ['it is left out',                     { decision: 'not-now', name: '' },                 303, ''],
  ]
  for (const [why, change, status, shown] of refusals) {
    const reply = await send(change)
    assert.deepEqual([reply.status, reply.body.includes(shown)], [status, true], why)
    assert.equal(stepOn(await followPages(agent, await agent.get(request.url))), 'profile', why)
  }
  const refused = await send({ name: '' })
  const call = expectStatus(200, await w.call('GET', `${required.path}/requests/${referenceOf(refused)}`))
  assert.deepEqual([call.code, call.user_id], ['validation_failed', user.id])
  assert.deepEqual(await stateOf(user.id), before, 'nothing changed')

  const loaded_before = formOf((await agent.get(request.url)).body)
  const [first, second] = [await send({ name: ' Ada Example ' }), await send({ name: ' Ada Example ' })]
  assert.deepEqual([second.status, second.headers.get('location')], [303, first.headers.get('location')], 'pressed twice')
  assert.equal((await agent.post(loaded_before.action, { ...loaded_before.hidden, name: 'Another' })).status, 303)
  assert.deepEqual(await stateOf(user.id), { name: 'Ada Example', version: before.version + 1, changes: 1 })
  const consent = await followPages(agent, first)
  assert.equal(stepOn(consent), 'consent')
  const { code } = await codeAfter(agent, await agent.submit(consent, { decision: 'allow' }), request)
  assert.equal((await claimsOf(required, request, code)).name, 'Ada Example')
  const again = await passwordStep(required, asking, user, { change: { scope } })
  assert.notEqual(again.code, null, 'the next sign-in asks for nothing')
})

/** Signs in at the provider. Returns the page or the code after it. */
async function comeFromProvider(claims: Record<string, unknown>) {
  const agent = createAgent()
  const request = authorizationRequest(optional, client, { scope })
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${optional.issuer}/federate`, { ...hidden, provider: provider.id })
  const { searchParams } = new URL(started.headers.get('location') ?? '')
  Object.assign(op, { claims, nonce: searchParams.get('nonce') })
  const answer = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '' })
  return { agent, request, ...(await codeAfter(agent, await agent.get(`${provider.callback_url}?${answer}`), request)) }
}

async function signInByCode(email: string) {
  const agent = createAgent()
  const request = authorizationRequest(optional, client, { scope })
  const page = await agent.submit(await agent.get(request.url), { email, password: '', method: 'email_code' })
  const { code: mailed } = await newestMail(w, optional, email)
  return { agent, request, ...(await codeAfter(agent, await agent.submit(page, { code: mailed ?? '' }), request)) }
}

type Arrival = Awaited<ReturnType<typeof signInByCode>>
const given =
  (name: string) =>
  async ({ agent, page }: Arrival) =>
    agent.submit(page, { name })
const leaveOut = async ({ agent, page }: Arrival): Promise<Reply> => {
  const { action, hidden } = formOf(page.body)
  return agent.post(action, { ...hidden, decision: 'not-now' })
}

// biome-ignore format: this table is read by column
const beginnings: [how: string, arrive: () => Promise<Arrival>, answer: (arrival: Arrival) => Promise<Reply>, name: string | undefined][] = [
  ['at a provider that sent no name, and gives one',    () => comeFromProvider({ sub: 'one' }),            given('Ada Example'), 'Ada Example'],
  ['at a provider that sent no name, and leaves it out', () => comeFromProvider({ sub: 'two' }),           leaveOut,             undefined],
  ['by an emailed code, and gives one',                 () => signInByCode('code@example.com'),            given('Kim'),         'Kim'],
]
for (const [how, arrive, answer, name] of beginnings)
  test(`an optional name is asked for once of a person who begins ${how}`, async () => {
    const arrival = await arrive()
    assert.equal(stepOn(arrival.page), 'profile')
    const { code } = await codeAfter(arrival.agent, await answer(arrival), arrival.request)
    assert.equal((await claimsOf(optional, arrival.request, code)).name, name)
    assert.notEqual((await arrive()).code, null, 'the next sign-in asks for nothing')
  })

test('a provider that sends a name leaves nothing to ask', async () => {
  const { request, code } = await comeFromProvider({ sub: 'three', name: 'Ada Example' })
  assert.equal((await claimsOf(optional, request, code)).name, 'Ada Example')
})
