/** The dashboard in a real browser: webhooks, two people who edit the same object, and the pages of operation. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/db/db.ts'
import { insertSession } from '../../src/domain/sessions/sessions.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { authorizationRequest, createAgent, followPages, signInForTokens } from '../support/cookie-browser.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, signIn, slugOf } from '../support/dashboard-browser.ts'
import { audit } from '../support/page-audit.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { createResourceServer, createRole } from '../support/roles.ts'
import { areNumbered } from '../support/webhooks.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const skip = noBrowser
const w = await world({ dashboard_folder: dashboardFolder, env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } })
const browser = skip ? null : await launchBrowser()
after(() => browser?.close())

const { page, faults } = browser ? await openDashboard(w, browser, owner) : { page: {} as Page, faults: [] } // as: skipped without one
const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
const create = async (list: string, body: object) => expectStatus(201, await w.call('POST', `${w.test.path}/${list}`, { body }))

let is_down = true
const receiver = await startReceiver(() => (is_down ? { status: 503, body: 'in maintenance' } : { status: 204 }))
const webhook = await create('webhooks', { url: receiver.url, slug: 'orders' })

test('a test event shows the answer of the receiver in place, what to do, and is sent again', { skip }, async () => {
  await show(page, `${base}/webhooks/${webhook.id}`, 'orders')
  await button(page, 'Send test event').click()
  const answer = page.getByRole('region', { name: 'Test event' })
  await answer.getByText('503').waitFor()
  await answer.getByText('The receiver refused the test event').waitFor()
  await answer.getByText('in maintenance').waitFor()
  await answer.getByText('The receiver failed.').waitFor()
  await answer.getByText('3 of 10').waitFor() // the second attempt came by itself after 5 s, and the third comes after 5 min
  assert.deepEqual(await audit(page, 'operations deliveries'), [])
  await show(page, `${base}/webhooks`, 'Webhooks')
  await page
    .getByRole('row', { name: /^orders / })
    .getByText(/^Last attempt: 503, /)
    .waitFor()
  await show(page, `${base}/webhooks/${webhook.id}`, 'orders')
  is_down = false
  await button(page, 'Send now').click()
  await page.locator('.det').getByText('204').waitFor()
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    Array.from({ length: 3 }, () => receiver.received[0]?.headers['webhook-id']),
  )
})

test('everything since a time is counted, then sent again', { skip }, async () => {
  await button(page, 'Send what failed or was missed…').click()
  const dialog = page.getByRole('dialog', { name: 'Send again what failed or was missed' })
  await dialog.getByText('No message to send again since then.').waitFor()
  await dialog.getByLabel('Messages').selectOption('all')
  const sent = receiver.received.length
  await dialog.getByRole('button', { name: 'Send 1 again' }).click()
  await dialog.waitFor({ state: 'hidden' })
  while (receiver.received.length === sent) await page.waitForTimeout(20)
})

test('events that came while the webhook was off are counted, then sent', { skip }, async () => {
  const path = `${w.test.path}/webhooks/${webhook.id}`
  expectStatus(200, await w.call('PATCH', path, { body: { disabled: true } }))
  await create('applications', { name: 'Missed', application_type: 'web', redirect_uris: ['https://a.example/cb'] })
  await until('the event has its number', () => areNumbered(w))
  expectStatus(200, await w.call('PATCH', path, { body: { disabled: false } }))
  await button(page, 'Send what failed or was missed…').click()
  const dialog = page.getByRole('dialog', { name: 'Send again what failed or was missed' })
  await dialog.getByLabel('Messages').selectOption('missed')
  await dialog.getByText(/missed (is|are) sent/).waitFor()
  assert.deepEqual(await audit(page, 'operations missed'), [])
  const sent = receiver.received.length
  await dialog.getByRole('button', { name: /^Send \d+$/ }).click()
  await dialog.waitFor({ state: 'hidden' })
  while (receiver.received.length === sent) await page.waitForTimeout(20)
})

test('a link to a message opens it, even when the filter does not list it', { skip }, async () => {
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/webhooks/${webhook.id}/deliveries`))
  await show(page, `${w.base_url}/dashboard/go/${data[0].id}`, 'orders')
  await page.locator('.det-head').getByText(data[0].id).waitFor()
  await show(page, `${base}/webhooks/${webhook.id}?status=given_up&message=${data[0].id}`, 'orders')
  await page.locator('.det-head').getByText(data[0].id).waitFor()
})

for (const [tab, heading] of [
  ['kinds', 'This webhook gets'],
  ['verify', 'What is signed'],
  ['settings', 'Signing secret'],
] as const)
  test(`the tab ${tab} of a webhook passes the audit`, { skip }, async () => {
    await show(page, `${base}/webhooks/${webhook.id}?tab=${tab}`, 'orders')
    await page.getByText(heading).first().waitFor()
    assert.deepEqual(await audit(page, `operations webhook ${tab}`), [])
  })

test('a rotation of the secret says that both sign for 24 hours, and shows the new one once', { skip }, async () => {
  await show(page, `${base}/webhooks/${webhook.id}?tab=settings`, 'orders')
  await button(page, 'Rotate secret…').click()
  await page.getByText('For 24 hours each call carries both signatures').waitFor()
  await button(page, 'Rotate now').click()
  await page.getByText('Copy the signing secret now').waitFor()
  assert.match((await page.locator('.once code').textContent()) ?? '', /^whsec_/)
  await page.getByLabel('I have stored this signing secret').check()
  await button(page, 'Done').click()
  await page.getByText(/Both the old and the new secret sign/).waitFor()
})

test('when two people edit the same object, the second sees both versions, chooses, and neither loses anything', { skip }, async () => {
  const change = (body: object) =>
    w.call('PATCH', `${w.test.path}/webhooks/${webhook.id}`, { body }).then((reply) => expectStatus(200, reply))
  await show(page, `${base}/webhooks/${webhook.id}?tab=settings`, 'orders')
  await page.getByLabel('Description, optional').fill('Mine')
  await change({ description: 'Theirs', events: ['user.created'] })
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))') // as when the person comes back to the tab
  await page.waitForLoadState('networkidle')
  assert.equal(await page.getByLabel('Description, optional').inputValue(), 'Mine')

  await button(page, 'Save').click()
  const dialog = page.getByRole('alertdialog', { name: 'Changed meanwhile' })
  const choice = dialog.getByRole('group', { name: 'Description' })
  await choice.getByText('Mine').waitFor()
  await choice.getByText('Theirs', { exact: true }).last().waitFor()
  await dialog.getByText('Also changed, and kept').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Save the choice' }).isDisabled(), true)
  assert.deepEqual(await audit(page, 'operations changed meanwhile'), [])
  await choice.getByRole('radio', { name: /^Yours/ }).check()

  await change({ description: 'Theirs again' })
  await dialog.getByRole('button', { name: 'Save the choice' }).click()
  await choice.getByText('Theirs again').waitFor()
  await choice.getByRole('radio', { name: /^Yours/ }).check()
  await dialog.getByRole('button', { name: 'Save the choice' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { description, events } = expectStatus(200, await w.call('GET', `${w.test.path}/webhooks/${webhook.id}`))
  assert.deepEqual({ description, events }, { description: 'Mine', events: ['user.created'] })
})

test('a key is restricted in its drawer, and keeps what another person changed meanwhile', { skip }, async () => {
  const { id } = await create('auth-keys', { type: 'auth_secret', label: 'server' })
  await show(page, `${base}/api-keys?key=${id}`, 'API keys')
  await button(page, 'Edit…').click()
  const dialog = page.getByRole('dialog', { name: 'Edit server' })
  await dialog.getByRole('combobox', { name: 'Source addresses' }).fill('203.0.113.0/24')
  await dialog.getByLabel('Requests').fill('50')
  await dialog.getByText('Calls from anywhere else get 403 at once.').waitFor()
  assert.deepEqual(await audit(page, 'operations edit a key'), [])
  expectStatus(200, await w.call('PATCH', `${w.test.path}/auth-keys/${id}`, { body: { label: 'worker' } }))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Also changed, and kept').waitFor()
  await button(page, 'Save the choice').click()
  await page.getByRole('dialog', { name: 'worker' }).getByText('203.0.113.0/24').waitFor()
  const { label, ip_allowlist, rate_limit } = expectStatus(200, await w.call('GET', `${w.test.path}/auth-keys/${id}`))
  assert.deepEqual([label, ip_allowlist, rate_limit], ['worker', ['203.0.113.0/24'], { limit: 50, window_seconds: 10 }])
})

test('an application is disabled, or authenticates in another way, after a question; its events have a tab', { skip }, async () => {
  const { client_id } = await w.createApplication(w.test, { name: 'Bakery' })
  const stored = async () => expectStatus(200, await w.call('GET', `${w.test.path}/applications/${client_id}`))
  const open = (tab: string) => show(page, `${base}/applications/${client_id}?tab=${tab}`, 'Bakery')
  await open('addresses')
  await page.getByLabel('Disabled').check()
  await button(page, 'Save').click()
  await button(page, 'Keep it enabled').click()
  assert.equal((await stored()).disabled, false)
  await button(page, 'Save').click()
  assert.deepEqual(await audit(page, 'operations disable an application'), [])
  await button(page, 'Disable now').click()
  await page.locator('.tag', { hasText: 'Disabled' }).waitFor()
  assert.equal((await stored()).disabled, true)

  await open('credentials')
  const method = page.getByLabel('Authentication at the token endpoint')
  await method.selectOption('private_key_jwt')
  await page.getByLabel('Public keys (jwks)').fill('{"keys":')
  await page.getByText('This is not JSON yet.').waitFor()
  assert.equal(await button(page, 'Save').isDisabled(), true)
  await page.getByLabel('Public keys (jwks)').fill('')
  await page.getByLabel('Address of the public keys').fill('https://shop.example.com/jwks')
  await button(page, 'Save').click()
  await page.getByText('Its secret is deleted for good.').waitFor()
  await button(page, 'Change now').click()
  await page.getByText('None: the application signs with its own key.').waitFor()
  await method.selectOption('client_secret_post')
  await button(page, 'Save').click()
  await button(page, 'Change now').click()
  await button(page, 'Make a secret').click()
  await page.getByText('Copy the client secret now').waitFor()
  const { token_endpoint_auth_method, jwks_uri, has_client_secret } = await stored()
  assert.deepEqual([token_endpoint_auth_method, jwks_uri, has_client_secret], ['client_secret_post', null, true])

  await open('events')
  await page.getByRole('button', { name: 'An application was changed' }).first().waitFor()
  assert.deepEqual(await audit(page, 'operations application events'), [])
  await page.getByRole('button', { name: 'An application was created' }).click()
  await page.getByRole('dialog', { name: 'An application was created' }).waitFor()
})

test('a refused call offers the change that lets it through, says who can have sent it, and one press makes it', { skip }, async () => {
  const wiki = await w.createApplication(w.test, { name: 'Wiki' })
  const { url } = authorizationRequest(w.test, wiki, { code_challenge: undefined, code_challenge_method: undefined })
  await show(page, `${base}/calls?chosen=${referenceOf(await createAgent().get(url))}`, 'Calls')
  const side = page.getByRole('dialog', { name: 'Refused call' })
  assert.equal(await side.getByText(/this application must use PKCE/).count(), 1, 'the reason stands once')
  await page.getByText('Anybody can send such a call in its name.').waitFor()
  await page.getByText('The application itself must then compare the nonce of the ID token.').waitFor()
  assert.deepEqual(await audit(page, 'operations remedy of a refused call'), [])
  await button(page, 'Take a nonce in the place of PKCE').click()
  await page.getByText('Wiki is set so that it accepts such a call.').waitFor()
  const { nonce_replaces_pkce, require_pkce } = expectStatus(200, await w.call('GET', `${w.test.path}/applications/${wiki.client_id}`))
  assert.deepEqual([nonce_replaces_pkce, require_pkce], [true, true])
})

test('a role is saved by a button, and lowering the own role asks first', { skip }, async () => {
  const admin = asAdministrator(w, await administratorToken(w, owner))
  const grace = { email: 'grace@example.com', password: 'a memorable sentence' }
  const members = `/v1/tenants/${w.tenant_id}/members`
  const { id, invitation_url } = expectStatus(201, await admin('POST', members, { email: grace.email, role: 'owner' }))
  const roleOf = async (email: string) =>
    expectStatus(200, await admin('GET', members)).data.find((member: { email: string }) => member.email === email).role
  await show(page, `${w.base_url}/dashboard/t/acme/members`, 'Members')
  await page.getByLabel(`Role of ${grace.email}`).selectOption('viewer')
  assert.equal(await roleOf(grace.email), 'owner', 'choosing saves nothing')
  await page.getByRole('button', { name: /^Save ?: role of grace/ }).click()
  await page.getByRole('button', { name: /^Save ?: role of grace/ }).waitFor({ state: 'detached' })
  assert.equal(await roleOf(grace.email), 'viewer')
  expectStatus(200, await admin('PATCH', `${members}/${id}`, { role: 'owner' }))
  const agent = createAgent()
  expectStatus(200, await agent.submit(await followPages(agent, await agent.submit(await agent.get(invitation_url), grace)), {}))

  await show(page, `${w.base_url}/dashboard/t/acme/members`, 'Members')
  await page.getByLabel(`Role of ${owner.email}`).selectOption('developer')
  await page.getByRole('button', { name: /^Save ?: role of owner/ }).click()
  await page.getByText('You lose the rights of owner').waitFor()
  assert.deepEqual(await audit(page, 'operations lower the own role'), [])
  await button(page, 'Stay owner').click()
  assert.equal(await roleOf(owner.email), 'owner')
})

test('a reason with its route filters the refused calls, and the choice says how many there were', { skip }, async () => {
  await show(page, `${base}/calls`, 'Calls')
  const reasons = page.getByLabel('Reason', { exact: true })
  await reasons
    .locator('option', { hasText: /, \/\S+: \d+$/ })
    .first()
    .waitFor({ state: 'attached' })
  await reasons.selectOption({ index: 1 })
  await page.waitForURL(/code=\w+/)
  await reasons.selectOption('All reasons')
  await page.waitForURL((url) => !url.search.includes('code'))
})

test('an event shows its neighbours and its deliveries, and filters by what it is about', { skip }, async () => {
  await w.createUser(w.test, { email: 'sam@example.com' })
  await show(page, `${base}/events`, 'Events')
  await page.getByLabel('Kind').selectOption('test.ping')
  await page.waitForURL(/type=test\.ping/)
  const copied = async () => String(await page.evaluate('navigator.clipboard.readText()'))
  await page.getByRole('button', { name: /^Copy as curl/ }).click()
  assert.match(await copied(), /^curl -H "X-API-Key: \$OSTIARY_PLATFORM_KEY" \\\n {2}'http\S+\/events\?type=test\.ping'$/)
  await button(page, 'A test event').click()
  const side = page.getByRole('dialog', { name: 'A test event' })
  await side.getByRole('button', { name: /^Copy as curl/ }).click()
  assert.match(await copied(), /\n {2}http\S+\/events\/evt_\w+$/)
  await side.getByRole('link', { name: 'orders' }).waitFor()
  await side
    .getByRole('button', { name: /A test event|A user was created|A webhook/ })
    .first()
    .waitFor()
  assert.deepEqual(await audit(page, 'operations event'), [])
  await side.getByRole('button', { name: 'Same request' }).click()
  await button(page, 'Clear all').click()
  await page.waitForURL((url) => !url.search.includes('type'))
})

test('an unregistered return address is registered from its error page, after a sign-in and two presses', { skip }, async (t) => {
  const client = await w.createApplication(w.test, { slug: 'planner' })
  const redirect_uri = 'https://app.example.com/other?x=1&y=2'
  const other = await browser?.newContext()
  if (!other) return
  t.after(() => other.close())
  const page = await other.newPage()
  await page.goto(authorizationRequest(w.test, client, { redirect_uri }).url)
  await page.getByRole('link', { name: 'Register this address' }).click()
  await signIn(page, owner)
  const field = page.getByLabel(/^Redirect URIs/)
  await field.waitFor()
  assert.equal(new URL(page.url()).searchParams.get('tab'), 'addresses')
  assert.equal(await field.inputValue(), client.redirect_uris.join('\n'))
  assert.equal(await button(page, 'Save').isDisabled(), true)
  await page.getByText(redirect_uri).waitFor()
  assert.deepEqual(await audit(page, 'operations offered address'), [])

  await button(page, 'add it below').click()
  assert.equal(await field.inputValue(), [...client.redirect_uris, redirect_uri].join('\n'))
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await button(page, 'Save').click()
  await saved
  assert.equal(await page.getByText('A sign-in asked to return to').count(), 0)
  const { redirect_uris } = expectStatus(200, await w.call('GET', `${w.test.path}/applications/${client.id}`))
  assert.deepEqual(redirect_uris, [...client.redirect_uris, redirect_uri])
})

test('the audit log verifies its chain, filters, and is saved as a file without formulas', { skip }, async () => {
  await w.call('PATCH', `${w.test.path}/webhooks/${webhook.id}`, { body: { description: '=1+1' } })
  await show(page, `${w.base_url}/dashboard/t/acme/audit-log`, 'Audit log')
  await button(page, 'Verify the chain').click()
  await page.getByText(/^The chain is intact/).waitFor()
  // Whole rows open, and a sentence says who did what to which object.
  await page
    .getByRole('row', { name: /First key changed the webhook orders/ })
    .first()
    .click()
  const entry = page.getByRole('dialog', { name: 'First key changed the webhook orders' })
  await entry.locator('ins', { hasText: '=1+1' }).waitFor()
  await entry.getByText(/, Test$/).waitFor()
  assert.deepEqual(await audit(page, 'operations audit entry'), [])
  await button(page, 'Same action').click()
  await page.waitForURL(/action=changeWebhook/)
  const linesOf = (text: string) => text.trim().split(/\r?\n/)
  const [lines, rows] = [linesOf(await saved('JSON lines')), linesOf(await saved('Spreadsheet (CSV)'))]
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).action),
    lines.map(() => 'changeWebhook'),
  )
  assert.equal(rows.length, lines.length + 1)
  assert.match(rows[0] ?? '', /^"sequence","time","action"/)
})

/** The text of the file behind a form of the export. */
async function saved(form: string): Promise<string> {
  const downloading = page.waitForEvent('download')
  await button(page, 'Export').click()
  await page.getByRole('menuitem', { name: form }).click()
  return readFileSync(await (await downloading).path(), 'utf8')
}

