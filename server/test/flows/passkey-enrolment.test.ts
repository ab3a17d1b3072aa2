/** A passkey enrolled as the second factor of a sign-in: which response is accepted, and no way around a step (decision 0047). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Changes, createAuthenticator } from '../support/authenticator.ts'
import { appCode, codeAfter, enrolPerson, passwordStep, recoveryCodesOn, secretOn, stepOn } from '../support/authenticator-app.ts'
import { type Agent, authorizationRequest, createAgent, exchange, type Fields, formOf, type Request } from '../support/cookie-browser.ts'
import { enterMailedCode, mailsTo } from '../support/mailed.ts'
import { createPasskeyPerson, optionsOf, passkeyForm, postCredential } from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const two = 'urn:ostiary:2fa'
const by_passkey = 'urn:ostiary:passkey'
const passkeys_alone = { mfa: { mode: 'required', totp: false } }
const passkeys_and_apps = { mfa: { mode: 'required', totp: true } }
const without_mail = { email: { delivery: 'none' } }
const passkeys = { test: { passkey: true }, live: { passkey: true, passkey_shared_host: true } }

async function setUp(environment: TestEnvironment, settings: object = {}) {
  const sign_in = passkeys[environment.type]
  await w.changeSettings(environment, { sign_in, ...passkeys_alone, ...without_mail, lockout: { max_attempts: 100 }, ...settings })
  const client = await w.createApplication(environment)
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const methodsOf = async (id: string): Promise<string[]> => {
    const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${id}/methods`, { key }))
    return data.map(({ type }: any) => type).sort() // any: rows of the answer
  }
  const claimsOf = async (request: Request, code: string | null) =>
    decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' })).id_token)
  return { environment, client, methodsOf, claimsOf, device: () => createAuthenticator(new URL(environment.issuer).origin) }
}
const newSetUp = async (name: string, settings: object = {}) => setUp((await w.createProject(name)).test, settings)

const hasSession = (agent: Agent) => [...agent.cookies.keys()].some((name) => name.includes('ostiary_session_'))
const again = (page: Reply) => (/<a href="([^"]*)"[^>]*>Begin the sign-in again/.exec(page.body)?.[1] ?? '').replaceAll('&amp;', '&')

for (const set of [await setUp(w.test), await setUp(w.live)]) {
  const { environment, client, methodsOf, claimsOf } = set
  const { type } = environment

  test(`where only passkeys are on, a person enrols one in the sign-in, which makes two factors (${type})`, async () => {
    const person = await w.createUser(environment)
    const { agent, request, page, code } = await passwordStep(environment, client, person)
    assert.deepEqual([stepOn(page), code, hasSession(agent)], ['offer-passkey', null, false])
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'sha256-/)
    assert.doesNotMatch(page.body, /name="code"|otpauth:/)
    assert.match(page.body, /data-action="cancel"/)
    const { attempt, request: query } = passkeyForm(page).hidden
    const reopened = await agent.get(`${environment.issuer}/second-factor?attempt=${attempt}&${query}`)
    assert.equal(optionsOf(reopened).user.id, optionsOf(page).user.id, 'the page can be opened again')

    const device = set.device()
    const done = await codeAfter(agent, await postCredential(agent, page, device.create(optionsOf(page))), request)
    const { acr, amr } = await claimsOf(request, done.code)
    assert.deepEqual([acr, amr], [two, ['pwd', 'hwk', 'user', 'mfa']])
    assert.deepEqual(await methodsOf(person.id), ['passkey', 'password'])
    const [enrolled] = await until('mfa.enrolled', async () => {
      const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=mfa.enrolled&user_id=${person.id}`))
      return data.length > 0 && data
    })
    assert.equal(enrolled.data.method, 'passkey')

    const next = await passwordStep(environment, client, person)
    assert.equal(stepOn(next.page), 'second-factor', 'the next sign-in asks for it')
    const ended = await codeAfter(next.agent, await postCredential(next.agent, next.page, device.get(optionsOf(next.page))), next.request)
    assert.equal((await claimsOf(next.request, ended.code)).acr, two)
  })

  test(`without a script the page says what is needed, and leads to the sign-in and to the application (${type})`, async () => {
    const person = await w.createUser(environment)
    const { agent, page, request } = await passwordStep(environment, client, person)
    assert.match(page.body, /<div hidden data-passkey="create"/)
    assert.match(page.body, /This browser cannot use passkeys/)
    assert.equal(stepOn(await agent.get(again(page))), 'sign-in')
    const cancelled = /<a href="([^"]*)" data-action="cancel"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.ok(cancelled.startsWith(request.redirect_uri) && cancelled.includes('error=access_denied'), cancelled)
  })

  // biome-ignore format: this table is read by line
  const refused: [rule: string, change: Changes][] = [
    ['the person was not verified', { verified: false }],
    ['the person was not present', { present: false, verified: false }],
    ['another site made it', { origin: 'https://evil.example' }],
    ['it is for another RP ID', { rp_id: 'evil.example' }],
    ['it is a sign-in and no registration', { type: 'webauthn.get' }],
    ['its challenge is not one of ours', { challenge: Buffer.alloc(54).toString('base64url') }],
  ]
  for (const [rule, change] of refused)
    test(`a passkey is refused where ${rule}, and the step stays (${type})`, async () => {
      const person = await w.createUser(environment)
      const { agent, page } = await passwordStep(environment, client, person)
      const reply = await postCredential(agent, page, set.device().create(optionsOf(page), change))
      assert.deepEqual([reply.status, stepOn(reply), hasSession(agent)], [400, 'offer-passkey', false])
      assert.deepEqual(await methodsOf(person.id), ['password'])
      assert.equal((await postCredential(agent, reply, set.device().create(optionsOf(reply)))).status, 303, 'the page that follows works')
    })

  test(`no other ceremony, browser, account or environment answers the step, and no response twice (${type})`, async () => {
    const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
    const [here, there] = [await passwordStep(environment, client, ada), await passwordStep(environment, client, ben)]
    const twin = await passwordStep(environment, client, ada)
    const signing_in = await createAgent().get(authorizationRequest(environment, client).url)
    const device = set.device()
    const handle = { user: { id: optionsOf(here.page).user.id } }
    const other_challenges: [string, string][] = [
      ['of another account', optionsOf(there.page).challenge],
      ['of another browser of the person', optionsOf(twin.page).challenge],
      ['of a sign-in', optionsOf(signing_in).challenge],
    ]
    for (const [name, challenge] of other_challenges) {
      const reply = await postCredential(here.agent, here.page, device.create({ ...handle, challenge }))
      assert.deepEqual([reply.status, stepOn(reply)], [400, 'offer-passkey'], name)
    }
    for (const text of ['', '{}', 'null', 'x'.repeat(20_000)])
      assert.equal((await postCredential(here.agent, here.page, text)).status, 400, text.slice(0, 10))

    const { action, hidden } = passkeyForm(here.page)
    const right = { ...hidden, credential: JSON.stringify(device.create(optionsOf(here.page))) }
    const stranger = createAgent()
    assert.equal(stepOn((await codeAfter(stranger, await stranger.post(action, right), here.request)).page), 'sign-in')
    const elsewhere = environment === w.test ? w.live : w.test
    const foreign = await here.agent.post(`${elsewhere.issuer}/enrol-passkey`, right)
    assert.ok(foreign.status === 400 || foreign.status === 303, `${foreign.status}`)
    assert.deepEqual([await methodsOf(ada.id), hasSession(here.agent)], [['password'], false])

    const done = await codeAfter(here.agent, await here.agent.post(action, right), here.request)
    assert.ok(done.code)
    const repeated = await here.agent.post(action, right)
    assert.equal(repeated.status, 303)
    assert.equal(stepOn((await codeAfter(twin.agent, await postCredential(twin.agent, twin.page, set.device().create(optionsOf(twin.page))), twin.request)).page), 'sign-in', 'a half sign-in that enrols ends with the first factor') // biome-ignore format: one line
    assert.deepEqual(await methodsOf(ada.id), ['passkey', 'password'])
    const known = await postCredential(there.agent, there.page, device.create(optionsOf(there.page)))
    assert.deepEqual([known.status, await methodsOf(ben.id)], [400, ['password']], 'the passkey of another user')
  })

  test(`of 50 parallel posts of one passkey, one ends the sign-in (${type})`, async () => {
    const person = await w.createUser(environment)
    const { agent, page } = await passwordStep(environment, client, person)
    const credential = set.device().create(optionsOf(page))
    const replies = await Promise.all(Array.from({ length: 50 }, () => postCredential(agent, page, credential)))
    const cookies = replies.flatMap(({ headers }) => headers.getSetCookie()).filter((line) => line.includes('ostiary_session_'))
    assert.equal(cookies.length, 1)
    assert.deepEqual(await methodsOf(person.id), ['passkey', 'password'])
  })
}

test('with apps and passkeys the page offers both, and either ends the sign-in', async () => {
  const { environment, client, methodsOf, claimsOf, device } = await newSetUp('either', passkeys_and_apps)
  const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
  const first = await passwordStep(environment, client, ada)
  assert.equal(stepOn(first.page), 'enrol-totp')
  assert.match(first.page.body, /data-action="passkey"/)
  const by_device = await codeAfter(first.agent, await postCredential(first.agent, first.page, device().create(optionsOf(first.page))), first.request) // biome-ignore format: one line
  assert.equal((await claimsOf(first.request, by_device.code)).acr, two)
  assert.deepEqual(await methodsOf(ada.id), ['passkey', 'password'])
  const second = await passwordStep(environment, client, ben)
  const { action, hidden } = formOf(second.page.body)
  const shown = await second.agent.submitForm({ action, hidden }, { code: appCode(secretOn(second.page), w.now()) })
  assert.equal(recoveryCodesOn(shown).length, 10)
  assert.deepEqual(await methodsOf(ben.id), ['password', 'recovery_codes', 'totp'])
})

test('of an app and a passkey that two browsers of a person enrol in parallel, one is added', async () => {
  const { environment, client, methodsOf, device } = await newSetUp('race', passkeys_and_apps)
  for (let round = 0; round < 5; round++) {
    const person = await w.createUser(environment)
    const steps = await Promise.all(Array.from({ length: 10 }, () => passwordStep(environment, client, person)))
    const enrol = ({ agent, page }: (typeof steps)[number], i: number) => {
      const { action, hidden } = formOf(page.body)
      if (i % 2) return agent.post(action, { ...hidden, code: appCode(secretOn(page), w.now()) })
      return postCredential(agent, page, device().create(optionsOf(page)))
    }
    await Promise.all(steps.map(enrol))
    const added = (await methodsOf(person.id)).filter((type) => type === 'passkey' || type === 'totp')
    assert.equal(added.length, 1, added.join())
    assert.equal(steps.filter(({ agent }) => hasSession(agent)).length, 1)
  }
})

test('the mailed code comes before the passkey, and the person is mailed about it', async () => {
  const { environment, client, methodsOf } = await newSetUp('mailed', { email: { delivery: 'capture' } })
  const person = await w.createUser(environment)
  const { agent, page, request } = await passwordStep(environment, client, person)
  assert.equal(stepOn(page), 'code')
  // The challenge of another half sign-in is the best that an attacker could have.
  const { hidden } = formOf(page.body)
  for (const fields of [{ credential: '{}' }, { credential: '' }, {}]) {
    const skipped = await agent.post(`${environment.issuer}/enrol-passkey`, { ...hidden, ...fields })
    assert.equal(stepOn((await codeAfter(agent, skipped, request)).page), 'code')
  }
  const ready = await codeAfter(agent, await enterMailedCode(w, environment, { agent, page }, person.email), request)
  assert.equal(stepOn(ready.page), 'offer-passkey')
  const device = createAuthenticator(new URL(environment.issuer).origin)
  assert.ok((await codeAfter(agent, await postCredential(agent, ready.page, device.create(optionsOf(ready.page))), request)).code)
  assert.deepEqual(await methodsOf(person.id), ['passkey', 'password'])
  const kinds = (await mailsTo(w, environment, person.email)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['method_added', 'sign_in_code'])
})

test('acr_values enrols a passkey in an existing session, and a request that aims at a passkey gets its level', async () => {
  const { environment, client, claimsOf, device } = await newSetUp('levels', { mfa: { mode: 'optional', totp: false } })
  const person = await w.createUser(environment)
  const { agent, request, code } = await passwordStep(environment, client, person)
  const { sid } = await claimsOf(request, code)
  const ask = async (change: Fields) => {
    const request = authorizationRequest(environment, client, change)
    return { request, ...(await codeAfter(agent, await agent.get(request.url), request)) }
  }
  const asked = await ask({ acr_values: `${by_passkey} ${two}` })
  assert.equal(stepOn(asked.page), 'offer-passkey')
  const done = await codeAfter(agent, await postCredential(agent, asked.page, device().create(optionsOf(asked.page))), asked.request)
  const raised = await claimsOf(asked.request, done.code)
  assert.deepEqual([raised.acr, raised.amr, raised.sid], [by_passkey, ['pwd', 'hwk', 'user'], sid])
})

test('the step follows the settings: no passkey after they were switched off, and none for a person who is asked', async () => {
  const { environment, client, methodsOf, device } = await newSetUp('settings', passkeys_and_apps)
  const person = await w.createUser(environment)
  const { agent, page, request } = await passwordStep(environment, client, person)
  await w.changeSettings(environment, { sign_in: { passkey: false } })
  const late = await codeAfter(agent, await postCredential(agent, page, device().create(optionsOf(page))), request)
  assert.deepEqual([stepOn(late.page), await methodsOf(person.id)], ['sign-in', ['password']])
  assert.doesNotMatch((await passwordStep(environment, client, person)).page.body, /<div hidden data-passkey/)
  await w.changeSettings(environment, { sign_in: { passkey: true } })

  const asked = await enrolPerson(w, environment, client)
  const waiting = await passwordStep(environment, client, asked)
  assert.equal(stepOn(waiting.page), 'second-factor')
  const elsewhere = await passwordStep(environment, client, await w.createUser(environment))
  const credential = JSON.stringify(device().create(optionsOf(elsewhere.page)))
  const posted = await waiting.agent.post(`${environment.issuer}/enrol-passkey`, { ...formOf(waiting.page.body).hidden, credential })
  assert.deepEqual([posted.status, stepOn((await codeAfter(waiting.agent, posted, waiting.request)).page)], [303, 'second-factor'])
  assert.deepEqual(await methodsOf(asked.id), ['password', 'recovery_codes', 'totp'])
})

test('a challenge of ten minutes ends with its sign-in, and a passkey of the account page does not answer it', async () => {
  const { environment, client, methodsOf, device } = await newSetUp('late')
  const person = await w.createUser(environment)
  const { agent, page, request } = await passwordStep(environment, client, person)
  w.advance(601)
  const late = await codeAfter(agent, await postCredential(agent, page, device().create(optionsOf(page))), request)
  assert.deepEqual([stepOn(late.page), await methodsOf(person.id)], ['sign-in', ['password']])
  await w.changeSettings(environment, { mfa: { mode: 'off' } })
  const { device: own } = await createPasskeyPerson(w, environment, client)
  await w.changeSettings(environment, passkeys_alone)
  const next = await passwordStep(environment, client, person)
  assert.equal((await postCredential(next.agent, next.page, own.create(optionsOf(next.page)))).status, 400)
})
