/**
 * A form that is sent again gets the answer of its first press, for a minute. Where the session of that answer ended
 * otherwise meanwhile, it gets `answer_lost` and no data (decision 0082): forms with a kept answer by the ways in which a session ends.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addApp, formFor, openAccount, press, stepOf } from '../support/account.ts'
import { appCode, passwordStep, recoveryCodesOn, secretOn } from '../support/authenticator-app.ts'
import { type Agent, authorizationRequest, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { test: environment, live: required } = await w.createProject('lost')
await w.changeSettings(environment, { mfa: { mode: 'optional' } })
await w.changeSettings(required, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
const client = await w.createApplication(environment, { consent: 'ask' })
const strict = await w.createApplication(required)

async function newKey({ path }: TestEnvironment): Promise<string> {
  return expectStatus(201, await w.call('POST', `${path}/auth-keys`, { body: { type: 'auth_secret' } })).key
}
const keys = new Map([
  [environment.id, await newKey(environment)],
  [required.id, await newKey(required)],
])
const keyOf = ({ id }: TestEnvironment) => keys.get(id) ?? null

interface Person {
  id: string
  email: string
  password: string
}

/** A form that is ready to be sent, and the person that it is of. */
interface Ready {
  at: TestEnvironment
  agent: Agent
  person: Person
  action: string
  fields: Record<string, string>
}

const ready = ({ at, agent, person }: Omit<Ready, 'action' | 'fields'>, page: Reply, typed: Record<string, string> = {}): Ready => {
  const { action, hidden } = formOf(page.body)
  return { at, agent, person, action, fields: { ...hidden, ...typed } }
}

async function accountForm(action: string, typed: (page: Reply) => Record<string, string> = () => ({})): Promise<Ready> {
  const person = await w.createUser(environment)
  const { agent } = await openAccount(environment, person)
  if (action === 'new-recovery-codes') await addApp(w, environment, agent)
  const page = await agent.get(`${environment.issuer}/account?action=${action}`)
  return ready({ at: environment, agent, person }, page, typed(page))
}

const forms: Record<string, () => Promise<Ready>> = {
  'the export': () => accountForm('export'),
  'new recovery codes': () => accountForm('new-recovery-codes'),
  'the first app': () => accountForm('add-totp', (page) => ({ code: appCode(secretOn(page), w.now()) })),
  'the profile': () => accountForm('change-name', () => ({ name: 'Ada Lovelace' })),
  'the password': () => accountForm('change-password', () => ({ password: 'another battery staple' })),
  'a right password': async () => {
    const person = await w.createUser(environment)
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    return ready({ at: environment, agent, person }, page, { email: person.email, password: person.password, method: 'password' })
  },
  consent: async () => {
    const person = await w.createUser(environment)
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    const asked = await followPages(agent, await agent.submit(page, { ...person, method: 'password' }))
    return ready({ at: environment, agent, person }, asked, { decision: 'allow' })
  },
  'an app of the enrolment': async () => {
    const person = await w.createUser(required)
    const { agent, page } = await passwordStep(required, strict, person)
    return ready({ at: required, agent, person }, page, { code: appCode(secretOn(page), w.now()) })
  },
}

async function signInElsewhere({ at, person }: Ready): Promise<{ agent: Agent; page: Reply }> {
  const agent = createAgent()
  const page = await agent.get(`${at.issuer}/account`)
  return { agent, page: await followPages(agent, await agent.submit(page, { ...person, method: 'password' })) }
}

const byBackend = ({ at, person }: Ready, path: string) => w.call('POST', `/v1/auth/users/${person.id}/${path}`, { key: keyOf(at) })

