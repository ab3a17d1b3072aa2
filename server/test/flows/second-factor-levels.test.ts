/** Levels that a client or the environment asks for, in sessions that exist, and the mailed code before an enrolment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { sql } from '../../src/db/db.ts'
import { appCode, codeAfter, enrolPerson, passwordStep, secretOn, stepOn, wrongCode } from '../support/authenticator-app.ts'
import { authorizationRequest, createAgent, exchange, type Fields, followPages, formOf } from '../support/cookie-browser.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const two = 'urn:ostiary:2fa'
/** Makes the sessions of a person sessions of one factor, as they were before an enrolment elsewhere. */
const lowered = (user_id: string) => sql`update sessions set acr = 'urn:ostiary:1fa', amr = '["pwd"]' where user_id = ${user_id}`
const without_mail = { email: { delivery: 'none' } }

async function setUp(environment: TestEnvironment) {
  await w.changeSettings(environment, { mfa: { mode: 'optional' }, ...without_mail })
  return { environment, client: await w.createApplication(environment) }
}

for (const { environment, client } of [await setUp(w.test), await setUp(w.live)]) {
  const { type } = environment
  type Agent = ReturnType<typeof createAgent>
  const ask = async (agent: Agent, change: Fields) => {
    const request = authorizationRequest(environment, client, change)
    return { request, ...(await codeAfter(agent, await agent.get(request.url), request)) }
  }
  const claimsOf = async (request: Awaited<ReturnType<typeof ask>>['request'], code: string | null) =>
    decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' })).id_token)

  test(`acr_values enrols a person in an existing session, which keeps sid and auth_time and gets another cookie (${type})`, async () => {
    const person = await w.createUser(environment)
    const { agent, request, code } = await passwordStep(environment, client, person)
    const before = await claimsOf(request, code)
    assert.deepEqual([before.acr, before.amr], ['urn:ostiary:1fa', ['pwd']])
    const [old_cookie] = [...agent.cookies].filter(([name]) => name.includes('session'))
    w.advance(5)
    assert.equal((await ask(agent, { acr_values: two, prompt: 'none' })).error, 'interaction_required')
    const asked = await ask(agent, { acr_values: `phr ${two}` })
    assert.equal(stepOn(asked.page), 'enrol-totp')
    assert.equal(secretOn((await ask(agent, { acr_values: two })).page).length, 32, 'another request begins another one')
    const reopened = await ask(agent, { acr_values: two })
    const shown = await agent.submit(reopened.page, { code: appCode(secretOn(reopened.page), w.now()) })
    assert.equal(stepOn(shown), 'recovery-codes')
    const done = await codeAfter(agent, await agent.submit(shown, {}), reopened.request)
    const after = await claimsOf(reopened.request, done.code)
    assert.deepEqual([after.acr, after.amr, after.sid, after.auth_time], [two, ['pwd', 'otp', 'mfa'], before.sid, before.auth_time])
    const [new_cookie] = [...agent.cookies].filter(([name]) => name.includes('session'))
    assert.notEqual(new_cookie?.[1], old_cookie?.[1])
    assert.ok((await ask(agent, { acr_values: two, prompt: 'none' })).code, 'the session has the level')

    const stale = createAgent()
    stale.cookies.set(old_cookie?.[0] ?? '', old_cookie?.[1] ?? '')
    assert.equal((await ask(stale, { prompt: 'none' })).error, 'login_required', 'the old cookie is worthless')

    w.advance(60)
    const again = await ask(agent, { prompt: 'login' })
    assert.equal(stepOn(again.page), 'sign-in', 'prompt=login asks for every factor')
    const second = await codeAfter(agent, await agent.submit(again.page, { email: person.email, password: person.password }), again.request)
    assert.deepEqual([stepOn(second.page), second.code], ['second-factor', null])
    const secret = secretOn(reopened.page)
    const ended = await codeAfter(agent, await agent.submit(second.page, { code: appCode(secret, w.now()) }), again.request)
    const renewed = await claimsOf(again.request, ended.code)
    assert.deepEqual([renewed.sid, renewed.acr], [before.sid, two])
    assert.ok(Number(renewed.auth_time) > Number(before.auth_time), 'auth_time moves')
    w.advance(60)
    assert.equal(stepOn((await ask(agent, { max_age: '30' })).page), 'sign-in')
  })

  test(`where a second factor is required, a session of one factor gets no further code (${type})`, async () => {
    const person = await w.createUser(environment)
    const { agent, request, code } = await passwordStep(environment, client, person)
    const { sid } = await claimsOf(request, code)
    await w.changeSettings(environment, { mfa: { mode: 'required' } })
    for (const change of [{}, { acr_values: 'urn:ostiary:1fa' }, { prompt: 'consent' }]) {
      const { page, code } = await ask(agent, change)
      assert.deepEqual([stepOn(page), code], ['enrol-totp', null], JSON.stringify(change))
    }
    assert.equal((await ask(agent, { prompt: 'none' })).error, 'interaction_required')
    const asked = await ask(agent, {})
    const { hidden } = formOf(asked.page.body)
    const skipped = await codeAfter(
      agent,
      await agent.post(`${environment.issuer}/second-factor`, { ...hidden, code: '123456' }),
      asked.request,
    )
    assert.deepEqual([stepOn(skipped.page), skipped.code], ['enrol-totp', null])
    const shown = await agent.submit(asked.page, { code: appCode(secretOn(asked.page), w.now()) })
    const done = await codeAfter(agent, await agent.submit(shown, {}), asked.request)
    assert.equal((await claimsOf(asked.request, done.code)).sid, sid)
    await w.changeSettings(environment, { mfa: { mode: 'optional' } })
  })

  test(`a step-up ends with its session, and five wrong codes end it (${type})`, async () => {
    const person = await w.createUser(environment)
    const first = await passwordStep(environment, client, person)
    const asked = await ask(first.agent, { acr_values: two })
    const shown = await first.agent.submit(asked.page, { code: appCode(secretOn(asked.page), w.now()) })
    assert.equal(stepOn(shown), 'recovery-codes')
    w.advance(30)
    const secret = secretOn(asked.page)

    // A session of one factor, from before the enrolment.
    const signIn = async () => {
      const session = await passwordStep(environment, client, person)
      const done = await session.agent.submit(session.page, { code: appCode(secret, w.now()) })
      assert.equal(done.status, 303)
      await w.deployment.db.run(lowered(person.id))
      w.advance(30)
      return session.agent
    }
    const agent = await signIn()
    const { page, request } = await ask(agent, { acr_values: two })
    assert.equal(stepOn(page), 'second-factor')
    assert.equal((await ask(agent, { acr_values: two, prompt: 'none' })).error, 'interaction_required')
    for (let i = 0; i < 5; i++) await agent.submit(page, { code: wrongCode(secret, w.now()) })
    const late = await codeAfter(agent, await agent.submit(page, { code: appCode(secret, w.now()) }), request)
    assert.equal(late.code, null)

    const other = await signIn()
    const open = await ask(other, { acr_values: two })
    const sessions = [...other.cookies].filter(([name]) => name.includes('session'))
    for (const [name] of sessions) other.cookies.delete(name)
    const ended = await codeAfter(other, await other.submit(open.page, { code: appCode(secret, w.now()) }), open.request)
    assert.deepEqual([stepOn(ended.page), ended.code], ['sign-in', null])
  })
}

