/** Try sign-in in a real browser: from an empty data directory to decoded tokens, and a code that another page offers. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readConfig } from '../../src/base/config/config.ts'
import { startService } from '../../src/main.ts'
import { noBrowser } from '../support/chromium.ts'
import {
  button,
  dashboardFolder,
  dashboardPath,
  enter,
  openDashboard,
  press,
  show,
  signIn,
  slugOf,
  tabTo,
} from '../support/dashboard-browser.ts'
import { freePort } from '../support/free-port.ts'
import { organizationsOf } from '../support/organizations.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, owner, world } from '../support/world.ts'

/** A service without a tenant. */
async function emptyService(t: TestContext) {
  const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-try-'))
  const config = readConfig({ OSTIARY_PORT: String(await freePort()), OSTIARY_DATA_DIR: data_dir })
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const service = await startService(config, { write: () => undefined, dashboard_folder: dashboardFolder })
  t.after(() => rmSync(data_dir, { recursive: true, force: true }))
  t.after(() => service.stop())
  return { base_url: config.base_url, setup_url: service.setup_url ?? '' }
}

/** Presses a button that opens a window. */
async function opening(page: Page, name: string): Promise<Page> {
  const opened = page.waitForEvent('popup')
  await button(page, name).click()
  return opened
}

const person = { email: 'ada@example.com', password: 'a memorable sentence' }

