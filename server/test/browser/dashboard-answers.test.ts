/** The behaviour of the dashboard while an answer is on its way, lost or refused, and its questions before it acts. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { button, dashboardFolder, dashboardPath, loseAnswer, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const skip = noBrowser
const w = await world({ dashboard_folder: dashboardFolder })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const { page, faults } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page, faults: [] } // as: skipped without one
const project = `${w.base_url}${dashboardPath(await slugOf(w))}`
const base = `${project}/test`
const post = async (path: string, body: unknown, status = 201) => expectStatus(status, await w.call('POST', path, { body }))
const stored = async (path: string) => expectStatus(200, await w.call('GET', `${w.test.path}/${path}`))

const webhook = await post(`${w.test.path}/webhooks`, { url: 'https://hooks.invalid/ostiary', slug: 'orders' })
const webhook_page = `${base}/webhooks/${webhook.id}`
await post(`${w.test.path}/webhooks/${webhook.id}/test`, {}, 202)

/** Holds the answers to requests of this address until the returned function is called. */
async function hold(url: RegExp): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await released
    await route.continue()
  })
  return resolve
}

test('Enter in the picker opens what was searched for, even when it comes before the answer', { skip }, async () => {
  await post('/v1/platform/projects', { slug: 'bakery', name: 'Bakery' })
  await post('/v1/platform/projects', { slug: 'newest', name: 'Newest' })
  await show(page, base, /./)
  await page.getByRole('button', { name: /^Project: / }).click()
  const picker = page.getByRole('dialog')
  await picker.getByRole('link', { name: 'Newest' }).waitFor()
  const release = await hold(/query=bakery/)
  const field = picker.getByLabel('Search projects')
  await field.fill('bakery')
  await field.press('Enter')
  await picker.locator('ul[aria-busy=true]').getByRole('link', { name: 'Newest' }).waitFor()
  release()
  await page.waitForURL(/\/p\/bakery\/test$/)
})

test('the palette that is opened on the way to another page stays open when the page arrives', { skip }, async () => {
  const palette = page.getByRole('dialog', { name: 'Search' })
  await show(page, `${base}/applications`, 'Applications')
  // As soon as the address is that of the next page, which has not been drawn yet.
  await page.evaluate(`{
    const push = history.pushState
    history.pushState = (...state) => {
      history.pushState = push
      push.apply(history, state)
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
    }
  }`)
  await page.locator('nav:visible').getByRole('link', { name: 'Users' }).click()
  await page.locator('main h1', { hasText: 'Users' }).waitFor()
  await page.locator('[role=combobox]:focus').waitFor()
  await page.locator('main h1').focus() // as a record of that page takes it
  await page.locator('[role=combobox]:focus').waitFor()
  await palette.getByRole('combobox').fill('applications')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/applications$/)
  await palette.waitFor({ state: 'detached' })
})

test('Escape in the palette leaves what lies below it open', { skip }, async () => {
  const palette = page.getByRole('dialog', { name: 'Search' })
  const openAndClose = async () => {
    await page.keyboard.press('Control+k')
    await palette.waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
  }
  await show(page, `${base}/applications?new=1`, 'Applications')
  await page.getByLabel('Name').fill('Half-typed')
  await openAndClose()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Half-typed')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.setViewportSize({ width: 600, height: 900 })
  await button(page, 'Open navigation').click()
  const drawer = page.getByRole('dialog', { name: 'Pages' })
  await drawer.waitFor()
  await openAndClose()
  assert.equal(await drawer.count(), 1)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('an invitation whose answer was lost is not called mailed, and a new link is one press away', { skip }, async () => {
  await show(page, `${w.base_url}/dashboard/t/acme/members`, 'Members')
  await loseAnswer(page, /\/members$/)
  await button(page, 'Invite').click()
  const dialog = page.getByRole('dialog', { name: 'Invite a member' })
  await dialog.getByLabel('Email').fill('grace@example.com')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const note = page.getByText('The answer with the link to grace@example.com was lost.')
  await note.waitFor()
  assert.equal(await page.getByText('Mailed to').count(), 0)
  assert.deepEqual(await audit(page, 'answers lost invitation'), [])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: /^New link ?: grace@example.com$/ }).click()
  await page.getByText('Copy the invitation link now').waitFor()
  assert.equal(await note.count(), 0)
  await page.getByLabel('I have stored this invitation link').check()
  await button(page, 'Done').click()
})

