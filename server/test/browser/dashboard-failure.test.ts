/** The page of the dashboard when its own scripts fail. The answers of newer browsers are not failures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { owner, world } from '../support/world.ts'

test('the palette moves where scroll methods answer promises', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const { page, faults } = await openDashboard(w, await launchForTests(t), owner)
  await page.evaluate('Element.prototype.scrollIntoView = () => Promise.resolve()')
  await page.keyboard.press('Control+k')
  await page.locator('[role=combobox]:focus').waitFor()
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key)
  await page.locator('[role=option][aria-selected=true]').waitFor()
  assert.equal(await page.getByRole('option').nth(1).getAttribute('aria-selected'), 'true')
  assert.deepEqual(faults, [])
})

test('a fault keeps the frame, and says what to do', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const { page } = await openDashboard(w, await launchForTests(t), owner)
  const home = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  await show(page, `${home}/settings`, 'Settings')
  await page.evaluate("Element.prototype.scrollIntoView = () => { throw new Error('planted') }")
  await page.keyboard.press('Control+k') // the palette scrolls to its first entry
  await page.getByRole('heading', { level: 1, name: 'This page stopped working' }).waitFor()
  await page.getByRole('alert').getByText('Reload the page.').waitFor()
  for (const part of ['header.top', '.body nav', '.band']) assert.equal(await page.locator(part).first().isVisible(), true, part)
  assert.equal(await page.locator('code', { hasText: 'Error: planted' }).isVisible(), true)
  assert.equal(await button(page, 'Copy text of the error').isVisible(), true)
  assert.deepEqual(await audit(page, 'failed page'), [])
  await page.setViewportSize({ width: 1280, height: 800 })

  await button(page, 'Reload').click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()

  // The reads of a page begin in parallel with its code, which waits here until the service gets a request.
  const sent: string[] = []
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>()
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.endsWith('/auth-keys')) begin()
    if (pathname.startsWith('/dashboard/api/') || pathname === '/dashboard/session') sent.push(pathname + search)
  })
  await page.route(/assets\/api-keys-.*\.js/, (route) => asked.then(() => route.continue()))
  await show(page, `${home}/api-keys`, 'API keys')
  assert.deepEqual(
    sent.filter((call, at) => sent.indexOf(call) !== at),
    [],
    'each call is sent once',
  )
  // The page shows what failed, wherever it began.
  await page.route(/auth-keys/, (route) =>
    route.fulfill({ status: 403, json: { code: 'insufficient_role', detail: 'Planted.', status: 403 } }),
  )
  await show(page, `${home}/api-keys`, 'API keys')
  await page.getByRole('alert').getByText('Planted.').waitFor()
  assert.equal(await page.locator('.band').isVisible(), true)
  await page.unroute(/auth-keys/)
  await button(page, 'Try again').click()
  await page.getByText('A key lets your code call Ostiary.').waitFor()

  await page.route(/auth-keys/, (route) => route.fulfill({ json: { data: [null], has_more: false, next_cursor: null } }))
  await page.goto(`${home}/api-keys`)
  await page.getByRole('heading', { level: 1, name: 'This page stopped working' }).waitFor()
  await page.unroute(/auth-keys/)
  await page.locator('main').getByRole('link', { name: 'Overview', exact: true }).click()
  await page.waitForURL(home)
  await page.getByRole('heading', { level: 2, name: 'Activity' }).waitFor()
})