test('a back-channel logout shows its attempts and what to do, and its id leads to it', { skip }, async () => {
  const [id, at] = [w.deployment.newId('msg'), w.now()]
  const application = await w.createApplication(w.test, { name: 'Shop', backchannel_logout_uri: receiver.url })
  const user = await w.createUser(w.test, { email: 'kim@example.com' })
  await w.deployment.db.run(
    sql`insert into backchannel_logouts (environment_id, id, application_id, session_id, user_id, status, created_at, updated_at)
        values (${w.test.id}, ${id}, ${application.client_id}, ${w.deployment.newId('ses')}, ${user.id}, 'given_up', ${at}, ${at})`,
  )
  await show(page, `${w.base_url}/dashboard/go/${id}`, 'Back-channel logouts')
  const side = page.getByRole('dialog', { name: 'Back-channel logout' })
  await side.getByTitle(id).waitFor()
  assert.deepEqual(await audit(page, 'operations logout'), [])
  await side.getByRole('button', { name: 'Send now' }).click()
  await side.getByText('204', { exact: true }).first().waitFor()
})

test('the record of a user begins with whether the person can sign in, and if not why', { skip }, async () => {
  const user = await w.createUser(w.test, { email: 'pat@example.com' })
  const client = await w.createApplication(w.test, { name: 'Twice' })
  for (const _ of [1, 2]) await signInForTokens(w, w.test, client, { user })
  const open = () => show(page, `${base}/users?chosen=${user.id}`, 'Users')
  const side = page.getByRole('dialog', { name: 'pat@example.com' })
  await open()
  await side.getByText('Can sign in by password.').waitFor()
  const disconnect = side.getByRole('button', { name: /^Disconnect ?: Twice$/ })
  await disconnect.waitFor()
  assert.equal(await disconnect.count(), 1, 'an application stands once, however many grants it has')
  assert.deepEqual(await audit(page, 'operations user'), [])
  const settings = { sign_in: { password: false, passkey: true } }
  expectStatus(200, await w.call('PATCH', `${w.test.path}/settings`, { body: settings }))
  await open()
  await side.getByText('Cannot sign in: has password, which this environment does not offer now.').waitFor()
  await side.getByRole('button', { name: 'Block', exact: true }).click()
  await button(page, 'Block now').click()
  await side.getByText('Cannot sign in: blocked.').waitFor()
  await side.getByRole('button', { name: 'Unblock' }).click()
  await side.getByRole('button', { name: 'Block', exact: true }).waitFor()
})

