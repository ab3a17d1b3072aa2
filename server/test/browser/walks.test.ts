/**
 * The main walks of a person and of an administrator, without what only Chromium can show (virtual authenticators, audits). `.ci/run` also
 * runs this file in Debian's Firefox.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { appCode, wrongCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest, exchange } from '../support/cookie-browser.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { launchForTests } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const email = 'ada@example.com'
const password = 'an engine of brass'
const totp_step_seconds = 30

test('a person signs up, enrols a second factor, signs in with it and manages the account', { skip: noBrowser }, async (t) => {
  const w = await world()
  await w.changeSettings(w.test, { sign_in: { email_code: true }, mfa: { mode: 'optional' } })
  const landing = await startClientServer(t)
  const client = await w.createApplication(w.test, { consent: 'ask', redirect_uris: [`${landing.origin}/callback`] })
  const browser = await launchForTests(t)
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  const act = (action: string) => page.locator(`main [data-action=${action}]`).first().click()
  const submit = (action: string) => page.locator(`main button[data-action=${action}]`).click()
  const enter = (name: string, value: string) => page.locator(`main [name=${name}]`).fill(value)
  const at = (step: string) => page.locator(`main[data-step=${step}]`).waitFor()
  const enterMailedCode = async () => {
    await at('code')
    await enter('code', (await newestMail(w, w.test, email)).code ?? '')
    await submit('continue')
  }
  const begin = async (change = {}) => {
    const request = authorizationRequest(w.test, client, change)
    await page.goto(request.url)
    return request
  }
  /** Exchanges the code that came back, and returns the claims of the ID token. */
  const comesBack = async (request: Awaited<ReturnType<typeof begin>>) => {
    await page.getByRole('heading', { name: 'Landed' }).waitFor()
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const { id_token } = expectStatus(200, await exchange(w, w.test, client, { request, code }))
    return JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
  }

  await t.test('sign-up with a mailed code, then consent', async () => {
    const request = await begin()
    await at('sign-in')
    await act('create-account')
    await at('sign-up')
    await enter('email', email)
    await enter('password', password)
    await submit('create-account')
    await enterMailedCode()
    await at('consent')
    await submit('confirm')
    await comesBack(request)
  })

  let secret = ''
  await t.test('the account page enrols an authenticator app and signs out', async () => {
    await page.goto(`${w.test.issuer}/account`)
    await at('account')
    await act('add-totp')
    secret = (await page.locator('main code').first().innerText()).replaceAll(' ', '')
    await enter('code', appCode(secret, w.now()))
    await submit('add-totp')
    await page.locator('[data-recovery-code]').first().waitFor()
    await act('continue')
    await at('account')
    await page.locator('button[data-action=sign-out]').click()
    await at('signed-out')
  })

  for (const [method, amr] of [
    ['password', 'pwd'],
    ['email-code', 'otp'],
  ] as const)
    await t.test(`sign-in by ${method} with the second factor, after a wrong code`, async () => {
      w.advance(totp_step_seconds)
      const request = await begin({ prompt: 'login' })
      await at('sign-in')
      await enter('email', email)
      if (method === 'password') await enter('password', password)
      await act(method)
      if (method === 'email-code') await enterMailedCode()
      await at('second-factor')
      await enter('code', wrongCode(secret, w.now()))
      await submit('continue')
      await page.locator('main [aria-invalid=true]').waitFor()
      await enter('code', appCode(secret, w.now()))
      await submit('continue')
      const claims = await comesBack(request)
      assert.deepEqual([claims.amr.includes(amr), claims.amr.includes('mfa')], [true, true])
    })
  assert.deepEqual(faults, [])
})

test('an administrator creates a key, moves through the palette, and goes from Test to Live', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const { page, faults } = await openDashboard(w, await launchForTests(t), owner)
  const home = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  await show(page, home, 'Project shop')
  await page.getByRole('heading', { level: 2, name: 'Activity' }).waitFor()

  await t.test('a key is shown once and works', async () => {
    await openPage(page, 'API keys')
    await button(page, 'Create key').click()
    const dialog = page.getByRole('dialog', { name: 'Create a key' })
    await dialog.getByRole('radio', { name: /^Secret/ }).check()
    await dialog.getByLabel(/^Label/).pressSequentially('orders') // over BiDi `fill` changes no field of React
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Copy the key now').waitFor()
    const key = (await page.locator('.once code').textContent()) ?? ''
    assert.equal(expectStatus(200, await w.call('GET', '/v1/api-keys/whoami', { key })).label, 'orders')
    await page.getByLabel('I have stored this key').check()
    await button(page, 'Done').click()
    await button(page, 'orders').waitFor()
  })

  await t.test('the arrow keys move through the palette, and Enter opens the chosen page', async () => {
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
    const options = page.getByRole('option')
    await page.locator('[role=option][aria-selected=true]').waitFor()
    assert.equal(await options.first().getAttribute('aria-selected'), 'true')
    await page.keyboard.type('webhooks')
    await page.getByRole('option', { selected: true, name: /^Webhooks/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  })

  await t.test('Live has the same page, a band of its own, and none of the keys of Test', async () => {
    await openPage(page, 'API keys')
    const environments = page.getByRole('navigation', { name: 'Environment' })
    await environments.getByRole('link', { name: 'Live' }).click()
    await page.waitForURL(/\/live\/api-keys$/)
    await page.locator('.band.live').waitFor()
    await page.getByText('A key lets your code call Ostiary').waitFor()
    await environments.getByRole('link', { name: 'Test' }).click()
    await button(page, 'orders').waitFor()
  })
  assert.deepEqual(faults, [])
})

async function openPage(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}
