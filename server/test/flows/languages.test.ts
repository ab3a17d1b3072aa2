/** The menu of languages on the pages of a flow: it keeps the request and needs no script. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { formFor, linkOf, openAccount, press } from '../support/account.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { enrolPerson, passwordStep, stepOn } from '../support/authenticator-app.ts'
import { type Agent, authorizationRequest, createAgent, followPages, obtainCode } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { reachOffer } from '../support/passkeys.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const client = await w.createApplication(w.test, { consent: 'ask', redirect_uris: ['https://app.example.com/callback'] })

const languageOf = (page: Reply) => page.headers.get('content-language')
/** The address of the page in another language. */
function addressIn(page: Reply, locale: string): string {
  const [, href = ''] =
    new RegExp(`<a lang="${locale}" hreflang="${locale}" href="([^"]*)"`).exec(page.body) ?? assert.fail('no such language')
  return href.replaceAll('&amp;', '&')
}
/** Opens the page in another language, as a press in the menu does. */
const openIn = async (agent: Agent, page: Reply, locale: string) => followPages(agent, await agent.get(addressIn(page, locale)))

test('a person changes the language at each step, and the application gets its answer', async () => {
  const user = await w.createUser(w.test)
  const agent = createAgent()
  const state = 'ä &=+%25#'
  const request = authorizationRequest(w.test, client, { state, ui_locales: 'en', resource: [] })
  const english = await agent.get(request.url)
  assert.equal(languageOf(english), 'en')
  const german = await openIn(agent, english, 'de')
  assert.equal(languageOf(german), 'de')
  const wrong = await agent.submit(german, { email: user.email, password: 'not the password' })
  assert.equal(languageOf(wrong), 'de', 'the next pages keep the language')
  const asked = await followPages(agent, await agent.submit(wrong, { email: user.email, password: user.password }))
  assert.deepEqual([languageOf(asked), /data-step="([^"]*)"/.exec(asked.body)?.[1]], ['de', 'consent'])
  const again = await openIn(agent, asked, 'en')
  assert.deepEqual([languageOf(again), /data-step="([^"]*)"/.exec(again.body)?.[1]], ['en', 'consent'])
  const location = new URL((await followToApplication(agent, again)) ?? '')
  assert.equal(location.searchParams.get('state'), state)
  assert.ok(location.searchParams.get('code'))
})

/** Allows what the page asks for. */
async function followToApplication(agent: ReturnType<typeof createAgent>, page: Reply): Promise<string | null> {
  let reply = await agent.submit(page, { decision: 'allow' })
  while (reply.headers.get('location')?.startsWith(w.test.issuer)) reply = await agent.get(reply.headers.get('location') ?? '')
  return reply.headers.get('location')
}

test('the menu leads to the issuer of the page and to nothing that a request names', async () => {
  const page = await createAgent().get(
    authorizationRequest(w.test, client, { ui_locales: 'javascript:alert(1) en', state: '"><script>' }).url,
  )
  const { origin, pathname, searchParams } = new URL(addressIn(page, 'de'))
  assert.equal(origin + pathname, `${w.test.issuer}/oauth/authorize`)
  assert.deepEqual([searchParams.getAll('ui_locales'), searchParams.get('state')], [['de'], '"><script>'])
})

test('the page of an invitation has the menu too', async () => {
  const token = await administratorToken(w, owner)
  const body = { email: 'new@example.com', role: 'viewer' }
  const { invitation_url } = expectStatus(201, await asAdministrator(w, token)('POST', `/v1/tenants/${w.tenant_id}/members`, body))
  const agent = createAgent()
  const page = await followPages(agent, await agent.get(invitation_url))
  const german = await followPages(agent, await openIn(agent, page, 'de'))
  assert.equal(languageOf(german), 'de')
  assert.match(german.body, /data-step="(sign-in|sign-up|invitation)"/)
})

test('a sign-in without a choice follows ui_locales before Accept-Language', async () => {
  const ask = async (ui_locales: string | undefined, accept: string) =>
    languageOf(await createAgent().get(authorizationRequest(w.test, client, { ui_locales }).url, { 'accept-language': accept }))
  assert.deepEqual(
    [await ask('de', 'en'), await ask('en', 'de'), await ask(undefined, 'de-AT, en;q=0.5'), await ask('xx', 'de')],
    ['de', 'en', 'de', 'de'],
  )
  const user = await w.createUser(w.test)
  assert.ok(await obtainCode(createAgent(), authorizationRequest(w.test, client, { ui_locales: 'de' }), user))
})

