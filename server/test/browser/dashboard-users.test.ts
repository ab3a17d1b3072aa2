/** The page of users in a real browser: filters, the order, ticked users, and the environments of a project in its row. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const skip = noBrowser
const w = await world({ dashboard_folder: dashboardFolder })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const { page } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page } // as: skipped without one
const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
const made = {
  ada: await w.createUser(w.test, { email: 'ada@users.example' }),
  ben: await w.createUser(w.test, { email: 'ben@users.example' }),
}
const stateOf = async (id: string) => (await w.call('GET', `${w.test.path}/users/${id}`)).body

test('a part of an address finds a user, and filters stay in the address', { skip }, async () => {
  await show(page, `${base}/users`, 'Users')
  await page.getByLabel('Find users').fill('da@users')
  await button(page, 'Find').click()
  await button(page, 'ben@users.example').waitFor({ state: 'detached' })
  await button(page, 'ada@users.example').waitFor()
  await page.getByText('More filters').click()
  await page.getByLabel('Blocked', { exact: true }).selectOption('yes')
  await page.getByText('No user has these words.').waitFor()
  assert.match(page.url(), /[?&]blocked=yes/)
  await button(page, 'Clear the search').click()
  await button(page, 'ben@users.example').waitFor()
  await page.getByLabel('Last sign-in', { exact: true }).selectOption('never')
  await page.getByLabel('Order', { exact: true }).selectOption('last_sign_in')
  await button(page, 'ben@users.example').waitFor()
  assert.deepEqual(await audit(page, 'users filtered'), [])
})

test('ticked users are blocked by one press, and the page says how far the job is', { skip }, async () => {
  await show(page, `${base}/users`, 'Users')
  for (const name of ['ada', 'ben']) await page.getByLabel(`Tick ${name}@users.example`).check()
  await page.getByText('2 users ticked').waitFor()
  assert.deepEqual(await audit(page, 'users ticked'), [])
  await page.getByRole('button', { name: /^Block/ }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Block 2 users?' })
  await dialog.getByRole('button', { name: 'Block now' }).click()
  await page.getByText('Block: done for 2 users.').waitFor()
  await page
    .getByRole('row', { name: /ada@users\.example/ })
    .getByText('Blocked')
    .waitFor()
  assert.notEqual((await stateOf(made.ben.id)).blocked_at, null)
})

test('ticked users are deleted after their number is typed', { skip }, async () => {
  await page.getByLabel('Tick ben@users.example').check()
  await page.getByRole('button', { name: /^Delete/ }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete 1 user?' })
  assert.equal(await dialog.getByRole('button', { name: 'Delete now' }).isDisabled(), true)
  await dialog.getByRole('textbox').fill('1 user')
  await dialog.getByRole('button', { name: 'Delete now' }).click()
  await page.getByText('Delete: done for 1 user.').waitFor()
  await button(page, 'ben@users.example').waitFor({ state: 'detached' })
  assert.equal((await w.call('GET', `${w.test.path}/users/${made.ben.id}`)).status, 404)
})

test('the row of a project leads to its Test and its Live, and says what they lack and how many signed in', { skip }, async () => {
  const { data } = expectStatus(200, await w.call('GET', '/v1/platform/projects'))
  await show(page, `${w.base_url}/dashboard/t/acme`, 'Projects')
  const row = page.getByRole('row', { name: new RegExp(data[0].name) })
  await row.getByText('0 sign-ins in 7 days').first().waitFor()
  await row
    .getByText(/^\d+ of \d+ done$/)
    .first()
    .waitFor()
  assert.deepEqual(await audit(page, 'projects with environments'), [])
  await row.getByRole('link', { name: `${data[0].name}: Live` }).click()
  await page.getByRole('heading', { level: 1, name: data[0].name }).waitFor()
  assert.match(page.url(), /\/live$/)
})
