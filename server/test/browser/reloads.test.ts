/** Each step of a sign-in, loaded again, reached by back and forward, and opened in another tab: the same page, and nothing is sent (decision 0084). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { appCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { isAt, secretOfApp } from '../support/distant.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, { mfa: { mode: 'required' } })

const shown = (page: Page) => page.locator('main').innerText()

/** The page of a step is the same page in all ways in which a browser gets to it. */
async function staysAt(page: Page, step: string): Promise<void> {
  await isAt(page, step)
  const text = await shown(page)
  await page.reload()
  assert.equal(await shown(page), text, `${step}, loaded again`)
  await page.goBack()
  await page.goForward()
  await isAt(page, step)
  assert.equal(await shown(page), text, `${step}, by back and forward`)
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  assert.equal(await shown(tab), text, `${step}, in another tab`)
  await tab.close()
}

test(
  'each step of a sign-in can be loaded again, reached by back and forward, and opened in another tab',
  { skip: noBrowser },
  async (t) => {
    const landing = await startClientServer(t)
    const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/back`] })
    const page = await (await (await launchForTests(t)).newContext()).newPage()
    const email = 'again@example.com'
    const mails = async () => (await mailsTo(w, w.test, email)).map(({ kind }) => kind)
    const go = (action: string) => page.locator(`button[data-action=${action}]`).first().click()
    const isBack = () => page.waitForURL(`${landing.origin}/back*`)

    await page.goto(authorizationRequest(w.test, client, { prompt: 'create' }).url)
    await staysAt(page, 'sign-up')
    await page.locator('[name=email]').fill(email)
    await page.locator('[name=password]').fill('a memorable sentence')
    await go('create-account')
    await staysAt(page, 'code')
    assert.deepEqual(await mails(), ['verify_email'])
    await page.locator('[name=code]').fill((await newestMail(w, w.test, email)).code ?? '')
    await go('continue')
    await staysAt(page, 'enrol-totp')
    const secret = await secretOfApp(page)
    await page.locator('[name=code]').fill(appCode(secret, w.now()))
    await go('continue')
    await staysAt(page, 'recovery-codes')
    const codes = await page.locator('[data-recovery-code]').allTextContents()
    const downloading = page.waitForEvent('download')
    await go('download-codes')
    const file = readFileSync(await (await downloading).path(), 'utf8')
    assert.deepEqual(file.split('\n').slice(1), ['', ...codes, ''])
    assert.match(file, /^Recovery codes of .+\. Each works once\.\n/)
    await go('continue')
    await isBack()
    await page.goBack()
    assert.match(await shown(page), /These recovery codes are not shown again/)

    await page.goto(authorizationRequest(w.test, client, { prompt: 'login' }).url)
    await staysAt(page, 'sign-in')
    await page.locator('[data-action=forgot-password]').click()
    await staysAt(page, 'forgot-password')
    await page.locator('[name=email]').fill(email)
    await go('continue')
    await page.locator('main', { hasText: email }).waitFor()
    await staysAt(page, 'forgot-password')
    assert.equal((await mails()).filter((kind) => kind === 'reset_password').length, 1)
    await page.goto((await newestMail(w, w.test, email)).link ?? '')
    await staysAt(page, 'link')
    await go('confirm')
    await staysAt(page, 'new-password')
    await page.locator('[name=password]').fill('another memorable sentence')
    await go('continue')
    await page.locator('main[data-step=new-password] a[data-action=continue]').waitFor()
    await staysAt(page, 'new-password')

    await page.goto(authorizationRequest(w.test, client, { prompt: 'login' }).url)
    await page.locator('[name=email]').fill(email)
    await page.locator('[name=password]').fill('another memorable sentence')
    await go('password')
    await staysAt(page, 'second-factor')
    await go('use-recovery-code')
    await page.locator('[name=recovery_code]').waitFor()
    await staysAt(page, 'second-factor')
    await page.locator('[name=recovery_code]').fill(codes[0] ?? '')
    await go('continue')
    await isBack()
    await page.goBack()
    await isAt(page, 'sign-in')
    assert.match(await shown(page), /That sign-in took longer than 10 minutes, or it is over\./)
    assert.equal(await page.locator('[name=email]').inputValue(), email)
  },
)
