/**
 * A form that is not accepted says why (decision 0155): each cause has a sentence and a reason of its own, for each form of the hosted
 * pages. A token works with its own cookie alone, so tabs that load at once all work; what a privacy setting withholds refuses nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForBrowser } from '../../src/deployment/secrets/secrets.ts'
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

/** Each makes a form of a page that is open. */
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
    sentence: /this form was not sent from this website/,
    reason: /no page of this site sent the form/,
    send: ({ agent, ...form }) => agent.submitForm(form, {}, { origin: 'https://evil.example' }),
  },
  'another site, by Sec-Fetch-Site': {
    sentence: /this form was not sent from this website/,
    reason: /no page of this site sent the form/,
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

/** The POST of a form that is refused, and what follows at the address to which it leads. */
for (const [form, ready] of Object.entries(forms))
  test(`${form}: a refused POST leads by 303 to a page with its status, for a minute, and is recorded once`, async () => {
    const { agent, action, hidden } = await ready()
    const of = action.includes(required.id) ? required : environment
    const before = await countRefused(of)
    const { csrf: _, ...without_token } = hidden
    const post = await agent.postOnly(action, without_token)
    assert.equal(post.status, 303)
    assert.equal(post.body, '')
    const address = post.headers.get('location') ?? ''
    for (const visit of ['the redirect', 'Reload', 'Back']) {
      const page = await agent.get(address)
      assert.equal(page.status, 400, visit)
      assert.match(page.body, /A part of this form did not arrive/)
    }
    assert.equal(await countRefused(of), before + 1)
    w.advance(60)
    const plain = await agent.get(address)
    assert.equal(plain.status, 200)
    assert.doesNotMatch(plain.body, /A part of this form did not arrive/)
  })

async function countRefused(of: TestEnvironment): Promise<number> {
  const { data } = expectStatus(200, await w.call('GET', `${of.path}/requests?limit=100`))
  return (data as unknown[]).length // as: the route says so
}

const formCookies = (agent: Agent) => [...agent.cookies].filter(([name]) => name.includes('_form_'))
const refusedCookies = (agent: Agent) => [...agent.cookies].filter(([name]) => name.includes('_refused_'))

test('what was typed shows again, a password never, and it is gone when the step goes on', async () => {
  const { email, password } = await w.createUser(environment)
  const { agent, page } = await signInPage()
  const typed = 'not the password 4711'
  const wrong = await agent.submit(page, { email, password: typed, method: 'password' })
  assert.equal(wrong.status, 400)
  assert.ok(wrong.body.includes(`value="${email}"`))
  assert.ok(!wrong.body.includes(typed))
  assert.equal(refusedCookies(agent).length, 1)
  const right = await agent.submit(wrong, { email, password, method: 'password' })
  assert.equal(refusedCookies(agent).length, 0)
  assert.match((await followPages(agent, right)).body, /data-step="consent"/)
})

/** Opens the cookies of refused forms, as the service does. */
function openedOf(agent: Agent): string {
  const seeds = formCookies(agent).map(([, seed]) => seed)
  return refusedCookies(agent)
    .flatMap(([name, value]) =>
      seeds.flatMap((seed) => {
        const [, environment_id = ''] = /_(env_[0-9a-z]+)_/.exec(name) ?? []
        const key = w.deployment.secrets.mac('key of a refused form', JSON.stringify([environment_id, seed]))
        const id = name.split('_').at(-1)
        return openForBrowser(key, value.split('.')[1] ?? '', `refused.${id}`)?.toString('utf8') ?? []
      }),
    )
    .join('\n')
}

const secret = 'Secret-4711-Value'
const secrets_of: Record<string, Record<string, string>> = {
  'sign-in': { email: 'typed@example.com', password: secret, method: 'password' },
  'sign-up': { email: 'no address', name: 'Ada', password: secret },
  code: { code: secret },
  'new-password': { password: secret.slice(0, 5) },
  'second factor': { code: secret },
  'account: password': { password: secret.slice(0, 5) },
  'account: app': { code: secret },
  'account: deletion': { email: 'other@example.com' },
}
for (const [form, typed] of Object.entries(secrets_of))
  test(`${form}: no password, code or token is in the cookie of a refused form`, async () => {
    const { agent, action, hidden } = await (forms[form] as () => Promise<Form>)() // as: it is one of the table
    const reply = await agent.submitForm({ action, hidden }, typed)
    assert.equal(reply.status, 400)
    const opened = openedOf(agent)
    assert.match(opened, /"problem/)
    const forbidden = [typed.password, typed.code, hidden.csrf, hidden.token, hidden.attempt, hidden.nonce].filter(
      (each) => each !== undefined,
    )
    for (const each of forbidden) assert.ok(!opened.includes(each), `${each} in ${opened}`)
  })

test('a browser keeps at most five refused forms and 3,500 bytes of them: the oldest goes', async () => {
  const agent = createAgent()
  const names: string[] = []
  for (let i = 0; i < 7; i++) {
    w.advance(1)
    const page = await agent.get(authorizationRequest(environment, client).url)
    await agent.submit(page, { email: `typed${i}@example.com`, password: 'wrong', method: 'password' })
    names.push(refusedCookies(agent).at(-1)?.[0] ?? '')
  }
  assert.deepEqual(
    refusedCookies(agent).map(([name]) => name),
    names.slice(2),
  )
  for (let i = 0; i < 4; i++) {
    w.advance(1)
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    await agent.submit(page, { email: `typed${i}@example.com`, name: `${'n'.repeat(900)}\u0000`, password: 'short' })
    const bytes = refusedCookies(agent).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    assert.ok(bytes <= 3_500, String(bytes))
  }
})

test('prompt=none never reads what a form was refused for', async () => {
  const { agent, page } = await signInPage()
  const { hidden } = formOf(page.body)
  await agent.submit(page, { email: 'typed@example.com', password: 'wrong', method: 'password' })
  const reply = await agent.get(`${environment.issuer}/oauth/authorize?${hidden.request}&prompt=none`)
  assert.equal(reply.status, 303)
  assert.match(reply.headers.get('location') ?? '', /error=login_required/)
})

test('a browser that takes no cookies reads the sentence at the address too', async () => {
  const { page } = await signInPage()
  const { action, hidden } = formOf(page.body)
  const post = await createAgent().postOnly(action, hidden)
  for (let i = 0; i < 2; i++) {
    const shown = await createAgent().get(post.headers.get('location') ?? '')
    assert.equal(shown.status, 400)
    assert.match(problemOf(shown) ?? '', /did not send back the cookie of this page/)
  }
})

test('a refused sign-in stays refused where another tab signed in meanwhile', async () => {
  const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
  const { agent, page } = await signInPage()
  const other = await agent.get(authorizationRequest(environment, client).url)
  await followPages(agent, await agent.submit(other, { email: ben.email, password: ben.password, method: 'password' }))
  const reply = await agent.submit(page, { email: ada.email, password: 'wrong', method: 'password' })
  assert.equal(reply.status, 400)
  assert.match(reply.body, /data-step="sign-in"/)
  assert.ok(!reply.body.includes(ben.email))
})

test('the sign-out form leads to the page that says what was decided', async () => {
  for (const [decision, title] of [
    ['sign_out', 'signed-out'],
    ['stay', 'sign-out'],
  ] as const) {
    const { agent } = await signedIn()
    const { action, hidden } = formOf((await agent.get(`${environment.issuer}/oauth/logout`)).body)
    const post = await agent.postOnly(action, { ...hidden, decision })
    assert.equal(post.status, 303)
    for (let i = 0; i < 2; i++) {
      const page = await agent.get(post.headers.get('location') ?? '')
      assert.equal(page.status, 200)
      assert.match(page.body, new RegExp(`data-step="${title}"`))
    }
    // The question is asked again at its own address.
    if (decision === 'stay') assert.match((await agent.get(`${environment.issuer}/oauth/logout`)).body, /value="sign_out"/)
  }
})

test('the page of an ended session has an address, from which the person goes on', async () => {
  const { agent, page } = await account('?action=change-name')
  const { action, hidden } = formOf(page.body)
  for (const name of [...agent.cookies.keys()].filter((name) => name.includes('_session_'))) agent.cookies.delete(name)
  const post = await agent.postOnly(action, { ...hidden, name: 'Ada' })
  assert.equal(post.status, 303)
  for (let i = 0; i < 2; i++) {
    const shown = await agent.get(post.headers.get('location') ?? '')
    assert.equal(shown.status, 400)
    assert.match(shown.body, /You were signed out/)
    assert.match(shown.body, /data-action="continue"/)
  }
  const [, on = ''] = /href="([^"]*)" data-action="continue"/.exec((await agent.get(post.headers.get('location') ?? '')).body) ?? []
  assert.match((await agent.get(on.replaceAll('&amp;', '&'))).body, /data-step="sign-in"/)
})

for (const headers of [
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin' },
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
  assert.match(problemOf(reply) ?? '', /this form was not sent from this website/)
})

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
