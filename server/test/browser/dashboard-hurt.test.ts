/** In a real browser: how much an application is used, who would be hurt by a press in Live, and why a person did not get in. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { authorizationRequest, createAgent, signInForTokens } from '../support/cookie-browser.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, owner, type TestEnvironment, world } from '../support/world.ts'

const skip = noBrowser
const w = await world({ dashboard_folder: dashboardFolder })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const { page } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page } // as: skipped without one
const project = `${w.base_url}${dashboardPath(await slugOf(w))}`
const post = async ({ path }: TestEnvironment, list: string, body: object) =>
  expectStatus(201, await w.call('POST', `${path}/${list}`, { body }))

async function used(environment: TestEnvironment) {
  const application = await w.createApplication(environment, { name: 'Meal Planner', slug: 'planner' })
  const user = await w.createUser(environment, { email: 'ada@shop.example' })
  await signInForTokens(w, environment, application, { user })
  await w.deployment.counters.write()
  await until('the sign-in has a number', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=sign_in.succeeded`))
    return data.length > 0
  })
  return { application, user }
}
const { test: in_test, live } = { test: await used(w.test), live: await used(w.live) }

test('the list and the page of an application show the last sign-in and the people of 30 days', { skip }, async () => {
  await show(page, `${project}/test/applications`, 'Applications')
  await page
    .getByRole('row', { name: /Meal Planner/ })
    .getByText('1 person')
    .waitFor()
  await page.getByLabel('Order', { exact: true }).selectOption('name')
  assert.match(page.url(), /[?&]sort=name/)
  await page
    .getByRole('row', { name: /Meal Planner/ })
    .getByText('1 person')
    .waitFor()
  assert.deepEqual(await audit(page, 'applications by name'), [])
  await show(page, `${project}/test/applications/${in_test.application.client_id}`, 'Meal Planner')
  await page.getByText('1 person in 30 days').waitFor()
})

test('a deletion in Live first counts who would be hurt, and one in Test does not', { skip }, async () => {
  await show(page, `${project}/live/applications/${live.application.client_id}`, 'Meal Planner')
  await button(page, 'Delete').click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('Who would be hurt').waitFor()
  for (const words of ['1 person', '1 live grant', '1 use in the last 30 days']) await dialog.getByText(words, { exact: true }).waitFor()
  assert.deepEqual(await audit(page, 'who would be hurt'), [])
  await show(page, `${project}/test/applications/${in_test.application.client_id}`, 'Meal Planner')
  await button(page, 'Delete').click()
  await page.getByRole('alertdialog').waitFor()
  assert.equal(await page.getByText('Who would be hurt').count(), 0)
})

test('a scope that is taken away, and a method that is switched off, in Live first count who would be hurt', { skip }, async () => {
  const scopes = ['orders:read', 'orders:write'].map((name) => ({ name }))
  await post(w.live, 'resource-servers', { identifier: 'https://api.example.com', name: 'Orders', scopes })
  await show(page, `${project}/live/resource-servers`, 'Resource servers')
  await page.getByRole('button', { name: /^Edit/ }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/^Scopes/)
    .fill('orders:read')
  await button(page, 'Save').click()
  const dialog = page.getByRole('alertdialog', { name: 'Take away the scope orders:write?' })
  await dialog.getByText('Who would be hurt: orders:write').waitFor()
  await dialog.getByText('0 live grants', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await w.changeSettings(w.live, { sign_in: { passkey: true, passkey_shared_host: true } })
  await show(page, `${project}/live/settings`, 'Settings')
  await page.getByLabel('Password', { exact: true }).first().click()
  await button(page, 'Review').click()
  await page.getByText('1 person has no other way to sign in', { exact: true }).waitFor()
})

test('an address without an account has what happened, what decided it and what stands in the way', { skip }, async () => {
  const agent = createAgent()
  const form = await agent.get(authorizationRequest(w.test, in_test.application).url)
  await agent.submit(form, { email: 'nobody@shop.example', password: 'wrong', method: 'password' })
  await show(page, `${project}/test/users`, 'Users')
  await page.getByRole('link', { name: 'This person' }).click()
  await page.getByLabel('Address, id or sub of a person').fill('nobody@shop.example')
  await button(page, 'Look').click()
  await page.getByText('No account here has this address.').waitFor()
  await page.getByText('No user has this address').waitFor()
  assert.deepEqual(await audit(page, 'this person'), [])
  await show(page, `${project}/test/users?chosen=${in_test.user.id}`, 'Users')
  await page.getByRole('link', { name: 'The last seven days' }).click()
  await page.getByText('Nothing that the service knows keeps this person from signing in now.').waitFor()
  await page.getByText(/A sign-in succeeded, by password/).waitFor()
})
