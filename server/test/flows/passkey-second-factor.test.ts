/** A passkey as the second factor of a sign-in, and the level that a passkey reaches (decision 0047). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import type { OidcCall, OidcServices } from '../../src/oidc/call.ts'
import { beginPasskeyFactor, finishPasskeyFactor } from '../../src/oidc/flow/second-factor/passkey-second-factor.ts'
import { createIssuers } from '../../src/oidc/issuer.ts'
import { createKeyPool } from '../../src/oidc/key-pool.ts'
import { type Changes, createAuthenticator, type SoftwareAuthenticator } from '../support/authenticator.ts'
import { appCode, codeAfter, enrolPerson, passwordStep, stepOn } from '../support/authenticator-app.ts'
import {
  type Agent,
  authorizationRequest,
  type Client,
  createAgent,
  exchange,
  type Fields,
  followPages,
  formOf,
  type Request,
} from '../support/cookie-browser.ts'
import { createPasskeyPerson, optionsOf, postCredential, setAble } from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const two = 'urn:ostiary:2fa'
const by_passkey = 'urn:ostiary:passkey'
await w.changeSettings(w.test, { sign_in: { passkey: true } })
const client = await w.createApplication(w.test)

test('as a second factor a passkey counts only for its user, its sign-in and once', async () => {
  const issuer = await createIssuers(w.deployment, createKeyPool(1)).find(w.test.id)
  assert.ok(issuer)
  const call = { issuer, now: w.now(), headers: {} } as unknown as OidcCall // as: the members that a ceremony reads
  const services = w.deployment as unknown as OidcServices // as: a ceremony uses the deployment only
  const [ada, ben] = [await createPasskeyPerson(w, w.test, client), await createPasskeyPerson(w, w.test, client)]
  assert.equal(await beginPasskeyFactor(services, call, { user_id: (await w.createUser(w.test)).id, waiting: 'one' }), null)
  const waiting = { user_id: ada.id, waiting: 'one' }
  const options = JSON.parse((await beginPasskeyFactor(services, call, waiting)) ?? '{}')
  assert.deepEqual(options.allowCredentials, [{ id: ada.device.credential_id, type: 'public-key', transports: ['hybrid', 'internal'] }])
  const finish = (of: typeof waiting, from: typeof ada, change: Changes = {}) =>
    finishPasskeyFactor(services, call, of, JSON.stringify(from.device.get(options, change)))

  for (const [of, from, change] of [
    [waiting, ben, {}],
    [{ user_id: ben.id, waiting: 'one' }, ada, {}],
    [{ user_id: ada.id, waiting: 'two' }, ada, {}],
    [waiting, ada, { verified: false }],
    [waiting, ada, { wrong_signature: true }],
  ] as const)
    assert.ok('refusal' in (await finish(of, from, change)))
  const done = await finish(waiting, ada, { user_handle: null })
  assert.ok('statements' in done)
  assert.deepEqual([done.amr, done.passkey.user_id], [['hwk', 'user'], ada.id])
  assert.ok(await db.batch(done.statements))
  assert.equal(await db.batch(done.statements), null)
})

const origin = new URL(w.test.issuer).origin
const without_mail = { email: { delivery: 'none' } }
await w.changeSettings(w.live, { sign_in: { passkey: true, passkey_shared_host: true } })
const sides = await Promise.all(
  [w.test, w.live].map(async (environment) => ({ environment, client: await w.createApplication(environment) })),
)

const eventsOf = (environment: TestEnvironment, type: string, user_id: string, count = 1) =>
  until(type, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=${type}&user_id=${user_id}`))
    return data.length >= count && data
  })
const answer = (device: SoftwareAuthenticator, page: Reply, change: Changes = {}) => device.get(optionsOf(page), change)
const offersPasskey = ({ body }: Reply) => /data-action="passkey"/.test(body)
const hasSession = (agent: Agent) => [...agent.cookies.keys()].some((name) => name.startsWith('ostiary_session_'))

/** A test environment of its own, with passkeys. */
async function newEnvironment(name: string, settings: Record<string, unknown> = {}) {
  const environment = (await w.createProject(name)).test
  await w.changeSettings(environment, { sign_in: { passkey: true }, ...without_mail, ...settings })
  return { environment, client: await w.createApplication(environment) }
}

