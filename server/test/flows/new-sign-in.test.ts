/** The mail about a sign-in from a browser that did not sign in to the account before (decision 0191). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, signInOn, stepOf } from '../support/account.ts'
import { appCode, enrolPerson, passwordStep } from '../support/authenticator-app.ts'
import { type Agent, authorizationRequest, type Client, createAgent, obtainCode } from '../support/cookie-browser.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' }

interface Place {
  environment: TestEnvironment
  client: Client
}

let places = 0
async function createPlace(settings: object = {}): Promise<Place> {
  const { test: environment } = await w.createProject(`place-${++places}`)
  if (Object.keys(settings).length > 0) await w.changeSettings(environment, settings)
  return { environment, client: await w.createApplication(environment, { name: 'Meal Planner' }) }
}

interface Mailed {
  kind: string
  subject: string
  text: string
  link: string | null
  code: string | null
}
const mailsTo = async ({ environment }: Place, to: string): Promise<Mailed[]> => {
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${encodeURIComponent(to)}`))
  return data.filter(({ kind }: Mailed) => kind === 'new_sign_in')
}

type Person = Awaited<ReturnType<typeof w.createUser>>

/** Signs in for the application, and gets a code. */
const signIn = ({ environment, client }: Place, person: Person, agent: Agent = createAgent(), change = {}) =>
  obtainCode(agent, authorizationRequest(environment, client, { prompt: 'login', ...change }), person)

const cookiesOf = (agent: Agent, kind: string) => [...agent.cookies.keys()].filter((name) => name.includes(`ostiary_${kind}`))
const forget = (agent: Agent, ...kinds: string[]) => {
  for (const name of kinds.flatMap((kind) => cookiesOf(agent, kind))) agent.cookies.delete(name)
}

const place = await createPlace()

/** A person who has signed in in one browser. */
async function returning(at: Place = place) {
  const person = await w.createUser(at.environment)
  const agent = createAgent()
  await signIn(at, person, agent)
  return { person, agent }
}

test('the first sign-in of a person is mailed nothing', async () => {
  const { person } = await returning()
  assert.deepEqual(await mailsTo(place, person.email), [])
})

test('the mail names application, browser, system and time, leads to the account page, and names no place and no address of a network', async () => {
  const { person } = await returning()
  const agent = createAgent()
  const request = authorizationRequest(place.environment, place.client)
  const page = await agent.get(request.url, firefox)
  await agent.submit(page, { email: person.email, password: person.password, method: 'password' }, firefox)
  const [mail, ...others] = await mailsTo(place, person.email)
  assert.deepEqual([others.length, mail?.code, mail?.link], [0, null, `${place.environment.issuer}/account`])
  assert.match(mail?.subject ?? '', /New sign-in to your account/)
  assert.match(mail?.text ?? '', /Application: Meal Planner\. Browser and system: Firefox, Linux\./)
  assert.match(mail?.text ?? '', new RegExp(`${w.now().getUTCFullYear()}`))
  assert.match(mail?.text ?? '', /press "End all others" to sign out everywhere else/)
  assert.doesNotMatch(mail?.text ?? '', /127\.0\.0\.1|::1/)
})

test('it is in the language of the person', async () => {
  const person = await w.createUser(place.environment, { locale: 'de' })
  await signIn(place, person)
  await signIn(place, person)
  const [mail] = await mailsTo(place, person.email)
  assert.match(mail?.subject ?? '', /Neue Anmeldung/)
  assert.match(mail?.text ?? '', /Anwendung: Meal Planner\. Browser und System: unbekannt\./)
})

test('a sign-in at the account page names no application', async () => {
  const { person } = await returning()
  const { page } = await openAccount(place.environment, person)
  assert.equal(stepOf(page), 'account')
  assert.doesNotMatch((await mailsTo(place, person.email))[0]?.text ?? '', /Application:/)
})