test(
  'from an empty data directory an owner gets decoded tokens in the dashboard, by the keyboard alone',
  { skip: noBrowser },
  async (t) => {
    const { base_url, setup_url } = await emptyService(t)
    const browser = await launchForTests(t)
    const context = await browser.newContext()
    context.setDefaultTimeout(90_000)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    const reach = (name: string | RegExp, on = page) => on.getByRole('heading', { level: 1, name }).waitFor()

    // Before the first tenant nobody can sign in, and the dashboard says what to do.
    await page.goto(`${base_url}/dashboard`)
    await page.getByText('npx ostiary bootstrap').waitFor()
    await page.goto(setup_url)
    await enter(page, 'Name of the tenant', 'Acme')
    await enter(page, 'Your email address', owner.email)
    await enter(page, 'Password', owner.password)
    await press(page, 'Create tenant and owner')
    await reach('Projects') // signed in, in the only tenant
    await press(page, 'New project')
    await page.getByRole('dialog', { name: 'New project' }).waitFor()
    await enter(page, 'Name', 'Storefront')
    await press(page, 'Create project')
    await reach('Storefront')
    await press(page, 'New application')
    await page.getByRole('dialog', { name: 'New application' }).waitFor()
    await enter(page, 'Name', 'Shop')
    await enter(page, 'Redirect URIs', 'https://shop.example.com/callback')
    await press(page, 'Create application')
    await page.getByText('Copy the client secret now').waitFor()
    await tabTo(page, 'I have stored this client secret')
    await page.keyboard.press('Space')
    await press(page, 'Done')
    await reach('Shop')

    await press(page, 'Try sign-in')
    await button(page, 'Add this address').waitFor()
    assert.equal(await button(page, 'Try sign-in').isDisabled(), true)
    await press(page, 'Add this address')
    await button(page, 'Add this address').waitFor({ state: 'detached' })
    const opened = page.waitForEvent('popup')
    await press(page, 'Try sign-in', 'button') // the tab of the same name is a link
    const popup = await opened
    await reach('Sign in', popup)
    await press(popup, 'Create an account')
    await reach('Create your account', popup)
    assert.equal(await popup.evaluate('opener'), null)
    await enter(popup, 'Email address', person.email)
    await enter(popup, 'Password', person.password)
    await popup.keyboard.press('Enter')
    const code = await page
      .getByText(/^Mail to ada@example\.com/)
      .locator('code')
      .textContent()
    await popup.getByLabel('Code').waitFor()
    await enter(popup, 'Code', code ?? '')
    const closed = popup.waitForEvent('close')
    await popup.keyboard.press('Enter')
    await closed

    await page.getByText('Everything agrees').waitFor()
    assert.deepEqual(await page.locator('.flow b').allTextContents(), [
      'Discovery read',
      'Sent to the sign-in page',
      'Came back with a code',
      'Exchanged for tokens',
      'ID token checked',
      'UserInfo read',
    ])
    const claims = await page.locator('.claims [role=tabpanel]').innerText()
    assert.match(claims, /iss\s+http:\/\/localhost:\d+\/e\/env_\w+/)
    assert.match(claims, /sub\s+usr_\w+\s+It never changes: store this one\./)
    assert.match(claims, /exp\s+\d{10}\s+.* UTC, in (?:59 min|1 h)/)
    await page.getByRole('tab', { name: 'UserInfo' }).click()
    assert.match(await page.locator('.claims [role=tabpanel]').innerText(), /email\s+ada@example\.com/)
    await page.getByRole('tab', { name: 'Raw' }).click()
    const access_token = (await page.locator('.claims [role=tabpanel] dd code').first().textContent()) ?? ''
    const userinfo = async () => {
      const issuer = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).iss
      return (await fetch(`${issuer}/v1/oauth/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })).status
    }
    assert.equal(await userinfo(), 200)
    await page.getByRole('tab', { name: 'ID token' }).click()
    assert.deepEqual(await audit(page, 'dashboard try sign-in'), [])
    await page.setViewportSize({ width: 1280, height: 800 })

    const revoked = page.waitForResponse((response) => response.url().endsWith('/v1/oauth/revoke'))
    await page.getByRole('link', { name: 'Connect' }).click()
    await revoked
    assert.equal(await userinfo(), 401)
    assert.equal(await page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])'), '[0,0,""]')
    assert.doesNotMatch(page.url(), /code=|secret/)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Sign in once').locator('..').getByText('Done.').waitFor()
    assert.equal(new URL(page.url()).origin, base_url)
    assert.deepEqual(faults, [])
  },
)

test(
  'a run names an organization where the application uses organizations, and shows which one the tokens have',
  { skip: noBrowser },
  async (t) => {
    const w = await world({ dashboard_folder: dashboardFolder })
    const of_test = await organizationsOf(w, w.test)
    const user = await w.createUser(w.test, person)
    const redirect_uris = [`${w.base_url}/try/callback`]
    const application = await w.createApplication(w.test, {
      name: 'Shop',
      redirect_uris,
      organizations: 'optional',
      application_type: 'spa',
    })
    const plain = await w.createApplication(w.test, { name: 'Plain', redirect_uris })
    const identifier = 'https://orders.example'
    const server = { slug: 'orders', name: 'Orders', identifier, organizations: 'required' }
    expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: server }))
    const acme = await of_test.create({ name: 'Acme', slug: 'acme', members: [{ user_id: user.id }] })
    await of_test.create({ name: 'Blue Door', slug: 'blue-door' })
    const browser = await launchForTests(t)
    const { page, faults } = await openDashboard(w, browser, owner)
    const openTry = async ({ client_id }: { client_id: string }, name: string) => {
      await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/test/applications/${client_id}?tab=try`, name)
      await page.getByText('Options', { exact: true }).click()
    }
    const organization = page.getByLabel('Organization (organization)')

    await openTry(application, 'Shop')
    await organization.fill('acm')
    await page.locator('datalist option[value=acme]').waitFor({ state: 'attached' })
    await page.locator('datalist option[value=blue-door]').waitFor({ state: 'detached' })
    assert.equal(await page.locator('datalist option[value=none]').count(), 1)
    await organization.fill('acme')
    await signIn(await opening(page, 'Try sign-in'), person)
    await page.getByRole('link', { name: acme.id }).waitFor()
    await page.getByText('Everything agrees').waitFor()
    assert.match(await page.locator('.claims [role=tabpanel]').innerText(), new RegExp(`org_id\\s+${acme.id}`))
    assert.deepEqual(await audit(page, 'dashboard try an organization'), [])

    await organization.fill('none')
    await opening(page, 'Run again')
    await page.getByText('The tokens have no org_id').waitFor()
    await organization.fill('blue-door')
    const refused = await opening(page, 'Run again')
    await refused.locator('main[data-step=no-access]').waitFor()
    await page.getByText('not_a_member').waitFor()

    await openTry(plain, 'Plain')
    assert.equal(await organization.count(), 0)
    await page.getByLabel('Resource server (resource)').selectOption(identifier)
    await organization.waitFor()
    assert.deepEqual(
      faults.filter((fault) => !/status of 40[013]/.test(fault)),
      [],
    )
  },
)

