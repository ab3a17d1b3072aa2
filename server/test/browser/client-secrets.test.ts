/** The dashboard leads through the replacement of a client secret. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { postAsClient } from '../support/cookie-browser.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit } from '../support/page-audit.ts'
import { owner, world } from '../support/world.ts'

const skip = noBrowser
const w = await world({ dashboard_folder: dashboardFolder })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())
const { page, faults } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page, faults: [] } // as: skipped without one
const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`

test('the dashboard leads from the second secret over the callers to the deletion of the first', { skip }, async () => {
  const app = await w.createApplication(w.test, { name: 'Shop' })
  const accepts = async (client_secret: string | undefined) => {
    const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }
    const reply = await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, { ...app, client_secret }, form)
    return reply.body.error === 'invalid_grant'
  }
  await show(page, `${base}/applications/${app.id}?tab=credentials`, 'Shop')
  await page.getByText('To replace a secret without a refused call').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Delete the secret/ }).isDisabled(), true)
  await button(page, 'Add a second secret').click()
  const dialog = page.getByRole('dialog', { name: 'Add a second secret to Shop' })
  await dialog.getByLabel(/^Label/).fill('Second')
  await dialog.getByRole('button', { name: 'Add secret' }).click()
  await page.getByText('Copy the client secret now').waitFor()
  const secret = (await page.locator('.once code').textContent()) ?? ''
  await page.getByLabel('I have stored this client secret').check()
  await button(page, 'Done').click()
  await page.getByText('it has not been used yet').waitFor()
  assert.deepEqual(await audit(page, 'two client secrets'), [])
  assert.deepEqual([await accepts(app.client_secret), await accepts(secret)], [true, true])
  await page.getByRole('button', { name: 'Delete the secret Second' }).click()
  await page.getByText('It was last used').waitFor() // the page was read before
  await button(page, 'Keep the secret').click()

  await show(page, `${base}/applications/${app.id}?tab=credentials`, 'Shop')
  await page.getByText('A caller used the older one after the newer was added').waitFor()
  await page.getByRole('button', { name: /^Delete the secret …/ }).click()
  await button(page, 'Delete now').click()
  await page.getByText('To replace a secret without a refused call').waitFor()
  assert.deepEqual([await accepts(app.client_secret), await accepts(secret)], [false, true])
  assert.deepEqual(faults, [])
})
