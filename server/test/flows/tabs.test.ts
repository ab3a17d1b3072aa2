/**
 * Two tabs are two attempts (decision 0083), and a page that waits can be loaded again (decision 0084): two people in one browser over every
 * second step, and each waiting page by its address.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { openAccount, press, stepOf } from '../support/account.ts'
import { appCode, codeAfter, enrolPerson, recoveryCodesOn, secretOn } from '../support/authenticator-app.ts'
import {
  type Agent,
  authorizationRequest,
  type Client,
  createAgent,
  exchange,
  followPages,
  formOf,
  obtainCode,
  type Request,
} from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { createPasskeyPerson, optionsOf, postCredential } from '../support/passkeys.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { test: environment, live: required } = await w.createProject('tabs')
await w.changeSettings(environment, { sign_in: { email_code: true }, mfa: { mode: 'optional' } })
await w.changeSettings(required, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
const client = await w.createApplication(environment)
const strict = await w.createApplication(required)
const { test: passkeys } = await w.createProject('passkeys')
await w.changeSettings(passkeys, { sign_in: { passkey: true } })
const keyed = await w.createApplication(passkeys)

type Person = Awaited<ReturnType<typeof enrolPerson>>

/** A tab that has the right password and waits for the code of the app. */
async function openTab(agent: Agent, person: { email: string; password: string }) {
  const request = authorizationRequest(required, strict, { prompt: 'login' })
  const page = await agent.get(request.url)
  return {
    request,
    page: await followPages(agent, await agent.submit(page, { email: person.email, password: person.password, method: 'password' })),
  }
}

const emailOn = ({ body }: Reply) => /<input id="email"[^>]* value="([^"]*)"/.exec(body)?.[1]

interface Tab {
  person: { id: string; email: string; password: string }
  request: Request
  page: Reply
}

/** A second step. The tabs alternate between two people, and the page waits for the step. */
interface SecondStep {
  at: TestEnvironment
  by: Client
  people: () => Promise<readonly [Tab['person'], Tab['person']]>
  /** The first step, where it is not the password. */
  first?: (email: string) => Record<string, string>
  finish: (agent: Agent, tab: Tab) => Promise<Reply>
  /** After one tab the other tab of the same person cannot finish: the code is used, or the person has an app now. */
  is_single?: true
}

const two = async <P>(create: () => Promise<P>): Promise<readonly [P, P]> => [await create(), await create()]
const appPeople = () => two(() => enrolPerson(w, required, strict))
const own = <P extends Tab['person']>(tab: Tab) => tab.person as P // as: the people of the step

const second_steps: Record<string, SecondStep> = {
  'the code of an app': {
    at: required,
    by: strict,
    people: appPeople,
    finish: (agent, tab) => agent.submit(tab.page, { code: appCode(own<Person>(tab).secret, w.now()) }),
  },
  'a recovery code': {
    at: required,
    by: strict,
    people: appPeople,
    finish: (agent, tab) => agent.submit(tab.page, { recovery_code: own<Person>(tab).codes.pop() ?? '' }),
  },
  'a passkey': {
    at: passkeys,
    by: keyed,
    people: () => two(() => createPasskeyPerson(w, passkeys, keyed)),
    finish: (agent, tab) =>
      postCredential(agent, tab.page, own<Awaited<ReturnType<typeof createPasskeyPerson>>>(tab).device.get(optionsOf(tab.page))),
  },
  'an emailed code': {
    at: environment,
    by: client,
    people: () => two(() => w.createUser(environment)),
    first: (email) => ({ email, method: 'email_code' }),
    finish: async (agent, { page, person }) => agent.submit(page, { code: (await newestMail(w, environment, person.email)).code ?? '' }),
    is_single: true,
  },
  'an enrolment': {
    at: required,
    by: strict,
    people: () => two(() => w.createUser(required)),
    finish: async (agent, { page }) => {
      const shown = await agent.submit(page, { code: appCode(secretOn(page), w.now()) })
      return recoveryCodesOn(shown).length > 0 ? agent.submit(shown, {}) : shown
    },
    is_single: true,
  },
}

