/** The forms of the dashboard in a real browser: what is entered, saved and shown once survives slow answers and other saves. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const skip = noBrowser
const w = await world({ dashboard_folder: dashboardFolder })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const { page, faults } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page, faults: [] } // as: skipped without one
const tenant = `${w.base_url}/dashboard/t/acme`
const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
const platform_keys = `/v1/tenants/${w.tenant_id}/platform-keys`
const admin = asAdministrator(w, await administratorToken(w, owner))

test('a platform key is edited in its drawer, on a page of the tenant', { skip }, async () => {
  const { id } = expectStatus(201, await admin('POST', platform_keys, { label: 'pipeline', scopes: ['projects:read'] }))
  await show(page, `${tenant}/platform-keys?key=${id}`, 'Platform keys')
  await button(page, 'Edit…').click()
  const dialog = page.getByRole('dialog', { name: 'Edit pipeline' })
  await dialog.getByLabel(/^Label/).fill('deployment')
  assert.deepEqual(await audit(page, 'forms edit a platform key'), [])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'deployment', exact: true }).waitFor()
  const { label, scopes } = expectStatus(200, await admin('GET', `${platform_keys}/${id}`))
  assert.deepEqual([label, scopes], ['deployment', ['projects:read']])
})

/** Holds the next answer to a call that changes something. The service has done its work when `held` is there. */
async function holdAnswer(path: RegExp) {
  const [held, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async (route: Route) => {
    if (route.request().method() === 'GET') return route.fallback()
    const response = await route.fetch()
    held.resolve()
    await answer.promise
    await route.fulfill({ response })
    await page.unroute(path, hold)
  }
  await page.route(path, hold)
  // Without a time limit of its own: the step that hangs fails, and says which one it is.
  const answered = page.waitForResponse((response) => path.test(response.url()) && response.request().method() !== 'GET', { timeout: 0 })
  const release = async () => {
    answer.resolve()
    await (await answered).finished()
  }
  return { held: held.promise, release }
}

/** Opens a page by its shortcut, which keeps what is in the memory of the tab. */
async function goTo(key: string) {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
}

/** Stays on the page when the browser asks whether to leave it. */
const stayWhenAsked = () => page.waitForEvent('dialog').then((dialog) => dialog.dismiss())

const secrets: [what: string, path: RegExp, open: () => Promise<void>, act: string][] = [
  [
    'client secret',
    /\/applications$/,
    async () => {
      await show(page, `${base}/applications?new=1`, 'Applications')
      await page.getByLabel('Name').fill('Shop')
      await page.getByLabel(/^Redirect URIs/).fill('https://shop.example.com/callback')
    },
    'Create application',
  ],
  [
    'signing secret',
    /\/webhooks$/,
    async () => {
      await show(page, `${base}/webhooks?new=1`, 'Webhooks')
      await page.getByLabel('Address').fill('https://app.example.com/webhooks')
    },
    'Add webhook',
  ],
  [
    'key',
    /\/rotate$/,
    async () => {
      const { id } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret', label: 'orders' } }))
      await show(page, `${base}/api-keys?key=${id}`, 'API keys')
      await button(page, 'Rotate…').click()
    },
    'Rotate now',
  ],
]
for (const [what, path, open, act] of secrets)
  test(`the page waits for the answer that has a ${what}: nothing closes the dialog, and leaving asks`, { skip }, async () => {
    await show(page, `${base}/events`, 'Events')
    await open()
    const { held, release } = await holdAnswer(path)
    await page.locator('.dlg').getByRole('button', { name: act }).click()
    await held
    await page.keyboard.press('Escape')
    await page
      .locator('.mantine-Modal-overlay')
      .last()
      .click({ position: { x: 5, y: 5 }, force: true })
    assert.equal(await page.locator('.dlg').getByRole('button').and(page.locator(':enabled')).count(), 0)
    const asked = stayWhenAsked()
    const url = page.url()
    await Promise.all([asked, assert.rejects(page.goto(`${base}/events`), /ERR_ABORTED/)])
    await page.waitForURL(url)
    await release()
    await page.getByText(`Copy the ${what} now`).waitFor()
    await page.getByLabel(`I have stored this ${what}`).check()
    await button(page, 'Done').click()
    await page.locator('.dlg').waitFor({ state: 'detached' })
  })

test('a press of Escape right behind that of the button closes no dialog', { skip }, async () => {
  const { id } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret', label: 'hasty' } }))
  await show(page, `${base}/api-keys?key=${id}`, 'API keys')
  await button(page, 'Rotate…').click()
  const { held, release } = await holdAnswer(/\/rotate$/)
  await page
    .locator('.dlg')
    .getByRole('button', { name: 'Rotate now' })
    .evaluate(async (act: EventTarget & { click: () => void }) => {
      act.click()
      for (let turn = 0; turn < 100; turn++) await null // no task in between: the next event of a person comes later
      act.dispatchEvent(Object.assign(new Event('keydown', { bubbles: true, cancelable: true }), { key: 'Escape' }))
    })
  await held
  await release()
  await page.getByText('Copy the key now').waitFor()
  await page.getByLabel('I have stored this key').check()
  await button(page, 'Done').click()
})

test('an answer that comes after the person has left leads nobody back', { skip }, async () => {
  await show(page, `${base}/users`, 'Users')
  await goTo('e')
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.goBack()
  await button(page, 'Add user').click()
  await page.getByRole('textbox', { name: 'Email' }).fill('late@example.com')
  const { held, release } = await holdAnswer(/\/v1\/auth\/users$/)
  await page.locator('.dlg').getByRole('button', { name: 'Add user' }).click()
  await held
  await page.goForward()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  const url = page.url()
  await release()
  await goTo('u')
  await button(page, 'late@example.com').waitFor()
  assert.equal(new URL(page.url()).search, '')
  await page.goBack()
  assert.equal(page.url(), url)
})

test('a provider that is switched on does not close the dialog that was opened meanwhile', { skip }, async () => {
  const provider = { type: 'google', client_id: 'shop', client_secret: 'long enough', display_name: 'Google', enabled: false }
  const { id } = expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: provider }))
  await show(page, `${base}/providers`, 'Providers')
  const { held, release } = await holdAnswer(/\/providers\/prv_\w+$/)
  await button(page, 'Actions for Google').click()
  await page.getByRole('menuitem', { name: 'Switch on' }).click()
  await held
  await page.getByRole('button', { name: /^Edit ?: Google$/ }).click()
  await page.getByLabel('Name on the button').fill('Google for work')
  await release()
  await page.getByText('Off', { exact: true }).waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Name on the button').inputValue(), 'Google for work')
  expectStatus(204, await w.call('DELETE', `${w.test.path}/providers/${id}`))
})

