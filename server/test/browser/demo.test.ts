/** The demo of the first `npm start`: from its address to decoded tokens. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../src/base/config/config.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { startService } from '../../src/main.ts'
import { createDemo } from '../../src/setup/demo.ts'
import { noBrowser } from '../support/chromium.ts'
import { button, dashboardFolder, signIn } from '../support/dashboard-browser.ts'
import { freePort } from '../support/free-port.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

/** A service as `npm start` leaves it after its first start. */
async function startDemo(t: TestContext, data_dir = mkdtempSync(join(tmpdir(), 'ostiary-demo-'))) {
  const config = readConfig({ OSTIARY_PORT: String(await freePort()), OSTIARY_DATA_DIR: data_dir })
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const service = await startService(config, { write: () => undefined, dashboard_folder: dashboardFolder })
  t.after(() => rmSync(data_dir, { recursive: true, force: true }))
  t.after(() => service.stop())
  const created = await createDemo(service.deployment, createPasswords())
  return { ...config, ...service, data_dir, demo: created?.demo }
}

test('the address of the demo leads to decoded tokens, by two sign-ins and one press', { skip: noBrowser }, async (t) => {
  const { base_url, demo = assert.fail('no demo') } = await startDemo(t)
  const browser = await launchForTests(t)
  const context = await browser.newContext()
  context.setDefaultTimeout(90_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))

  await page.goto(`${base_url}/demo`)
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await signIn(page, demo)
  await page.getByRole('heading', { level: 1, name: 'Storefront' }).waitFor()
  assert.equal(await button(page, 'Add this address').count(), 0, 'the demo application has the redirect URI')
  const opened = page.waitForEvent('popup')
  await button(page, 'Try sign-in').click()
  const popup = await opened
  await popup.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  assert.equal(await popup.getByLabel('Email address').inputValue(), demo.email)
  const closed = popup.waitForEvent('close')
  await signIn(popup, demo)
  await closed

  await page.getByText('Everything agrees').waitFor()
  assert.match(await page.locator('.claims [role=tabpanel]').innerText(), /sub\s+usr_\w+\s+Stable and never reused: store this one\./)
  await page.getByRole('tab', { name: 'UserInfo' }).click()
  assert.match(await page.locator('.claims [role=tabpanel]').innerText(), /email\s+demo@example\.com/)
  assert.deepEqual(await audit(page, 'demo tokens'), [])
  assert.deepEqual(faults, [])
})

test('the address of the demo leads to its application in the dashboard, for every person and program', async (t) => {
  const { base_url, demo } = await startDemo(t)
  for (const accept of ['text/html', '*/*']) {
    const answer = await fetch(`${base_url}/demo`, { redirect: 'manual', headers: { accept } })
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [303, 'no-store'])
    assert.equal(answer.headers.get('location'), `${base_url}/dashboard/go/${demo?.client_id}?tab=try`)
  }
  const { links } = JSON.parse(await (await fetch(`${base_url}/`)).text())
  assert.equal(links.demo, `${base_url}/demo`)
})

test('the demo at another base URL is 404, with the address that it was created for', async (t) => {
  const first = await startDemo(t)
  await first.stop()
  const moved = await startDemo(t, first.data_dir)
  const answer = await fetch(`${moved.base_url}/demo`)
  assert.equal(answer.status, 404)
  const { detail } = JSON.parse(await answer.text())
  assert.ok(detail.startsWith(`The first start created the demo for ${first.base_url}, `), detail)
})

test('a deployment without a demo is 404 at its address', async () => {
  const w = await world()
  assert.equal((await w.call('GET', '/demo', { key: null })).status, 404)
})