for (const [name, { at, by, people, first, finish, is_single }] of Object.entries(second_steps))
  for (const count of [2, 3, 4])
    test(`${count} tabs with two people: each second step ends with the tokens of its own person, in any order: ${name}`, async () => {
      const both = await people()
      w.advance(30)
      const agent = createAgent()
      const tabs: Tab[] = []
      for (let i = 0; i < count; i++) {
        const person = both[i % 2] ?? both[0]
        const { email, password } = person
        const request = authorizationRequest(at, by, { prompt: 'login' })
        const fields = first?.(email) ?? { email, password, method: 'password' }
        tabs.push({ person, request, page: await followPages(agent, await agent.submit(await agent.get(request.url), fields)) })
      }
      const done = new Set<string>()
      for (const tab of tabs.reverse()) {
        const { code, page } = await codeAfter(agent, await finish(agent, tab), tab.request)
        const { id } = tab.person
        if (is_single && done.has(id)) assert.deepEqual([code, page.status], [null, 400])
        else
          assert.equal(decodeJwt(expectStatus(200, await exchange(w, at, by, { request: tab.request, code: code ?? '' })).id_token).sub, id)
        done.add(id)
        w.advance(30)
      }
    })

test('a sign-in of another person meanwhile changes no second step, even where two tabs have the same request', async () => {
  const [ada, ben] = [await enrolPerson(w, required, strict), await enrolPerson(w, required, strict)]
  w.advance(30)
  const agent = createAgent()
  const open = async (person: Person) => {
    const page = await agent.get(`${required.issuer}/account?prompt=login`)
    return followPages(agent, await agent.submit(page, { email: person.email, password: person.password, method: 'password' }))
  }
  const [first, second] = [await open(ada), await open(ben)]
  const of_ben = await followPages(agent, await agent.submit(second, { code: appCode(ben.secret, w.now()) }))
  assert.match(of_ben.body, new RegExp(ben.email))
  const of_ada = await followPages(agent, await agent.submit(first, { code: appCode(ada.secret, w.now()) }))
  assert.match(of_ada.body, new RegExp(ada.email))
})

test('an attempt that is over says so, keeps the address that was typed, and goes on with no other session', async () => {
  const [ada, ben] = [await enrolPerson(w, required, strict), await enrolPerson(w, required, strict)]
  w.advance(30)
  const agent = createAgent()
  const { page } = await openTab(agent, ada)
  const address = formOf(page.body).hidden
  w.advance(601)
  await codeAfter(agent, await agent.submit((await openTab(agent, ben)).page, { code: appCode(ben.secret, w.now()) }), {
    redirect_uri: 'https://app.example.com/callback',
  })
  const sent = await agent.submit(page, { code: appCode(ada.secret, w.now()) })
  const loaded = await agent.get(`${required.issuer}/second-factor?attempt=${address.attempt}&${address.request}`)
  for (const over of [sent, loaded]) {
    assert.deepEqual([over.status, stepOf(over), emailOn(over)], [400, 'sign-in', ada.email])
    assert.match(over.body, /That sign-in took longer than 10 minutes, or it is over\. Sign in again\./)
    assert.doesNotMatch(over.body, new RegExp(ben.email))
  }
  const unknown = await agent.get(`${required.issuer}/second-factor?attempt=${'0'.repeat(32)}&${address.request}`)
  assert.deepEqual([unknown.status, stepOf(unknown), emailOn(unknown)], [400, 'sign-in', undefined])
})

test('a request that went on with a session ends in no other one', async () => {
  const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
  const agent = createAgent()
  const request = authorizationRequest(environment, client)
  const signed_in = await agent.submit(await agent.get(request.url), { email: ada.email, password: ada.password, method: 'password' })
  const next = signed_in.headers.get('location') ?? ''
  // The browser lost the session of the first tab, as when the answers of two tabs cross.
  for (const name of agent.cookies.keys()) if (name.includes('_session_')) agent.cookies.delete(name)
  await obtainCode(agent, authorizationRequest(environment, client), ben)
  const asked = await agent.get(next)
  assert.deepEqual([asked.status, stepOf(asked)], [200, 'sign-in'])
})