const settings = async () => expectStatus(200, await w.call('GET', `${w.test.path}/settings`))
const dialog_of_versions = () => page.getByRole('alertdialog', { name: 'Changed meanwhile' })
/** Presses a button, and waits for the answer to a change. */
async function save(name: string, status = 200) {
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.status() === status)
  await button(page, name).click()
  await (await answered).finished()
}
const lifetime = () => page.getByLabel(/^Access token/)
const sender = () => page.getByLabel('Sender')

test('two forms of a page save one after the other, and neither takes the other for another person', { skip }, async () => {
  await show(page, `${base}/settings`, 'Settings')
  await page.getByLabel('Unit of Access token', { exact: true }).selectOption('minutes')
  await lifetime().fill('10')
  await sender().fill('Shop <shop@example.com>')
  await save('Save mail')
  await page.getByText('Saved.', { exact: true }).waitFor({ state: 'attached' })
  await page.getByText('Save first: a test uses what is stored.').waitFor({ state: 'detached' })
  assert.equal(await lifetime().inputValue(), '10')
  await button(page, 'Review').click()
  await button(page, 'Save').click()
  await page.getByText('Review the changes').waitFor({ state: 'detached' })
  assert.equal(await dialog_of_versions().count(), 0)
  const { tokens, email } = await settings()
  assert.deepEqual([tokens.access_token_ttl_seconds, email.from], [600, 'Shop <shop@example.com>'])
})

