/** The forms of the account, of a reset and of a sign-in with its second factor, pressed twice in a browser that is 200 ms away. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { appCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { isAt, pressTwice, secretOfApp, startDistance } from '../support/distant.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { launchForTests } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, freePort, world } from '../support/world.ts'

const [far, near] = [await freePort(), await freePort()]
await startDistance(far, near, 100)
const w = await world({ env: { OSTIARY_BASE_URL: `http://localhost:${far}`, OSTIARY_PORT: String(near) } })
await w.changeSettings(w.test, { mfa: { mode: 'optional' } })
const { issuer } = w.test
const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const backend = async (path: string) => expectStatus(200, await w.call('GET', `/v1/auth/users${path}`, { key })).data

const codesOn = (page: Page) => page.locator('[data-recovery-code]').allTextContents()
const wasDone = (page: Page) => page.locator('main[data-step=account] .said').waitFor()

async function pressEverything(t: TestContext, browser: Browser, way: { javaScriptEnabled: boolean; gap_ms: number }): Promise<void> {
  const { gap_ms, javaScriptEnabled } = way
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/back`] })
  const user = await w.createUser(w.test, { email: `twice-${gap_ms}-${javaScriptEnabled}@example.com` })
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage()
  const twice = (action: string) => pressTwice(page, action, gap_ms)
  const openForm = (action: string) => page.goto(`${issuer}/account?action=${action}`)
  const sessions = async () => (await backend(`/${user.id}/sessions`)).length

  await page.goto(`${issuer}/account`)
  await page.locator('[name=email]').fill(user.email)
  await page.locator('[name=password]').fill(user.password)
  await twice('password')
  await isAt(page, 'account')
  assert.equal(await sessions(), 1)

  await openForm('change-name')
  await page.locator('[name=name]').fill('Ada Byron')
  await twice('change-name')
  await wasDone(page)

  await openForm('change-password')
  await page.locator('[name=password]').fill('another memorable sentence')
  await twice('change-password')
  await wasDone(page)

  await openForm('add-totp')
  await page.locator('[name=code]').fill(appCode(await secretOfApp(page), w.now()))
  await twice('add-totp')
  await isAt(page, 'recovery-codes')
  const of_app = await codesOn(page)
  await twice('continue')
  await wasDone(page)

  await openForm('new-recovery-codes')
  await twice('new-recovery-codes')
  await isAt(page, 'recovery-codes')
  const codes = await codesOn(page)
  assert.equal(new Set([...codes, ...of_app]).size, 20, 'ten codes, and other ones')
  await twice('continue')
  await wasDone(page)

  await openForm('export')
  const download = page.waitForEvent('download')
  await twice('export')
  await download

  await page.goto(authorizationRequest(w.test, client, { prompt: 'login' }).url)
  await page.locator('[data-action=forgot-password]').click()
  await isAt(page, 'forgot-password')
  await page.locator('[name=email]').fill(user.email)
  await twice('continue')
  await page.locator('main[data-step=forgot-password] :not(input)', { hasText: user.email }).first().waitFor()
  await page.goto((await newestMail(w, w.test, user.email)).link ?? '')
  await twice('confirm')
  await isAt(page, 'new-password')
  await page.locator('[name=password]').fill('a third memorable sentence')
  await twice('continue')
  await page.locator('main[data-step=new-password] [data-action=account]').waitFor()

  await page.goto(authorizationRequest(w.test, client, { prompt: 'login' }).url)
  await page.locator('[name=email]').fill(user.email)
  await page.locator('[name=password]').fill('a third memorable sentence')
  await twice('password')
  await isAt(page, 'second-factor')
  await twice('use-recovery-code')
  await page.locator('[name=recovery_code]').fill(codes[0] ?? '')
  await twice('continue')
  await until('the application', async () => page.url().startsWith(`${landing.origin}/back`)) // the second press ends the first navigation
  assert.ok(new URL(page.url()).searchParams.get('code'))
  assert.equal(await sessions(), 1, 'the reset ended the first one')

  await openForm('delete-account')
  await page.locator('[name=email]').fill(user.email)
  await twice('delete-account')
  await page.locator('main[data-step=account]:not(:has([data-action=delete-account]))').waitFor()
  assert.deepEqual(await backend(`?email=${user.email}`), [])
  assert.deepEqual(
    (await mailsTo(w, w.test, user.email)).map(({ kind }) => kind).sort(),
    [
      'account_deleted',
      'data_exported',
      'method_added',
      'password_changed',
      'password_changed',
      'recovery_code_used',
      'recovery_codes_made',
      'reset_password',
    ],
    'one mail of each change',
  )
}

test('the forms of an account, a reset and a sign-in have one effect and one answer', { skip: noBrowser, concurrency: 6 }, async (t) => {
  const browser = await launchForTests(t)
  const ways = [true, false].flatMap((javaScriptEnabled) => [0, 40, 120].map((gap_ms) => ({ javaScriptEnabled, gap_ms })))
  await Promise.all(
    ways.map((way) =>
      t.test(`pressed twice within ${way.gap_ms} ms ${way.javaScriptEnabled ? 'with' : 'without'} scripts`, (subtest) =>
        pressEverything(subtest, browser, way),
      ),
    ),
  )
})
