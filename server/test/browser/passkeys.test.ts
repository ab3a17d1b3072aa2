/** Passkeys in a real browser, with virtual authenticators over the Chrome DevTools Protocol (WebAuthn §11). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest, exchange } from '../support/cookie-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { openProfile } from '../support/virtual-authenticator.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, { sign_in: { passkey: true } })
const { key } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
const methodsOf = async (user_id: string) => expectStatus(200, await w.call('GET', `/v1/auth/users/${user_id}/methods`, { key })).data
const reasonOf = (user_id: string) =>
  until('sign_in.failed', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=sign_in.failed&user_id=${user_id}`))
    return data.length > 0 && data[0].data.reason
  })

async function setUp(t: TestContext) {
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/callback`] })
  const browser = await launchForTests(t)
  const open = async (page: Page, change = {}) => {
    const request = authorizationRequest(w.test, client, change)
    await page.goto(request.url)
    return request
  }
  const signInByPassword = async (page: Page, user: { email: string; password: string }) => {
    await page.getByLabel('Email address').fill(user.email)
    await page.getByLabel('Password').fill(user.password)
    await page.locator('[data-action=password]').click()
  }
  const isBack = (page: Page) => page.waitForURL(`${landing.origin}/callback?code=*`)
  /** A person who adds a passkey at the offer. The authenticator then waits for a touch. */
  async function enrol(profile: Awaited<ReturnType<typeof openProfile>>) {
    const user = await w.createUser(w.test)
    await open(profile.page, { prompt: 'login' })
    await signInByPassword(profile.page, user)
    await profile.page.locator('[data-step=offer-passkey]').waitFor()
    await profile.page.locator('[data-action=continue]').click()
    await isBack(profile.page)
    assert.equal((await methodsOf(user.id)).length, 2)
    return user
  }
  return { landing, client, browser, open, signInByPassword, isBack, enrol }
}

/** Whether the authenticator answers new requests, as if the person touched it. */
const setPresence = (cdp: CDPSession, authenticatorId: string, enabled: boolean) =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

test('a person adds a passkey at the offer and signs in with it, and both pages pass the audit', { skip: noBrowser }, async (t) => {
  const { client, browser, open, signInByPassword, isBack } = await setUp(t)
  const profile = await openProfile(t, browser)
  const { page, add, errors } = profile
  await add()
  const user = await w.createUser(w.test)
  await open(page)
  assert.deepEqual(await audit(page, 'sign-in, passkey'), [])
  await signInByPassword(page, user)
  await page.locator('[data-step=offer-passkey]').waitFor()
  assert.deepEqual(await audit(page, 'offer of a passkey'), [])
  await page.locator('[data-action=continue]').click()
  await isBack(page)
  const methods = await methodsOf(user.id)
  assert.match(methods.find(({ type }: { type: string }) => type === 'passkey').name, /^Chrome, /)

  const request = await open(page, { prompt: 'login' })
  await page.locator('[data-action=passkey]').click()
  await isBack(page)
  const code = new URL(page.url()).searchParams.get('code') ?? ''
  const tokens = expectStatus(200, await exchange(w, w.test, client, { request, code }))
  const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url').toString())
  assert.deepEqual([claims.sub, claims.amr, claims.acr], [user.id, ['hwk', 'user'], 'urn:ostiary:passkey'])
  assert.deepEqual(errors, [])
})

test('after a password the passkey is the second step, and without scripts the page says what to do', { skip: noBrowser }, async (t) => {
  const { browser, open, signInByPassword, isBack, enrol } = await setUp(t)
  const { page, add, errors, ...profile } = await openProfile(t, browser)
  await add()
  const user = await enrol({ page, add, errors, ...profile })
  await open(page, { prompt: 'login' })
  await signInByPassword(page, user)
  await page.locator('[data-step=second-factor]').waitFor()
  assert.deepEqual(await audit(page, 'second factor, passkey'), [])
  assert.equal(await page.getByText('This browser cannot use passkeys').isVisible(), false)
  await page.locator('[data-action=passkey]').click()
  await isBack(page)
  assert.deepEqual(errors, [])

  const context = await browser.newContext({ javaScriptEnabled: false })
  t.after(() => context.close())
  const without_script = await context.newPage()
  await open(without_script)
  await signInByPassword(without_script, user)
  await without_script.getByText('This browser cannot use passkeys').waitFor()
  assert.equal(await without_script.locator('[data-action=passkey]').isVisible(), false)
})

