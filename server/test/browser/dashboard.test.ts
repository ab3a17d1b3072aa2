/** The dashboard in a real browser: its size, its first walk, keys, roles, and every page in each theme and width. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { noBrowser } from '../support/chromium.ts'
import { openCold } from '../support/cold-overview.ts'
import { createAgent, followPages } from '../support/cookie-browser.ts'
import {
  button,
  dashboardFolder,
  dashboardPath,
  loseAnswer,
  openDashboard,
  show,
  signInAgain,
  slugOf,
} from '../support/dashboard-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { audit, launchForTests, smallTargets } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const KB = 1024
const read = (name: string) => readFileSync(join(dashboardFolder, name))

interface Chunk {
  file: string
  imports?: string[]
}

/** The files that a chunk needs before it runs, itself included. */
function needs(manifest: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) needs(manifest, imported, seen)
  return seen
}

test('the first route is at most 201 KB of compressed script', () => {
  const manifest = JSON.parse(read('manifest.json').toString())
  const files = [...needs(manifest, 'index.html'), ...needs(manifest, 'src/pages/overview.tsx')]
  const size = [...new Set(files)].reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0)
  assert.ok(files.length >= 3, 'the overview is a chunk of its own')
  assert.ok(size <= 201 * KB, `${size} bytes`)
})

test('the build has the styles of each part of the library that it uses', () => {
  const chunks: (Chunk & { css?: string[] })[] = Object.values(JSON.parse(read('manifest.json').toString()))
  const text = (files: string[]) => [...new Set(files)].map((file) => read(file).toString()).join('\n')
  const styles = text(chunks.flatMap(({ css = [], file }) => [...css, ...(file.endsWith('.css') ? [file] : [])]))
  const library = readFileSync(join(dashboardFolder, '../../dashboard/node_modules/@mantine/core/styles.css')).toString()
  const used = new Set(text(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js'))).match(/\bm_[0-9a-f]{6,8}\b/g))
  const styled = [...used].filter((name) => library.includes(`.${name}`))
  assert.ok(styled.length > 50, String(styled.length))
  assert.deepEqual(
    styled.filter((name) => !styles.includes(`.${name}`)),
    [],
    'Import the styles of the part in dashboard/src/styles/library.css.',
  )
})

test('the page has no inline script, and each style and script carries the nonce of the server', () => {
  const page = read('index.html').toString()
  assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)/)
  assert.doesNotMatch(page, /\son\w+=|<style/)
  for (const [tag] of page.matchAll(/<(?:script|link rel="(?:stylesheet|modulepreload)")[^>]*>/g))
    assert.match(tag, /nonce="__CSP_NONCE__"/)
})

