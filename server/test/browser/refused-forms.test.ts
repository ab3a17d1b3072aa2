/**
 * Every form of the hosted pages in a real browser: it is refused, the person goes elsewhere, comes back by Back, reloads, and goes on
 * (decision 0156). No page is ever the browser's own, and none asks whether to send a form again. The last test names what has no walk.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { addApp, addPasskey, openAccount, press } from '../support/account.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { appCode } from '../support/authenticator-app.ts'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest, createAgent, followPages, formOf, signInForTokens } from '../support/cookie-browser.ts'
import { isAt, secretOfApp } from '../support/distant.ts'
import { emptyService } from '../support/empty-service.ts'
import { createTenant } from '../support/invitations.ts'
import { newestMail } from '../support/mailed.ts'
import { organizationsOf } from '../support/organizations.ts'
import { buttonsOfExamples, createWalk, form_routes, refused, shown } from '../support/refused-walk.ts'
import { createAdministrator, createAuthKey, storeTrustedBrowser } from '../support/tenants.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, owner, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const { test: accounts } = await w.createProject('accounts')
await w.changeSettings(w.test, { mfa: { mode: 'required' }, sign_in: { email_code: true, passkey: true } })
await w.changeSettings(accounts, { mfa: { mode: 'optional' }, sign_in: { passkey: true } })
const [, provider] = await Promise.all([w.test, accounts].map(addProvider))
const survives = createWalk(w)

let browser: Browser
before(async () => {
  if (!noBrowser) browser = await launchBrowser()
})
after(() => browser?.close())

async function addProvider({ path }: TestEnvironment): Promise<{ id: string }> {
  const client = { client_id: 'o', client_secret: 's', link_by_verified_email: true }
  const body = { type: 'oidc', display_name: 'Company', issuer: 'https://sso.example.com', ...client }
  return expectStatus(201, await w.call('POST', `${path}/providers`, { body }))
}

/** A page of a fresh profile, and what a person does there. */
async function openPage() {
  const page = await (await browser.newContext()).newPage()
  return {
    page,
    go: (action: string) => page.locator(`button[data-action=${action}]`).first().click(),
    fill: (name: string, value: string) => page.locator(`[name=${name}]`).fill(value),
    async signIn({ email, password }: { email: string; password: string }) {
      await isAt(page, 'sign-in')
      await page.locator('[name=email]').fill(email)
      await page.locator('[name=password]').fill(password)
      await page.locator('button[data-action=password]').click()
    },
  }
}