test('roles of a user are given and taken, and each scope says which role gives it or why none does', { skip }, async () => {
  const user = await w.createUser(w.test, { email: 'robin@example.com' })
  const { id } = await createResourceServer(w, w.test, 'shipments', ['shipments:read', 'shipments:delete', 'shipments:export'])
  expectStatus(200, await w.call('PATCH', `${w.test.path}/resource-servers/${id}`, { body: { require_roles: true } }))
  const permitting = (...scopes: string[]) => [{ resource_server: 'shipments', scopes }]
  await createRole(w, w.test, { slug: 'packer', permissions: permitting('shipments:read') })
  await createRole(w, w.test, { slug: 'remover', permissions: permitting('shipments:delete') })
  await createRole(w, w.test, { slug: 'everyone', default: true })
  await createRole(w, w.test, { slug: 'clerk', kind: 'organization', permissions: permitting('shipments:export') })
  await show(page, `${base}/users?chosen=${user.id}`, 'Users')
  const side = page.getByRole('dialog', { name: 'robin@example.com' })
  const line = (scope: string) => side.getByRole('listitem').filter({ hasText: scope })
  await side.getByText('None was given.').waitFor()
  await side.getByText('Every user has Role everyone.').waitFor()
  await line('shipments:read').getByText('Only by Role packer').waitFor()
  await line('shipments:export').getByText('No role gives it').waitFor()

  await side.getByRole('button', { name: 'Give a role' }).click()
  const dialog = page.getByRole('dialog', { name: 'Give robin@example.com a role' })
  assert.deepEqual(await dialog.getByLabel('Role').locator('option').allTextContents(), ['Role remover', 'Role packer'])
  await dialog.getByLabel('Role').selectOption({ label: 'Role packer' })
  await dialog.getByText('shipments:read').waitFor()
  assert.deepEqual(await audit(page, 'operations give a role'), [])
  await button(page, 'Give it').click()
  await line('shipments:read').getByText('By Role packer', { exact: true }).waitFor()
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/users/${user.id}`)).roles, ['packer'])
  assert.deepEqual(await audit(page, 'operations roles of a user'), [])

  await side.getByRole('button', { name: /^Take ?: Role packer$/ }).click()
  await page.getByRole('alertdialog', { name: 'Take Role packer from robin@example.com?' }).waitFor()
  await page.locator(':focus', { hasText: /^Keep the role$/ }).waitFor()
  assert.deepEqual(await audit(page, 'operations take a role'), [])
  await button(page, 'Take it now').click()
  await side.getByText('None was given.').waitFor()
  await line('shipments:read').getByText('Only by Role packer').waitFor()
  await side.getByRole('button', { name: 'Block', exact: true }).click()
  await button(page, 'Block now').click()
  await side.getByText('Nothing: blocked.').waitFor()
})

test('every session of a user can be ended, after a question that says in which environment', { skip }, async () => {
  const user = await w.createUser(w.test, { email: 'ada@example.com' })
  const ends = new Date(w.now().getTime() + 3_600_000)
  const session = (browser: number) => ({
    id: w.deployment.newId('ses'),
    user_id: user.id,
    token_hash: `digest ${browser}`,
    amr: ['pwd'],
    acr: '1',
    began_with: 'email_code',
    upstream: null,
    trusted_browser_id: null,
    ip: '192.0.2.1',
    user_agent: `Browser ${browser}`,
    expires_at: ends,
    absolute_expires_at: ends,
  })
  assert.ok(
    await w.deployment.db.batch(Array.from({ length: 21 }, (_, i) => insertSession(w.test.id, session(i + 1), sql`1 = 1`, w.now()))),
  )
  await show(page, `${base}/users?chosen=${user.id}`, 'Users')
  const side = page.getByRole('dialog', { name: 'ada@example.com' })
  const question = page.getByRole('alertdialog')
  await side.getByRole('button', { name: /^Show more ?: Sessions$/ }).click()
  const [first, last] = [/^End ?: Browser 1,/, /^End ?: Browser 21,/].map((name) => side.getByRole('button', { name }))
  await last?.waitFor()
  await first?.click()
  await question.getByText('Test', { exact: true }).waitFor()
  await question.getByText('The person is signed out there (Browser 1, 192.0.2.1)').waitFor()
  await page.locator(':focus', { hasText: /^Keep the session$/ }).waitFor()
  assert.deepEqual(await audit(page, 'operations end a session'), [])
  await button(page, 'End now').click()
  await first?.waitFor({ state: 'detached' })
  assert.equal(await last?.count(), 1)

  await side.getByRole('button', { name: 'End all' }).click()
  await button(page, 'Keep the sessions').click()
  assert.equal(await last?.count(), 1)
  await side.getByRole('button', { name: 'End all' }).click()
  await button(page, 'End all now').click()
  await side.getByText('Not signed in anywhere.').waitFor()
})

test(
  'a mail for a new password, and one that verifies the email, are sent from the drawer, or it says that there is no mail',
  { skip },
  async () => {
    const { id } = await w.createUser(w.test, { email: 'kit@example.com', email_verified: false })
    const subjects = async () => {
      const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=kit@example.com`))
      return data.map(({ subject }: { subject: string }) => subject)
    }
    await w.changeSettings(w.test, { sign_in: { password: true } })
    await show(page, `${base}/users?chosen=${id}`, 'Users')
    const side = page.getByRole('dialog', { name: 'kit@example.com' })
    for (const name of ['Mail a link for a new password', 'Mail a code that verifies the email']) {
      await side.getByRole('button', { name }).click()
      await side.getByText('A mail to kit@example.com is on its way').waitFor()
    }
    assert.equal((await subjects()).length, 2)
    await w.changeSettings(w.test, { email: { delivery: 'none' } })
    await side.getByRole('button', { name: 'Mail a link for a new password' }).click()
    await side.getByText('mail_not_set_up').waitFor()
    await w.changeSettings(w.test, { email: { delivery: 'capture' } })
  },
)

