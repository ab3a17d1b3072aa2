import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../src/base/config/config.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { startService } from '../../src/main.ts'
import { createDemo } from '../../src/setup/demo.ts'
import { axeViolations, noBrowser } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

/** A service as `npm start` leaves it after its first start. */
async function startDemo(t: TestContext, env: Record<string, string> = {}, data_dir = mkdtempSync(join(tmpdir(), 'ostiary-demo-'))) {
  const config = readConfig({ OSTIARY_PORT: String(await freePort()), OSTIARY_DATA_DIR: data_dir, ...env })
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const service = await startService(config, { write: () => undefined })
  t.after(() => rmSync(data_dir, { recursive: true, force: true }))
  t.after(() => service.stop())
  const created = await createDemo(service.deployment, createPasswords())
  return { ...config, ...service, data_dir, demo: created?.demo }
}

test('the demo signs in, reads UserInfo, refreshes, revokes and signs out', { skip: noBrowser }, async (t) => {
  const { base_url, demo } = await startDemo(t)
  const browser = await launchForTests(t)
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const stepDone = (title: string) => page.locator('#steps').getByText(title, { exact: true }).waitFor()
  const passesAudit = async (name: string) => assert.deepEqual(await audit(page, `demo ${name}`), [])

  // 127.0.0.1 is another origin, which is not registered: the page redirects to the right one.
  await page.goto(`${base_url.replace('localhost', '127.0.0.1')}/demo`)
  await page.waitForURL(`${base_url}/demo`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await passesAudit('before')
  await press('Sign in')
  assert.equal(await page.getByLabel('Email address').inputValue(), demo?.email)
  await page.getByLabel('Password').fill(demo?.password ?? '')
  await press('Sign in')

  await stepDone('ID token checked')
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Signed in as Demo Example')
  assert.equal(page.url(), `${base_url}/demo/callback`, 'the URL no longer holds the code')
  assert.match(await page.locator('#panel-id').innerText(), /sub\s+usr_\w+\s+Stable and never reused: store this one\.[\s\S]*\bin 60 min/)
  await passesAudit('tokens')

  await press('UserInfo')
  await stepDone('UserInfo read')
  assert.match(await page.locator('#panel-userinfo').innerText(), /email\s+demo@example\.com/)
  await press('Refresh')
  await stepDone('Refreshed')
  await page.getByRole('tab', { name: 'UserInfo' }).press('ArrowRight')
  assert.equal(await page.locator('#panel-raw > .raw').count(), 3)
  await page.getByRole('tab', { name: 'Raw' }).press('ArrowRight')
  assert.ok(await page.locator('#panel-id').isVisible(), 'the first tab follows the last')

  await press('Revoke')
  await stepDone('Revoked')
  assert.equal(errors.join('\n'), '')
  await press('UserInfo')
  await stepDone('The access token is refused')
  await press('Refresh')
  await stepDone('This token is no longer valid')
  await passesAudit('revoked')
  // The browser logs a line for each error status.
  assert.ok(errors.every((text) => text.startsWith('Failed to load resource')) && errors.length === 2, errors.join('\n'))

  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0, 'no token is stored')
  await page.reload()
  await page.getByText('The tokens are gone').waitFor()
  await press('Sign in')
  await stepDone('ID token checked') // without a page: the session still exists
  await press('Sign out')
  await page.getByText('You are signed out').waitFor()
  await press('Sign in')
  assert.equal(await page.getByLabel('Password').inputValue(), '', 'a sign-in after the sign-out asks for the password')
  await page.getByRole('link', { name: 'Back to Token viewer' }).click()
  await stepDone('You did not sign in')
  await page.goto(`${base_url}/demo/callback?code=stolen&state=another`)
  await stepDone('This response does not belong to this tab')
})

test('the demo loads and calls only its own origin, and cannot be framed', async (t) => {
  const { base_url } = await startDemo(t)
  const page = await fetch(`${base_url}/demo`)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-\S+' 'sha256-\S+' 'sha256-\S+'; img-src data:; script-src 'self'; connect-src http:\/\/localhost:\d+\/e\/env_\w+\/; frame-ancestors 'none'; base-uri 'none'$/,
  )
  assert.doesNotMatch(await page.text(), /password=|data-password/)
  const script = await fetch(`${base_url}/demo/view.js`)
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
  for (const path of ['/demo/serve.ts', '/demo/..%2Fserve.ts', '/demo/words.test.ts'])
    assert.equal((await fetch(base_url + path)).status, 404, path)
})

test('the demo at another base URL names the one it was created for', { skip: noBrowser }, async (t) => {
  const first = await startDemo(t)
  await first.stop()
  const moved = await startDemo(t, {}, first.data_dir)
  const browser = await launchForTests(t)
  const page = await browser.newPage()
  await page.goto(`${moved.base_url}/demo`)
  assert.match(await page.getByRole('main').innerText(), new RegExp(`created the demo for ${first.base_url}\\.`))
  assert.deepEqual(await axeViolations(page), [])
})

test('a deployment without a demo is 404 at its paths', async () => {
  const w = await world()
  for (const path of ['/demo', '/demo/callback', '/demo/view.js'])
    assert.equal((await w.call('GET', path, { key: null })).status, 404, path)
})
