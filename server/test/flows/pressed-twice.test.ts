/**
 * A button pressed twice ends as if it was pressed once (decision 0082): every form of the hosted pages, with presses that follow each
 * other, that overlap in one process and that overlap in two.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/db.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { addApp, openAccount } from '../support/account.ts'
import { appCode, enrolPerson, passwordStep, secretOn, wrongCode } from '../support/authenticator-app.ts'
import {
  authorizationRequest,
  createAgent,
  followPages,
  followRefused,
  formOf,
  obtainCode,
  signInForTokens,
} from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { buttonOn, formOn, given, presser, pressesOf, type Ready } from '../support/presses.ts'
import { randomText, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { keptRows, testForms } = await pressesOf(w)

let people = 0
const newAddress = () => `twice${++people}@example.com`

const project = await w.createProject('twice')
const { test: environment, live: required } = project
await w.changeSettings(environment, { mfa: { mode: 'optional' }, sign_in: { email_code: true } })
await w.changeSettings(required, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
const client = await w.createApplication(environment)
const strict = await w.createApplication(required)

const signInPage = async (change = {}, agent = createAgent()) => ({
  agent,
  page: await agent.get(authorizationRequest(environment, client, { prompt: 'login', ...change }).url),
})

async function codePage(email: string) {
  const { agent, page } = await signInPage()
  return { agent, page: await followPages(agent, await agent.submit(page, { email, method: 'email_code' })) }
}
const codeTo = async (email: string) => (await newestMail(w, environment, email)).code ?? ''
const tokenTo = async (email: string) => new URL((await newestMail(w, environment, email)).link ?? '').searchParams.get('token') ?? ''

async function accountPage(query = '') {
  const person = await w.createUser(environment)
  const { agent, page } = await openAccount(environment, person)
  return { person, agent, page: query === '' ? page : await agent.get(`${environment.issuer}/account?${query}`) }
}

async function accountWithApp(query = '') {
  const { person, agent } = await accountPage()
  const { secret } = await addApp(w, environment, agent)
  return { person, agent, secret, page: await agent.get(`${environment.issuer}/account${query && `?${query}`}`) }
}

/** Each makes a form of a person of its own, ready to be sent. */
const forms: Record<string, Ready> = {
  'a right password': {
    async ready() {
      const { email, password } = await w.createUser(environment)
      const { agent, page } = await signInPage()
      return formOn(agent, page, { email, password, method: 'password' })
    },
  },
  'a wrong password': {
    async ready() {
      const { email } = await w.createUser(environment)
      const { agent, page } = await signInPage()
      return formOn(agent, page, { email, password: 'not the password', method: 'password' })
    },
  },
  'the request of an emailed code': {
    async ready() {
      const { email } = await w.createUser(environment)
      const { agent, page } = await signInPage()
      return formOn(agent, page, { email, method: 'email_code' })
    },
  },
  'an emailed code': {
    async ready() {
      const { email } = await w.createUser(environment)
      const { agent, page } = await codePage(email)
      return formOn(agent, page, { code: await codeTo(email) })
    },
  },
  'a wrong emailed code': {
    async ready() {
      const { email } = await w.createUser(environment)
      const { agent, page } = await codePage(email)
      return formOn(agent, page, { code: (await codeTo(email)) === '111111' ? '222222' : '111111' })
    },
  },
  'a sign-up': {
    async ready() {
      const { agent, page } = await signInPage({ prompt: 'create' })
      return formOn(agent, page, { email: newAddress(), password: 'a memorable sentence' })
    },
  },
  'the code of a sign-up': {
    async ready() {
      const email = newAddress()
      const { agent, page } = await signInPage({ prompt: 'create' })
      const code_page = await followPages(agent, await agent.submit(page, { email, password: 'a memorable sentence' }))
      return formOn(agent, code_page, { code: await codeTo(email) })
    },
  },
  'the request of a reset': {
    async ready() {
      const { email } = await w.createUser(environment)
      const { agent, page } = await signInPage()
      const forgot = await agent.get(/href="([^"]*\/forgot-password[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '')
      return formOn(agent, forgot, { email })
    },
  },
  'a new password behind the link of a reset': {
    async ready() {
      const { email } = await w.createUser(environment)
      const { agent, page } = await signInPage()
      const forgot = await agent.get(/href="([^"]*\/forgot-password[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '')
      await agent.submit(forgot, { email })
      const link = await agent.get(`${environment.issuer}/link?token=${await tokenTo(email)}`)
      const page_of_password = await followPages(agent, await agent.submit(link, {}))
      return formOn(agent, page_of_password, { password: 'another memorable sentence' })
    },
  },
  'a right second factor': {
    at: required,
    async ready() {
      const { secret, ...person } = await enrolPerson(w, required, strict)
      w.advance(30)
      const { agent, page } = await passwordStep(required, strict, person)
      return formOn(agent, page, { code: appCode(secret, w.now()) })
    },
  },
  'a wrong second factor': {
    at: required,
    async ready() {
      const { secret, ...person } = await enrolPerson(w, required, strict)
      const { agent, page } = await passwordStep(required, strict, person)
      return formOn(agent, page, { code: wrongCode(secret, w.now()) })
    },
  },
  'the first code of an app': {
    at: required,
    async ready() {
      const { agent, page } = await passwordStep(required, strict, await w.createUser(required))
      return formOn(agent, page, { code: appCode(secretOn(page), w.now()) })
    },
  },
  'a consent': {
    async ready() {
      const { agent } = await accountPage()
      const page = await agent.get(authorizationRequest(environment, client, { prompt: 'consent' }).url)
      return formOn(agent, page, { decision: 'allow' })
    },
  },
  'the choice of an account': {
    async ready() {
      const { agent } = await accountPage()
      const page = await agent.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)
      return formOn(agent, page, { session: /name="session" value="([^"]*)"/.exec(page.body)?.[1] ?? '' })
    },
  },
  'a sign-out': {
    async ready() {
      const { agent } = await accountPage()
      return formOn(agent, await agent.get(`${environment.issuer}/oauth/logout`), { decision: 'sign_out' })
    },
  },
  'a new name': {
    async ready() {
      const { agent, page } = await accountPage('action=change-name')
      return buttonOn(agent, page, 'change-name', { name: 'Ada Byron' })
    },
  },
  'a new password': {
    async ready() {
      const { agent, page } = await accountPage('action=change-password')
      return buttonOn(agent, page, 'change-password', { password: 'another memorable sentence' })
    },
  },
  'an app': {
    async ready() {
      const { agent, page } = await accountPage('action=add-totp')
      return buttonOn(agent, page, 'add-totp', { code: appCode(secretOn(page), w.now()) })
    },
  },
  'new recovery codes': {
    async ready() {
      const { agent, page } = await accountWithApp('action=new-recovery-codes')
      return buttonOn(agent, page, 'new-recovery-codes')
    },
  },
  'the removal of an app': {
    async ready() {
      const { agent, page } = await accountWithApp()
      const id = /data-id="(mth_[^"]*)"(?:(?!data-id).)*remove-totp/s.exec(page.body)?.[1] ?? ''
      return buttonOn(agent, await agent.get(`${environment.issuer}/account?action=remove-totp&id=${id}`), 'remove-totp')
    },
  },
  'a change of the address': {
    async ready() {
      const { agent, page } = await accountPage('action=change-email')
      return buttonOn(agent, page, 'change-email', { email: newAddress() })
    },
  },
  'the end of all other sessions': {
    async ready() {
      const { person, agent } = await accountPage()
      await openAccount(environment, person)
      return buttonOn(agent, await agent.get(`${environment.issuer}/account`), 'end-other-sessions')
    },
  },
  'the disconnection of an application': {
    async ready() {
      const person = await w.createUser(environment)
      const { agent } = await signInForTokens(w, environment, client, { user: person })
      return buttonOn(agent, await agent.get(`${environment.issuer}/account`), 'disconnect')
    },
  },
  'an export': {
    async ready() {
      const { agent, page } = await accountPage('action=export')
      return buttonOn(agent, page, 'export')
    },
  },
  'a deletion': {
    async ready() {
      const { person, agent, page } = await accountPage('action=delete-account')
      return buttonOn(agent, page, 'delete-account', { email: person.email })
    },
  },
}