test(
  'an administrator creates a project, an application and a key, and the key works until it is rotated',
  { skip: noBrowser },
  async (t) => {
    const w = await world({ dashboard_folder: dashboardFolder })
    const browser = await launchForTests(t)
    const { page, faults } = await openDashboard(w, browser, owner)
    const whoami = async (key: string) => (await w.call('GET', '/v1/api-keys/whoami', { key })).status

    // The only project of the only tenant is opened at once, although an operator is also a member of the deployment itself.
    await page.goto(`${w.base_url}/dashboard`)
    await page.waitForURL(/\/dashboard\/t\/acme\/p\/[^/]+\/test$/)
    const { bytes, bytes_in_all } = await openCold(page, page.url())
    assert.ok(bytes_in_all <= 335 * KB, JSON.stringify(bytes))
    await page.goto(`${w.base_url}/dashboard/t/acme`)
    await button(page, 'New project').click()
    await page.getByLabel('Name').fill('Storefront')
    await button(page, 'Create project').click()
    await page.getByRole('heading', { level: 1, name: 'Storefront' }).waitFor()
    assert.match(page.url(), /\/dashboard\/t\/acme\/p\/storefront\/test$/)
    assert.match(await page.title(), /^\[Test\] /)

    await button(page, 'New application').click()
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel(/^Redirect URIs/).fill('https://shop.example.com/callback')
    await button(page, 'Create application').click()
    await page.getByText('Copy the client secret now').waitFor()
    const in_dialog = (await page.locator('.codebox pre').last().textContent()) ?? ''
    await page.getByLabel('I have stored this client secret').check()
    await button(page, 'Done').click()
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
    await page.getByText('openid-client').first().waitFor()
    await button(page, 'Copy Express: .env').click()
    const of_connect = String(await page.evaluate('navigator.clipboard.readText()'))
    const [, copied = ''] = /^OSTIARY_CLIENT_SECRET=(\S+)$/m.exec(of_connect) ?? []
    assert.deepEqual(of_connect.split('\n').slice(0, -1), in_dialog.split('\n'), 'the lines of the dialog, before the session secret')
    assert.ok(copied.length > 20, 'the copy has the secret that was just stored')
    assert.ok(!(await page.locator('main').innerText()).includes(copied), 'and the page does not show it again')

    await show(page, `${w.base_url}/dashboard/t/acme/p/storefront/test/applications?new=1`, 'Applications')
    await page.getByRole('radio', { name: /A product that exists/ }).check()
    await page.getByLabel('Search products').fill('graf')
    await page.getByLabel('Address of the product').fill('https://grafana.example.com/')
    await page.getByText('Sign-in returns to https://grafana.example.com/login/generic_oauth').waitFor()
    await button(page, 'Create application').click()
    await page.getByText('Copy the client secret now').waitFor()
    const secret = (await page.locator('.once code').textContent()) ?? ''
    const setup = (await page.locator('.codebox pre').last().textContent()) ?? ''
    assert.ok(setup.includes(`GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET='${secret}'`), setup)
    assert.ok(setup.includes("GF_SERVER_ROOT_URL='https://grafana.example.com'"), setup)
    await page.getByLabel('I have stored this client secret').check()
    await button(page, 'Done').click()
    await page.getByRole('heading', { level: 1, name: 'Grafana' }).waitFor()
    const kept_setup = (await page.locator('.codebox pre').textContent()) ?? ''
    assert.ok(kept_setup.includes("GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET='the-client-secret'"), kept_setup)
    assert.ok(kept_setup.includes("GF_SERVER_ROOT_URL='https://grafana.example.com'"), kept_setup)
    await page.getByRole('button', { name: /^Copy Set up Grafana/ }).click()
    assert.ok(String(await page.evaluate('navigator.clipboard.readText()')).includes(`CLIENT_SECRET='${secret}'`))

    await show(page, `${w.base_url}/dashboard/t/acme/p/storefront/test/applications?new=1`, 'Applications')
    await page.getByRole('radio', { name: /A product that exists/ }).check()
    const offered = await page.getByLabel('Product', { exact: true }).locator('option').allTextContents()
    assert.deepEqual(
      offered.slice(1),
      offered.slice(1).toSorted((a, b) => a.localeCompare(b, 'en')),
    )
    await page.getByLabel('Search products').fill('jupyterhub')
    await page.getByLabel('Address of the product').fill('http://localhost:8000')
    await button(page, 'Create application').click()
    await page.getByText('The product needs a user name').waitFor()
    await button(page, 'Put the verified address in the place of a missing user name').click()
    await page.getByText('The product needs a user name').waitFor({ state: 'detached' })
    await page.getByText('Waiting for the first sign-in').waitFor()
    await page.getByLabel('I have stored this client secret').check()
    await button(page, 'Done').click()
    await page.getByRole('heading', { level: 1, name: 'JupyterHub' }).waitFor()
    await page.getByText('Waiting for the first sign-in').waitFor()
    assert.equal(await page.getByText('The product needs a user name').count(), 0)

    await show(page, `${w.base_url}/dashboard/t/acme/p/storefront/test/api-keys`, 'API keys')
    await button(page, 'Create key').click()
    await page.getByRole('radio', { name: /Secret/ }).check()
    await page.getByLabel(/^Label/).fill('orders')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const first = (await page.locator('.once code').textContent()) ?? ''
    assert.match(first, /^svc_auth_sk_test_/)
    assert.equal(await button(page, 'Done').isDisabled(), true)
    assert.equal(await whoami(first), 200)
    await page.getByText(/^First call/).waitFor()
    await page.getByLabel('I have stored this key').check()
    await button(page, 'Done').click()

    await button(page, 'Actions for orders').click()
    await page.getByRole('menuitem', { name: 'Rotate…' }).click()
    assert.equal(await button(page, 'Rotate now').isDisabled(), true)
    await page.getByLabel(/^Type orders/).fill('orders')
    await button(page, 'Rotate now').click()
    await page.getByText('Copy the key now').waitFor()
    const second = (await page.locator('.once code').textContent()) ?? ''
    assert.deepEqual([await whoami(first), await whoami(second)], [401, 200])
    await page.getByLabel('I have stored this key').check()
    await button(page, 'Done').click()

    await button(page, 'Actions for orders').click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    await page.getByLabel(/^Type orders/).fill('orders')
    await button(page, 'Revoke now').click()
    await page.getByText('Revoked').waitFor()
    assert.equal(await whoami(second), 401)

    const kept = await page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])')
    assert.equal(kept, '[0,0,""]')
    assert.deepEqual(faults, [])
  },
)