const guarded = (await w.createProject('guarded')).test
await w.changeSettings(guarded, { mfa: { mode: 'required' }, email: { delivery: 'none' }, sign_in: { passkey: true } })
const guarded_client = await w.createApplication(guarded)
const mailing = (await w.createProject('mailing')).test
await w.changeSettings(mailing, { sign_in: { email_code: true, passkey: true } })
const mailing_client = await w.createApplication(mailing)
const naming = (await w.createProject('naming')).test
await w.changeSettings(naming, { sign_up: { name: 'required' } })
const naming_client = await w.createApplication(naming)

/** The steps of the hosted pages that a GET can open again, each as an agent gets there. */
const steps: Record<string, (agent: ReturnType<typeof createAgent>) => Promise<Reply>> = {
  'sign-in': (agent) => agent.get(authorizationRequest(mailing, mailing_client).url),
  'sign-up': (agent) => agent.get(authorizationRequest(mailing, mailing_client, { prompt: 'create' }).url),
  'forgot-password': async (agent) => {
    const page = await agent.get(authorizationRequest(mailing, mailing_client).url)
    const [, href = ''] = /href="([^"]*\/forgot-password\?[^"]*)"/.exec(page.body) ?? []
    return agent.get(href.replaceAll('&amp;', '&'))
  },
  code: async (agent) => {
    const page = await agent.get(authorizationRequest(mailing, mailing_client).url)
    return agent.submit(page, { email: 'reader@example.com', password: '', method: 'email_code' })
  },
  'enrol-totp': async (agent) => (await passwordStep(guarded, guarded_client, await w.createUser(guarded), { agent })).page,
  'second-factor': async (agent) =>
    (await passwordStep(guarded, guarded_client, await enrolPerson(w, guarded, guarded_client), { agent })).page,
  'offer-passkey': async (agent) => (await reachOffer(mailing, mailing_client, await w.createUser(mailing), { agent })).offer,
  profile: async (agent) => (await passwordStep(naming, naming_client, await w.createUser(naming, { name: '' }), { agent })).page,
  consent: async (agent) => (await passwordStep(w.test, client, await w.createUser(w.test), { agent })).page,
  'select-account': async (agent) => {
    await passwordStep(mailing, mailing_client, await w.createUser(mailing), { agent })
    return agent.get(authorizationRequest(mailing, mailing_client, { prompt: 'select_account' }).url)
  },
  'sign-out': async (agent) => {
    await passwordStep(mailing, mailing_client, await w.createUser(mailing), { agent })
    return agent.get(`${mailing.issuer}/oauth/logout`)
  },
  account: async (agent) => (await openAccount(mailing, await w.createUser(mailing), agent)).page,
  'signed-out': async (agent) => {
    const page = (await steps['sign-out']?.(agent)) ?? assert.fail()
    return agent.submit(page, { decision: 'sign_out' })
  },
  error: (agent) => agent.get(`${mailing.issuer}/oauth/authorize?client_id=unknown`),
  link: async (agent) => {
    const { email } = await w.createUser(mailing)
    await agent.submit((await steps['forgot-password']?.(agent)) ?? assert.fail(), { email })
    return agent.get((await newestMail(w, mailing, email)).link ?? '')
  },
}
for (const [step, reach] of Object.entries(steps))
  test(`the page of the step ${step} has the menu, and says its language`, async () => {
    const agent = createAgent()
    const page = await reach(agent)
    assert.equal(stepOn(page), step)
    assert.deepEqual([languageOf(page), /<html lang="([^"]*)"/.exec(page.body)?.[1]], ['en', 'en'])
    const german = await openIn(agent, page, 'de')
    assert.deepEqual([languageOf(german), /<html lang="([^"]*)"/.exec(german.body)?.[1]], ['de', 'de'])
    assert.equal(stepOn(german), step)
  })

const account_actions = ['change-name', 'change-email', 'change-password', 'add-passkey', 'delete-account']
test('the forms of the account page have the menu, and a changed language stays in links, forms and redirects', async (t) => {
  const agent = createAgent()
  const { page } = await openAccount(mailing, await w.createUser(mailing, { email_verified: false }), agent)
  const german = await openIn(agent, page, 'de')
  assert.deepEqual([stepOn(german), languageOf(german)], ['account', 'de'])
  for (const action of account_actions)
    await t.test(action, async () => {
      const form = await agent.get(linkOf(german, action))
      assert.deepEqual([form.status, languageOf(form)], [200, 'de'])
      assert.equal(formFor(form, action).fields.ui_locales, 'de')
      const english = await openIn(agent, form, 'en')
      assert.deepEqual([english.status, languageOf(english)], [200, 'en'])
      assert.ok(formFor(english, action), 'the menu leads to the same form')
      await openIn(agent, english, 'de')
    })
  const proof = await followPages(agent, await press(agent, german, 'email-code'))
  assert.deepEqual([languageOf(proof), formFor(proof, 'confirm').fields.ui_locales], ['de', 'de'])
  const changed = await followPages(
    agent,
    await press(agent, await agent.get(linkOf(german, 'change-name')), 'change-name', { name: 'Ada' }),
  )
  assert.deepEqual([stepOn(changed), languageOf(changed)], ['account', 'de'])
  const refused = await press(agent, await agent.get(linkOf(german, 'change-email')), 'change-email', { email: 'nobody' })
  assert.deepEqual([refused.status, languageOf(refused)], [400, 'de'])
  const { action, fields } = formFor(german, 'sign-out')
  const out = await agent.post(action, { ...fields, decision: 'sign_out' })
  assert.deepEqual([stepOn(out), languageOf(out)], ['signed-out', 'de'])
})