test('a person adds a passkey on the account page and removes it, and the pages pass the audit', { skip: noBrowser }, async (t) => {
  const { browser, signInByPassword } = await setUp(t)
  const { page, add, errors } = await openProfile(t, browser)
  await add()
  const user = await w.createUser(w.test)
  const typesOf = async () => (await methodsOf(user.id)).map(({ type }: { type: string }) => type).sort()
  await page.goto(`${w.test.issuer}/account`)
  await signInByPassword(page, user)
  await page.locator('a[data-action=add-passkey]').click()
  assert.deepEqual(await audit(page, 'account, new passkey'), [])
  await page.locator('button[data-action=add-passkey]').click()
  await page.locator('[data-id^=mth_] [data-action=remove-passkey]').waitFor()
  assert.deepEqual(await audit(page, 'account, with a passkey'), [])
  assert.deepEqual(await typesOf(), ['passkey', 'password'])
  await page.locator('a[data-action=remove-passkey]').click()
  await page.locator('button[data-action=remove-passkey]').click()
  await page.locator('a[data-action=add-passkey]').waitFor()
  assert.deepEqual(await typesOf(), ['password'])
  assert.deepEqual(errors, [])
})

test('the list of the address field offers the passkey without a press of a button', { skip: noBrowser }, async (t) => {
  const { browser, open, isBack, enrol } = await setUp(t)
  const profile = await openProfile(t, browser, { has_list: true })
  await profile.add()
  await enrol(profile)
  await open(profile.page, { prompt: 'login' })
  await isBack(profile.page)
  assert.deepEqual(profile.errors, [])
})

test('without scripts there is neither button nor offer, and the password works', { skip: noBrowser }, async (t) => {
  const { landing, browser, open, signInByPassword } = await setUp(t)
  const context = await browser.newContext({ javaScriptEnabled: false })
  t.after(() => context.close())
  const page = await context.newPage()
  await open(page)
  assert.equal(await page.locator('[data-action=passkey]').isVisible(), false)
  await signInByPassword(page, await w.createUser(w.test))
  await page.waitForURL(`${landing.origin}/callback?code=*`)
})

test('a cancelled ceremony says so in words, leaves the other methods, and can be repeated', { skip: noBrowser }, async (t) => {
  const { browser, open, isBack, enrol } = await setUp(t)
  const profile = await openProfile(t, browser)
  const { page, cdp, add } = profile
  const authenticator = await add()
  await enrol(profile)
  await open(page, { prompt: 'login' })
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId: authenticator, isUserVerified: false })
  await page.locator('[data-action=passkey]').click()
  await page.getByText('No passkey was used. Try again, or sign in another way.').waitFor()
  assert.equal(await page.locator('[data-when=failed]').getAttribute('role'), 'alert')
  assert.ok(await page.getByLabel('Password').isVisible())
  assert.deepEqual(await audit(page, 'sign-in, passkey not used'), [])
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId: authenticator, isUserVerified: true })
  await page.locator('[data-action=passkey]').click()
  await isBack(page)
})

// biome-ignore format: this table is read by column
const unable: [name: string, options: object][] = [
  ['cannot verify the person',            { hasUserVerification: false, isUserVerified: false }],
  ['cannot keep a discoverable passkey',  { hasResidentKey: false }],
  ['knows U2F only',                      { protocol: 'u2f', transport: 'usb', hasResidentKey: false, hasUserVerification: false, isUserVerified: false }],
  ['refuses the verification',            { isUserVerified: false }],
]
for (const [name, options] of unable)
  test(`an authenticator that ${name} adds no passkey, and the person goes on without`, { skip: noBrowser }, async (t) => {
    const { browser, open, signInByPassword, isBack } = await setUp(t)
    const { page, add } = await openProfile(t, browser)
    await add(options)
    const user = await w.createUser(w.test)
    await open(page)
    await signInByPassword(page, user)
    await page.locator('[data-action=continue]').click()
    // Without a fitting authenticator the browser waits for another one, until the person gives up.
    await page.locator('[data-action=not-now]').click()
    await isBack(page)
    assert.equal((await methodsOf(user.id)).length, 1)
  })