test('a secret whose answer was lost is called lost, and the rotation is one press away', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`

  await show(page, `${base}/api-keys`, 'API keys')
  await loseAnswer(page, /\/auth-keys$/)
  await button(page, 'Create key').click()
  await page.getByRole('radio', { name: /Secret/ }).check()
  await page.getByLabel(/^Label/).fill('orders')
  await page.getByRole('dialog', { name: 'Create a key' }).getByRole('button', { name: 'Create key' }).click()
  const lost_key = page.getByRole('alertdialog', { name: 'The key did not arrive' })
  await lost_key.getByText('nobody has it').waitFor()
  assert.deepEqual(await audit(page, 'lost key'), [])
  assert.equal(await page.locator('.once').count(), 0)
  await loseAnswer(page, /\/rotate$/)
  await button(page, 'Rotate…').click()
  await button(page, 'Rotate now').click()
  await lost_key.getByText('The old key has stopped working.').waitFor()
  await button(page, 'Rotate…').click()
  await button(page, 'Rotate now').click()
  await page.getByText('Copy the key now').waitFor()
  const key = (await page.locator('.once code').textContent()) ?? ''
  assert.equal(expectStatus(200, await w.call('GET', '/v1/api-keys/whoami', { key })).label, 'orders')
  await page.getByLabel('I have stored this key').check()
  await button(page, 'Done').click()

  await show(page, `${base}/applications?new=1`, 'Applications')
  await loseAnswer(page, /\/applications$/)
  await page.getByLabel('Name').fill('Shop')
  await page.getByLabel(/^Redirect URIs/).fill('https://shop.example.com/callback')
  await button(page, 'Create application').click()
  await page.getByRole('alertdialog', { name: 'The client secret did not arrive' }).waitFor()
  await button(page, 'Rotate…').click()
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
  await button(page, 'Rotate secret').click()
  await button(page, 'Rotate now').click()
  await page.getByText('Copy the client secret now').waitFor()
  assert.doesNotMatch((await page.getByRole('alertdialog').textContent()) ?? '', /null/)
})

test('a page that was refused for too many calls counts down, then lets the person try again', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  const body = JSON.stringify({ code: 'rate_limited', detail: 'Too many calls.', request_id: 'req_1' })
  const headers = { 'retry-after': '30', 'content-type': 'application/problem+json' }
  let calls = 0
  await page.route(/\/auth-keys/, (route) => {
    calls++
    return route.fulfill({ status: 429, headers, body })
  })
  await page.goto('about:blank') // the open page would be in 1970 for a moment, and ask for a range from there
  await page.clock.install()
  await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/test/api-keys`, 'API keys')
  await page.getByText(/^You can try again in \d+ s\.$/).waitFor()
  assert.equal(calls, 1, 'no wait goes by in silence')
  assert.equal(await button(page, 'Try again').isDisabled(), true)
  assert.equal(await page.getByRole('alert').getByText('You can try again').count(), 0)
  assert.deepEqual(await audit(page, 'counting down'), [])

  await page.unroute(/\/auth-keys/)
  await page.clock.fastForward(31_000)
  await button(page, 'Try again').click()
  await button(page, 'Create key').waitFor()
})