test('a sign-in on the way to a form of the account page keeps the language', async () => {
  const user = await w.createUser(mailing)
  const { page } = await openAccount(mailing, user, createAgent(), '?action=change-password&ui_locales=de')
  assert.deepEqual([page.status, languageOf(page)], [200, 'de'])
  assert.equal(formFor(page, 'change-password').fields.ui_locales, 'de')
})

test('a language that is not ours is kept in no link of the account page', async () => {
  const { page } = await openAccount(mailing, await w.createUser(mailing), createAgent(), `?ui_locales=${encodeURIComponent('"><script>')}`)
  assert.equal(languageOf(page), 'en')
  assert.doesNotMatch(page.body.replaceAll(/<footer.*<\/footer>/gs, ''), /ui_locales/)
})

// biome-ignore format: this table is read by column
const errors: [what: string, path: string, status: number][] = [
  ['an unknown address',                  '/nothing/here?x=1&ui_locales=xx', 404],
  ['the address of a form',               '/sign-in?a=%22%3E',               405],
  ['a link that has ended',               `/link?token=${'a'.repeat(43)}`,   410],
  ['a sign-out that cannot be answered',  '/oauth/logout?client_id=a&client_id=b', 400],
]
for (const [what, path, status] of errors)
  test(`the message about ${what} has the menu`, async () => {
    const agent = createAgent()
    const page = await agent.get(mailing.issuer + path, { accept: 'text/html' })
    assert.deepEqual([page.status, languageOf(page)], [status, 'en'])
    const address = addressIn(page, 'de')
    assert.ok(address.startsWith(`${mailing.issuer}/`))
    const german = await followPages(agent, await agent.get(address, { accept: 'text/html' }))
    assert.deepEqual([german.status, languageOf(german)], [status, 'de'])
  })

test('the pages after a mailed link keep the language that its page chose', async () => {
  const agent = createAgent()
  const page = (await steps.link?.(agent)) ?? assert.fail()
  const chosen = await agent.submit(await openIn(agent, page, 'de'), {})
  assert.deepEqual([stepOn(chosen), languageOf(chosen)], ['new-password', 'de'])
  const refused = await agent.submit(chosen, { password: 'short' })
  assert.deepEqual([refused.status, languageOf(refused)], [400, 'de'])
  const saved = await agent.submit(refused, { password: 'a memorable sentence' })
  assert.deepEqual([saved.status, languageOf(saved)], [200, 'de'])
})

test('a chosen language holds for the browser at this issuer, in its mails too, and becomes the locale of a profile without one', async () => {
  const agent = createAgent()
  const [bare, spoken] = [await w.createUser(mailing), await w.createUser(mailing, { locale: 'en' })]
  const page = await agent.get(authorizationRequest(mailing, mailing_client, { ui_locales: 'en' }).url)
  await openIn(agent, page, 'de')
  const next = await agent.get(authorizationRequest(mailing, mailing_client, { ui_locales: 'en' }).url, { 'accept-language': 'en' })
  assert.equal(languageOf(next), 'de')
  await agent.submit(next, { email: bare.email, password: '', method: 'email_code' })
  assert.match((await newestMail(w, mailing, bare.email)).subject, /Anmeldecode/)
  const other = await agent.get(authorizationRequest(guarded, guarded_client).url)
  assert.equal(languageOf(other), 'en', 'of another issuer')
  for (const [user, locale] of [
    [bare, 'de'],
    [spoken, 'en'],
  ] as const) {
    const again = await agent.get(authorizationRequest(mailing, mailing_client, { prompt: 'login' }).url)
    await agent.submit(again, { email: user.email, password: user.password, method: 'password' })
    assert.equal(expectStatus(200, await w.call('GET', `${mailing.path}/users/${user.id}`)).locale, locale)
    const changes = await w.deployment.db.all(
      z.object({ data: z.record(z.string(), z.unknown()) }),
      sql`select data from events where environment_id = ${mailing.id} and user_id = ${user.id} and type = 'user.updated'`,
    )
    assert.deepEqual(changes, user === bare ? [{ data: { changed: ['locale'] } }] : [])
  }
})