test('a user is found by the sub that came from elsewhere, and the drawer shows it', { skip }, async () => {
  const [sub, former] = ['auth0|507f1f77bcf86cd799439020', 'usr_01jbnq6zt8e2m9w4x7c5v3k1ha']
  await w.createUser(w.test, { email: 'moved@example.com', sub })
  await w.createUser(w.test, { email: 'back@example.com', sub: former })
  await w.createUser(w.test, { email: 'here@example.com' })
  const side = (name: string) => page.getByRole('dialog', { name })
  await show(page, `${base}/users`, 'Users')
  await page.getByLabel('Find users').fill(sub)
  await button(page, 'Find').click()
  await page.getByRole('button', { name: /moved@example\.com/ }).click()
  await side('moved@example.com').getByText(sub, { exact: true }).waitFor()
  await side('moved@example.com').getByRole('button', { name: 'Copy sub' }).waitFor()
  assert.deepEqual(await audit(page, 'operations a user with a sub'), [])
  await show(page, `${base}/users`, 'Users')
  await page.getByLabel('Find users').fill(former)
  await button(page, 'Find').click()
  await side('back@example.com').getByText(former, { exact: true }).waitFor()
  await show(page, `${base}/users?tab=person&person=${encodeURIComponent(sub)}`, 'Users')
  await page.getByRole('link', { name: 'moved@example.com' }).waitFor()
  await show(page, `${base}/users?query=here`, 'Users')
  await page.getByRole('button', { name: /here@example\.com/ }).click()
  await side('here@example.com').getByText('Last sign-in', { exact: true }).waitFor()
  assert.equal(await side('here@example.com').getByText('sub of tokens').count(), 0)
})

