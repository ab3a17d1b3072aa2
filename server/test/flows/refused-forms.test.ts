/**
 * A form that is not accepted says why (people.md 31): each cause has a sentence and a reason of its own, for each form of the hosted pages.
 * A token works with its own cookie alone, so tabs that load at once all work; what a privacy setting withholds refuses nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, problemOf } from '../support/account.ts'
import { enrolPerson, passwordStep } from '../support/authenticator-app.ts'
import { type Agent, authorizationRequest, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { test: environment, live: required } = await w.createProject('refused')
await w.changeSettings(environment, { mfa: { mode: 'optional' }, sign_in: { email_code: true } })
await w.changeSettings(required, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
const client = await w.createApplication(environment, { consent: 'ask' })
const strict = await w.createApplication(required)

/** The reason of the newest refused call. */
async function newestReason(of: TestEnvironment): Promise<string> {
  const { data } = expectStatus(200, await w.call('GET', `${of.path}/requests?limit=1`))
  const [call] = data as { code: string; reason: string }[] // as: the route says so
  assert.equal(call?.code, 'form_expired')
  return call.reason
}

interface Form {
  agent: Agent
  action: string
  hidden: Record<string, string>
}
const first = (agent: Agent, page: Reply): Form => ({ agent, ...formOf(page.body) })
async function signInPage(change = {}) {
  const agent = createAgent()
  return { agent, page: await agent.get(authorizationRequest(environment, client, change).url) }
}

async function signedIn(change = {}) {
  const { email, password } = await w.createUser(environment)
  const { agent, page } = await signInPage()
  await followPages(agent, await agent.submit(page, { email, password, method: 'password' }))
  return { agent, email, page: await agent.get(authorizationRequest(environment, client, change).url) }
}

async function account(query = '') {
  const person = await w.createUser(environment)
  const { agent } = await openAccount(environment, person)
  return { agent, page: await agent.get(`${environment.issuer}/account${query}`) }
}

/** Each makes a form of a page that stands open. */
const forms: Record<string, () => Promise<Form>> = {
  'sign-in': async () => {
    const { agent, page } = await signInPage()
    return first(agent, page)
  },
  'sign-up': async () => {
    const { agent, page } = await signInPage({ prompt: 'create' })
    return first(agent, page)
  },
  code: async () => {
    const { email } = await w.createUser(environment)
    const { agent, page } = await signInPage()
    return first(agent, await followPages(agent, await agent.submit(page, { email, method: 'email_code' })))
  },
  'forgot-password': async () => {
    const { agent, page } = await signInPage()
    const [, url = ''] = /href="([^"]*\/forgot-password[^"]*)"/.exec(page.body) ?? []
    return first(agent, await agent.get(url.replaceAll('&amp;', '&')))
  },
  'new-password': async () => {
    const { email } = await w.createUser(environment)
    const { agent, page } = await signInPage()
    const [, url = ''] = /href="([^"]*\/forgot-password[^"]*)"/.exec(page.body) ?? []
    await agent.submit(await agent.get(url.replaceAll('&amp;', '&')), { email })
    const link = await agent.get((await newestMail(w, environment, email)).link ?? '')
    return first(agent, await followPages(agent, await agent.submit(link, {})))
  },
  link: async () => {
    const { email } = await w.createUser(environment)
    const { agent, page } = await signInPage()
    const [, url = ''] = /href="([^"]*\/forgot-password[^"]*)"/.exec(page.body) ?? []
    await agent.submit(await agent.get(url.replaceAll('&amp;', '&')), { email })
    return first(agent, await agent.get((await newestMail(w, environment, email)).link ?? ''))
  },
  'second factor': async () => {
    const person = await enrolPerson(w, required, strict)
    const { agent, page } = await passwordStep(required, strict, person)
    return first(agent, page)
  },
  consent: async () => {
    const { agent, page } = await signedIn()
    return first(agent, page)
  },
  'account chooser': async () => {
    const { agent, page } = await signedIn({ prompt: 'select_account' })
    return first(agent, page)
  },
  'sign-out': async () => {
    const { agent } = await signedIn()
    return first(agent, await agent.get(`${environment.issuer}/oauth/logout`))
  },
  'account: password': async () => {
    const { agent, page } = await account('?action=change-password')
    return first(agent, page)
  },
  'account: address': async () => {
    const { agent, page } = await account('?action=change-email')
    return first(agent, page)
  },
  'account: profile': async () => {
    const { agent, page } = await account('?action=change-name')
    return first(agent, page)
  },
  'account: app': async () => {
    const { agent, page } = await account('?action=add-totp')
    return first(agent, page)
  },
  'account: export': async () => {
    const { agent, page } = await account('?action=export')
    return first(agent, page)
  },
  'account: deletion': async () => {
    const { agent, page } = await account('?action=delete-account')
    return first(agent, page)
  },
}

interface Cause {
  sentence: RegExp
  reason: RegExp
  send: (form: Form) => Promise<Reply>
}

const otherTabs = (agent: Agent) => [...agent.cookies.keys()].filter((name) => name.includes('_form_'))

/** A browser that has everything but the form cookie of the page. */
function withoutFormCookie(agent: Agent): void {
  for (const name of otherTabs(agent)) agent.cookies.delete(name)
}

