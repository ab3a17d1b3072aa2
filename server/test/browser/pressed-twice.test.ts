/** Buttons pressed twice in a real browser that is 200 ms away, with and without scripts (decision 0082). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
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
await w.changeSettings(w.test, { mfa: { mode: 'required' } })
const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const backend = async (path: string) => expectStatus(200, await w.call('GET', `/v1/auth/users${path}`, { key })).data

async function enrolByPressingTwice(t: TestContext, browser: Browser, javaScriptEnabled: boolean, gap_ms: number): Promise<void> {
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/back`] })
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage()
  const email = `twice-${gap_ms}-${javaScriptEnabled}@example.com`

  await page.goto(authorizationRequest(w.test, client, { prompt: 'create' }).url)
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill('a memorable sentence')
  await pressTwice(page, 'create-account', gap_ms)
  await isAt(page, 'code')
  assert.equal((await mailsTo(w, w.test, email)).length, 1)

  await page.reload()
  await isAt(page, 'code')
  await page.locator('[name=code]').fill((await newestMail(w, w.test, email)).code ?? '')
  await pressTwice(page, 'continue', gap_ms)
  await isAt(page, 'enrol-totp')
  const secret = await secretOfApp(page)
  await page.reload()
  assert.equal(await secretOfApp(page), secret, 'the same app after a reload')

  await page.locator('[name=code]').fill(appCode(secret, w.now()))
  await pressTwice(page, 'continue', gap_ms)
  await isAt(page, 'recovery-codes')
  const codes = await page.locator('[data-recovery-code]').allTextContents()
  assert.equal(new Set(codes).size, 10)
  await page.reload()
  assert.deepEqual(await page.locator('[data-recovery-code]').allTextContents(), codes, 'the same codes after a reload')

  await pressTwice(page, 'continue', gap_ms)
  await until('the application', async () => page.url().startsWith(`${landing.origin}/back`)) // the second press ends the first navigation
  assert.ok(new URL(page.url()).searchParams.get('code'))
  const [user] = await backend(`?email=${email}`)
  assert.deepEqual((await backend(`/${user.id}/methods`)).map(({ type }: { type: string }) => type).sort(), [
    'password',
    'recovery_codes',
    'totp',
  ])
  assert.equal((await backend(`/${user.id}/sessions`)).length, 1)
  assert.deepEqual((await mailsTo(w, w.test, email)).map(({ kind }) => kind).sort(), ['method_added', 'verify_email'])
}

test(
  'the forms of a sign-up, its code, an enrolment and new codes have one effect and one answer',
  { skip: noBrowser, concurrency: 6 },
  async (t) => {
    const browser = await launchForTests(t)
    const ways = [true, false].flatMap((javaScriptEnabled) => [0, 40, 120].map((gap_ms) => ({ javaScriptEnabled, gap_ms })))
    await Promise.all(
      ways.map(({ javaScriptEnabled, gap_ms }) =>
        t.test(`pressed twice within ${gap_ms} ms ${javaScriptEnabled ? 'with' : 'without'} scripts`, (subtest) =>
          enrolByPressingTwice(subtest, browser, javaScriptEnabled, gap_ms),
        ),
      ),
    )
  },
)