test('of 50 parallel step-ups with one code, one gets a cookie', async () => {
  const environment = (await w.createProject('step-up-race')).test
  await w.changeSettings(environment, { mfa: { mode: 'required' }, ...without_mail, lockout: { max_attempts: 100 } })
  const client = await w.createApplication(environment)
  const person = await enrolPerson(w, environment, client)
  await w.deployment.db.run(lowered(person.id))
  w.advance(30)
  const request = authorizationRequest(environment, client)
  const page = await followPages(person.agent, await person.agent.get(request.url))
  assert.equal(stepOn(page), 'second-factor')
  const code = appCode(person.secret, w.now())
  const replies = await Promise.all(Array.from({ length: 50 }, () => person.agent.submit(page, { code })))
  const cookies = replies.flatMap(({ headers }) => headers.getSetCookie()).filter((line) => line.startsWith('ostiary_session_'))
  assert.equal(cookies.length, 1)
})

test('openid-client asks for two factors and verifies acr, amr and max_age', async () => {
  const environment = (await w.createProject('client')).test
  await w.changeSettings(environment, { mfa: { mode: 'optional' }, ...without_mail })
  const application = await w.createApplication(environment)
  const config = await oidc.discovery(
    new URL(environment.issuer),
    application.client_id,
    undefined,
    oidc.ClientSecretBasic(application.client_secret),
    {
      execute: [oidc.allowInsecureRequests],
      [oidc.customFetch]: (url, options) => fetch(w.reach(url), options as RequestInit), // as: the same values under another name
    },
  )
  assert.deepEqual(config.serverMetadata().acr_values_supported, ['urn:ostiary:1fa', two])
  const person = await w.createUser(environment)
  const agent = createAgent(w.reach)
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const redirect_uri = 'https://app.example.com/callback'
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid',
    acr_values: two,
    max_age: '600',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const page = await agent.get(url.href)
  const enrolling = await followPages(agent, await agent.submit(page, { email: person.email, password: person.password }))
  const shown = await agent.submit(enrolling, { code: appCode(secretOn(enrolling), w.now()) })
  let reply = await agent.submit(shown, {})
  while (!reply.headers.get('location')?.startsWith(redirect_uri)) reply = await agent.get(reply.headers.get('location') ?? '')
  const tokens = await oidc.authorizationCodeGrant(config, new URL(reply.headers.get('location') ?? ''), { pkceCodeVerifier, maxAge: 600 })
  const claims = tokens.claims()
  assert.deepEqual([claims?.acr, claims?.amr], [two, ['pwd', 'otp', 'mfa']])
})