const causes: Record<string, Cause> = {
  'no cookie': {
    sentence: /did not send back the cookie of this page/,
    reason: /sent no cookie with the form/,
    send({ agent, action, hidden }) {
      withoutFormCookie(agent)
      return agent.submitForm({ action, hidden }, {})
    },
  },
  'the cookie of another page': {
    sentence: /cookie that belongs to this page is gone/,
    reason: /belongs to none of the form cookies/,
    async send({ agent, action, hidden }) {
      withoutFormCookie(agent)
      const other = await signInPage()
      for (const [name, value] of other.agent.cookies) if (name.includes('_form_')) agent.cookies.set(name, value)
      // The cookie of another environment has another name, so the same value takes its place.
      const own = action.replace(/.*\/(env_[^/]*)\/.*/, '$1')
      agent.cookies.set(`ostiary_form_${own}_another1`, randomText())
      return agent.submitForm({ action, hidden }, {})
    },
  },
  'no token': {
    sentence: /A part of this form did not arrive/,
    reason: /holds no form token/,
    send: ({ agent, action, hidden: { csrf: _, ...hidden } }) => agent.submitForm({ action, hidden }, {}),
  },
  'another site, by Origin': {
    sentence: /another website sent this form/,
    reason: /another site sent the form/,
    send: ({ agent, ...form }) => agent.submitForm(form, {}, { origin: 'https://evil.example' }),
  },
  'another site, by Sec-Fetch-Site': {
    sentence: /another website sent this form/,
    reason: /another site sent the form/,
    send: ({ agent, ...form }) => agent.submitForm(form, {}, { 'sec-fetch-site': 'same-site' }),
  },
}

for (const [form, ready] of Object.entries(forms))
  for (const [cause, { sentence, reason, send }] of Object.entries(causes))
    test(`${form}, ${cause}: the page says it, and the record too`, async () => {
      const open = await ready()
      const reply = await send(open)
      assert.equal(reply.status, 400, reply.body.slice(0, 300))
      assert.match(problemOf(reply) ?? reply.body.replace(/<style>.*?<\/style>/gs, ''), sentence)
      const of = open.action.includes(required.id) ? required : environment
      assert.match(await newestReason(of), reason)
    })

for (const headers of [
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  {} as Record<string, string>,
] as Record<string, string>[])
  test(`a form of an own page is accepted with ${JSON.stringify(headers)}`, async () => {
    const { email, password } = await w.createUser(environment)
    const { agent, page } = await signInPage()
    const reply = await agent.submit(page, { email, password, method: 'password' }, headers)
    assert.equal(reply.status, 303)
    assert.match((await followPages(agent, reply)).body, /data-step="consent"/)
  })

test('Origin: null of a page of another site is refused, where the browser says so', async () => {
  const { agent, page } = await signInPage()
  const reply = await agent.submit(page, { email: 'a@example.com', password: 'x' }, { origin: 'null', 'sec-fetch-site': 'cross-site' })
  assert.match(problemOf(reply) ?? '', /another website sent this form/)
})

const formCookies = (agent: Agent) => [...agent.cookies].filter(([name]) => name.includes('_form_'))

test('six tabs that load at once without cookies all sign in, in the same browser', async () => {
  const browser = createAgent()
  const tabs = await Promise.all(Array.from({ length: 6 }, () => signInPage()))
  for (const { agent } of tabs) for (const [name, value] of agent.cookies) browser.cookies.set(name, value)
  assert.equal(formCookies(browser).length, 6)
  for (const { page } of tabs) {
    const { email, password } = await w.createUser(environment)
    const reply = await followPages(browser, await browser.submit(page, { email, password, method: 'password' }))
    assert.match(reply.body, /data-step="consent"/)
    assert.ok(reply.body.includes(email))
  }
  assert.equal(formCookies(browser).length, 6)
})

test('tabs that load at once keep their waiting pages: each has its code', async () => {
  const browser = createAgent()
  const tabs = await Promise.all(Array.from({ length: 3 }, () => signInPage()))
  for (const { agent } of tabs) for (const [name, value] of agent.cookies) browser.cookies.set(name, value)
  const waiting: { email: string; page: Reply }[] = []
  for (const { page } of tabs) {
    const { email } = await w.createUser(environment)
    waiting.push({ email, page: await followPages(browser, await browser.submit(page, { email, method: 'email_code' })) })
  }
  for (const { email, page } of waiting) {
    assert.match(page.body, /data-step="code"/)
    const code = (await newestMail(w, environment, email)).code ?? ''
    assert.match((await followPages(browser, await browser.submit(page, { code }))).body, /data-step="consent"/)
  }
})

test('a token works with its own cookie alone', async () => {
  const [one, two] = [await signInPage(), await signInPage()]
  const { email, password } = await w.createUser(environment)
  const browser = createAgent()
  for (const [name, value] of two.agent.cookies) browser.cookies.set(name, value)
  const reply = await browser.submit(one.page, { email, password, method: 'password' })
  assert.equal(reply.status, 400)
  assert.match(problemOf(reply) ?? '', /cookie that belongs to this page is gone/)
})

test('a browser has at most eight form cookies: the oldest goes', async () => {
  const browser = createAgent()
  const tabs = await Promise.all(Array.from({ length: 10 }, () => signInPage()))
  for (const { agent } of tabs) for (const [name, value] of agent.cookies) browser.cookies.set(name, value)
  const names = formCookies(browser).map(([name]) => name)
  await browser.get(authorizationRequest(environment, client).url)
  assert.deepEqual(
    formCookies(browser).map(([name]) => name),
    names.slice(2),
  )
})
