/** The pages of the dashboard about sign-in: resource servers, providers, the sign-in pages with their preview, and mail. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

test('what belongs to sign-in is set up in the dashboard', { skip: noBrowser }, async (t) => {
  let addresses: string[] = []
  const w = await world({
    dashboard_folder: dashboardFolder,
    resolve: async (name) => (name === 'login.microsoftonline.com' ? addresses : []),
  })
  await w.createApplication(w.test, { name: 'Shop' })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  const dialog = page.getByRole('dialog')
  const stored = async (path: string) => expectStatus(200, await w.call('GET', w.test.path + path))
  /** A button or a link of a row, which names its object. */
  const row = (role: 'button' | 'link', act: string, name: string) => page.getByRole(role, { name: new RegExp(`^${act} ?: ${name}$`) })
  /** An act in the menu of a row. */
  const act = async (name: string, of: string) => {
    await button(page, `Actions for ${of}`).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const closed = () => dialog.waitFor({ state: 'detached' })
  const passesAudit = async (name: string) => {
    assert.deepEqual(await audit(page, `dashboard ${name}`), [])
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  await t.test('a resource server is added, edited with its wording on the consent page, and deleted', async () => {
    await show(page, `${base}/resource-servers`, 'Resource servers')
    await button(page, 'Add resource server').click()
    await dialog.getByLabel('Name').fill('Orders')
    await dialog.getByLabel('Identifier').fill('orders')
    await dialog.getByRole('button', { name: 'Add resource server' }).click()
    await dialog.getByText('Not saved. Change what is marked.').waitFor()
    const identifier = dialog.getByLabel('Identifier')
    const [said = ''] = await dialog.locator('.mantine-InputWrapper-error').allTextContents()
    assert.equal(await dialog.getByText(said).count(), 1, 'the error stands once, at its field')
    await identifier.and(page.locator(':focus')).waitFor()
    await identifier.fill('https://api.example.com')
    await dialog.getByLabel(/^Scopes/).fill('orders:read Read your orders\n\norders:write')
    await dialog.getByRole('button', { name: 'Add resource server' }).click()
    await row('button', 'Edit', 'Orders').click()
    assert.equal(await dialog.getByLabel('Identifier').isDisabled(), true)
    await dialog.getByLabel(/^Scopes/).fill('orders:read See what you ordered\norders:write')
    assert.deepEqual(await dialog.locator('.consent-preview b').allTextContents(), ['See what you ordered', 'orders:write'])
    await passesAudit('edit resource server')
    await dialog.getByLabel('Opaque: the API asks the service').check()
    await dialog.getByLabel('ES256: shorter, and cheaper to sign').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.mantine-RadioGroup-error', { hasText: 'An opaque token is not signed.' }).waitFor()
    await dialog.getByLabel('JWT: the API checks it itself').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed()
    await page.getByText('JWT, checked by the API itself, ES256').waitFor()
    await row('button', 'Edit', 'Orders').click()
    assert.equal(await dialog.getByLabel('ES256: shorter, and cheaper to sign').isChecked(), true)
    await dialog.getByLabel('Opaque: the API asks the service').check()
    await dialog.getByLabel('RS256: every library checks it').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed()
    const [server] = (await stored('/resource-servers')).data
    assert.deepEqual([server.access_token_format, server.access_token_signing_alg], ['opaque', 'RS256'])
    assert.deepEqual(server.scopes, [
      { name: 'orders:read', description: 'See what you ordered' },
      { name: 'orders:write', description: null },
    ])
    await row('button', 'Edit', 'Orders').click()
    await page.waitForLoadState('networkidle')
    await dialog.getByLabel('Name').fill('All orders')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed() // a second edit begins with the version that the first one saved
    await row('button', 'Delete', 'All orders').click()
    await button(page, 'Delete now').click()
    await page.getByText('No resource server yet').waitFor()
  })

  await t.test('a provider is added, edited, switched, tried out and deleted', async () => {
    await show(page, `${base}/providers`, 'Providers')
    await button(page, 'Add provider').click()
    await dialog.getByRole('radio', { name: 'Microsoft' }).check()
    const callback_url = await dialog.locator('.uri code').textContent() // known before the provider
    await dialog.getByRole('link', { name: 'Open Microsoft Entra' }).waitFor()
    await passesAudit('add provider')
    await dialog.getByLabel('Issuer').fill('https://login.microsoftonline.com/one/v2.0')
    await dialog.getByLabel('Client id').fill('of-microsoft')
    await dialog.getByRole('textbox', { name: 'Client secret' }).fill('a secret')
    await dialog.getByRole('button', { name: 'Add provider' }).click()

    await page.locator('.sub', { hasText: 'The host of the metadata has no address.' }).waitFor() // a new provider is checked
    addresses = ['10.0.0.1']
    await act('Check', 'Microsoft')
    await page.locator('.sub', { hasText: 'has an address that outgoing calls may not reach.' }).waitFor()

    await row('button', 'Edit', 'Microsoft').click()
    await dialog.getByText('Set, and never shown.').waitFor()
    await dialog.getByLabel('Name on the button').fill('Contoso')
    await dialog.getByLabel('Issuer').fill('https://login.microsoftonline.com/two/v2.0')
    await dialog.getByText('A new issuer needs its own secret.').waitFor()
    await dialog.getByRole('textbox', { name: 'Client secret' }).fill('another secret')
    await passesAudit('edit provider')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed()
    const [provider] = (await stored('/providers')).data
    assert.deepEqual([provider.display_name, provider.issuer], ['Contoso', 'https://login.microsoftonline.com/two/v2.0'])
    assert.deepEqual([provider.callback_url, provider.scopes], [callback_url, ['openid', 'email', 'profile']])
    await row('button', 'Edit', 'Contoso').click()
    await page.waitForLoadState('networkidle')
    await dialog.getByLabel('Client id').fill('of-contoso')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed() // a second edit begins with the version that the first one saved

    await row('link', 'Try it', 'Contoso').click()
    await page.getByText('To try out Contoso, press its button').waitFor()
    await show(page, `${base}/providers`, 'Providers')
    await act('Switch off…', 'Contoso')
    await page.getByText('People who have no other way to sign in are locked out').waitFor()
    await passesAudit('switch off a provider')
    await button(page, 'Keep it on').click()
    await act('Switch off…', 'Contoso')
    await button(page, 'Switch off now').click()
    await page.getByText('Off', { exact: true }).waitFor()
    await act('Switch on', 'Contoso')
    await page.getByText('Off', { exact: true }).waitFor({ state: 'detached' })
    await act('Delete…', 'Contoso')
    await page.getByLabel(/^Type Contoso/).fill('Contoso')
    await button(page, 'Delete now').click()
    await page.getByText('No provider yet').waitFor()
  })

  await t.test('the sign-in pages show what is not saved yet', async () => {
    await show(page, `${base}/sign-in-pages`, 'Sign-in pages')
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Name on the pages').fill('Bakery')
    await page.getByLabel('Colour', { exact: true }).fill('#f2c14e')
    await page.getByText('Text on buttons is black').waitFor()
    await page.getByText('Too faint for links').waitFor()
    await page.getByLabel('Passkey', { exact: true }).check()
    await frame.getByText('Bakery', { exact: true }).first().waitFor()
    await frame.locator('[data-action=passkey]').waitFor()
    await passesAudit('sign-in pages')
    await button(page, 'Sign-up').click()
    await frame.getByRole('heading', { name: 'Create your account' }).waitFor()
    await button(page, 'Dark').click()
    await page.getByLabel('Terms').fill('example')
    await page
      .getByText(/absolute|https/i)
      .first()
      .waitFor()
    await page.getByLabel('Terms').fill('')
    assert.equal((await stored('/settings')).branding.display_name, null)
    await button(page, 'Save').click()
    await page.getByText('0 changes').waitFor()
    assert.deepEqual((await stored('/settings')).branding, { display_name: 'Bakery', logo_url: null, primary_color: '#f2c14e' })
  })

  await t.test('mail is set up and tested in place, and its password is never shown back', async () => {
    await show(page, `${base}/settings`, 'Settings')
    await button(page, 'Send test mail').click()
    await page.getByText('It is in the inbox.').waitFor()
    await page.getByLabel('Delivery').selectOption('smtp')
    await page.getByLabel('Sender').fill('Shop <shop@example.com>')
    await page.getByLabel('Mail server').fill('mail.invalid')
    await page.getByLabel('User name', { exact: true }).fill('shop')
    await page.getByRole('textbox', { name: 'Password' }).fill('mail secret')
    assert.equal(await button(page, 'Send test mail').isDisabled(), true)
    await button(page, 'Save mail').click()
    await page.getByText('Set, and never shown.').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Password' }).inputValue(), '')
    await button(page, 'Send test mail').click()
    await page.getByText('It failed at the look-up of the mail server.').waitFor()
    await page.getByLabel('Origins that may call').fill('https://app.example.com\nhttps://admin.example.com')
    await page.getByLabel('phone').check()
    const access_token = page.getByLabel('Access token', { exact: true })
    const unit = page.getByLabel('Unit of Access token', { exact: true })
    assert.deepEqual([await access_token.inputValue(), await unit.inputValue()], ['1', '3600'])
    await unit.selectOption('days')
    await access_token.fill('2')
    await page.getByText('Use 1 min to 1 d.').waitFor()
    await button(page, 'Review').click()
    assert.equal(await dialog.count(), 0, 'a value outside of its range is not reviewed')
    await unit.selectOption('minutes')
    await access_token.fill('30')
    await page.getByLabel('Minimum length').fill('')
    await button(page, 'Review').click()
    await dialog.getByText('It ends nothing now: tokens that are issued keep their time.').waitFor()
    await dialog.getByText('Default: 12').waitFor()
    await passesAudit('settings review')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed()
    const { cors, scopes, email, tokens, password } = await stored('/settings')
    assert.deepEqual(cors.allowed_origins, ['https://app.example.com', 'https://admin.example.com'])
    assert.deepEqual(scopes.disabled, ['phone'])
    assert.deepEqual([tokens.access_token_ttl_seconds, password.min_length], [1_800, 12])
    assert.deepEqual([email.smtp.port, email.smtp.tls, email.smtp.has_password], [587, 'starttls', true])
    await passesAudit('settings mail')
  })
  assert.deepEqual(
    faults.filter((fault) => !/status of (?:422|404)/.test(fault)),
    [],
  )
})
