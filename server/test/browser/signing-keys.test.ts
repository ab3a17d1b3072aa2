/** The settings page says who has read the next signing key, before it signs. */
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
const { page, faults } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page, faults: [] } // as: skipped without one
const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`

test('signing with the next key now says how many have not read it', { skip }, async () => {
  const read = (agent: string) => w.call('GET', `${w.test.issuer}/v1/oauth/jwks.json`, { key: null, headers: { 'user-agent': agent } })
  await read('old-api/1.0')
  w.advance(1)
  await show(page, `${base}/settings`, 'Settings')
  await button(page, 'Rotate the signing key').click()
  await button(page, 'Rotate').click()
  await page.getByText('has not read it').waitFor()
  w.advance(1)
  await read('new-api/2.0')
  await show(page, `${base}/settings`, 'Settings')
  await page.getByText('1 of 2 sources have not read the next key').waitFor()
  assert.deepEqual(await audit(page, 'readers of the next key'), [])
  await button(page, 'Sign with it now…').click()
  await page.getByText('1 of 2 sources that read the published keys in the last 24 hours has not read this one.').waitFor()
  await button(page, 'Sign with it now').click()
  await button(page, 'Rotate the signing key').waitFor()
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/signing-keys`))
  assert.deepEqual(
    data.map(({ state }: { state: string }) => state),
    ['current', 'retired'],
  )
  assert.deepEqual(faults, [])
})
