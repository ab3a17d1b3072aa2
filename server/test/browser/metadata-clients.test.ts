/** Programs that nobody registered, in a browser: what a person who is asked sees, and what an administrator does about them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { startClientHost } from '../support/client-host.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { auditSeen, withoutScripts } from '../support/page-visit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

/** With 253 characters, as many as a host can have. */
const longest_host = `${['a', 'b', 'c'].map((letter) => letter.repeat(61)).join('.')}.${'d'.repeat(56)}.agent.test`
const host = await startClientHost(longest_host)
const w = await world({ outbound: host.outbound, dashboard_folder: dashboardFolder })
const identifier = 'https://notes.example.com'
const scopes = [{ name: 'notes:read', description: 'Read your notes' }]
await w.changeSettings(w.test, { oauth: { metadata_clients: 'any', openid_optional: true } })
const server = { identifier, name: 'Notes', scopes, allow_metadata_clients: true }
expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: server }))

const loopback = 'http://127.0.0.1:49152/callback'
const ask = (client_id: string, redirect_uri: string, fields: Record<string, string> = {}) =>
  authorizationRequest(w.test, { client_id, redirect_uris: [redirect_uri] }, { scope: 'notes:read', resource: identifier, ...fields }).url

const clients: [what: string, host: string, client_name: string, redirect_uri: string, warning: string][] = [
  ['a program on another host', 'client.test', 'Agent', 'https://other.test/callback', 'unchecked other-host'],
  ['a program on this device', 'client.test', 'Agent', loopback, 'unchecked loopback'],
  ['the longest host and name', longest_host, 'N'.repeat(100), 'https://client.test/callback', 'unchecked other-host'],
  ['a name from right to left', 'client.test', 'وكيل الملاحظات (نسخة)', loopback, 'unchecked loopback'],
]