test('a consent of one account is not a consent of the account that signed in meanwhile', async () => {
  const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
  const agent = createAgent()
  await obtainCode(agent, authorizationRequest(environment, client), ada)
  const request = authorizationRequest(environment, client, { prompt: 'consent' })
  const page = await agent.get(request.url)
  await obtainCode(agent, authorizationRequest(environment, client, { prompt: 'login' }), ben)
  const { code } = await codeAfter(agent, await agent.submit(page, { decision: 'allow' }), request)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' }))
  assert.equal(decodeJwt(tokens.id_token).sub, ada.id)
})

test('a form of the account page changes the account that it was shown for, and the next page names that account', async () => {
  const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
  const { agent } = await openAccount(environment, ada)
  const form = await agent.get(`${environment.issuer}/account?action=change-name`)
  await openAccount(environment, ben, agent, '?prompt=login')
  const after = await followPages(agent, await press(agent, form, 'change-name', { name: 'Ada in a tab' }))
  assert.match(after.body, /Ada in a tab/)
  assert.match(after.body, new RegExp(ada.email))
})

/** Loads the address of a page twice more, in the same tab and in a new one, and checks that it is the same page. */
async function reload(agent: Agent, location: string, of: (page: Reply) => unknown) {
  const pages = [await agent.get(location), await agent.get(location), await agent.get(location)]
  for (const page of pages) {
    assert.equal(page.status, 200)
    assert.deepEqual(of(page), of(pages[0] as Reply))
  }
  return pages[2] as Reply
}
const locationOf = (reply: Reply) => {
  assert.equal(reply.status, 303)
  return reply.headers.get('location') ?? ''
}

test('the page of an emailed code is loaded again: it sends nothing, and the code in hand works', async () => {
  const user = await w.createUser(environment)
  const agent = createAgent()
  const request = authorizationRequest(environment, client)
  const location = locationOf(await agent.press(await agent.get(request.url), { email: user.email, method: 'email_code' }))
  assert.ok(!location.includes('example.com%40') && !location.includes(user.email), 'the address is not in the URL')
  w.advance(120)
  const page = await reload(agent, location, (shown) => [stepOf(shown), shown.body.includes(user.email)])
  assert.equal((await mailsTo(w, environment, user.email)).length, 1)
  const entered = await agent.submit(page, { code: (await newestMail(w, environment, user.email)).code ?? '' })
  assert.ok((await codeAfter(agent, entered, request)).code)

  const over = await agent.get(location)
  assert.deepEqual([over.status, stepOf(over), emailOn(over)], [400, 'sign-in', user.email], 'it signed in, so the attempt is over')
  const stranger = await createAgent().get(location)
  assert.deepEqual([stranger.status, stepOf(stranger), emailOn(stranger)], [400, 'sign-in', undefined], 'another browser')
})

test('a code is asked for again after it was used, also within 30 seconds', async () => {
  const user = await w.createUser(environment)
  const agent = createAgent()
  const ask = async () =>
    agent.submit(await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url), {
      email: user.email,
      method: 'email_code',
    })
  const codes = async () => (await mailsTo(w, environment, user.email)).length
  const page = await ask()
  await ask()
  assert.equal(await codes(), 1, 'while the code is unused nothing is sent')
  assert.equal((await agent.submit(page, { code: (await newestMail(w, environment, user.email)).code ?? '' })).status, 303)
  await ask()
  assert.equal(await codes(), 2)
})

test('the link of a sign-up makes the account in any browser and signs nobody in, and keeps the password in its own browser only', async () => {
  for (const is_own of [true, false]) {
    const email = `by-link-${is_own}@example.com`
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    await agent.submit(page, { email, password: 'a memorable sentence' })
    const mail = await newestMail(w, environment, email)
    assert.equal(mail.kind, 'verify_email')
    const browser = is_own ? agent : createAgent()
    const link = await browser.get(mail.link ?? '')
    assert.deepEqual([link.status, stepOf(link)], [200, 'link'])
    const done = await browser.submit(link, {})
    assert.deepEqual([done.status, browser.cookies.has(`ostiary_session_${environment.id}`)], [200, false])
    assert.match(done.body, /Your account has been created/)
    assert.equal((await browser.submit(link, {})).status, 410, 'it works once')
    const sign_in = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    assert.equal((await agent.submit(sign_in, { email, password: 'a memorable sentence', method: 'password' })).status, is_own ? 303 : 400)
  }
})

