/**
 * Passkeys that a browser creates by itself, in Chromium. Its virtual authenticators leave such a request open (findings/
 * chromium-conditional-create.sh), so where one is created, a script of the test stands for the password manager and lets the virtual
 * authenticator do it.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest, exchange } from '../support/cookie-browser.ts'
import { launchForTests } from '../support/page-audit.ts'
import { openProfile } from '../support/virtual-authenticator.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, { sign_in: { passkey: true }, passkeys: { automatic: true } })
const { key } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
const passkeysOf = async (user_id: string): Promise<object[]> => {
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user_id}/methods`, { key }))
  return data.filter(({ type }: { type: string }) => type === 'passkey')
}

/** A person who has signed in by password in a new profile, in which `script` runs before those of each page. */
async function afterPassword(t: TestContext, { script = '', has_scripts = true, has_clock = false, has_device = true } = {}) {
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/callback`] })
  const profile = await openProfile(t, await launchForTests(t), { has_scripts })
  const { page, context, add } = profile
  if (has_device) await add()
  if (script) await context.addInitScript(script)
  if (has_clock) {
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1_000)
  }
  const pages: string[] = []
  page.on('response', (response) => {
    const { pathname, origin } = new URL(response.url())
    if (response.request().isNavigationRequest() && response.status() === 200 && origin !== landing.origin) pages.push(pathname)
  })
  const user = await w.createUser(w.test)
  const open = async (change = {}) => {
    const request = authorizationRequest(w.test, client, change)
    await page.goto(request.url)
    return request
  }
  const isBack = () => page.waitForURL(`${landing.origin}/callback?code=*`)
  await open()
  await page.getByLabel('Email address').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.locator('[data-action=password]').click()
  return { ...profile, client, user, open, isBack, pages }
}

/** A browser that creates passkeys by itself: `answer` gets the creation by the virtual authenticator, which knows no mediation. */
const creates = (answer: string) => `
PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true })
{
  const { create } = CredentialsContainer.prototype
  CredentialsContainer.prototype.create = async function ({ mediation, ...options }) {
    const really = () => create.call(this, options)
    return mediation === 'conditional' ? (${answer})(really) : really()
  }
}`

test('the browser creates a passkey while the person presses nothing, and it signs in the next time', { skip: noBrowser }, async (t) => {
  const { page, errors, client, user, open, isBack } = await afterPassword(t, { script: creates('(really) => really()') })
  await isBack()
  assert.equal((await passkeysOf(user.id)).length, 1)
  const request = await open({ prompt: 'login' })
  await page.locator('[data-action=passkey]').click()
  await isBack()
  const code = new URL(page.url()).searchParams.get('code') ?? ''
  const { id_token } = expectStatus(200, await exchange(w, w.test, client, { request, code }))
  assert.equal(JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString()).acr, 'urn:ostiary:passkey')
  assert.deepEqual(errors, [])
})

// biome-ignore format: this table is read by column
const without: [browser: string, answer: string][] = [
  ['creates none',                        `() => Promise.reject(new DOMException('No password was filled in.', 'NotAllowedError'))`],
  ['has one of the account',              `() => Promise.reject(new DOMException('It has one.', 'InvalidStateError'))`],
  ['answers with nothing',                `async () => null`],
  ['throws at once',                      `() => { throw new TypeError('mediation is unknown') }`],
]
for (const [browser, answer] of without)
  test(`in a browser that ${browser} the sign-in goes on, to the ordinary offer`, { skip: noBrowser }, async (t) => {
    const { page, errors, user, isBack } = await afterPassword(t, { script: creates(answer) })
    await page.locator('[data-step=offer-passkey]:not(:has([data-automatic])) button[data-action=not-now]').click()
    await isBack()
    assert.deepEqual([await passkeysOf(user.id), errors], [[], []])
  })

test('Chromium, which leaves the request open, is waited for five seconds, on a page with a button', { skip: noBrowser }, async (t) => {
  const { page, errors, user } = await afterPassword(t, { has_clock: true })
  const automatic = page.locator('[data-automatic]')
  await automatic.waitFor({ state: 'attached' })
  await page.clock.runFor(4_900)
  assert.equal(await automatic.count(), 1)
  await page.clock.runFor(100)
  await page.locator('[data-step=offer-passkey]:not(:has([data-automatic]))').waitFor()
  assert.deepEqual([await passkeysOf(user.id), errors], [[], []])
})

test('Chromium without an authenticator refuses at once, and the sign-in goes on', { skip: noBrowser }, async (t) => {
  const { page, errors, user, isBack } = await afterPassword(t, { has_device: false })
  await page.locator('[data-step=offer-passkey]:not(:has([data-automatic])) button[data-action=not-now]').click()
  await isBack()
  assert.deepEqual([await passkeysOf(user.id), errors], [[], []])
})

test('the button of that page goes on at once', { skip: noBrowser }, async (t) => {
  const { page } = await afterPassword(t)
  await page.locator('[data-step=offer-passkey]:has([data-automatic]) [data-action=not-now]').click()
  await page.locator('[data-step=offer-passkey]:not(:has([data-automatic]))').waitFor()
})

// biome-ignore format: this table is read by column
const unable: [browser: string, set: Parameters<typeof afterPassword>[1], offers: boolean][] = [
  ['without WebAuthn',                    { script: 'delete globalThis.PublicKeyCredential' },                                                             false],
  ['without scripts',                     { has_scripts: false },                                                                                          false],
  ['that names no abilities',             { script: 'delete PublicKeyCredential.getClientCapabilities' },                                                  true],
  ['whose abilities lack it',             { script: 'PublicKeyCredential.getClientCapabilities = async () => ({ conditionalGet: true })' },                true],
  ['whose abilities cannot be read',      { script: 'PublicKeyCredential.getClientCapabilities = () => Promise.reject(new Error("not now"))' },            true],
]
for (const [browser, set, offers] of unable)
  test(`a browser ${browser} is led to no further page${offers ? ' but the ordinary offer' : ''}`, { skip: noBrowser }, async (t) => {
    const { page, errors, user, isBack, pages } = await afterPassword(t, set)
    if (offers) await page.locator('[data-step=offer-passkey] button[data-action=not-now]').click()
    await isBack()
    assert.equal(pages.length, offers ? 2 : 1, 'the sign-in page, and the offer')
    assert.deepEqual([await passkeysOf(user.id), errors], [[], []])
  })