test('where the environment has mail, the first enrolment asks for a mailed code that no one else has', async () => {
  const environment = (await w.createProject('mailed')).test
  await w.changeSettings(environment, { mfa: { mode: 'required' } })
  const client = await w.createApplication(environment)
  const person = await w.createUser(environment)
  const mails = async () => expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${person.email}`)).data
  const codeOf = async (mail_id: string): Promise<string> =>
    expectStatus(200, await w.call('GET', `${environment.path}/inbox/${mail_id}`)).code

  const { agent, page, request } = await passwordStep(environment, client, person)
  assert.equal(stepOn(page), 'code')
  assert.equal(secretOn(page), '', 'the secret is not shown before the code')
  const [first] = await mails()
  assert.equal(first.kind, 'sign_in_code')
  const code = await codeOf(first.id)
  const { hidden } = formOf(page.body)
  const early = await codeAfter(agent, await agent.post(`${environment.issuer}/enrol-totp`, { ...hidden, code }), request)
  assert.deepEqual([stepOn(early.page), early.code], ['code', null], 'the step is not skipped')
  const stranger = await passwordStep(environment, client, person)
  assert.equal(stepOn(await stranger.agent.submit(stranger.page, { code })), 'code', 'the code belongs to its browser')

  assert.equal((await mails()).length, 2)
  await agent.submit(page, { resend: 'yes' })
  assert.equal((await mails()).length, 2, 'within 30 s nothing is sent again')
  w.advance(31)
  await agent.submit(page, { resend: 'yes' })
  const [newest] = await mails()
  assert.equal((await mails()).length, 3)
  const wrong = code === '000000' ? '111111' : '000000'
  assert.equal((await agent.submit(page, { code: '' })).status, 400)
  for (let i = 0; i < 5; i++) assert.deepEqual(stepOn(await agent.submit(page, { code: wrong })), 'code')
  assert.equal((await agent.submit(page, { code: await codeOf(newest.id) })).status, 400, 'five wrong tries end a code')
  w.advance(31)
  await agent.submit(page, { resend: 'yes' })
  const [last] = await mails()
  const proved = await followPages(agent, await agent.submit(page, { code: await codeOf(last.id) }))
  assert.equal(stepOn(proved), 'enrol-totp')
  assert.equal(stepOn(await agent.submit(proved, { code: appCode(secretOn(proved), w.now()) })), 'recovery-codes')
  assert.deepEqual((await mails()).map(({ kind }: { kind: string }) => kind).slice(0, 1), ['method_added'])
})

test('an account gets at most five mailed codes an hour, and a fixed code of Test replaces them', async () => {
  const environment = (await w.createProject('mailed-often')).test
  await w.changeSettings(environment, { mfa: { mode: 'required' }, test: { fixed_code: '424242' } })
  const client = await w.createApplication(environment)
  const person = await w.createUser(environment)
  for (let i = 0; i < 8; i++) await passwordStep(environment, client, person)
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${person.email}`))
  assert.equal(data.length, 5)
  w.advance(3_700)
  const { agent, page } = await passwordStep(environment, client, person)
  assert.equal(stepOn(await followPages(agent, await agent.submit(page, { code: '424 242' }))), 'enrol-totp')
})

test('codes before an enrolment and codes for signing in are counted together', async () => {
  const environment = (await w.createProject('counted-together')).test
  await w.changeSettings(environment, { mfa: { mode: 'required' }, sign_in: { email_code: true } })
  const client = await w.createApplication(environment)
  const person = await w.createUser(environment)
  for (let i = 0; i < 3; i++) await passwordStep(environment, client, person)
  for (let i = 0; i < 3; i++) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    assert.equal(stepOn(await agent.submit(page, { email: person.email, password: '', method: 'email_code' })), 'code')
  }
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${person.email}`))
  assert.equal(data.length, 5)
  assert.equal(stepOn((await passwordStep(environment, client, person)).page), 'code', 'over the limit the page is the same')
})

test('an emailed code that signed in stands for the code before an enrolment, for as long as the sign-in is recent', async () => {
  const environment = (await w.createProject('proved')).test
  await w.changeSettings(environment, { mfa: { mode: 'optional' }, sign_in: { email_code: true } })
  const client = await w.createApplication(environment)
  const person = await w.createUser(environment)
  const agent = createAgent()
  const request = authorizationRequest(environment, client)
  const asked = await agent.submit(await agent.get(request.url), { email: person.email, password: '', method: 'email_code' })
  const [{ id }] = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${person.email}`)).data
  const { code } = expectStatus(200, await w.call('GET', `${environment.path}/inbox/${id}`))
  assert.ok((await codeAfter(agent, await agent.submit(asked, { code }), request)).code)
  const stepAt = async () => {
    const next = authorizationRequest(environment, client, { acr_values: two })
    return stepOn((await codeAfter(agent, await agent.get(next.url), next)).page)
  }
  assert.equal(await stepAt(), 'enrol-totp')
  w.advance(601)
  assert.equal(await stepAt(), 'code')
})