test('the link of a sign-up with a long request makes the account, and leads to the account page', async () => {
  const agent = createAgent()
  const email = 'long-request@example.com'
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create', state: 's'.repeat(4_000) }).url)
  await agent.submit(page, { email, password: 'a memorable sentence' })
  const link = await agent.get((await newestMail(w, environment, email)).link ?? '')
  const done = await agent.submit(link, {})
  assert.equal(done.status, 200)
  const next = /href="([^"]*)" data-action="sign-in"/.exec(done.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.ok(next.startsWith(`${environment.issuer}/account?`) && next.length < 300, next)
  const sign_in = await followPages(agent, await agent.get(next))
  const account = await followPages(agent, await agent.submit(sign_in, { email, password: 'a memorable sentence', method: 'password' }))
  assert.deepEqual([account.status, stepOf(account)], [200, 'account'])
})

test('the page of an emailed code is over after 10 minutes, and keeps the address', async () => {
  const email = 'nobody-here@example.com'
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client).url)
  const location = locationOf(await agent.press(page, { email, method: 'email_code' }))
  w.advance(601)
  const over = await agent.get(location)
  assert.deepEqual([over.status, stepOf(over), emailOn(over)], [400, 'sign-in', email])
})

test('the second factor, its recovery field and its enrolment are loaded again, with the same app', async () => {
  const person = await enrolPerson(w, required, strict)
  w.advance(30)
  const agent = createAgent()
  const { page } = await openTab(agent, person)
  const other = locationOf(await agent.press(page, { use: 'recovery_code' }))
  const recovery = await reload(agent, other, (shown) => [stepOf(shown), shown.body.includes('name="recovery_code"')])
  const { code } = await codeAfter(agent, await agent.submit(recovery, { recovery_code: person.codes[0] ?? '' }), {
    redirect_uri: 'https://app.example.com/callback',
  })
  assert.ok(code)

  const newcomer = createAgent()
  const user = await w.createUser(required)
  const request = authorizationRequest(required, strict)
  const step = locationOf(
    await newcomer.press(await newcomer.get(request.url), { email: user.email, password: user.password, method: 'password' }),
  )
  await reload(newcomer, step, secretOn)
})

test('the page that answers a wrong value can be opened again at its address', async () => {
  const [user, person] = [await w.createUser(environment), await enrolPerson(w, required, strict)]
  const agent = createAgent()
  const first = await agent.get(authorizationRequest(environment, client).url)
  const code = await agent.submit(first, { email: user.email, method: 'email_code' })
  const forgot = await agent.get(`${environment.issuer}/forgot-password?${formOf(first.body).hidden.request}`)
  await agent.submit(forgot, { email: user.email })
  const new_password = await followPages(
    agent,
    await agent.submit(await agent.get((await newestMail(w, environment, user.email)).link ?? ''), {}),
  )
  const { page: second } = await openTab(agent, person)
  const recovery = await followPages(agent, await agent.submit(second, { use: 'recovery_code' }))
  // biome-ignore format: this table is read by column
  const wrong: [page: Reply, typed: Record<string, string>][] = [
    [code,         { code: '000001' }],
    [forgot,       { email: 'no address' }],
    [new_password, { password: 'short' }],
    [second,       { code: 'wrong' }],
    [recovery,     { recovery_code: 'wrong' }],
  ]
  for (const [page, typed] of wrong) {
    const answer = await agent.submit(page, typed)
    assert.equal(answer.status, 400)
    const again = await agent.get(formOf(answer.body).action)
    const seen = ({ body }: Reply) => [stepOf({ body } as Reply), body.includes('name="recovery_code"')] // as: the step is in the body
    assert.deepEqual([again.status, ...seen(again)], [400, ...seen(page)])
    w.advance(60)
    const later = await agent.get(formOf(answer.body).action)
    assert.deepEqual([later.status, ...seen(later)], [200, ...seen(page)])
  }
})