test('a change that needs a fresh sign-in waits for it, and keeps what was entered', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/test/api-keys`, 'API keys')
  await button(page, 'Create key').click()
  await page.getByRole('radio', { name: /Secret/ }).check()
  await page.getByLabel(/^Label/).fill('orders')
  w.advance(601)
  const create = page.getByRole('dialog', { name: 'Create a key' }).getByRole('button', { name: 'Create key' })

  await create.click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await page.getByLabel(/^Label/).inputValue(), 'orders')

  await create.click()
  await signInAgain(page, dialog, owner)
  await page.getByText('Copy the key now').waitFor()
  const key = (await page.locator('.once code').textContent()) ?? ''
  assert.equal(expectStatus(200, await w.call('GET', '/v1/api-keys/whoami', { key })).label, 'orders')
})

test('when the session ends while a key is shown once, a new sign-in brings back the page with the key', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  await show(page, `${w.base_url}${dashboardPath(await slugOf(w))}/test/api-keys`, 'API keys')
  await button(page, 'Create key').click()
  await page.getByRole('radio', { name: /Secret/ }).check()
  await page.getByLabel(/^Label/).fill('orders')
  await page.getByRole('dialog', { name: 'Create a key' }).getByRole('button', { name: 'Create key' }).click()
  const shown = page.locator('.once code')
  const key = await shown.textContent()

  await page.context().clearCookies() // the dialog asks for the first use of the key every few seconds
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await signInAgain(page, dialog, owner)
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await shown.textContent(), key)
  expectStatus(200, await w.call('GET', '/v1/api-keys/whoami', { key }))
  await page.getByText(/^First call/).waitFor()
})

test('a viewer sees what only others may change, with the reason, and the API refuses it', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const grace = { email: 'grace@example.com', password: 'a memorable sentence' }
  const admin = asAdministrator(w, await administratorToken(w, owner))
  const invitation = { email: grace.email, role: 'viewer' }
  const { invitation_url } = expectStatus(201, await admin('POST', `/v1/tenants/${w.tenant_id}/members`, invitation))
  const agent = createAgent()
  const joined = await agent.submit(await agent.get(invitation_url), grace)
  expectStatus(200, await agent.submit(await followPages(agent, joined), {}))
  const { page, faults } = await openDashboard(w, browser, grace)
  const base = `${dashboardPath(await slugOf(w))}/test`

  // biome-ignore format: this table is read by column
  const changes: [string, string, string, string][] = [
    ['/dashboard/t/acme',         'Projects',         'New project',         'developer'],
    ['/dashboard/t/acme/members', 'Members',          'Invite',              'admin'],
    [`${base}/applications`,      'Applications',     'New application',     'developer'],
    [`${base}/resource-servers`,  'Resource servers', 'Add resource server', 'developer'],
    [`${base}/roles`,             'Roles',            'Create role',         'developer'],
    [`${base}/providers`,         'Providers',        'Add provider',        'developer'],
    [`${base}/api-keys`,          'API keys',         'Create key',          'developer'],
    [`${base}/webhooks`,          'Webhooks',         'Add webhook',         'developer'],
  ]
  for (const [path, heading, name, role] of changes)
    await t.test(name, async () => {
      await show(page, w.base_url + path, heading)
      assert.equal(await button(page, `${name} (Needs the role ${role}.)`).isDisabled(), true)
    })

  await t.test('pages that a viewer may not read are absent, and a link to one explains itself', async () => {
    const names = await page.getByRole('navigation').getByRole('link').allTextContents()
    assert.deepEqual(
      ['Users', 'Organizations', 'Back-channel logouts', 'Events', 'Calls', 'Platform keys', 'Audit log'].filter((name) =>
        names.includes(name),
      ),
      [],
    )
    assert.equal(await page.getByRole('link', { name: 'Deployment' }).count(), 0, 'only operators have its pages')
    for (const path of [
      ...['users', 'organizations', 'inbox', 'logouts', 'events', 'calls'].map((name) => `${base}/${name}`),
      '/dashboard/t/acme/audit-log',
    ]) {
      await page.goto(w.base_url + path)
      await page.getByRole('main').getByText('insufficient_role').waitFor()
    }
    assert.deepEqual(faults, [], 'the page asks the API for nothing that it would refuse')
  })

  await t.test('the API refuses the change behind a button', async () => {
    const refused = await page.evaluate(`fetch('/dashboard/api/v1/platform/projects', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-ostiary-dashboard': '1', 'x-tenant-id': '${w.tenant_id}' },
      body: JSON.stringify({ name: 'Mine', slug: 'mine' }),
    }).then((answer) => answer.json())`)
    assert.equal((refused as { code: string }).code, 'insufficient_role') // as: what the script returns
  })
})

test('what did not happen is said: a copy, a sign-out, and a reading after the session has ended', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const { client_id } = await w.createApplication(w.test, { name: 'Shop ' })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`

  await t.test('a browser without a clipboard asks to select the value', async () => {
    await show(page, `${base}/applications/${client_id}`, 'Shop')
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true })')
    await page
      .getByRole('button', { name: /^Copy / })
      .first()
      .click()
    await page.getByText('Select and copy it.', { exact: true }).waitFor()
    assert.deepEqual(await audit(page, 'dashboard not copied'), [])
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  await t.test('a name that ends with a space is confirmed as it is shown', async () => {
    await button(page, 'Delete').click()
    await page.getByLabel(/^Type Shop/).fill('Shop')
    await button(page, 'Delete now').click()
    await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor()
  })

  const problem = page.getByRole('main').getByRole('button', { name: 'Try again' })
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  const cancel = async () => {
    await ended.getByRole('button', { name: 'Cancel' }).click()
    await ended.waitFor({ state: 'hidden' })
  }
  await t.test('after Cancel, "Try again" asks for a sign-in again', async () => {
    expectStatus(200, await w.call('POST', `${w.test.path}/settings/email/test`, { body: { to: 'ada@example.com' } }))
    await show(page, `${base}/inbox`, 'Inbox')
    await page.getByRole('table', { name: 'Captured mail' }).waitFor()
    const cookies = await page.context().cookies()
    await page.context().clearCookies() // the page reads again every few seconds
    await ended.waitFor()
    await cancel()
    await problem.click()
    await ended.waitFor()
    await cancel()
    await page.context().addCookies(cookies)
    await problem.click()
    await problem.waitFor({ state: 'detached' })
  })

  const still_in = page.getByRole('alertdialog', { name: 'You are still signed in' })
  await t.test('a sign-out without a network, or that the service refuses, says that the person is still signed in', async () => {
    await page.context().setOffline(true)
    await page.getByRole('button', { name: /: your account$/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await still_in.getByText('The service cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await page.route('**/dashboard/sign-out', (route) => route.fulfill({ status: 503, body: '' }))
    await button(page, 'Sign out').click()
    await still_in.getByText('The service did not end the session.').waitFor()
    await page.unroute('**/dashboard/sign-out')
    await button(page, 'Sign out').click()
    await page.locator('input[name=password]').waitFor()
  })
  assert.deepEqual(
    faults.filter((fault) => !/status of (?:401|503)|ERR_INTERNET_DISCONNECTED/.test(fault)),
    [],
  )
})

test('a mail, a project and a new tenant are reached whatever else there is', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const post = async (path: string, body: unknown) => expectStatus(201, await w.call('POST', path, { body }))
  for (let number = 1; number <= 21; number++) await post('/v1/platform/projects', { slug: `many-${number}`, name: `Many ${number}` })
  const slug = 'only-live'
  await post('/v1/platform/projects', { slug, name: 'Only Live', environments: [{ type: 'live', slug: 'eu', name: 'Europe' }] })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`

  await t.test('a link opens a mail that the list does not have, and Live, which has no inbox, begins at its overview', async () => {
    expectStatus(200, await w.call('POST', `${w.test.path}/settings/email/test`, { body: { to: 'ada@example.com' } }))
    const [mail] = expectStatus(200, await w.call('GET', `${w.test.path}/inbox`)).data
    await page.route(/\/inbox(\?|$)/, (route) =>
      route.request().resourceType() === 'fetch' ? route.fulfill({ json: { data: [], next_cursor: null } }) : route.fallback(),
    )
    await show(page, `${base}/inbox?chosen=${mail.id}`, 'Inbox')
    await page.getByRole('dialog', { name: mail.subject }).getByText('ada@example.com').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Live' }).click()
    await page.waitForURL(/\/live$/)
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
  })

  await t.test('the link to the inbox opens the inbox, however slowly its page loads', async () => {
    await page.route(/\/assets\/inbox-[^/]+\.js$/, async (route) => {
      await page.waitForURL(/\/inbox$/)
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      await route.continue()
    })
    await page.goto(`${w.base_url}/dashboard/go/${w.test.id}?page=inbox`)
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await page.unroute(/\/assets\/inbox-[^/]+\.js$/)
  })

  await t.test('the picker searches all projects, and one without a Test environment opens at the one it has', async () => {
    await page.getByRole('button', { name: /^Project: / }).click()
    const picker = page.getByRole('dialog')
    await picker.getByRole('link', { name: 'Many 21', exact: true }).waitFor()
    assert.equal(await picker.getByRole('link', { name: 'Many 1', exact: true }).count(), 0, 'the first page has the newest')
    assert.deepEqual(await audit(page, 'dashboard picker'), [])
    await page.setViewportSize({ width: 1280, height: 900 })
    await picker.getByLabel('Search projects').fill('many 1')
    await picker.getByRole('link', { name: 'Many 1', exact: true }).waitFor()
    await picker.getByLabel('Search projects').fill('only')
    await picker.getByRole('link', { name: 'Many 1', exact: true }).waitFor({ state: 'detached' })
    await picker.getByLabel('Search projects').press('Enter')
    await page.waitForURL(/\/p\/only-live\/live~eu$/)
    await page.getByRole('heading', { level: 1, name: 'Only Live' }).waitFor()
    await page.locator('#page-title:focus').waitFor()
  })

  await t.test('a person without a tenant creates one, and is led to it', async () => {
    let created: string | undefined
    await page.route('**/dashboard/session', async (route) => {
      const answer = await route.fetch()
      const me = (await answer.json()) as { memberships: { slug: string }[] } // as: the answer of the session
      await route.fulfill({ json: { ...me, memberships: me.memberships.filter((each) => each.slug === created) } })
    })
    await page.goto(`${w.base_url}/dashboard`)
    await page.getByRole('heading', { level: 1, name: 'No tenant yet' }).waitFor()
    await button(page, 'New tenant').click()
    await page.getByLabel('Name').fill('Bakery Ltd')
    assert.equal(await page.getByLabel('Slug').inputValue(), 'bakery-ltd')
    assert.deepEqual(await audit(page, 'dashboard new tenant'), [])
    created = 'bakery-ltd'
    await button(page, 'Create tenant').click()
    await page.waitForURL(/\/t\/bakery-ltd$/)
    await page.getByText('This tenant has no project yet.').waitFor()
  })

  await t.test('the choice of a tenant is a page of the dashboard, where there is a choice', async () => {
    await page.unroute('**/dashboard/session')
    await page.goto(`${w.base_url}/dashboard`)
    await page.getByRole('heading', { level: 1, name: 'Choose a tenant' }).waitFor()
    await page.getByRole('banner').getByRole('link', { name: 'Deployment' }).waitFor()
    assert.deepEqual(await page.getByRole('main').getByRole('link').allTextContents(), ['Bakery Ltdbakery-ltdowner', 'Acmeacmeowner'])
    assert.deepEqual(await audit(page, 'dashboard tenants'), [])
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('link', { name: /^Acme/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
    await page.getByRole('button', { name: /^Tenant: / }).click()
    await page.getByRole('link', { name: 'All tenants, and a new one' }).click()
    await page.getByRole('heading', { level: 1, name: 'Choose a tenant' }).waitFor()
  })
  assert.deepEqual(faults, [])
})

test('every page passes the audit, in both themes, narrow and wide', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const post = async (path: string, body: unknown, status = 201) => expectStatus(status, await w.call('POST', path, { body }))
  const application = await w.createApplication(w.test, { name: 'Meal Planner' })
  const origins = ['https://shop.example.com', 'https://a-longer-name-of-the-shop.department.example.com:8443']
  await post(`${w.test.path}/auth-keys`, { type: 'auth_publishable', label: 'web', allowed_origins: origins })
  const webhook = await post(`${w.test.path}/webhooks`, { url: 'https://hooks.example.com/ostiary' })
  await post(`${w.test.path}/webhooks/${webhook.id}/test`, {}, 202)
  const user = await w.createUser(w.test, { email: 'demo@example.com' })
  await post(`${w.test.path}/resource-servers`, {
    name: 'Orders',
    identifier: 'https://api.example.com',
    scopes: [{ name: 'orders:read', description: 'Read your orders' }, { name: 'orders:write' }],
  })
  const organizations = await organizationsOf(w, w.test)
  const members = [{ user_id: user.id, roles: ['administrator'] }]
  await organizations.role('administrator', { name: 'Administrator', administers: true })
  const organization = await organizations.create({ members })
  const permissions = [{ resource_server: 'orders', scopes: ['orders:read'] }]
  const role = await post(`${w.test.path}/roles`, { name: 'Support', kind: 'user', description: 'Answers questions', permissions })
  await post(`${w.test.path}/providers`, { type: 'github', client_id: 'of-github', client_secret: 'a secret' })
  await w.call('GET', `${w.test.path}/settings`, { key: null })
  const { page, faults } = await openDashboard(w, browser, owner)
  const tenant = `${w.base_url}/dashboard/t/acme`
  const project = w.base_url + dashboardPath(await slugOf(w))
  const test_base = `${project}/test`
  // biome-ignore format: this table is read by column
  const pages: [string, string, string | RegExp][] = [
    ['projects',       tenant,                                                        'Projects'],
    ['overview',       test_base,                                                     /./],
    ['live overview',  `${project}/live`,                                             /./],
    ['users',          `${test_base}/users`,                                          'Users'],
    ['one user',       `${test_base}/users?chosen=${user.id}`,                        'Users'],
    ['this person',    `${test_base}/users?tab=person&person=${user.email}`,            'Users'],
    ['organizations',  `${test_base}/organizations`,                                  'Organizations'],
    ['new organization', `${test_base}/organizations?new=1`,                          'Organizations'],
    ['one organization', `${test_base}/organizations/${organization.id}`,             'Acme'],
    ['new member',     `${test_base}/organizations/${organization.id}?new=1`,         'Acme'],
    ['settings of an organization', `${test_base}/organizations/${organization.id}?tab=settings`, 'Acme'],
    ['inbox',          `${test_base}/inbox`,                                          'Inbox'],
    ['applications',   `${test_base}/applications`,                                   'Applications'],
    ['new application', `${test_base}/applications?new=1`,                            'Applications'],
    ['connect',        `${test_base}/applications/${application.client_id}`,                 'Meal Planner'],
    ['addresses',      `${test_base}/applications/${application.client_id}?tab=addresses`,   'Meal Planner'],
    ['scopes',         `${test_base}/applications/${application.client_id}?tab=scopes`,      'Meal Planner'],
    ['credentials',    `${test_base}/applications/${application.client_id}?tab=credentials`, 'Meal Planner'],
    ['application events', `${test_base}/applications/${application.client_id}?tab=events`,  'Meal Planner'],
    ['resource servers', `${test_base}/resource-servers`,                             'Resource servers'],
    ['roles',          `${test_base}/roles`,                                          'Roles'],
    ['new role',       `${test_base}/roles?new=1`,                                    'Roles'],
    ['one role',       `${test_base}/roles?chosen=${role.id}`,                        'Roles'],
    ['providers',      `${test_base}/providers`,                                      'Providers'],
    ['api keys',       `${test_base}/api-keys`,                                       'API keys'],
    ['webhooks',       `${test_base}/webhooks`,                                       'Webhooks'],
    ['one webhook',    `${test_base}/webhooks/${webhook.id}`,                         webhook.slug],
    ['events',         `${test_base}/events`,                                         'Events'],
    ['calls',          `${test_base}/calls`,                                          'Calls'],
    ['settings',       `${test_base}/settings`,                                       'Settings'],
    ['platform keys',  `${tenant}/platform-keys`,                                     'Platform keys'],
    ['members',        `${tenant}/members`,                                           'Members'],
    ['audit log',      `${tenant}/audit-log`,                                         'Audit log'],
  ]
  for (const [name, url, heading] of pages)
    await t.test(name, async () => {
      await show(page, url, heading)
      assert.deepEqual(await audit(page, `dashboard ${name}`), [])
    })
  // biome-ignore format: this table is read by column
  const empty: [string, string, string][] = [
    ['/users',            'Users',            'Add user'],
    ['/organizations',    'Organizations',    'Create organization'],
    ['/applications',     'Applications',     'New application'],
    ['/resource-servers', 'Resource servers', 'Add resource server'],
    ['/roles',            'Roles',            'Create role'],
    ['/providers',        'Providers',        'Add provider'],
    ['/api-keys',         'API keys',         'Create key'],
    ['/webhooks',         'Webhooks',         'Add webhook'],
  ]
  for (const [path, heading, act] of empty)
    await t.test(`the empty page ${heading} has one button for its first object, beside the call of the API`, async () => {
      await show(page, `${project}/live${path}`, heading)
      await page.locator('.empty').getByRole('button', { name: act, exact: true }).waitFor()
      await page.locator('.empty').getByText('curl http').waitFor()
      assert.equal(await page.locator('main .btn.pri').count(), 1)
    })

  const isInWindow = (selector: string) =>
    page.evaluate(`(() => {
      const { left, right, top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
      return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
    })()`)

  await t.test('a page that opens at a tab shows it on a phone, which has no room for all', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await show(page, `${test_base}/applications/${application.client_id}?tab=events`, 'Meal Planner')
    assert.equal(await page.locator('.tabs [aria-current=page]').textContent(), 'Events')
    assert.equal(await isInWindow('.tabs [aria-current=page]'), true)
  })

  await t.test('a finger hits each control', async () => {
    const context = await browser.newContext({
      hasTouch: true,
      viewport: { width: 390, height: 844 },
      storageState: await page.context().storageState(),
    })
    const phone = await context.newPage()
    const small: Record<string, string[]> = {}
    for (const [name, url, heading] of pages) {
      await show(phone, url, heading)
      const found = await smallTargets(phone)
      if (found.length > 0) small[name] = found
    }
    await context.close()
    assert.deepEqual(small, {})
  })

  await t.test('the pages of the tenant stay in the window while a long page scrolls', async () => {
    await page.setViewportSize({ width: 1280, height: 1000 })
    await show(page, `${test_base}/settings`, 'Settings')
    const last = '.side:not(.open) .end a:last-of-type'
    assert.equal(await isInWindow(last), true)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    assert.equal(await isInWindow(last), true)
  })

  assert.deepEqual(faults, [])
})