test('every form of a sign-in is refused, left, and found again by Back and Reload', { skip: noBrowser }, async (t) => {
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/back`], consent: 'ask' })
  const { page, go, fill, signIn } = await openPage()
  const email = 'back@example.com'
  const isBack = () => page.waitForURL(`${landing.origin}/back*`)
  const begin = (change = {}) => page.goto(authorizationRequest(w.test, client, change).url)
  const typeCode = async () => fill('code', (await newestMail(w, w.test, email)).code ?? '')

  await begin({ prompt: 'create' })
  await survives(page, 'sign-up')
  await fill('email', email)
  await fill('password', 'a memorable sentence')
  await go('create-account')
  await survives(page, 'code')
  await typeCode()
  await go('continue')
  await survives(page, 'enrol-totp')
  const secret = await secretOfApp(page)
  await fill('code', appCode(secret, w.now()))
  await page.locator('form[action*=enrol-totp] button[data-action=continue]').click()
  await survives(page, 'recovery-codes')
  await go('continue')
  await survives(page, 'consent')
  await go('confirm')
  await isBack()

  await begin({ prompt: 'select_account' })
  await survives(page, 'select-account')
  await begin({ prompt: 'login' })
  await survives(page, 'sign-in')
  await page.locator('[data-action=forgot-password]').click()
  await survives(page, 'forgot-password')
  await fill('email', email)
  await go('continue')
  await page.locator('main', { hasText: email }).waitFor()
  await page.goto((await newestMail(w, w.test, email)).link ?? '')
  await survives(page, 'link')
  await go('confirm')
  await survives(page, 'new-password')
  await fill('password', 'another memorable sentence')
  await go('continue')
  await page.locator('main[data-step=new-password] a[data-action=continue]').waitFor()

  w.advance(60)
  await w.changeSettings(w.test, { sign_up: { name: 'optional' } })
  await begin({ prompt: 'login', ask_name: '1' })
  await signIn({ email, password: 'another memorable sentence' })
  await survives(page, 'second-factor')
  await go('use-recovery-code')
  await page.locator('[name=recovery_code]').waitFor()
  await survives(page, 'second-factor')
  await page.goto(page.url().replace('&use=recovery_code', ''))
  await fill('code', appCode(secret, w.now()))
  await page.locator('form:has([name=code]) button[data-action=continue]').click()
  await survives(page, 'profile')
  await go('not-now')
  await survives(page, 'offer-passkey')
  await go('not-now')
  await isBack()

  await page.goto(`${w.test.issuer}/account`)
  await survives(page, 'account')
})

test(
  'the forms of a code in place of a password, of one before an enrolment, and of a passkey without an app',
  { skip: noBrowser },
  async () => {
    const client = await w.createApplication(w.test)
    await w.changeSettings(w.test, { mfa: { totp: false } })
    const { page, go, fill, signIn } = await openPage()
    const person = await w.createUser(w.test)
    const begin = () => page.goto(authorizationRequest(w.test, client).url)
    await begin()
    await fill('email', person.email)
    await go('email-code')
    await survives(page, 'code')
    await begin()
    await signIn(person)
    await survives(page, 'code')
    await fill('code', (await newestMail(w, w.test, person.email)).code ?? '')
    await go('continue')
    await survives(page, 'offer-passkey')
  },
)

test('the forms of a link that keeps an address, and of a press for a native application', { skip: noBrowser }, async () => {
  const redirect_uris = ['com.example.app:/back']
  const client = await w.createApplication(accounts, { application_type: 'native', consent: 'skip', redirect_uris })
  const { page, signIn } = await openPage()
  const person = await w.createUser(accounts)
  const { agent } = await openAccount(accounts, person, createAgent(w.reach))
  const form = await agent.get(`${accounts.issuer}/account?action=change-email`)
  await press(agent, form, 'change-email', { email: 'elsewhere@example.com' })
  await page.goto((await newestMail(w, accounts, person.email)).link ?? '')
  await survives(page, 'link')
  await page.goto(`${accounts.issuer}/account`)
  await signIn(person)
  await isAt(page, 'account')
  w.advance(600) // so that no passkey is offered
  await page.goto(authorizationRequest(accounts, client).url)
  await survives(page, 'consent')
})

/** Adds a provider, an app and a passkey in the session of the browser, in place of its person. */
async function addMethods(page: Page, { email }: { email: string }): Promise<void> {
  const agent = createAgent(w.reach)
  const cookies = await page.context().cookies(accounts.issuer)
  for (const { name, value } of cookies) agent.cookies.set(name, value)
  const own = formOf((await agent.get(`${accounts.issuer}/account?action=add-provider&id=${provider?.id}`)).body)
  const { headers } = await agent.post(own.action, own.hidden)
  const answer = upstreams.agree(headers.get('location') ?? '', { claims: { sub: 'pat', email, email_verified: true } })
  await followPages(agent, await agent.get(`${accounts.issuer}/oauth/callback/${provider?.id}?${new URLSearchParams(answer)}`))
  await addApp(w, accounts, agent)
  expectStatus(303, await addPasskey(accounts, agent, createAuthenticator(w.base_url)))
  await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, value: agent.cookies.get(cookie.name) ?? cookie.value })))
}

test('every page of the account, its second step with a passkey, and the sign-out', { skip: noBrowser }, async () => {
  const { page, go, fill, signIn } = await openPage()
  const client = await w.createApplication(accounts)
  const person = await w.createUser(accounts, { email_verified: false })
  await signInForTokens(w, accounts, client, { user: person, agent: createAgent(w.reach) })
  await openAccount(accounts, person, createAgent(w.reach))
  let signed_in_at = w.now()
  /** Opens a page of the account. A change needs a sign-in of the last ten minutes, and each walk moves the clock. */
  const open = async (query = '') => {
    if (w.now().getTime() - signed_in_at.getTime() > 300_000) w.advance(600)
    await page.goto(`${accounts.issuer}/account${query}`)
    await page.locator('main[data-step]').waitFor()
    if ((await page.locator('main[data-step=sign-in]').count()) > 0) {
      await signIn(person)
      signed_in_at = w.now()
    }
    await isAt(page, 'account')
  }
  await open()
  await survives(page, 'account')
  for (const action of ['change-name', 'change-email', 'change-password', 'add-totp', 'add-passkey', 'export', 'delete-account']) {
    await open(`?action=${action}`)
    await survives(page, 'account')
  }
  await open(`?action=add-provider&id=${provider?.id}`)
  await survives(page, 'account')
  await open('?action=change-email')
  await fill('email', 'moved@example.com')
  await go('change-email')
  await page.locator('[name=code]').waitFor()
  await survives(page, 'account')
  await open()
  await go('email-code')
  await page.locator('[name=code]').waitFor()
  await survives(page, 'account')

  w.advance(600)
  await open('?action=export')
  await addMethods(page, person)
  await w.changeSettings(accounts, { mfa: { remember_days: 30 } })
  await storeTrustedBrowser(w, accounts, person.id)
  await open()
  await survives(page, 'account')
  for (const action of ['remove-provider', 'remove-totp', 'remove-passkey', 'new-recovery-codes']) {
    await page.goto(`${accounts.issuer}/account`)
    await page.locator(`a[data-action=${action}]`).first().click()
    await page.locator(`button[data-action=${action}]`).waitFor()
    await survives(page, 'account')
  }
  await page.goto(authorizationRequest(accounts, client, { prompt: 'login' }).url)
  await signIn(person)
  await survives(page, 'second-factor')

  await page.goto(`${accounts.issuer}/oauth/logout`)
  await survives(page, 'sign-out')
  await go('sign-out')
  await isAt(page, 'signed-out')
  const text = await shown(page)
  await page.goto(`${w.base_url}/`)
  await page.goBack()
  assert.equal(await shown(page), text)
  await page.reload()
  assert.equal(await shown(page), text)
})

test('the form that restores a closed account', { skip: noBrowser }, async () => {
  const { test: closing } = await w.createProject('closing')
  await w.changeSettings(closing, { users: { deletion_grace_days: 14 } })
  const person = await w.createUser(closing)
  const client = await w.createApplication(closing)
  const { key } = await createAuthKey(w, closing, 'auth_secret')
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${person.id}`, { key }))
  const { page, signIn } = await openPage()
  await page.goto(authorizationRequest(closing, client).url)
  await signIn(person)
  await survives(page, 'account')
})