test('the page that asks for a program by its address says whose it is, and allows nothing by Enter', { skip: noBrowser }, async (t) => {
  const { browser, context, page, seen, errors, look } = await withoutScripts(t)
  const user = await w.createUser(w.test)
  await page.goto(ask(host.publish(host.newUrl(), { redirect_uris: [loopback] }), loopback))
  await page.getByLabel('Email address').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('[data-step=consent]').waitFor()

  for (const [what, of, client_name, redirect_uri, warning] of clients)
    await t.test(what, async () => {
      const url = host.publish(host.newUrl(of), { client_name, redirect_uris: [redirect_uri] })
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(ask(url, redirect_uri))
        const main = page.locator('main')
        const address = `${of}:${host.port}`
        assert.deepEqual([await main.getAttribute('data-client-host'), await main.getAttribute('data-warning')], [address, warning])
        const shown = page.getByText(address, { exact: true }).first()
        assert.equal(await shown.textContent(), address)
        // The lines of an inline element are its boxes: the last one ends within the page, and nothing is cut off.
        const box = await shown.boundingBox()
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${width} px: ${JSON.stringify(box)}`)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
        assert.equal(await page.locator(':focus').count(), 0)
        await page.keyboard.press('Enter')
        assert.equal(await page.locator('[data-step=consent]').count(), 1)
      }
      await look(what)
    })

  await t.test('a program on this device gets no code without a press, however often it asks', async () => {
    const program = await startClientServer(t)
    const loopback = `${program.origin}/callback`
    const url = host.publish(host.newUrl(), { redirect_uris: [loopback] })
    await page.goto(ask(url, loopback))
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/[?&]code=/)
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const answer = await context.request.get(ask(url, loopback, n % 2 === 0 ? {} : { prompt: 'none' }), { maxRedirects: 0 })
        return answer.headers().location ?? ''
      }),
    )
    assert.deepEqual(
      answers.filter((location) => location.includes('code=')),
      [],
    )
    assert.equal(answers.filter((location) => location.includes('error=interaction_required')).length, 25)
  })

  assert.deepEqual(errors, [])
  const scripted = await browser.newContext()
  for (const one of seen)
    await t.test(`${one.name}: axe, both themes, 320 to 1440 px`, async () => assert.deepEqual(await auditSeen(scripted, one), []))
})

test('an administrator approves, blocks and deletes programs by address, also from a refused call', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  const alert = page.getByRole('alertdialog')
  const records = async () => expectStatus(200, await w.call('GET', `${w.test.path}/metadata-clients?limit=100`)).data
  const recordOf = async (url: string) => (await records()).find(({ client_id }: { client_id: string }) => client_id === url)
  const act = (name: string, of: string) => page.getByRole('button', { name: new RegExp(`^${name} ?: ${of}`) })
  const passesAudit = async (name: string) => {
    assert.deepEqual(await audit(page, `dashboard ${name}`), [])
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  for (const { id } of await records()) expectStatus(204, await w.call('DELETE', `${w.test.path}/metadata-clients/${id}`))
  const url = host.publish(host.newUrl('other.test'), { client_name: 'Agent of others' })

  await t.test('an empty list says what such programs are', async () => {
    await show(page, `${base}/applications`, 'Applications')
    await page.getByRole('link', { name: 'Connected by address' }).click()
    await page.getByText('No program has connected by its address.').waitFor()
    await passesAudit('no program by address')
  })

  await t.test('an address that cannot be read is refused at its field, and one that can is approved', async () => {
    await button(page, 'Approve an address').first().click()
    const field = page.getByLabel('Address of the document')
    await field.fill(host.answer(host.newUrl(), 500))
    await button(page, 'Read and approve').click()
    await page.locator('input[aria-invalid=true]:focus').waitFor()
    await field.fill(url)
    await button(page, 'Read and approve').click()
    await page.getByText('Agent of others').waitFor()
    assert.deepEqual([(await recordOf(url)).listed, (await recordOf(url)).added_by], [true, 'administrator'])
    const cells = await page
      .getByRole('row', { name: /other\.test/ })
      .getByRole('cell')
      .allTextContents()
    const heads = await page.getByRole('columnheader').allTextContents()
    assert.equal(cells[heads.indexOf('People')], '0')
    await passesAudit('a program by address')
  })

  await t.test('blocking says who loses access, and unblocking lets the program ask again', async () => {
    await act('Block…', 'other.test').click()
    await page.locator(':focus', { hasText: /^Keep its access$/ }).waitFor()
    await passesAudit('block a program by address')
    await alert.getByRole('button', { name: 'Block now' }).click()
    await page.getByText('Blocked', { exact: true }).waitFor()
    assert.equal((await recordOf(url)).disabled, true)
    await act('Unblock', 'other.test').click()
    await act('Block…', 'other.test').waitFor()
    assert.equal((await recordOf(url)).disabled, false)
  })

  await t.test('a deletion takes the record', async () => {
    await act('Delete…', 'other.test').click()
    await alert.getByRole('button', { name: 'Delete now' }).click()
    await page.getByText('No program has connected by its address.').waitFor()
    assert.equal(await recordOf(url), undefined)
  })

  await t.test('where only approved ones get in, the list says so, and a refused call has the way to approve', async () => {
    await w.changeSettings(w.test, { oauth: { metadata_clients: 'listed' } })
    const refused = await fetch(ask(url, 'https://client.test/callback'), { redirect: 'manual' })
    assert.equal(refused.status, 400)
    await show(page, `${base}/applications?tab=by-address`, 'Applications')
    await page.getByText('The setting lets only approved ones in.').waitFor()
    await w.deployment.refused_calls.write()
    await show(page, `${base}/calls?chosen=${refused.headers.get('x-request-id')}`, 'Calls')
    await page.getByRole('heading', { name: 'Approve this client' }).waitFor()
    await passesAudit('a refused program by address')
    await button(page, 'Approve this client').click()
    await page.getByText('The address of this program is approved.').waitFor()
    assert.equal((await recordOf(url)).listed, true)
  })

  // The document that cannot be read.
  assert.deepEqual(
    faults.filter((fault) => !/status of 422 /.test(fault)),
    [],
  )
})
