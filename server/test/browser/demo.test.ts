/** The demo of the first `npm start`: from its address to decoded tokens. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { readConfig } from '../../src/base/config/config.ts'
import { sql } from '../../src/db/db.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { startService } from '../../src/main.ts'
import { createDemo } from '../../src/setup/demo.ts'
import { noBrowser } from '../support/chromium.ts'
import { authorizationRequest, createAgent, obtainCode } from '../support/cookie-browser.ts'
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
  assert.match(await page.locator('.claims [role=tabpanel]').innerText(), /sub\s+usr_\w+\s+It never changes: store this one\./)
  await page.getByRole('tab', { name: 'UserInfo' }).click()
  assert.match(await page.locator('.claims [role=tabpanel]').innerText(), /email\s+demo@example\.com/)
  await page.getByRole('tab', { name: 'Access token' }).click()
  assert.match(await page.locator('.claims [role=tabpanel]').innerText(), /roles\s+\["administrator"\]/)

  await button(page, 'Read the orders').click()
  await page.getByText('200 Done').waitFor()
  await page.getByText('Teapot').waitFor()
  await button(page, 'Delete an order').click()
  await page.getByText('"deleted": "2"').waitFor()
  assert.deepEqual(await audit(page, 'demo tokens'), [])

  const other = page.waitForEvent('popup')
  await button(page, 'Sign in as viewer@example.com').click()
  const second = await other
  await second.getByLabel('Password').waitFor()
  assert.equal(await second.getByLabel('Email address').inputValue(), 'viewer@example.com')
  const over = second.waitForEvent('close')
  await signIn(second, { email: 'viewer@example.com', password: demo.password })
  await over
  await page.getByText('Asked for and not given: orders:delete').waitFor()
  await button(page, 'Delete an order').click()
  await page.getByText('403 The role does not give it').waitFor()
  assert.deepEqual(await audit(page, 'demo, refused'), [])
  assert.deepEqual(
    faults.filter((fault) => !/status of 403 /.test(fault)),
    [],
  )
})

test('the API of the demo takes tokens for it alone, and a role that is taken is gone with the next call', async (t) => {
  const { base_url, demo = assert.fail('no demo'), deployment } = await startDemo(t)
  const orders = `${base_url}/demo/orders`
  const client = { id: demo.client_id, client_id: demo.client_id, redirect_uris: [`${base_url}/try/callback`] }
  const tokensOf = async (email: string, scope: string) => {
    const request = authorizationRequest(demo, client, { scope, ...(scope === 'openid' ? {} : { resource: orders }) })
    const { code_verifier, redirect_uri } = request
    const code = await obtainCode(createAgent(), request, { email, password: demo.password })
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: demo.client_id, code_verifier, redirect_uri })
    const answer = await fetch(`${demo.issuer}/v1/oauth/token`, { method: 'POST', body })
    return z.object({ access_token: z.string(), id_token: z.string() }).parse(await answer.json())
  }
  const call = async (method: string, path = '', token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await fetch(`${orders}${path}`, { method, headers })
    return [answer.status, answer.headers.get('www-authenticate')]
  }
  const scope = 'openid orders:read orders:delete'
  const { access_token, id_token } = await tokensOf(demo.email, scope)
  const of_viewer = (await tokensOf('viewer@example.com', scope)).access_token
  const elsewhere = (await tokensOf(demo.email, 'openid')).access_token
  const invalid = [401, 'Bearer error="invalid_token"']
  const insufficient = [403, 'Bearer error="insufficient_scope", scope="orders:delete"']
  // biome-ignore format: this table is read by column
  const cases: [what: string, method: string, path: string, token: string | undefined, expected: unknown[]][] = [
    ['no token',                         'GET',    '',   undefined,    [401, 'Bearer']],
    ['text that is not a token',         'GET',    '',   'x',          invalid],
    ['an ID token',                      'GET',    '',   id_token,     invalid],
    ['a token for the issuer alone',     'GET',    '',   elsewhere,    invalid],
    ['the administrator reads',          'GET',    '',   access_token, [200, null]],
    ['the administrator deletes',        'DELETE', '/2', access_token, [200, null]],
    ['an order that is not there',       'DELETE', '/9', access_token, [404, null]],
    ['the viewer reads',                 'GET',    '',   of_viewer,    [200, null]],
    ['the viewer deletes',               'DELETE', '/2', of_viewer,    insufficient],
  ]
  for (const [what, method, path, token, expected] of cases) assert.deepEqual(await call(method, path, token), expected, what)
  await deployment.db.run(
    sql`update organization_members set roles = '[]' where environment_id = ${demo.environment_id}
          and user_id = (select id from users where environment_id = ${demo.environment_id} and email = ${demo.email})`,
  )
  assert.deepEqual(await call('DELETE', '/2', access_token), insufficient)
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
  for (const path of ['/demo', '/demo/orders']) assert.equal((await w.call('GET', path, { key: null })).status, 404)
})