test('a save of one form leaves the other with the version that its person has seen', { skip }, async () => {
  await show(page, `${base}/settings`, 'Settings')
  await lifetime().fill('15')
  await sender().fill('Bakery <shop@example.com>')
  await w.changeSettings(w.test, { tokens: { access_token_ttl_seconds: 1_200 } })
  await save('Save mail', 412)
  await dialog_of_versions().getByText('Other fields were saved while you were editing.').waitFor()
  await button(page, 'Save the choice').click()
  await dialog_of_versions().waitFor({ state: 'detached' })
  await button(page, 'Review').click()
  await button(page, 'Save').click()
  await dialog_of_versions().getByText('Choose a value for each of these fields.').waitFor()
  await dialog_of_versions()
    .getByRole('radio', { name: /^Theirs/ })
    .check()
  await button(page, 'Save the choice').click()
  await page.getByText('Review the changes').waitFor({ state: 'detached' })
  assert.equal(await lifetime().inputValue(), '20')
  assert.equal((await settings()).email.from, 'Bakery <shop@example.com>')
})

test('what is entered after a save stays while the page reads again, and belongs to the saved version', { skip }, async () => {
  const { client_id } = await w.createApplication(w.test, { name: 'Garden' })
  await show(page, `${base}/applications/${client_id}?tab=addresses`, 'Garden')
  const read = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    if (route.request().method() === 'GET') await read.promise
    await route.continue()
  }
  await page.route(new RegExp(`/applications/${client_id}$`), hold)
  await page.getByLabel('Name').fill('Nursery')
  await button(page, 'Save').click()
  await page.getByRole('heading', { level: 1, name: 'Nursery' }).waitFor()
  const start = page.getByLabel(/^Start of a sign-in/)
  await start.fill('https://garden.example.com/start')
  const answered = page.waitForResponse((response) => response.url().endsWith(client_id))
  read.resolve()
  await (await answered).finished()
  await page.waitForLoadState('networkidle')
  assert.equal(await start.inputValue(), 'https://garden.example.com/start')
  const asked = stayWhenAsked()
  await page.getByRole('heading', { level: 1 }).click() // single keys do nothing in a field
  await goTo('e')
  await asked
  await save('Save')
  assert.equal(await dialog_of_versions().count(), 0)
  const { name, initiate_login_uri } = expectStatus(200, await w.call('GET', `${w.test.path}/applications/${client_id}`))
  assert.deepEqual([name, initiate_login_uri], ['Nursery', 'https://garden.example.com/start'])
})

test('a rotation of the secret is not a new version of the form beside it', { skip }, async () => {
  const body = { url: 'https://app.example.com/webhooks', slug: 'garden' }
  const { id } = expectStatus(201, await w.call('POST', `${w.test.path}/webhooks`, { body }))
  await show(page, `${base}/webhooks/${id}?tab=settings`, 'garden')
  await page.getByLabel('Description, optional').fill('Orders of the garden')
  await button(page, 'Rotate secret…').click()
  await button(page, 'Rotate now').click()
  await page.getByLabel('I have stored this signing secret').check()
  await button(page, 'Done').click()
  await save('Save')
  assert.equal(await dialog_of_versions().count(), 0)
  assert.equal(expectStatus(200, await w.call('GET', `${w.test.path}/webhooks/${id}`)).description, 'Orders of the garden')
})