test('a user is invited, edited and given a password, and the palette finds the person', { skip }, async () => {
  await show(page, `${base}/users?new=1`, 'Users')
  const dialog = page.getByRole('dialog', { name: 'Add a user' })
  await dialog.getByRole('radio', { name: /^Mail an invitation/, checked: true }).waitFor()
  await dialog.getByRole('radio', { name: /^Set a password/ }).check()
  await dialog.getByRole('textbox', { name: 'Password' }).waitFor()
  assert.deepEqual(await audit(page, 'operations add a user'), [])
  await dialog.getByRole('radio', { name: /^Mail an invitation/ }).check()
  await dialog.getByLabel('Email').fill('noa@example.com')
  await dialog.getByRole('button', { name: 'Add user' }).click()
  await page.getByText('An invitation to noa@example.com is on its way.').waitFor()
  const { data: mails } = expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=noa@example.com`))
  assert.match(mails[0].subject, /Your account at/)

  const side = page.getByRole('dialog', { name: 'noa@example.com', exact: true })
  const form = page.getByRole('dialog', { name: 'Edit noa@example.com' })
  await side.getByRole('button', { name: 'Edit', exact: true }).click()
  await form.getByLabel(/^Name/).fill('Noa')
  await form.getByLabel(/^Metadata/).fill('{"plan": "team"')
  await form.getByText('This is not JSON.').waitFor()
  assert.equal(await form.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await form.getByLabel(/^Metadata/).fill('{"plan": "team"}')
  await form.getByLabel(/^Claims/).fill('{"tier": "gold"}')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  await side.getByText('"plan": "team"').waitFor()
  await side.getByText('"tier": "gold"').waitFor()
  await side.getByRole('button', { name: 'Set a password' }).click()
  await page.getByRole('dialog', { name: 'Set a password' }).getByRole('textbox', { name: 'Password' }).fill('a memorable sentence')
  await button(page, 'Set it').click()
  await side.getByText('Can sign in by password').waitFor()
  const [user] = expectStatus(200, await w.call('GET', `${w.test.path}/users?email=noa@example.com`)).data
  const { name, metadata, claims, email_verified, has_password } = user
  assert.deepEqual([name, metadata, claims, email_verified, has_password], ['Noa', { plan: 'team' }, { tier: 'gold' }, false, true])

  const open = async (words: string, name: RegExp) => {
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type(words)
    await page.getByRole('option', { selected: true, name }).waitFor()
    await page.keyboard.press('Enter')
  }
  await show(page, `${base}/calls`, 'Calls')
  await open('noa@exam', /^noa@example\.com/)
  await page.waitForURL(new RegExp(`/users\\?chosen=${user.id}$`))
  await side.locator(':focus').waitFor() // what opens takes the focus
  await open('invite', /^Invite a member/)
  await page.getByRole('dialog', { name: 'Invite a member' }).waitFor()
})

test('the problem of one question is not shown in the next', { skip }, async () => {
  const user = await w.createUser(w.test, { email: 'lin@example.com' })
  await show(page, `${base}/users?chosen=${user.id}`, 'Users')
  const side = page.getByRole('dialog', { name: 'lin@example.com' })
  await side.getByRole('button', { name: /^Remove ?: Password$/ }).click()
  await w.deployment.db.run(sql`update users set password_hash = null where environment_id = ${w.test.id} and id = ${user.id}`)
  await button(page, 'Remove now').click()
  await page.getByRole('alertdialog').getByText('not_found').waitFor()
  await button(page, 'Keep the method').click()
  await side.getByRole('button', { name: 'End all' }).click()
  assert.equal(await page.getByRole('alertdialog').getByText('not_found').count(), 0)
  await button(page, 'Keep the sessions').click()
})

test('a search for users goes on until it finds one, also behind more users than one call reads', { skip }, async () => {
  const ids = Array.from({ length: 10_500 }, () => w.deployment.newId('usr'))
  const insert = (id: string, index: number) =>
    insertUser({ environment_id: w.test.id, id }, { email: `crowd-${index}@example.com` }, null, w.now())
  for (let begin = 0; begin < ids.length; begin += 2_050)
    await w.deployment.db.batch(ids.slice(begin, begin + 2_050).flatMap((id, index) => insert(id, begin + index)))
  await show(page, `${base}/users?query=crowd-0`, 'Users')
  await button(page, 'crowd-0@example.com').waitFor()
  await show(page, `${base}/users?query=crowd-none`, 'Users')
  await page.getByText('No user has these words.').waitFor()
})

const empty_lists: [path: string, heading: string, sentence: RegExp][] = [
  ['applications', 'Applications', /Create one to let people sign in/],
  ['resource-servers', 'Resource servers', /No resource server yet/],
  ['providers', 'Providers', /No provider yet/],
  ['api-keys', 'API keys', /A key lets your code call Ostiary/],
  ['webhooks', 'Webhooks', /No webhook yet/],
  ['users', 'Users', /No user yet/],
  ['logouts', 'Back-channel logouts', /No logout was sent/],
  ['calls', 'Calls', /No call was refused/],
]
for (const [path, heading, sentence] of empty_lists)
  test(`the empty list of ${path} says what it is for`, { skip }, async () => {
    await show(page, `${base.replace(/test$/, 'live')}/${path}`, heading)
    await page.getByText(sentence).waitFor()
    assert.deepEqual(await audit(page, `operations empty ${path}`), [])
  })

test('no page reports an error or calls another origin', { skip }, () => {
  assert.deepEqual(
    faults.filter((fault) => !/status of (?:404|409|412)/.test(fault)), // the browser reports the refused changes
    [],
  )
})