testForms(forms, environment)

async function enrolmentForm() {
  const { agent, page } = await passwordStep(required, strict, await w.createUser(required))
  return formOn(agent, page, { code: appCode(secretOn(page), w.now()) })
}

test('after 60 seconds the same form is another press, and nothing is kept', async () => {
  const { email, password } = await w.createUser(environment)
  const { agent, page } = await signInPage()
  const press = presser(formOn(agent, page, { email, password, method: 'password' }))
  const first = await press()
  w.advance(59)
  assert.deepEqual(given(await press()), given(first))
  w.advance(1)
  const later = await press()
  assert.notDeepEqual(later.headers.getSetCookie(), first.headers.getSetCookie())
  w.advance(60)
  await removeExpiredRows(db, w.now())
  assert.deepEqual(await keptRows(), [])
})

test('a page that was loaded again sends another form, and so does another browser', async () => {
  const { email, password } = await w.createUser(environment)
  const { agent, page } = await signInPage()
  const { action, hidden } = formOf(page.body)
  const typed = { ...hidden, email, password, method: 'password' }
  const first = await agent.postOnly(action, typed)
  const again = await agent.postOnly(action, { ...typed, csrf: formOf((await signInPage({}, agent)).page.body).hidden.csrf ?? '' })
  assert.notDeepEqual(again.headers.getSetCookie(), first.headers.getSetCookie())
  assert.equal((await createAgent().post(action, typed)).status, 400)
  const stranger = await signInPage()
  assert.equal((await stranger.agent.post(action, typed)).status, 400)
})