test('the forms of an invitation', { skip: noBrowser }, async () => {
  const tenant = await createTenant(w, await createAdministrator(w, 'olga@example.com'))
  const { page, go, fill } = await openPage()
  await page.goto((await tenant.invite('nora@example.com', 'developer')).invitation_url)
  await survives(page, 'invitation')
  await fill('password', 'a memorable sentence')
  await go('create-account')
  await survives(page, 'invitation')
  await go('accept-invitation')
  await page.locator('main[data-step=invitation]:not(:has(form))').waitFor()
})

test('the choice of an organization, its page, its invitations, and leaving it', { skip: noBrowser }, async () => {
  const { test: customers } = await w.createProject('customers')
  await w.changeSettings(customers, { sign_in: { email_code: true } })
  const api = await organizationsOf(w, customers)
  await api.role('boss', { administers: true })
  await api.role('clerk')
  const client = await w.createApplication(customers, { organizations: 'optional' })
  const person = await w.createUser(customers, { email_verified: true })
  const member = { user_id: person.id, roles: ['boss'] }
  for (let n = 0; n < 51; n++) await api.create({ name: `Branch ${n}`, members: [{ user_id: person.id }] })
  const acme = await api.create({ name: 'Acme', members: [member] })
  for (let n = 0; n < 51; n++) expectStatus(201, await api.add(acme.id, (await api.user()).id))
  const other = await api.create({ name: 'Other' })
  const { page, signIn } = await openPage()

  const url = authorizationRequest(customers, client).url
  await page.goto(url)
  await signIn(person)
  w.advance(600) // so that no passkey is offered
  await survives(page, 'select-organization')
  await page.goto(`${url}&organization=unknown`)
  await survives(page, 'no-access')

  expectStatus(201, await api.invite(other.id, person.email, { roles: ['clerk'] }))
  const account = async (path: string) => {
    await page.goto(`${customers.issuer}${path}`)
    await page.locator('main[data-step]').waitFor()
    if ((await page.locator('main[data-step=sign-in]').count()) > 0) await signIn(person)
  }
  await account('/account')
  await survives(page, 'account')
  await account(`/account?action=leave-organization&id=${acme.id}&user=${person.id}`)
  await survives(page, 'account')
  await account(`/account?action=manage-organization&id=${acme.id}&user=${person.id}`)
  await survives(page, 'organization')
  await page.locator('.it a[data-action=change-roles]').first().click()
  await survives(page, 'organization')

  const guest = await w.createUser(customers, { email_verified: true })
  const late = await openPage()
  const { invitation_url } = expectStatus(201, await api.invite(other.id, 'elsewhere@customers.example', { send_email: false }))
  await late.page.goto(invitation_url)
  await survives(late.page, 'invitation')
  await late.page.locator('a[data-action=sign-in]').first().click()
  await late.signIn(guest)
  await survives(late.page, 'invitation')
  await late.go('accept-invitation')
  await survives(late.page, 'code')
  const own = expectStatus(201, await api.invite(other.id, guest.email, { send_email: false }))
  await late.page.goto(own.invitation_url)
  await survives(late.page, 'invitation')
})