test('after Cancel of the sign-in the page reads nothing when the person comes back to the tab', { skip }, async () => {
  await post(`${w.test.path}/settings/email/test`, { to: 'ada@example.com' }, 200)
  await show(page, `${base}/inbox`, 'Inbox')
  await page.getByRole('table', { name: 'Captured mail' }).waitFor()
  const cookies = await page.context().cookies()
  await page.context().clearCookies() // the page reads again every few seconds
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.getByRole('button', { name: 'Cancel' }).click()
  await ended.waitFor({ state: 'detached' })

  const sent: string[] = []
  const note = (request: Request) => sent.push(new URL(request.url()).pathname)
  page.on('request', note)
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
  await page.evaluate('dispatchEvent(new Event("offline")); dispatchEvent(new Event("online"))')
  const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
  await again.click()
  await ended.waitFor()
  assert.deepEqual(
    sent.map((path) => path.split('/').at(-1)),
    ['inbox'],
  )
  page.off('request', note)
  await ended.getByRole('button', { name: 'Cancel' }).click()
  await page.context().addCookies(cookies)
  await again.click()
  await again.waitFor({ state: 'detached' })
  await page.waitForResponse(/\/inbox/) // and then again every few seconds
})

test('a page outside an environment has neither its title nor its icon', { skip }, async () => {
  const tab = async () => [await page.title(), await page.locator('link[rel=icon]').getAttribute('href')]
  await show(page, `${project}/live/api-keys`, 'API keys')
  const [title, icon] = await tab()
  assert.match(title ?? '', /^\[Live\] API keys/)
  assert.equal(icon, '/dashboard/favicon-live.svg')
  await page.getByRole('button', { name: /^Tenant: / }).click()
  await page.getByRole('link', { name: 'All tenants, and a new one' }).click()
  await page.getByRole('heading', { level: 1, name: 'Choose a tenant' }).waitFor()
  assert.deepEqual(await tab(), ['Ostiary', '/dashboard/favicon.svg'])
})

test('a search for users that is cleared leaves an empty field', { skip }, async () => {
  await show(page, `${base}/users?query=nobody`, 'Users')
  await button(page, 'Clear the search').click()
  await page.waitForURL((url) => !url.searchParams.has('query'))
  assert.equal(await page.getByLabel('Find users').inputValue(), '')
})

test('a code that the API does not send is not a link, because it has no page', { skip }, async () => {
  await page.route(/\/auth-keys/, (route) => route.abort('connectionrefused'))
  await show(page, `${base}/api-keys`, 'API keys')
  await page.locator('.problem').getByText('network_error').waitFor()
  assert.equal(await page.locator('.problem').getByRole('link').count(), 0)
  await page.unroute(/\/auth-keys/)
})

test(
  'deliveries of another filter are dimmed until its answer, and a failed reading stands above those that are there',
  { skip },
  async () => {
    const list = page.locator('.lst ul')
    await show(page, webhook_page, 'orders')
    await list.getByText('test.ping').waitFor()
    const release = await hold(/status=delivered/)
    await button(page, 'Delivered').click()
    await page.locator('.lst ul[aria-busy=true]').getByText('test.ping').waitFor()
    release()
    await page.getByText('No delivery has this state.').waitFor()
    await button(page, 'All').click()
    await list.getByText('test.ping').waitFor()

    await page.route(/\/deliveries(\?|$)/, (route) => route.abort('connectionrefused'))
    const problem = page.locator('.problem').first()
    await problem.getByText('The service cannot be reached.').waitFor()
    await list.getByText('test.ping').waitFor()
    await page.unroute(/\/deliveries(\?|$)/)
    await problem.getByRole('button', { name: 'Try again' }).click()
    await problem.waitFor({ state: 'detached' })
  },
)