test('a kept answer holds no text of the page or the form, and opens with the cookie of the browser only', async () => {
  const form = await enrolmentForm()
  const shown = await followPages(form.agent, await form.agent.post(form.action, form.fields))
  const [code = ''] = /data-recovery-code>([^<]+)</.exec(shown.body)?.slice(1) ?? []
  assert.notEqual(code, '')
  for (const { all } of await keptRows()) {
    assert.doesNotMatch(all, /recovery|ostiary_|https?:/)
    assert.ok(!all.includes(code))
    assert.ok(!Buffer.from(all, 'base64url').includes(code))
    assert.throws(() => w.deployment.secrets.unseal(all, '' as never), 'the master key alone opens nothing')
  }
})

test('a press whose process was killed before its answer: the page says that it may have had its effect', async () => {
  const form = await enrolmentForm()
  const press = presser(form)
  await press()
  // As the row is when the process ends between the effect and the answer.
  await db.run(sql`update kept_answers set sealed = null`)
  w.advance(16)
  const second = await followRefused(form.agent, await press())
  assert.equal(second.status, 409)
  assert.match(second.body, /Our answer to this form was lost/)
  assert.match(second.body, /data-action="continue"/)
  w.advance(60)
  assert.notEqual((await followRefused(form.agent, await press())).status, 409, 'later the form is judged again')
})

test('where a browser or a source has too many kept answers, a form is answered as ever', async () => {
  const { email, password } = await w.createUser(environment)
  const { agent, page } = await signInPage()
  for (let i = 0; i < 60; i++)
    await agent.post(formOf(page.body).action, { ...formOf(page.body).hidden, email: `${i}@`, method: 'email_code' })
  const before = (await keptRows()).length
  const press = presser(formOn(agent, page, { email, password, method: 'password' }))
  assert.equal((await press()).status, 303)
  assert.equal((await press()).status, 303)
  assert.equal((await keptRows()).length, before)
  w.advance(61)
})

test('an answer that is given again takes no session from the browser', async () => {
  const [ada, ben] = [await w.createUser(environment), await w.createUser(environment)]
  const { agent, page } = await signInPage()
  const form = formOn(agent, page, { email: ada.email, password: ada.password, method: 'password' })
  const first = await agent.postOnly(form.action, form.fields)
  const in_browser = async () => {
    const chooser = await agent.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)
    return [ada, ben].filter(({ email }) => chooser.body.includes(email)).map(({ email }) => email)
  }
  assert.deepEqual(await in_browser(), [ada.email])
  await agent.submit((await signInPage({}, agent)).page, { email: ben.email, password: ben.password, method: 'password' })
  const again = await agent.postOnly(form.action, form.fields)
  assert.equal(again.headers.get('location'), first.headers.get('location'))
  assert.deepEqual(await in_browser(), [ada.email, ben.email])

  // The browser lost the answer of the first press, and signed in as another person meanwhile.
  const late = createAgent()
  const late_form = formOn(late, await late.get(authorizationRequest(environment, client).url), { ...form.fields, csrf: '' })
  const own = formOf((await late.get(authorizationRequest(environment, client).url)).body).hidden
  const sent = { ...late_form.fields, ...own }
  await presser({ agent: late, action: late_form.action, fields: sent })()
  await obtainCode(late, authorizationRequest(environment, client), ben)
  await late.post(late_form.action, sent)
  const chooser = await late.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)
  assert.ok(chooser.body.includes(ada.email) && chooser.body.includes(ben.email))
})

test('random texts as form tokens keep nothing', async () => {
  const { agent, page } = await signInPage()
  const before = (await keptRows()).length
  for (const csrf of ['', randomText(), `${randomText()}.${randomText().slice(0, 22)}`])
    await agent.post(formOf(page.body).action, { ...formOf(page.body).hidden, csrf, email: 'x@example.com', password: 'x' })
  assert.equal((await keptRows()).length, before)
})