for (const { environment, client } of sides) {
  const claimsOf = async (request: Request, code: string | null) =>
    decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' })).id_token)
  const ask = async (agent: Agent, change: Fields) => {
    const request = authorizationRequest(environment, client, change)
    return { request, ...(await codeAfter(agent, await agent.get(request.url), request)) }
  }

  test(`after a password the passkey of a person is asked for, and makes two factors (${environment.type})`, async () => {
    const person = await createPasskeyPerson(w, environment, client)
    const { agent, request, page, code } = await passwordStep(environment, client, person)
    assert.deepEqual([stepOn(page), code, hasSession(agent)], ['second-factor', null, false])
    assert.ok(offersPasskey(page))
    assert.match(page.body, /This browser cannot use passkeys/)
    assert.doesNotMatch(page.body, /name="code"|name="recovery_code"|data-action="continue"/)
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'sha256-/)
    const done = await codeAfter(agent, await postCredential(agent, page, answer(person.device, page)), request)
    const { acr, amr } = await claimsOf(request, done.code)
    assert.deepEqual([acr, amr], [two, ['pwd', 'hwk', 'user', 'mfa']])
    const succeeded = await eventsOf(environment, 'sign_in.succeeded', person.id, 2)
    assert.ok(succeeded.some(({ data }: any) => data.method === 'password' && data.second_factor === 'passkey')) // any: rows of the answer
  })

  test(`acr_values of a passkey is aimed at for a person with one, and dropped for another (${environment.type})`, async () => {
    const person = await createPasskeyPerson(w, environment, client) // its session is of one factor, from before the passkey
    const before = await ask(person.agent, { prompt: 'none' })
    const { sid, auth_time } = await claimsOf(before.request, before.code)
    w.advance(5)
    assert.equal((await ask(person.agent, { acr_values: by_passkey, prompt: 'none' })).error, 'interaction_required')
    const asked = await ask(person.agent, { acr_values: `phr ${by_passkey}` })
    assert.deepEqual([stepOn(asked.page), offersPasskey(asked.page)], ['second-factor', true])
    const done = await codeAfter(
      person.agent,
      await postCredential(person.agent, asked.page, answer(person.device, asked.page)),
      asked.request,
    )
    const raised = await claimsOf(asked.request, done.code)
    assert.deepEqual([raised.acr, raised.amr, raised.sid, raised.auth_time], [by_passkey, ['pwd', 'hwk', 'user'], sid, auth_time])
    assert.ok((await ask(person.agent, { acr_values: by_passkey, prompt: 'none' })).code, 'the session has the level')

    const fresh = await passwordStep(environment, client, person, { change: { acr_values: by_passkey } })
    const ended = await codeAfter(
      fresh.agent,
      await postCredential(fresh.agent, fresh.page, answer(person.device, fresh.page)),
      fresh.request,
    )
    assert.equal((await claimsOf(fresh.request, ended.code)).acr, by_passkey, 'a sign-in reaches it too, and is not asked twice')

    const other = await passwordStep(environment, client, await w.createUser(environment), { change: { acr_values: by_passkey } })
    assert.equal((await claimsOf(other.request, other.code)).acr, 'urn:ostiary:1fa')
  })

  test(`five refused passkeys end the attempt, each with its reason (${environment.type})`, async () => {
    const [person, ben] = [await createPasskeyPerson(w, environment, client), await createPasskeyPerson(w, environment, client)]
    const first = await passwordStep(environment, client, person)
    const used = answer(person.device, first.page, { counter: 8 })
    assert.ok((await codeAfter(first.agent, await postCredential(first.agent, first.page, used), first.request)).code)

    const { agent, request, page } = await passwordStep(environment, client, person)
    const elsewhere = await passwordStep(environment, client, person)
    const refused: [name: string, credential: unknown, reason: string][] = [
      ['the passkey of another user', answer(ben.device, page), 'unknown_passkey'],
      ['a response that was used', used, 'form_expired'],
      ['the challenge of another half sign-in', answer(person.device, elsewhere.page, { counter: 20 }), 'form_expired'],
      ['a counter that goes back', answer(person.device, page, { counter: 7 }), 'passkey_counter_back'],
    ]
    for (const [name, credential, reason] of refused) {
      const reply = await postCredential(agent, page, credential)
      assert.deepEqual([reply.status, stepOn(reply), offersPasskey(reply)], [400, 'second-factor', true], name)
      assert.match(reply.body, /passkey could not be checked/)
      const failed = await until(
        name,
        async () => (await eventsOf(environment, 'sign_in.failed', person.id)).some(({ data }: any) => data.reason === reason), // any: rows of the answer
      )
      assert.ok(failed)
    }
    assert.equal((await postCredential(agent, page, '')).status, 400, 'an empty form is not a try')
    const fifth = await postCredential(agent, page, 'x'.repeat(20_000))
    assert.deepEqual([fifth.status, stepOn(fifth), hasSession(agent)], [400, 'sign-in', false])
    const late = await codeAfter(agent, await postCredential(agent, page, answer(person.device, page, { counter: 30 })), request)
    assert.deepEqual([stepOn(late.page), late.code], ['sign-in', null])
    const right = answer(person.device, elsewhere.page, { counter: 40 })
    assert.ok((await codeAfter(elsewhere.agent, await postCredential(elsewhere.agent, elsewhere.page, right), elsewhere.request)).code)
  })
}

