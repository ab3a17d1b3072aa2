/** Passkeys that browsers create by themselves after a password (decision 0193). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { decodeJwt } from 'jose'
import { sql } from '../../src/db/db.ts'
import { most_passkeys } from '../../src/domain/passkeys/store.ts'
import { countForPerson } from '../../src/domain/users/attempts.ts'
import { addApp, addPasskey, linkOf, openAccount, press, stepOf } from '../support/account.ts'
import { type Changes, createAuthenticator } from '../support/authenticator.ts'
import { appCode, codeAfter } from '../support/authenticator-app.ts'
import { type Agent, authorizationRequest, createAgent, exchange, type Fields, followPages, formOf } from '../support/cookie-browser.ts'
import { createPasskeyPerson, optionsOf, passkeyForm, postCredential, signInByPasskey } from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { storeTrustedBrowser } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const { issuer } = environment
const { db } = w.deployment
const set = (change: object) => w.changeSettings(environment, change)
await set({ sign_in: { passkey: true, email_code: true }, passkeys: { automatic: true }, test: { fixed_code: '246810' } })
const client = await w.createApplication(environment)
const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
const backend = (method: string, path: string, body?: unknown) => w.call(method, `/v1/auth/users/${path}`, { key, body })

interface Person {
  id: string
  email: string
  password: string
}
const passkeysOf = async ({ id }: Pick<Person, 'id'>): Promise<{ id: string }[]> => {
  const { data } = expectStatus(200, await backend('GET', `${id}/methods`))
  return data.filter(({ type }: { type: string }) => type === 'passkey')
}
const mailsTo = async (email: string): Promise<{ kind: string; text: string }[]> =>
  expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${encodeURIComponent(email)}`)).data
const newDevice = () => createAuthenticator(new URL(issuer).origin)
const createPerson = (fields: object = {}): Promise<Person> => w.createUser(environment, fields)

/** What the script of the sign-in page notes: `2` where the browser can create a passkey by itself, `1` where it can only use one. */
const setAble = (agent: Agent, value: '1' | '2') => agent.cookies.set(`ostiary_able_${environment.id}`, value)
const isAutomatic = (page: Reply) => page.body.includes('data-automatic')

interface Attempt {
  agent?: Agent
  able?: '1' | '2'
  change?: Fields
}
/** The page after a sign-in by password. */
async function afterPassword(person: Pick<Person, 'email' | 'password'>, { agent = createAgent(), able = '2', change = {} }: Attempt = {}) {
  setAble(agent, able)
  const request = authorizationRequest(environment, client, change)
  const page = await agent.get(request.url)
  const reply = await agent.submit(page, { email: person.email, password: person.password, method: 'password' })
  return { agent, request, ...(await codeAfter(agent, reply, request)) }
}
type Ready = Awaited<ReturnType<typeof afterPassword>>

/** A sign-in in another browser, which creates none. */
const inAnotherBrowser = (person: Person, change: Fields = {}) =>
  afterPassword(person, { able: '1', change: { prompt: 'login', ...change } })

/** What a browser creates by itself says neither that the person was there nor that they were verified. */
const by_itself: Changes = { present: false, verified: false }

async function createIn({ agent, page, request }: Ready, device = newDevice(), changes: Changes = by_itself) {
  const reply = await postCredential(agent, page, device.create(optionsOf(page), changes))
  return { reply, ...(await codeAfter(agent, reply, request)) }
}

/** A person whose browser has created a passkey by itself. */
async function withAutomatic(fields: object = {}) {
  const person = await createPerson(fields)
  const device = newDevice()
  const ready = await afterPassword(person)
  assert.ok(isAutomatic(ready.page))
  assert.ok((await createIn(ready, device)).code)
  return { ...person, agent: ready.agent, device }
}