test('of two authenticators the one that the person touches signs in, each with its own account', { skip: noBrowser }, async (t) => {
  const { browser, open, isBack, enrol } = await setUp(t)
  const profile = await openProfile(t, browser)
  const { page, cdp, add } = profile
  const devices: { id: string; user_id: string }[] = []
  for (const transport of ['usb', 'nfc']) {
    for (const { id } of devices) await setPresence(cdp, id, false)
    const id = await add({ transport })
    devices.push({ id, user_id: (await enrol(profile)).id })
  }
  for (const { id, user_id } of devices) {
    for (const one of devices) await setPresence(cdp, one.id, one.id === id)
    await open(page, { prompt: 'login' })
    await page.locator('[data-action=passkey]').click()
    await isBack(page)
    const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user_id}/sessions`, { key }))
    assert.ok(data.some(({ amr }: { amr: string[] }) => amr.includes('hwk')))
  }
})

test('a passkey whose counter goes back is refused, and so is one that changes its backup eligibility', { skip: noBrowser }, async (t) => {
  const { browser, open, isBack, enrol } = await setUp(t)
  const profile = await openProfile(t, browser)
  const { page, cdp, add } = profile
  const authenticatorId = await add()
  const user = await enrol(profile)
  const signIn = async () => {
    await open(page, { prompt: 'login' })
    await page.locator('[data-action=passkey]').click()
  }
  await signIn()
  await isBack(page)
  const [credential] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  assert.ok(credential)
  const replace = async (change: object) => {
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, ...change } })
  }
  await replace({ signCount: 0 })
  await signIn()
  await page.getByText('This passkey could not be checked').waitFor()
  assert.equal(await reasonOf(user.id), 'passkey_counter_back')
  await replace({ signCount: 100, backupEligibility: true })
  await signIn()
  await page.getByText('This passkey could not be checked').waitFor()
  await until('the second refusal', async () => (await reasonOf(user.id)) === 'passkey_backup_changed')
  await replace({ signCount: 100 })
  await signIn()
  await isBack(page)
})

test('a browser without the JSON functions of WebAuthn adds a passkey and signs in too', { skip: noBrowser }, async (t) => {
  const { browser, open, isBack, enrol } = await setUp(t)
  const profile = await openProfile(t, browser)
  await profile.context.addInitScript(`
    delete PublicKeyCredential.parseCreationOptionsFromJSON
    delete PublicKeyCredential.parseRequestOptionsFromJSON
    delete PublicKeyCredential.prototype.toJSON`)
  await profile.add()
  await enrol(profile)
  await open(profile.page, { prompt: 'login' })
  assert.equal(await profile.page.evaluate('"toJSON" in PublicKeyCredential.prototype'), false)
  await profile.page.locator('[data-action=passkey]').click()
  await isBack(profile.page)
  assert.deepEqual(profile.errors, [])
})

test('the browser forgets a passkey that this environment removed', { skip: noBrowser }, async (t) => {
  const { browser, open, enrol } = await setUp(t)
  const profile = await openProfile(t, browser)
  const { page, cdp, add } = profile
  const authenticatorId = await add()
  const user = await enrol(profile)
  const { id } = (await methodsOf(user.id)).find(({ type }: { type: string }) => type === 'passkey')
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${user.id}/methods/${id}`, { key }))
  await open(page, { prompt: 'login' })
  await page.locator('[data-action=passkey]').click()
  await page.getByText('This passkey does not belong to an account here.').waitFor()
  if (await page.evaluate('"signalUnknownCredential" in PublicKeyCredential'))
    await until('the passkey is gone', async () => {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.length === 0
    })
})