test('a person with a passkey and an app can use either, and for a passkey after an app only the passkey is asked for', async () => {
  const { environment, client } = await newEnvironment('both', { mfa: { mode: 'required' } })
  const person = await enrolPerson(w, environment, client)
  const device = createAuthenticator(origin)
  const session = await reachOfferAfterApp(environment, client, person)
  assert.equal((await postCredential(session.agent, session.offer, device.create(optionsOf(session.offer)))).status, 303)

  w.advance(30)
  const by_app = await passwordStep(environment, client, person, { change: { acr_values: by_passkey } })
  assert.ok(offersPasskey(by_app.page))
  assert.match(by_app.page.body, /name="code"/)
  assert.match((await by_app.agent.submit(by_app.page, { use: 'recovery_code' })).body, /name="recovery_code"/)
  const { hidden, action } = formOf(by_app.page.body)
  const code = appCode(person.secret, w.now())
  const step_up = await codeAfter(by_app.agent, await by_app.agent.post(action, { ...hidden, code }), by_app.request)
  assert.deepEqual([stepOn(step_up.page), step_up.code], ['second-factor', null])
  assert.doesNotMatch(step_up.page.body, /name="code"|data-action="use-recovery-code"/)
  const credential = answer(device, step_up.page)
  const done = await codeAfter(by_app.agent, await postCredential(by_app.agent, step_up.page, credential), by_app.request)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request: by_app.request, code: done.code ?? '' }))
  const { acr, amr } = decodeJwt(tokens.id_token)
  assert.deepEqual([acr, amr], [by_passkey, ['pwd', 'otp', 'hwk', 'user']])
})

