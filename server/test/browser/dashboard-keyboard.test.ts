/** The first walk through the dashboard, by the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../support/chromium.ts'
import { dashboardFolder, openDashboard, tabTo } from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

test('a project, an application and a key are created, found and ended by the keyboard alone', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const { keyboard } = page
  /** A dialog takes the focus a moment after it appears. Text typed before that is lost. */
  const inDialog = (name: string) => page.getByRole('dialog', { name }).locator(':focus').waitFor()
  const atTitle = () => page.locator('#page-title:focus').waitFor()

  await keyboard.press('c')
  await inDialog('New project')
  await keyboard.type('Storefront c g u') // letters in a field are not shortcuts
  await keyboard.press('Enter')
  await heading(page, 'Storefront c g u')

  await keyboard.press('g')
  await keyboard.press('a')
  await heading(page, 'Applications')
  await atTitle() // the focus is on what screen readers then say
  await keyboard.press('/')
  await keyboard.type('newest') // the overview reads the newest application, and what it got is not that of a search
  await page.getByText('No application has these words.').waitFor()
  await keyboard.press('Control+a')
  await keyboard.press('Backspace')
  await page.getByText('No application yet.').waitFor()
  await keyboard.press('Tab')
  await keyboard.press('Tab') // past the order, in which a letter chooses
  await keyboard.press('c')
  await inDialog('New application')
  await tabTo(page, 'Name')
  await keyboard.type('Shop')
  await tabTo(page, 'Redirect URIs')
  await keyboard.type('https://shop.example.com/callback')
  await tabTo(page, 'Create application')
  await keyboard.press('Enter')
  await page.getByText('Copy the client secret now').waitFor()
  await tabTo(page, 'I have stored this')
  await keyboard.press('Space')
  await tabTo(page, 'Done')
  await keyboard.press('Enter')
  await heading(page, 'Shop')
  await atTitle()
  await tabTo(page, 'Addresses', 'a')
  await keyboard.press('Enter')
  await page.waitForURL(/tab=addresses/)
  await page.getByText('Back-channel').first().waitFor()
  await page.locator(':focus', { hasText: /^Addresses$/ }).waitFor() // what only the query says is the same page

  await keyboard.press('g')
  await keyboard.press('k')
  await heading(page, 'API keys')
  await keyboard.press('c')
  await inDialog('Create a key')
  await keyboard.press('ArrowRight') // from Publishable to Secret
  await tabTo(page, 'Label')
  await keyboard.type('orders')
  await keyboard.press('Enter')
  await page.getByText('Copy the key now').waitFor()
  const key = (await page.locator('.once code').textContent()) ?? ''
  assert.equal(expectStatus(200, await w.call('GET', '/v1/api-keys/whoami', { key })).label, 'orders')

  let asked = 0
  page.on('dialog', (dialog) => {
    asked++
    void dialog.dismiss()
  })
  await keyboard.press('Escape')
  assert.equal(asked, 1)
  await page.evaluate('history.back()')
  await until('a second question', () => asked === 2)
  assert.equal(await page.locator('.once code').textContent(), key) // Escape and back ask, and the key is still there
  await tabTo(page, 'I have stored this')
  await keyboard.press('Space')
  await tabTo(page, 'Done')
  await keyboard.press('Enter')
  await page.getByRole('alertdialog').waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: 'orders', exact: true }).waitFor()
  await keyboard.press('j')
  await page.locator(':focus', { hasText: /^orders$/ }).waitFor()
  await keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'orders' }).getByText('127.0.0.1').first().waitFor() // the last use, and soon also a row of the uses
  assert.deepEqual(await audit(page, 'operations one key'), [])
  await keyboard.press('Escape')

  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  assert.deepEqual(await audit(page, 'operations keyboard'), [])
  await tabTo(page, 'Single keys are on')
  await keyboard.press('Space')
  await keyboard.press('Escape')
  await keyboard.press('c')
  await keyboard.press('?')
  assert.equal(await page.getByRole('dialog').count(), 0)

  await keyboard.press('Control+k')
  await page.locator('[role=combobox]:focus').waitFor()
  await page.setViewportSize({ width: 1280, height: 400 }) // the list scrolls
  await keyboard.press('ArrowUp') // from the first to the last
  const last = page.getByRole('option', { selected: true, name: 'Keyboard shortcuts' })
  await last.waitFor()
  const [list, option] = [await page.getByRole('listbox').boundingBox(), await last.boundingBox()]
  assert.ok(list && option && option.y + option.height <= list.y + list.height + 1, 'the chosen one is in view')
  await keyboard.type('keyboard')
  await keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  assert.deepEqual(faults, [])
})
