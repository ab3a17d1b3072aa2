/**
 * Every form of the hosted pages in a real browser: it is refused, the person goes elsewhere, comes back by Back, reloads, and goes on
 * (decision 0156). No page is ever the browser's own, and none asks whether to send a form again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { appCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { isAt, secretOfApp } from '../support/distant.ts'
import { newestMail } from '../support/mailed.ts'
import { launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, { mfa: { mode: 'required' }, sign_in: { email_code: true } })

const shown = (page: Page) => page.locator('main').innerText()
const sentence = /A part of this form did not arrive, so nothing was done/

/** Sends a form of the page without its token. */
async function sendBroken(page: Page, index: number): Promise<void> {
  await page.evaluate(`{
    const form = document.querySelectorAll('main form[method=post]')[${index}]
    const token = form.querySelector('[name=csrf]')
    if (token) token.value = ''
    HTMLFormElement.prototype.submit.call(form)
  }`)
  await page.locator('main [role=alert]').waitFor()
}

/** Refuses each form of the page, goes elsewhere, Back, Reload, and leads back to the plain page. */
async function survives(page: Page, step: string): Promise<void> {
  await isAt(page, step)
  const address = page.url()
  const forms = await page.locator('main form[method=post]').count()
  assert.ok(forms > 0, step)
  for (let i = 0; i < forms; i++) {
    await sendBroken(page, i)
    const text = await shown(page)
    assert.match(text, sentence, `${step}, form ${i}`)
    await page.goto(`${w.base_url}/`)
    const back = await page.goBack()
    assert.equal(await shown(page), text, `${step}, form ${i}, by Back`)
    assert.ok(back === null || back.status() === 400, `${step}, form ${i}: ${back?.status()}`)
    const reloaded = await page.reload()
    assert.equal(reloaded?.status(), 400, `${step}, form ${i}, loaded again`)
    assert.equal(await shown(page), text, `${step}, form ${i}, loaded again`)
    w.advance(60)
    await page.goto(address)
    await isAt(page, step)
    assert.doesNotMatch(await shown(page), sentence)
  }
}

test('every form is refused, left, and found again by Back and Reload', { skip: noBrowser }, async (t) => {
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/back`], consent: 'ask' })
  const page = await (await (await launchForTests(t)).newContext()).newPage()
  const email = 'back@example.com'
  const go = (action: string) => page.locator(`button[data-action=${action}]`).first().click()
  const isBack = () => page.waitForURL(`${landing.origin}/back*`)
  const begin = (change = {}) => page.goto(authorizationRequest(w.test, client, change).url)
  const typeCode = async () => page.locator('[name=code]').fill((await newestMail(w, w.test, email)).code ?? '')

  await begin({ prompt: 'create' })
  await survives(page, 'sign-up')
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill('a memorable sentence')
  await go('create-account')
  await survives(page, 'code')
  await typeCode()
  await go('continue')
  await survives(page, 'enrol-totp')
  const secret = await secretOfApp(page)
  await page.locator('[name=code]').fill(appCode(secret, w.now()))
  await go('continue')
  await survives(page, 'recovery-codes')
  await go('continue')
  await survives(page, 'consent')
  await go('confirm')
  await isBack()

  await begin({ prompt: 'select_account' })
  await survives(page, 'select-account')
  await begin({ prompt: 'login' })
  await survives(page, 'sign-in')
  await page.locator('[data-action=forgot-password]').click()
  await survives(page, 'forgot-password')
  await page.locator('[name=email]').fill(email)
  await go('continue')
  await page.locator('main', { hasText: email }).waitFor()
  await page.goto((await newestMail(w, w.test, email)).link ?? '')
  await survives(page, 'link')
  await go('confirm')
  await survives(page, 'new-password')
  await page.locator('[name=password]').fill('another memorable sentence')
  await go('continue')
  await page.locator('main[data-step=new-password] a[data-action=continue]').waitFor()

  w.advance(60)
  await begin({ prompt: 'login' })
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill('another memorable sentence')
  await go('password')
  await survives(page, 'second-factor')
  await go('use-recovery-code')
  await page.locator('[name=recovery_code]').waitFor()
  await survives(page, 'second-factor')
  await page.goto(page.url().replace('&use=recovery_code', ''))
  await page.locator('[name=code]').fill(appCode(secret, w.now()))
  await go('continue')
  await isBack()

  await page.goto(`${w.test.issuer}/account`)
  await survives(page, 'account')
})

test('every page of the account, and the sign-out', { skip: noBrowser }, async (t) => {
  const page = await (await (await launchForTests(t)).newContext()).newPage()
  await w.changeSettings(w.test, { mfa: { mode: 'optional' } })
  const person = await w.createUser(w.test)
  await page.goto(`${w.test.issuer}/account`)
  const signIn = async () => {
    await page.locator('[name=email]').fill(person.email)
    await page.locator('[name=password]').fill(person.password)
    await page.locator('button[data-action=password]').click()
  }
  await signIn()
  await isAt(page, 'account')
  for (const action of ['change-name', 'change-email', 'change-password', 'add-totp', 'export', 'delete-account', 'confirm-email']) {
    await page.goto(`${w.test.issuer}/account?action=${action}`)
    await survives(page, 'account')
  }
  await page.goto(`${w.test.issuer}/oauth/logout`)
  await survives(page, 'sign-out')
  await page.locator('button[data-action=sign-out]').click()
  await isAt(page, 'signed-out')
  const text = await shown(page)
  await page.goto(`${w.base_url}/`)
  await page.goBack()
  assert.equal(await shown(page), text)
  await page.reload()
  assert.equal(await shown(page), text)
})