test('a waiting sign-in ends where its user is blocked or its passkey is removed', async () => {
  const { environment, client } = await newEnvironment('meanwhile')
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const backend = (method: string, path: string) => w.call(method, `/v1/auth/users/${path}`, { key })
  const changes: Record<string, (user_id: string) => Promise<unknown>> = {
    blocked: async (id) => expectStatus(200, await backend('POST', `${id}/block`)),
    removed: async (id) => {
      const { data } = expectStatus(200, await backend('GET', `${id}/methods`))
      return expectStatus(204, await backend('DELETE', `${id}/methods/${data.find(({ type }: any) => type === 'passkey').id}`)) // any: a row
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    const person = await createPasskeyPerson(w, environment, client)
    const { agent, request, page } = await passwordStep(environment, client, person)
    await change(person.id)
    const late = await codeAfter(agent, await postCredential(agent, page, answer(person.device, page)), request)
    assert.deepEqual([stepOn(late.page), late.code, hasSession(agent)], ['sign-in', null, false], name)
  }
})

test('an enrolled passkey is still asked for and accepted while passkeys are off, even where they are switched off in between', async () => {
  const { environment, client } = await newEnvironment('switched-off')
  const person = await createPasskeyPerson(w, environment, client)
  const waiting = await passwordStep(environment, client, person)
  await w.changeSettings(environment, { sign_in: { passkey: false } })
  const late = await postCredential(waiting.agent, waiting.page, answer(person.device, waiting.page))
  assert.ok((await codeAfter(waiting.agent, late, waiting.request)).code)

  const { agent, request, page, code } = await passwordStep(environment, client, person)
  assert.deepEqual([stepOn(page), code, hasSession(agent)], ['second-factor', null, false])
  assert.ok(offersPasskey(page))
  const done = await codeAfter(agent, await postCredential(agent, page, answer(person.device, page)), request)
  const { acr } = decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code: done.code ?? '' })).id_token)
  assert.equal(acr, two)

  const sign_in = await createAgent().get(authorizationRequest(environment, client).url)
  assert.ok(!offersPasskey(sign_in), 'a passkey alone signs nobody in')
  const level = await ask(agent, environment, client, { acr_values: by_passkey, prompt: 'none' })
  assert.ok(level.code, 'the level of a passkey cannot be reached and is dropped')

  const readiness = async () =>
    expectStatus(200, await w.call('GET', `${environment.path}/readiness`)).checks.find(({ code }: any) => code === 'passkeys_usable') // any: a row
  assert.match((await readiness()).detail, /^One person has no second factor but a passkey/)
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/methods`, { key }))
  const { id } = data.find(({ type }: any) => type === 'passkey') // any: a row
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${person.id}/methods/${id}`, { key }))
  assert.equal((await readiness()).ok, true)
  assert.ok((await passwordStep(environment, client, person)).code, 'the backend leads back')
})

const ask = async (agent: Agent, environment: TestEnvironment, client: Client, change: Fields) => {
  const request = authorizationRequest(environment, client, change)
  return codeAfter(agent, await agent.get(request.url), request)
}

test('refused passkeys count for the account, whatever the source', async () => {
  const { environment, client } = await newEnvironment('locked', { lockout: { max_attempts: 3 } })
  const person = await createPasskeyPerson(w, environment, client)
  for (let i = 0; i < 3; i++) {
    const { agent, page } = await passwordStep(environment, client, person)
    assert.equal((await postCredential(agent, page, answer(person.device, page, { wrong_signature: true }))).status, 400)
  }
  const { agent, page } = await passwordStep(environment, client, person)
  const locked = await postCredential(agent, page, answer(person.device, page))
  assert.deepEqual([locked.status, hasSession(agent)], [429, false])
})

test('of 50 parallel posts of one response, one makes a session', async () => {
  const { environment, client } = await newEnvironment('race', { lockout: { max_attempts: 100 } })
  const person = await createPasskeyPerson(w, environment, client)
  const { agent, page } = await passwordStep(environment, client, person)
  const credential = answer(person.device, page)
  const replies = await Promise.all(Array.from({ length: 50 }, () => postCredential(agent, page, credential)))
  const cookies = replies.flatMap(({ headers }) => headers.getSetCookie()).filter((line) => line.startsWith('ostiary_session_'))
  assert.equal(cookies.length, 1)
})

/** Signs in by password and app, and stops at the offer of a passkey. */
async function reachOfferAfterApp(environment: TestEnvironment, client: Client, person: Awaited<ReturnType<typeof enrolPerson>>) {
  w.advance(30)
  const { agent, page } = await passwordStep(environment, client, person)
  setAble(agent, environment)
  const offer = await followPages(agent, await agent.submit(page, { code: appCode(person.secret, w.now()) }))
  assert.equal(stepOn(offer), 'offer-passkey')
  return { agent, offer }
}
