/** The forms of the dashboard in a real browser: what is entered, saved and shown once survives slow answers and other saves. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
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

test('no page reports an error or calls another origin', { skip }, () => {
  assert.deepEqual(faults, [])
})