test('after a password the browser creates a passkey without a question, the person goes on, and is mailed', async () => {
  const person = await createPerson()
  const ready = await afterPassword(person)
  assert.deepEqual([ready.page.status, stepOf(ready.page), isAutomatic(ready.page)], [200, 'offer-passkey', true])
  const { authenticatorSelection, excludeCredentials } = optionsOf(ready.page)
  assert.deepEqual([authenticatorSelection.userVerification, excludeCredentials], ['preferred', []])
  const { code } = await createIn(ready)
  const { request } = ready
  const { id_token } = expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' }))
  const { acr, amr } = decodeJwt(id_token)
  assert.deepEqual([acr, amr], ['urn:ostiary:1fa', ['pwd']], 'it raises no session')
  const [passkey, ...others] = await passkeysOf(person)
  assert.equal(others.length, 0)
  const [mail, ...further] = await mailsTo(person.email)
  assert.deepEqual([mail?.kind, further], ['method_added', []])
  assert.match(mail?.text ?? '', /Your browser created it by itself after a sign-in with your password/)
  const [event] = await until('the event', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=mfa.enrolled&user_id=${person.id}`))
    return data.length > 0 && data
  })
  assert.deepEqual(event.data, { method: 'passkey', method_id: passkey?.id, sub: person.id })
  assert.deepEqual(event.actor, { type: 'user', id: person.id })
})

test('a passkey that the person adds is mailed without that sentence', async () => {
  const person = await createPasskeyPerson(w, environment, client)
  assert.doesNotMatch((await mailsTo(person.email))[0]?.text ?? '', /by itself/)
})

test('it is a way in, and a second factor from its first use on', async () => {
  const person = await withAutomatic()
  assert.ok((await inAnotherBrowser(person)).code, 'the password alone signs in')
  const { agent, request, reply } = await signInByPasskey(environment, client, person.device)
  const { code } = await codeAfter(agent, reply, request)
  const { id_token } = expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' }))
  assert.equal(decodeJwt(id_token).acr, 'urn:ostiary:passkey')
  const after = await inAnotherBrowser(person)
  assert.deepEqual([stepOf(after.page), after.code], ['second-factor', null])
})

test('before its first use it answers no request for a level, and no second step', async () => {
  const person = await withAutomatic()
  for (const acr_values of ['urn:ostiary:2fa', 'urn:ostiary:passkey'])
    assert.ok((await inAnotherBrowser(person, { acr_values })).code, `${acr_values} cannot be reached`)
  await set({ mfa: { mode: 'optional' } })
  const step = await inAnotherBrowser(person, { acr_values: 'urn:ostiary:2fa' })
  assert.deepEqual([stepOf(step.page), step.code], ['code', null], 'the proof before the enrolment of a factor')
  await set({ mfa: { mode: 'off' } })
})

test('beside an app it is not a second step until it was used', async () => {
  await set({ mfa: { mode: 'optional' } })
  const person = await createPerson()
  const { agent: own } = await openAccount(environment, person)
  const { secret } = await addApp(w, environment, own)
  w.advance(30)
  const device = newDevice()
  const ready = await afterPassword(person)
  const sent = await ready.agent.submit(ready.page, { code: appCode(secret, w.now()) })
  const second = await codeAfter(ready.agent, sent, ready.request)
  assert.ok(isAutomatic(second.page))
  assert.ok((await createIn({ ...ready, ...second }, device)).code)
  const asked = await inAnotherBrowser(person)
  assert.equal(stepOf(asked.page), 'second-factor')
  assert.ok(!asked.page.body.includes('data-options='))
  await signInByPasskey(environment, client, device)
  assert.ok((await inAnotherBrowser(person)).page.body.includes('data-options='))
  await set({ mfa: { mode: 'off' } })
})

test('beside a passkey that is a factor, one that was never used answers no second step', async () => {
  const person = await withAutomatic()
  const own = newDevice()
  expectStatus(303, await addPasskey(environment, (await openAccount(environment, person)).agent, own))
  const { agent, page } = await inAnotherBrowser(person)
  assert.deepEqual(optionsOf(page).allowCredentials.map(({ id }: { id: string }) => id), [own.credential_id]) // biome-ignore format: one line
  const wrong = await postCredential(agent, page, person.device.get(optionsOf(page)))
  assert.equal(wrong.status, 400)
  const again = await inAnotherBrowser(person)
  assert.ok(
    (await codeAfter(again.agent, await postCredential(again.agent, again.page, own.get(optionsOf(again.page))), again.request)).code,
  )
})

test('it leaves trusted browsers as they are, and its first use ends them, as every new factor does', async () => {
  await set({ mfa: { remember_days: 30 } })
  const person = await withAutomatic()
  await storeTrustedBrowser(w, environment, person.id)
  const trusted = async () => expectStatus(200, await backend('GET', `${person.id}/trusted-browsers`)).data.length
  assert.equal(await trusted(), 1)
  const another = await afterPassword(person, { change: { prompt: 'login' } })
  assert.ok((await createIn(another)).code)
  assert.equal(await trusted(), 1)
  await signInByPasskey(environment, client, person.device)
  assert.equal(await trusted(), 0)
  await set({ mfa: { remember_days: 0 } })
})

test('where a second factor is required later, the person enrols one, in the same authenticator too', async () => {
  const person = await withAutomatic()
  await set({ passkeys: { automatic: false }, mfa: { mode: 'required', totp: false } })
  const { agent, page, request } = await inAnotherBrowser(person)
  assert.equal(stepOf(page), 'code')
  const enrolment = await followPages(agent, await agent.submit(page, { code: '246810' }))
  assert.deepEqual(optionsOf(enrolment).excludeCredentials, [])
  const done = await codeAfter(agent, await postCredential(agent, enrolment, newDevice().create(optionsOf(enrolment))), request)
  assert.ok(done.code)
  await set({ passkeys: { automatic: true }, mfa: null })
})

test('readiness counts nobody whose only passkey was never used', async () => {
  const { test: apart } = await w.createProject('readiness')
  const own_client = await w.createApplication(apart)
  await w.changeSettings(apart, { sign_in: { passkey: true } })
  const { id } = await createPasskeyPerson(w, apart, own_client)
  const isWarned = async () => {
    await w.changeSettings(apart, { sign_in: { passkey: false } })
    const { checks } = expectStatus(200, await w.call('GET', `${apart.path}/readiness`))
    return !checks.find(({ code }: { code: string }) => code === 'passkeys_usable').ok
  }
  assert.equal(await isWarned(), true)
  await db.run(sql`update passkeys set is_factor = 0 where user_id = ${id}`)
  assert.equal(await isWarned(), false)
})

test('without a verified person it signs nobody in', async () => {
  const person = await withAutomatic()
  const { reply } = await signInByPasskey(environment, client, person.device, { more: { verified: false } })
  assert.equal(reply.status, 400)
  assert.ok((await inAnotherBrowser(person)).code, 'and it does not count')
})

test('the person removes it on the account page, is mailed, and this browser does not create it again', async () => {
  const person = await withAutomatic()
  const { agent } = person
  const form = await agent.get(linkOf(await agent.get(`${issuer}/account`), 'remove-passkey'))
  await press(agent, form, 'remove-passkey')
  assert.deepEqual(await passkeysOf(person), [])
  assert.deepEqual((await mailsTo(person.email)).map(({ kind }) => kind).sort(), ['method_added', 'method_removed'])
  w.advance(59 * 86_400)
  assert.equal(isAutomatic((await afterPassword(person, { agent, change: { prompt: 'login' } })).page), false)
})

test('a backend removes it', async () => {
  const person = await withAutomatic()
  const [passkey] = await passkeysOf(person)
  expectStatus(204, await backend('DELETE', `${person.id}/methods/${passkey?.id}`))
  const { reply } = await signInByPasskey(environment, client, person.device)
  assert.equal(reply.status, 400)
})

test('another browser of the person creates one too, and the authenticator that has one is asked for none', async () => {
  const person = await withAutomatic()
  const another = await afterPassword(person)
  assert.ok(isAutomatic(another.page))
  const { excludeCredentials } = optionsOf(another.page)
  assert.equal(excludeCredentials.length, 1)
  assert.equal(excludeCredentials[0].id, person.device.credential_id)
  assert.ok((await createIn(another)).code)
  assert.equal((await passkeysOf(person)).length, 2)
})

test('a browser that creates none goes on, is offered one as ever, and is not asked again for a day', async () => {
  const person = await createPerson()
  const { agent, page, request } = await afterPassword(person)
  const { action, hidden } = passkeyForm(page)
  const next = await codeAfter(agent, await agent.post(action, { ...hidden, credential: '' }), request)
  assert.deepEqual([stepOf(next.page), isAutomatic(next.page)], ['offer-passkey', false])
  assert.ok((await codeAfter(agent, await agent.submit(next.page, { decision: 'not-now' }), request)).code)
  const again = () => afterPassword(person, { agent, change: { prompt: 'login' } })
  assert.ok((await again()).code)
  agent.cookies.delete(`ostiary_tried_${environment.id}`) // a day later
  assert.equal(isAutomatic((await again()).page), true)
})

test('a browser that never answered is not asked again for 60 days', async () => {
  const person = await createPerson()
  const { agent, page } = await afterPassword(person)
  const { action, hidden } = passkeyForm(page)
  const reply = await agent.post(action, { ...hidden, automatic: 'late', credential: '' })
  assert.match(reply.headers.getSetCookie().find((cookie) => cookie.includes('_tried_')) ?? '', /Max-Age=5184000;/)
})

test('without scripts the button of the page continues', async () => {
  const person = await createPerson()
  const { agent, page, request } = await afterPassword(person)
  const [, second = ''] = page.body.split('data-automatic')
  const form = formOf(second.slice(second.indexOf('</form>')))
  const { page: next } = await codeAfter(agent, await agent.post(form.action, form.hidden), request)
  assert.equal(isAutomatic(next), false)
  assert.deepEqual(await passkeysOf(person), [])
})

test('the page can be loaded again, and a second post of its form goes on as the first', async () => {
  const person = await createPerson()
  const { agent, page, request } = await afterPassword(person)
  const reply = await postCredential(agent, page, newDevice().create(optionsOf(page), by_itself))
  const second = await postCredential(agent, page, newDevice().create(optionsOf(page), by_itself))
  for (const sent of [reply, second]) assert.ok((await codeAfter(agent, sent, request)).code)
  assert.equal((await passkeysOf(person)).length, 1)
})

const off = async (change: object, back: object, prepare: () => Promise<Reply>) => {
  await set(change)
  const page = await prepare()
  await set(back)
  return page
}
const pageAfterPassword = async (fields: object = {}, attempt: Attempt = {}) =>
  (await afterPassword(await createPerson(fields), attempt)).page
/** A browser with a session by password, which was not asked to create a passkey. */
async function signedIn() {
  const person = await createPerson()
  const { agent } = await afterPassword(person, { able: '1' })
  setAble(agent, '2')
  return agent
}

// biome-ignore format: this table is read by column
const not_at_all: [when: string, prepare: () => Promise<Reply>][] = [
  ['the setting is off',                    () => off({ passkeys: { automatic: false } }, { passkeys: { automatic: true } }, pageAfterPassword)],
  ['passkeys are off',                      () => off({ sign_in: { passkey: false } }, { sign_in: { passkey: true } }, pageAfterPassword)],
  ['the address is not verified',           () => pageAfterPassword({ email_verified: false })],
  ['the browser can only use passkeys',     () => pageAfterPassword({}, { able: '1' })],
  ['the browser has just created one',      async () => { const { agent, ...person } = await withAutomatic(); return (await afterPassword(person, { agent, change: { prompt: 'login' } })).page }],
  ['the second step was a passkey',         async () => {
    const person = await createPasskeyPerson(w, environment, client)
    const { agent, page, request } = await afterPassword(person)
    return (await codeAfter(agent, await postCredential(agent, page, person.device.get(optionsOf(page))), request)).page
  }],
  ['the sign-in was by a passkey',          async () => {
    const person = await createPasskeyPerson(w, environment, client)
    const agent = createAgent()
    setAble(agent, '2')
    const { reply, request } = await signInByPasskey(environment, client, person.device, { agent })
    return (await codeAfter(agent, reply, request)).page
  }],
  ['the sign-in was by a code',             async () => {
    const person = await createPerson()
    const agent = createAgent()
    setAble(agent, '2')
    const request = authorizationRequest(environment, client)
    const asked = await followPages(agent, await agent.submit(await agent.get(request.url), { email: person.email, password: '', method: 'email_code' }))
    return (await codeAfter(agent, await agent.submit(asked, { code: '246810' }), request)).page
  }],
  ['the sign-in is of long ago',            async () => { const agent = await signedIn(); w.advance(601); return agent.get(authorizationRequest(environment, client).url) }],
  ['the request allows no page',            async () => (await signedIn()).get(authorizationRequest(environment, client, { prompt: 'none' }).url)],
  ['the person has as many as one may',     async () => { const person = await withAutomatic(); await fill(person); return (await afterPassword(person)).page }],
]
for (const [when, prepare] of not_at_all)
  test(`no browser creates one where ${when}`, async () => assert.equal(isAutomatic(await prepare()), false))

/** Gives a person with one passkey as many as one may have. */
async function fill({ id }: Pick<Person, 'id'>) {
  for (let have = 1; have < most_passkeys; have++)
    await db.run(sql`insert into passkeys (environment_id, id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, transports, name, is_factor, created_at)
      select environment_id, ${w.deployment.newId('mth')}, user_id, ${randomBytes(16).toString('base64url')}, public_key, 0, 0, 0, transports, name, is_factor, created_at
        from passkeys where user_id = ${id} order by id limit 1`)
}

const settled = (change: object, back: object, send: (ready: Ready) => Promise<Reply>) => async (ready: Ready) => {
  await set(change)
  const reply = await send(ready)
  await set(back)
  return reply
}
const send = async (ready: Ready, options: object = {}, changes: Changes = by_itself): Promise<Reply> =>
  postCredential(ready.agent, ready.page, newDevice().create({ ...optionsOf(ready.page), ...options }, changes))
/** Posts the form with a valid response and other fields. */
const sendWith = ({ agent, page }: Ready, fields: (hidden: Record<string, string>) => Record<string, string>) => {
  const { action, hidden } = passkeyForm(page)
  return agent.post(action, fields({ ...hidden, credential: JSON.stringify(newDevice().create(optionsOf(page), by_itself)) }))
}

// biome-ignore format: this table is read by column
const refused: [what: string, goes_on: boolean, send: (ready: Ready & { person: Person }) => Promise<Reply>][] = [
  ['to another challenge',                  true,  (ready) => send(ready, { challenge: 'a'.repeat(72) })],
  ['of another origin',                     true,  (ready) => send(ready, {}, { ...by_itself, origin: 'https://evil.example' })],
  ['of another RP ID',                      true,  (ready) => send(ready, {}, { ...by_itself, rp_id: 'evil.example' })],
  ['of another ceremony',                   true,  (ready) => send(ready, {}, { ...by_itself, type: 'webauthn.get' })],
  ['of no authenticator',                   true,  ({ agent, page }) => postCredential(agent, page, '{"id":1}')],
  ['that is too long',                      true,  ({ agent, page }) => postCredential(agent, page, `"${'a'.repeat(17_000)}"`)],
  ['in a form without its token',           true,  (ready) => sendWith(ready, ({ csrf: _, ...fields }) => fields)],
  ['in a form with another token',          true,  (ready) => sendWith(ready, (fields) => ({ ...fields, csrf: 'a'.repeat(40) }))],
  ['after the setting went off',            true,  settled({ passkeys: { automatic: false } }, { passkeys: { automatic: true } }, send)],
  ['after passkeys went off',               true,  settled({ sign_in: { passkey: false } }, { sign_in: { passkey: true } }, send)],
  ['after ten minutes',                     true,  (ready) => { w.advance(601); return send(ready) }],
  ['after the address lost its proof',      true,  async (ready) => { expectStatus(200, await backend('PATCH', ready.person.id, { email_verified: false })); return send(ready) }],
  ['after ten changes in an hour',          true,  async (ready) => { await tenChanges(ready.person); return send(ready) }],
  ['after the session ended',               false, async (ready) => { expectStatus(200, await backend('POST', `${ready.person.id}/end-sessions`)); return send(ready) }],
  ['after the person was blocked',          false, async (ready) => { expectStatus(200, await backend('POST', `${ready.person.id}/block`)); return send(ready) }],
  ['for the session of another person',     false, async (ready) => {
    const other = await afterPassword(await createPerson())
    const { session } = passkeyForm(other.page).hidden
    return sendWith(ready, (fields) => ({ ...fields, session: session ?? '' }))
  }],
]
for (const [what, goes_on, sendIt] of refused)
  test(`a response ${what} adds nothing${goes_on ? ', and the person goes on' : ''}`, async () => {
    const person = await createPerson()
    const ready = await afterPassword(person)
    assert.ok(isAutomatic(ready.page))
    const reply = await sendIt({ ...ready, person })
    assert.deepEqual(await passkeysOf(person), [])
    assert.equal(reply.status, 303)
    const { agent, request } = ready
    const { page } = await codeAfter(agent, reply, request)
    if (!goes_on) return
    assert.equal(isAutomatic(page), false)
    const last =
      stepOf(page) === 'offer-passkey' ? (await codeAfter(agent, await agent.submit(page, { decision: 'not-now' }), request)).page : page
    assert.ok(new URL(last.headers.get('location') ?? '').searchParams.get('code'))
  })

/** Uses the changes up that an account may make in an hour. */
async function tenChanges({ id: user_id }: Pick<Person, 'id'>) {
  const environment_id = environment.id as EnvironmentId // as: an id of the API
  for (let n = 0; n < 10; n++) await db.batch(countForPerson('notice', { environment_id, user_id, now: w.now() }))
}

test('a response of the automatic page is not taken by the ordinary offer, nor the other way round', async () => {
  const person = await createPerson()
  const ready = await afterPassword(person)
  await sendWith(ready, ({ automatic: _, ...fields }) => fields)
  assert.deepEqual(await passkeysOf(person), [])
  const offered = await afterPassword(person, { able: '1', change: { prompt: 'login' } })
  assert.deepEqual([stepOf(offered.page), isAutomatic(offered.page)], ['offer-passkey', false])
  await sendWith(offered, (fields) => ({ ...fields, automatic: '1' }))
  await postCredential(offered.agent, offered.page, newDevice().create(optionsOf(offered.page), by_itself))
  assert.deepEqual(await passkeysOf(person), [], 'the ordinary offer takes no passkey of a person who was not verified')
})

test('of 20 posts of one response one adds a passkey', async () => {
  const person = await createPerson()
  const { agent, page } = await afterPassword(person)
  const credential = newDevice().create(optionsOf(page), by_itself)
  await Promise.all(Array.from({ length: 20 }, () => postCredential(agent, page, credential)))
  assert.equal((await passkeysOf(person)).length, 1)
})

test('a person gets no more of them than the most that one may have, in parallel browsers too', async () => {
  const person = await withAutomatic()
  const browsers = await Promise.all(Array.from({ length: 4 }, () => afterPassword(person)))
  await fill(person)
  await db.run(sql`delete from passkeys where id in (select id from passkeys where user_id = ${person.id} order by id desc limit 2)`)
  const sent = await Promise.all(browsers.map((ready) => createIn(ready)))
  assert.equal((await passkeysOf(person)).length, most_passkeys)
  assert.ok(
    sent.every(({ code }) => code !== null),
    'and all go on',
  )
})

test('the setting is refused where a second factor is required, whichever comes first', async () => {
  const pointersOf = ({ body }: Reply) => body.errors.map(({ pointer }: { pointer: string }) => pointer)
  const patch = (body: object) => w.call('PATCH', `${environment.path}/settings`, { body })
  const second = await patch({ mfa: { mode: 'required' } })
  assert.deepEqual([second.status, pointersOf(second)], [422, ['/passkeys/automatic']])
  const both = await patch({ mfa: { mode: 'required' }, passkeys: { automatic: true } })
  assert.deepEqual([both.status, pointersOf(both)], [422, ['/passkeys/automatic']])
  await set({ passkeys: { automatic: false }, mfa: { mode: 'required' } })
  const first = await patch({ passkeys: { automatic: true } })
  assert.deepEqual([first.status, pointersOf(first)], [422, ['/passkeys/automatic']])
  await set({ passkeys: { automatic: true }, mfa: { mode: 'optional' } })
  await set({ mfa: { mode: 'off' } })
})