const endings: Record<string, (of: Ready) => Promise<unknown>> = {
  'the user is blocked': async (of) => expectStatus(200, await byBackend(of, 'block')),
  'the backend ends the sessions': async (of) => expectStatus(200, await byBackend(of, 'end-sessions')),
  'the user is deleted': async ({ at, person }) =>
    expectStatus(204, await w.call('DELETE', `/v1/auth/users/${person.id}`, { key: keyOf(at) })),
  'the person signs out here': async ({ at, agent }) => {
    const asked = await agent.get(`${at.issuer}/oauth/logout`)
    assert.equal(stepOf(await agent.submit(asked, { decision: 'sign_out' })), 'signed-out')
  },
}

/** Only where the second factor does not come before the other browser. */
const of_password: Record<string, (of: Ready) => Promise<unknown>> = {
  'the person ends it in another browser': async (of) => {
    const { agent, page } = await signInElsewhere(of)
    assert.equal((await press(agent, page, 'end-other-sessions')).status, 303)
  },
}
const with_second_factor = ['new recovery codes', 'the first app', 'an app of the enrolment', 'the password']

for (const [form, open] of Object.entries(forms))
  for (const [ending, end] of Object.entries(with_second_factor.includes(form) ? endings : { ...endings, ...of_password }))
    test(`${form}, sent again after ${ending}: the answer is lost`, async () => {
      const of = await open()
      const first = await of.agent.postOnly(of.action, of.fields)
      assert.ok(first.status === 200 || first.status === 303, String(first.status))
      await end(of)
      const again = await of.agent.post(of.action, of.fields)
      assert.equal(again.status, 409)
      assert.match(again.body, /Our answer to this form was lost/)
      assert.ok(!again.body.includes(of.person.email))
      assert.deepEqual(recoveryCodesOn(again), [])
      const lines = again.headers.getSetCookie()
      assert.ok(!lines.some((line) => /_session_[^=]*=[^;]/.test(line)), String(lines))
    })

for (const form of ['the export', 'new recovery codes', 'the first app', 'the profile'])
  test(`${form}, sent again without the cookie of its session: the answer is lost`, async () => {
    const of = await (forms[form] as () => Promise<Ready>)() // as: it is one of the table
    await of.agent.postOnly(of.action, of.fields)
    for (const name of [...of.agent.cookies.keys()].filter((name) => name.includes('_session_'))) of.agent.cookies.delete(name)
    const again = await of.agent.post(of.action, of.fields)
    assert.equal(again.status, 409)
    assert.ok(!again.body.includes(of.person.email))
  })

for (const [form, open] of Object.entries(forms))
  test(`${form}, pressed twice while its session lives: the answer of the first press`, async () => {
    const of = await open()
    const cookies = new Map(of.agent.cookies)
    const first = await of.agent.postOnly(of.action, of.fields)
    const hand = createAgent()
    for (const [name, value] of cookies) hand.cookies.set(name, value)
    const again = await hand.postOnly(of.action, of.fields)
    assert.deepEqual([again.status, again.body, again.headers.get('location')], [first.status, first.body, first.headers.get('location')])
  })

test('a form that ended the session itself repeats its own last page, without data', async () => {
  const person = await w.createUser(environment)
  const { agent } = await openAccount(environment, person)
  const asked = await agent.get(`${environment.issuer}/oauth/logout`)
  const sign_out = { ...formOf(asked.body).hidden, decision: 'sign_out' }
  for (let i = 0; i < 2; i++) {
    const page = await followPages(agent, await agent.post(`${environment.issuer}/sign-out`, sign_out))
    assert.deepEqual([page.status, stepOf(page), page.body.includes(person.email)], [200, 'signed-out', false])
  }

  const leaving = await w.createUser(environment)
  const { agent: other } = await openAccount(environment, leaving)
  const page = await other.get(`${environment.issuer}/account?action=delete-account`)
  const { action, fields } = formFor(page, 'delete-account')
  for (let i = 0; i < 2; i++) {
    const gone = await other.post(action, { ...fields, email: leaving.email })
    assert.deepEqual([gone.status, gone.body.includes(leaving.email)], [200, false])
  }
})