type Change = (known: { person: Person; agent: Agent; at: Place }) => Promise<unknown>
// biome-ignore format: this table is read by column
const browsers: [browser: string, mails: number, change: Change][] = [
  ['the same browser, which is signed in',                    0, async () => {}],
  ['the same browser, signed out, with its mark',             0, async ({ agent }) => forget(agent, 'session')],
  ['the same browser without its mark, which is signed in',   0, async ({ agent }) => forget(agent, 'device')],
  ['the same browser after a session that ran out',           0, async ({ agent }) => { w.advance(86_401); forget(agent, 'device') }],
  ['a browser without cookies',                               1, async ({ agent }) => agent.cookies.clear()],
  ['a browser with the mark of another person',               1, async ({ agent, at }) => {
    agent.cookies.clear()
    await signIn(at, await w.createUser(at.environment), agent)
  }],
  ['a browser with an invented mark',                         1, async ({ agent }) => {
    forget(agent, 'session')
    for (const name of cookiesOf(agent, 'device')) agent.cookies.set(name, `${'a'.repeat(16)}.${'b'.repeat(32)}`)
  }],
  ['a browser whose mark is from before another password',    1, async ({ agent, person, at }) => {
    forget(agent, 'session')
    const { key } = expectStatus(201, await w.call('POST', `${at.environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
    person.password = 'staple and something else'
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${person.id}`, { key, body: { password: person.password } }))
  }],
]
for (const [browser, mails, change] of browsers)
  test(`${browser}: ${mails === 0 ? 'no mail' : 'a mail'}`, async () => {
    const { person, agent } = await returning()
    await change({ person, agent, at: place })
    await signIn(place, person, agent)
    assert.equal((await mailsTo(place, person.email)).length, mails)
  })

test('a person gets one such mail an hour, and the next after it', async () => {
  const { person } = await returning()
  for (let n = 0; n < 3; n++) await signIn(place, person)
  assert.equal((await mailsTo(place, person.email)).length, 1)
  w.advance(3_500)
  await signIn(place, person)
  assert.equal((await mailsTo(place, person.email)).length, 1)
  w.advance(1_000)
  await signIn(place, person)
  assert.equal((await mailsTo(place, person.email)).length, 2)
})

test('20 sign-ins at once from unknown browsers all succeed, with one mail', async () => {
  const { person } = await returning()
  const codes = await Promise.all(Array.from({ length: 20 }, () => signIn(place, person)))
  assert.deepEqual([new Set(codes).size, (await mailsTo(place, person.email)).length], [20, 1])
})

// biome-ignore format: this table is read by column
const silent: [when: string, settings: object][] = [
  ['notices.new_sign_in is off',        { notices: { new_sign_in: false } }],
  ['the environment sends no mail',     { email: { delivery: 'none' } }],
]
for (const [when, settings] of silent)
  test(`no mail where ${when}`, async () => {
    const at = await createPlace(settings)
    const { person } = await returning(at)
    await signIn(at, person)
    assert.deepEqual(await mailsTo(at, person.email), [])
  })

test('a wrong password is mailed nothing', async () => {
  const { person } = await returning()
  const agent = createAgent()
  const page = await agent.get(`${place.environment.issuer}/account`)
  assert.equal(stepOf(await signInOn(agent, page, { ...person, password: 'not the password' })), 'sign-in')
  assert.deepEqual(await mailsTo(place, person.email), [])
})

test('a sign-in of two factors is mailed after the second one', async () => {
  const at = await createPlace({ mfa: { mode: 'required' }, email: { delivery: 'none' } })
  const person = await enrolPerson(w, at.environment, at.client)
  await w.changeSettings(at.environment, { email: { delivery: 'capture' } })
  w.advance(60)
  const { agent, page } = await passwordStep(at.environment, at.client, person)
  assert.deepEqual(await mailsTo(at, person.email), [])
  await agent.submit(page, { code: appCode(person.secret, w.now()) })
  assert.equal((await mailsTo(at, person.email)).length, 1)
})

test('a sign-in by an emailed code is mailed too', async () => {
  const at = await createPlace({ sign_in: { email_code: true }, test: { fixed_code: '246810' } })
  const { person } = await returning(at)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(at.environment, at.client).url)
  const asked = await agent.submit(page, { email: person.email, password: '', method: 'email_code' })
  assert.equal((await agent.submit(asked, { code: '246810' })).status, 303)
  assert.equal((await mailsTo(at, person.email)).length, 1)
})