test('an id of the other environment says so, with a link; one of this environment opens at once', { skip }, async () => {
  const [here, there] = [await w.createApplication(w.test, { name: 'Test shop' }), await w.createApplication(w.live, { name: 'Live shop' })]
  const find = async (id: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search pages, or paste an id' }).fill(`id: ${id}`)
    await page.keyboard.press('Enter')
  }
  await show(page, `${base}/users`, 'Users')
  await find(here.client_id)
  await page.getByRole('heading', { level: 1, name: 'Test shop' }).waitFor()
  assert.equal(new URL(page.url()).search, '')
  await find(there.client_id)
  await page.getByRole('heading', { level: 1, name: 'This belongs to Live' }).waitFor()
  assert.deepEqual(await audit(page, 'answers other environment'), [])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: 'Open it in Live' }).click()
  await page.getByRole('heading', { level: 1, name: 'Live shop' }).waitFor()
  assert.match(page.url(), /\/live\/applications\/\w+$/)
})

/** The next change that the page sends. */
const nextChange = () => page.waitForRequest((request) => request.method() === 'PATCH')
const versionOf = async (request: Promise<Request>) => (await (await request).allHeaders())['if-match']

test('a webhook is switched off after a question, and on for the version that is shown', { skip }, async () => {
  await show(page, `${webhook_page}?tab=settings`, 'orders')
  await page.getByLabel('Switched off').check()
  await button(page, 'Save').click()
  await page.getByText('are given up, and events until you switch it on are not sent later').waitFor()
  assert.deepEqual(await audit(page, 'answers switch off a webhook'), [])
  await page.setViewportSize({ width: 1280, height: 900 })
  await button(page, 'Keep it on').click()
  assert.equal((await stored(`webhooks/${webhook.id}`)).disabled, false)
  await button(page, 'Save').click()
  await button(page, 'Switch off now').click()
  await page.getByText('Switched off: nothing is sent.').waitFor()

  const change = nextChange()
  await button(page, 'Switch on').click()
  assert.equal(await versionOf(change), '"2"')
  await page.getByText('Switched off: nothing is sent.').waitFor({ state: 'detached' })
  assert.equal((await stored(`webhooks/${webhook.id}`)).disabled, false)
})

test('a provider is switched for the version that the question began with', { skip }, async () => {
  const { id } = await post(`${w.test.path}/providers`, { type: 'github', client_id: 'of-github', client_secret: 'a secret' })
  const act = async (name: string) => {
    await page.getByRole('button', { name: /^Actions for GitHub/ }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await show(page, `${base}/providers`, 'Providers')
  await act('Switch off…')
  await page.getByRole('button', { name: 'Switch off now', exact: true, disabled: false }).waitFor() // the version is read
  expectStatus(200, await w.call('PATCH', `${w.test.path}/providers/${id}`, { body: { display_name: 'GitHub Enterprise' } }))
  await button(page, 'Switch off now').click()
  await page.getByText('Also changed, and kept').waitFor()
  await button(page, 'Save the choice').click()
  await page.getByText('Also changed, and kept').waitFor({ state: 'detached' }) // the question names the choice "Off" too
  await page.getByText('Off', { exact: true }).waitFor()
  assert.deepEqual(
    [(await stored(`providers/${id}`)).enabled, (await stored(`providers/${id}`)).display_name],
    [false, 'GitHub Enterprise'],
  )
  const change = nextChange()
  await act('Switch on')
  assert.equal(await versionOf(change), '"3"')
  await page.getByText('Off', { exact: true }).waitFor({ state: 'detached' })
})

test('no page reports an error or calls another origin', { skip }, () => {
  assert.deepEqual(
    faults.filter((fault) => !/status of (?:401|412)|ERR_CONNECTION_(?:RESET|REFUSED)/.test(fault)), // the browser reports what failed
    [],
  )
})