test('a step whose address has no request says so, and leads to the account', async () => {
  for (const path of ['code', 'second-factor', 'forgot-password', 'code?ui_locales=en', `second-factor?attempt=${'0'.repeat(32)}&`]) {
    const page = await createAgent().get(`${environment.issuer}/${path}`)
    assert.equal(page.status, 400, path)
    assert.match(page.body, /There is no sign-in to continue here/)
    assert.match(page.body, /data-action="account"/)
  }
})

test('new recovery codes are loaded again until they are confirmed, in their browser only', async () => {
  const agent = createAgent()
  const { page } = await openTab(agent, await w.createUser(required))
  const location = locationOf(await agent.press(page, { code: appCode(secretOn(page), w.now()) }))
  const shown = await reload(agent, location, recoveryCodesOn)
  assert.equal(recoveryCodesOn(shown).length, 10)
  const stranger = await createAgent().get(location)
  assert.deepEqual([stranger.status, recoveryCodesOn(stranger)], [410, []])
  const sessionless = createAgent()
  for (const [name, value] of agent.cookies) if (!name.includes('_session_')) sessionless.cookies.set(name, value)
  assert.equal((await sessionless.get(location)).status, 410)
  assert.equal((await agent.submit(shown, {})).status, 303)
  const after = await agent.get(location)
  assert.deepEqual([after.status, recoveryCodesOn(after)], [410, []])
  assert.match(after.body, /You have confirmed them, or they were made more than 10 minutes ago or in another browser\./)
})

test('recovery codes that nobody confirms are not shown after 10 minutes', async () => {
  const agent = createAgent()
  const { page } = await openTab(agent, await w.createUser(required))
  const location = locationOf(await agent.press(page, { code: appCode(secretOn(page), w.now()) }))
  w.advance(600)
  assert.equal((await agent.get(location)).status, 410)
})

test('an app that the account page offers is the same at each load', async () => {
  const { agent } = await openAccount(environment, await w.createUser(environment))
  await reload(agent, `${environment.issuer}/account?action=add-totp`, secretOn)
})

test('the pages of a reset are loaded again', async () => {
  const user = await w.createUser(environment)
  const agent = createAgent()
  const { request } = formOf((await agent.get(authorizationRequest(environment, client).url)).body).hidden
  const forgot = await agent.get(`${environment.issuer}/forgot-password?${request}`)
  const sent = locationOf(await agent.press(forgot, { email: user.email }))
  await reload(agent, sent, (page) => [stepOf(page), page.body.includes(user.email)])
  const { link } = await newestMail(w, environment, user.email)
  const chosen = locationOf(await agent.press(await agent.get(link ?? ''), {}))
  const page = await reload(agent, chosen, stepOf)
  assert.equal(stepOf(page), 'new-password')
  const saved = locationOf(await agent.press(page, { password: 'another memorable sentence' }))
  const done = await reload(agent, saved, (shown) => /<h1>(.*?)<\/h1>/.exec(shown.body)?.[1])
  assert.match(done.body, /data-action="continue"/)
  assert.equal((await mailsTo(w, environment, user.email)).filter(({ kind }) => kind === 'reset_password').length, 1)
})

test('a form whose session has ended says so, and leads on', async () => {
  const asking = await w.createApplication(environment, { consent: 'ask' })
  const [user, agent] = [await w.createUser(environment), createAgent()]
  const request = authorizationRequest(environment, asking)
  const signed_in = await agent.submit(await agent.get(request.url), { email: user.email, password: user.password, method: 'password' })
  const consent = await followPages(agent, signed_in)
  assert.equal(stepOf(consent), 'consent')
  const account = await agent.get(`${environment.issuer}/account?action=export`)
  const name = [...agent.cookies.keys()].find((name) => name.includes('session')) ?? ''
  agent.cookies.delete(name)
  for (const [page, leads] of [
    [consent, '/oauth/authorize?'],
    [account, '/account?'],
  ] as const) {
    const said = await agent.submit(page, { decision: 'allow' })
    assert.equal(said.status, 400)
    assert.match(said.body, /<h1>You were signed out<\/h1>/)
    const [, href = ''] = /href="([^"]*)" data-action="continue"/.exec(said.body) ?? []
    assert.ok(href.startsWith(environment.issuer + leads), href)
  }
})