test('a webhook that is switched on stays on when the form beside it is saved', { skip }, async () => {
  const body = { url: 'https://app.example.com/webhooks', slug: 'orchard' }
  const { id } = expectStatus(201, await w.call('POST', `${w.test.path}/webhooks`, { body }))
  expectStatus(200, await w.call('PATCH', `${w.test.path}/webhooks/${id}`, { body: { disabled: true } }))
  await show(page, `${base}/webhooks/${id}?tab=settings`, 'orchard')
  await page.getByLabel('Description, optional').fill('Orders of the orchard')
  await button(page, 'Switch on').click()
  await page.getByText('Switched off: nothing is sent.').waitFor({ state: 'detached' })
  await save('Save')
  assert.equal(await dialog_of_versions().count(), 0)
  const { disabled, description } = expectStatus(200, await w.call('GET', `${w.test.path}/webhooks/${id}`))
  assert.deepEqual([disabled, description], [false, 'Orders of the orchard'])
})

test('each new platform key begins without scopes', { skip }, async () => {
  await show(page, `${tenant}/platform-keys`, 'Platform keys')
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  const all = dialog.getByLabel('Everything, also future (*)')
  await button(page, 'Create key').click()
  await dialog.getByLabel(/^Label/).fill('everything')
  await all.check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('I have stored this key').check()
  await button(page, 'Done').click()
  await button(page, 'Create key').click()
  assert.equal(await all.isChecked(), false)
  await all.check()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await button(page, 'Create key').click()
  assert.equal(await all.isChecked(), false)
})

test('an application is deleted without a question about its unsaved changes', { skip }, async () => {
  const { client_id } = await w.createApplication(w.test, { name: 'Kiosk' })
  await show(page, `${base}/applications/${client_id}?tab=addresses`, 'Kiosk')
  await page.getByLabel('Name').fill('Stall')
  await button(page, 'Delete').click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('Kiosk')
  await button(page, 'Delete now').click() // the browser would answer a question by staying
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor()
})

async function openApplication(tab: string) {
  const { client_id } = await w.createApplication(w.test, { name: 'Depot' })
  await show(page, `${base}/applications/${client_id}?tab=${tab}`, 'Depot')
  return 'Depot'
}
async function openWebhook() {
  const { id, slug } = expectStatus(201, await w.call('POST', `${w.test.path}/webhooks`, { body: { url: 'https://app.example.com/hook' } }))
  await show(page, `${base}/webhooks/${id}?tab=settings`, slug)
  return slug
}

// biome-ignore format: this table is read by column
const questions: [what: string, open: () => Promise<string>, ask: string, act: string, keep: string][] = [
  ['the deletion of an application',   () => openApplication('connect'),     'Delete',          'Delete now', 'Keep the application'],
  ['the rotation of a client secret',  () => openApplication('credentials'), 'Rotate secret',   'Rotate now', 'Keep the secret'],
  ['the deletion of a webhook',        () => openWebhook(),                  'Delete webhook…', 'Delete now', 'Keep the webhook'],
  ['the rotation of a signing secret', () => openWebhook(),                  'Rotate secret…',  'Rotate now', 'Keep the secret'],
]
for (const [what, open, ask, act, keep] of questions)
  test(`${what} asks again without the problem of the last attempt`, { skip }, async () => {
    const name = await open()
    const body = JSON.stringify({ code: 'slug_taken', detail: 'Refused this time.', request_id: 'req_1' })
    const refuse = (route: Route) =>
      route.request().method() === 'GET'
        ? route.fallback()
        : route.fulfill({ status: 409, headers: { 'content-type': 'application/problem+json' }, body })
    await page.route(/\/v1\/platform\//, refuse)
    const dialog = page.getByRole('alertdialog')
    await button(page, ask).click()
    if (act === 'Delete now') await dialog.getByRole('textbox').fill(name)
    await button(page, act).click()
    await dialog.getByText('Refused this time.').waitFor()
    await page.unroute(/\/v1\/platform\//, refuse)
    await button(page, keep).click()
    await button(page, ask).click()
    await button(page, keep).waitFor()
    assert.equal(await dialog.getByText('Refused this time.').count(), 0)
  })

test('no page reports an error or calls another origin', { skip }, () => {
  assert.deepEqual(
    faults.filter((fault) => !/status of (?:409|412)/.test(fault)), // the browser reports the refused changes
    [],
  )
})