test(
  'a failed run shows the error, the reason and what to do, and takes no code that belongs to another run',
  { skip: noBrowser },
  async (t) => {
    const w = await world({ dashboard_folder: dashboardFolder })
    await w.createUser(w.test, person)
    const application = await w.createApplication(w.test, { name: 'Shop', redirect_uris: [`${w.base_url}/try/callback`] })
    const browser = await launchForTests(t)
    const { page, faults } = await openDashboard(w, browser, owner)
    await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/test/applications/${application.client_id}?tab=try`, 'Shop')
    const secret = page.getByRole('textbox', { name: 'Client secret' })
    const step = (name: string) => page.locator('.flow li').filter({ hasText: name })

    await t.test('without the secret it ends at the code', async () => {
      const popup = await opening(page, 'Try sign-in')
      await signIn(popup, { ...person, password: 'another sentence' })
      await step('Waiting for the sign-in').getByText('wrong_password').waitFor()
      await signIn(popup, person)
      await page.getByText('The run ends at the code,').waitFor()
    })

    await t.test('a code that an attacker brings is not taken', async () => {
      await secret.fill('not the secret')
      const popup = page.waitForEvent('popup')
      await page.getByText('Options', { exact: true }).click()
      await page.getByLabel('Prompt').selectOption('login')
      await button(page, 'Run again').click()
      const opened = await popup
      await opened.getByLabel('Password').waitFor()
      const attack = await page.context().newPage()
      await attack.goto(`${w.base_url}/try/callback?code=theirs&state=theirs&iss=${encodeURIComponent(w.test.issuer)}`)
      await attack.getByRole('heading', { name: 'Back to the dashboard' }).waitFor()
      assert.equal(attack.url(), `${w.base_url}/try/callback`, 'the code is no longer in the address')
      assert.deepEqual(await audit(attack, 'dashboard try callback'), [])
      assert.equal(await page.getByText('Waiting for the window').isVisible(), true)
      await signIn(opened, person)
      await attack.close()
    })

    await t.test('a wrong secret', async () => {
      const failed = step('Exchange the code for tokens: failed')
      await failed.getByText('invalid_client').first().waitFor()
      await failed.getByText('Open the call').waitFor()
      await failed.getByText('The secret is not the current one').waitFor()
      assert.deepEqual(await audit(page, 'dashboard try sign-in failed'), [])
    })

    await t.test('a scope that the application may not request', async () => {
      await secret.fill(application.client_secret ?? '')
      await page.getByLabel('Scopes', { exact: true }).fill('openid unknown:scope')
      await opening(page, 'Run again')
      await step('Come back with a code: failed').getByText('invalid_scope').first().waitFor()
    })

    await t.test('in Live the address is added by hand only', async () => {
      const live = await w.createApplication(w.live, { name: 'Live shop' })
      await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/live/applications/${live.client_id}?tab=try`, 'Live shop')
      await page.getByText('In Live only you add it').waitFor()
      assert.equal(await button(page, 'Add this address').count(), 0)
      assert.equal(await button(page, 'Try sign-in').isDisabled(), true)
    })
    assert.deepEqual(
      faults.filter((fault) => !/status of 40[01]/.test(fault)),
      [],
    )
  },
)

test('Try sign-in marks the scopes that were asked for and not given, and says why none is', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const roles = await createRoleWorld(w, w.test)
  await roles.createServer('orders', ['orders:read', 'orders:write', 'orders:delete'])
  await roles.createRole('reader', { orders: ['orders:read'] }, { default: true })
  await w.createUser(w.test, person)
  const application = await w.createApplication(w.test, {
    name: 'Shop',
    redirect_uris: [`${w.base_url}/try/callback`],
    allowed_scopes: ['openid', 'orders:read', 'orders:write', 'orders:delete'],
  })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/test/applications/${application.client_id}?tab=try`, 'Shop')
  await page.getByRole('textbox', { name: 'Client secret' }).fill(application.client_secret ?? '')
  await page.getByText('Options', { exact: true }).click()
  await page.getByLabel('Resource server (resource)').selectOption('https://orders.example.com')
  const scopes = page.getByLabel('Scopes', { exact: true })
  const note = page.locator('.note').filter({ hasText: 'Asked for and not given' })

  await scopes.fill('openid orders:read orders:write orders:delete')
  await signIn(await opening(page, 'Try sign-in'), person)
  await page.getByText('Everything agrees').waitFor()
  assert.deepEqual(await note.locator('code').allTextContents(), ['orders:write', 'orders:delete'])
  assert.match(
    await note.innerText(),
    /^Asked for and not given: orders:write, orders:delete\. Where a resource server needs roles, a person gets/,
  )
  assert.equal(await note.getByRole('link', { name: 'roles' }).getAttribute('href'), `${dashboardPath(await slugOf(w))}/test/roles`)
  assert.deepEqual(await audit(page, 'dashboard try sign-in with scopes that are not given'), [])
  await page.setViewportSize({ width: 1280, height: 800 })

  await scopes.fill('openid orders:read')
  await opening(page, 'Run again')
  await page.getByText('Everything agrees').waitFor()
  assert.equal(await note.count(), 0, 'all were given')

  await scopes.fill('openid orders:write')
  const popup = await opening(page, 'Run again')
  await popup.locator('[data-step=no-access]').waitFor()
  await popup.getByText('Back to Shop').click()
  const failed = page.locator('.flow li').filter({ hasText: 'Come back with a code: failed' })
  await failed.getByText('access_denied').first().waitFor()
  await failed.getByText('has no role that lets them in or gives one of the scopes').waitFor()
  assert.equal(await note.count(), 0)
  assert.deepEqual(faults, [])
})