test('the form of the first start, and the same form after its link has ended', { skip: noBrowser }, async () => {
  const s = await emptyService()
  const { page, fill } = await openPage()
  const create = () => page.locator('main form button').click()
  await page.goto(s.service.setup_url ?? '')
  await createWalk(s)(page, null, 'kept')

  await s.restart()
  await create()
  await staysRefused(page, 403)

  await page.goto(s.service.setup_url ?? '')
  const { email, password } = owner
  for (const [name, value] of Object.entries({ tenant_name: 'Acme', email, password })) await fill(name, value)
  const late = await page.context().newPage()
  await late.goto(s.service.setup_url ?? '')
  await create()
  await page.waitForURL(`${s.base_url}/dashboard*`)
  await late.locator('main form button').click()
  await staysRefused(late, 403)
})

/** A page without a form, to which a refused form led. */
async function staysRefused(page: Page, status: number): Promise<void> {
  await page.locator('main:not(:has(form))').waitFor()
  const text = await shown(page)
  await page.goto('about:blank')
  await page.goBack()
  assert.equal(await shown(page), text)
  assert.equal((await page.reload())?.status(), status)
  assert.equal(await shown(page), text)
}

test('every form of the contract, and every button of every page, was refused by a walk of this file', { skip: noBrowser }, () => {
  const missing = [...form_routes.values()].filter((name) => !refused.routes.has(name))
  assert.deepEqual(missing, [])
  const buttons = buttonsOfExamples()
  assert.ok(buttons.length > 30, `${buttons.length} buttons`)
  assert.deepEqual(
    buttons.filter((button) => !refused.buttons.has(button)),
    [],
  )
})
