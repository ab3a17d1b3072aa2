/** The answers of newer browsers are not a failure of the dashboard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { dashboardFolder, openDashboard } from '../support/dashboard-browser.ts'
import { launchForTests } from '../support/page-audit.ts'
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
