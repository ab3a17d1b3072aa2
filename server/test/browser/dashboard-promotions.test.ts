/** Promotions in the dashboard: from the comparison to a plan, to Live, and back. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { administratorToken, joinTenant } from '../support/administrator.ts'
import { noBrowser } from '../support/chromium.ts'
import { signInForTokens } from '../support/cookie-browser.ts'
import {
  button,
  dashboardFolder,
  dashboardPath,
  loseAnswer,
  openDashboard,
  press,
  show,
  slugOf,
  tabTo,
} from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, owner, type TestEnvironment, type World, world } from '../support/world.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const usual = { width: 1280, height: 900 }

/** A world whose Test differs from Live in settings and has an application that Live lacks. */
async function differing() {
  const w = await world({ dashboard_folder: dashboardFolder })
  const project = w.test.path.split('/environments')[0] ?? ''
  await w.changeSettings(w.test, { tokens: { access_token_ttl_seconds: 900 }, password: { min_length: 14 } })
  await w.createApplication(w.test, { slug: 'shop', name: 'Shop', redirect_uris: ['http://localhost:8080/cb'] })
  const plan = async (body: object = {}) =>
    expectStatus(
      201,
      await w.call('POST', `${project}/promotions`, { body: { from_environment_id: w.test.id, to_environment_id: w.live.id, ...body } }),
    )
  const base = w.base_url + dashboardPath(await slugOf(w))
  return { w, project, plan, base, at: (id: string) => `${base}/promotions/${id}` }
}

const settingsOf = async (w: World, { path }: TestEnvironment) => expectStatus(200, await w.call('GET', `${path}/settings`))

test('what is ticked becomes a plan, is applied with the values of Live, and is taken back', { skip: noBrowser }, async (t) => {
  const { w, base, project, at } = await differing()
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const row = (name: string | RegExp) => page.getByRole('row', { name })

  await t.test('the comparison has what the service says, and closes what Live would refuse', async () => {
    await w.changeSettings(w.test, { sign_in: { email_code: true } }) // Live has no mail
    await show(page, `${base}/test/test-and-live`, 'Test and Live')
    await row(/Access token 15 min 1 h Differs/).waitFor()
    await row(/Shop.*Exists Missing Missing in Live/).waitFor()
    const refused = page.getByLabel('Take Emailed code to Live')
    assert.equal(await refused.isDisabled(), true)
    await row(/Emailed code Live would refuse it/).waitFor()
    assert.deepEqual(await audit(page, 'promotions comparison'), [])
    await page.setViewportSize(usual)
  })

  await t.test('what is meant to differ has a state of its own, with its reason', async () => {
    await page.getByRole('button', { name: 'Actions for Emailed code' }).click()
    await page.getByRole('menuitem', { name: 'Meant to differ…' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Codes only in Test')
    await button(page, 'Mark').click()
    await row(/Emailed code/).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Meant to differ 1' }).click()
    await row(/Emailed code Codes only in Test On Off Meant to differ/).waitFor()
    await page.getByRole('link', { name: /^Differences/ }).click()
  })

  await t.test('what is kept of an object that is gone can be taken out', async () => {
    const { keeps } = expectStatus(200, await w.call('GET', w.live.path))
    const gone = { object: 'application', slug: 'gone', pointer: null, reason: 'Old shop' }
    expectStatus(200, await w.call('PATCH', w.live.path, { body: { keeps: [...keeps, gone] } }))
    await show(page, `${base}/test/test-and-live?show=kept`, 'Test and Live')
    await row(/gone Old shop – – Meant to differ/).waitFor()
    assert.match(
      (await page.locator('.seg [aria-current]').allTextContents()).join(),
      /^Meant to differ \d+$/,
      'one view is the chosen one',
    )
    await page.getByRole('button', { name: 'Actions for gone' }).click()
    await page.getByRole('menuitem', { name: 'No longer meant to differ' }).click()
    await row(/Old shop/).waitFor({ state: 'hidden' })
    assert.deepEqual(expectStatus(200, await w.call('GET', w.live.path)).keeps, keeps)
    await page.getByRole('link', { name: /^Differences/ }).click()
  })

  await t.test('a plan waits for the values that Live needs, and takes no value of Test', async () => {
    await page.getByLabel('Take Access token to Live').check()
    await page.getByLabel('Take Shop to Live').check()
    await button(page, 'Review changes to Live').click()
    await heading(page, 'Plan for Live')
    await page.getByText('1 value is missing').waitFor()
    assert.equal(await button(page, 'Apply to Live').isDisabled(), true)
    const field = page.getByLabel(/^Redirect URIs/)
    assert.equal(await field.inputValue(), '')
    await page.getByText('Test has').first().waitFor()
    assert.deepEqual(await audit(page, 'promotion with a missing value'), [])
    await page.setViewportSize(usual)
    await button(page, 'Give the value').click()
    await page.keyboard.type('https://shop.example.com/cb')
    await button(page, 'Plan with these values').click()
    await page.getByText('1 value is missing').waitFor({ state: 'hidden' })
    assert.equal(await button(page, 'Apply to Live').isEnabled(), true)
    await row(/Access token 1 h 15 min/).waitFor()
    assert.equal(await page.getByText('Minimum length').count(), 0, 'what was not ticked is not planned')
  })

  let secret = ''
  await t.test('after the apply the secret is shown once, and the application is switched on', async () => {
    await button(page, 'Apply to Live').click()
    await page.getByText('Copy the secret now').waitFor()
    secret = (await page.locator('.once code').textContent()) ?? ''
    assert.deepEqual(await audit(page, 'promotion secrets'), [])
    await page.setViewportSize(usual)
    const download = page.waitForEvent('download')
    await button(page, 'Download').click()
    assert.equal(await readFile(await (await download).path(), 'utf8'), `SHOP_CLIENT_SECRET=${secret}\n`)
    await page.getByLabel('I have stored these secrets').check()
    await button(page, 'Done').click()
    await heading(page, 'Promotion to Live')
    await page.getByRole('button', { name: /^Switch on in Live/ }).click()
    await page.getByRole('listitem').filter({ hasText: 'Shop' }).getByText('On', { exact: true }).waitFor()
  })

  await t.test('a person signs in to it in Live', async () => {
    const [client] = expectStatus(200, await w.call('GET', `${w.live.path}/applications?slug=shop`)).data
    const user = await w.createUser(w.live)
    await signInForTokens(w, w.live, { ...client, client_secret: secret }, { user })
    assert.equal((await settingsOf(w, w.live)).tokens.access_token_ttl_seconds, 900)
  })

  await t.test('a revert shows what changed since, and leaves it as it is now', async () => {
    await button(page, 'Revert…').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('1 thing has changed since').waitFor()
    assert.equal(await button(page, 'Revert').isDisabled(), true)
    assert.deepEqual(await audit(page, 'promotion revert'), [])
    await page.setViewportSize(usual)
    await dialog.getByLabel('Leave it as it is now: Shop').check()
    await dialog.getByRole('row', { name: /Access token 15 min 1 h/ }).waitFor()
    await dialog.getByText('1 thing has changed since').waitFor({ state: 'hidden' })
    await button(page, 'Revert').click()
    await page.getByText(/Reverted by/).waitFor()
    assert.equal((await settingsOf(w, w.live)).tokens.access_token_ttl_seconds, 3_600)
    assert.equal(expectStatus(200, await w.call('GET', `${w.live.path}/applications?slug=shop`)).data.length, 1)
    assert.deepEqual(await audit(page, 'promotion reverted'), [])
    await page.setViewportSize(usual)
  })

  await t.test('the list has it, its id opens it, and the audit log leads to it', async () => {
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await show(page, `${base}/promotions`, 'Promotions')
    await row(/Reverted Test to Live/).waitFor()
    assert.deepEqual(await audit(page, 'promotions'), [])
    await page.setViewportSize(usual)
    await page.goto(`${w.base_url}/dashboard/go/${id}`)
    await page.waitForURL(new RegExp(`/promotions/${id}$`))
    await show(page, `${w.base_url}/dashboard/t/acme/audit-log`, 'Audit log')
    await button(page, `${owner.email} reverted a promotion`).click()
    await page.getByRole('link', { name: 'Open promotion' }).click()
    await page.waitForURL(new RegExp(`/promotions/${id}$`))
    await heading(page, 'Promotion to Live')
  })

  await t.test('a plan of many objects shows the first ones, and more by a button', async () => {
    const many = Array.from({ length: 60 }, (_, n) => [`api-${n}`, { name: `API ${n}`, identifier: `https://api-${n}.example` }])
    const document = { version: 1, resource_servers: Object.fromEntries(many) }
    const body = { document, to_environment_id: w.live.id }
    await show(page, at(expectStatus(201, await w.call('POST', `${project}/promotions`, { body })).id), 'Plan for Live')
    const objects = page.getByRole('region', { name: 'Creates' }).getByRole('heading', { level: 3 })
    assert.equal(await objects.count(), 50)
    await page.getByRole('button', { name: /^Show more ?: new objects$/ }).click()
    await objects.nth(59).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Show more/ }).count(), 0)
  })
  assert.deepEqual(faults, [])
})

test('a plan that goes out of date says which end moved, and the next one marks what is new', { skip: noBrowser }, async (t) => {
  const { w, plan, at, project, base } = await differing()
  // The first promotion leaves a state, by which later edits of Live are seen.
  const values = [{ object: 'application', slug: 'shop', pointer: '/redirect_uris', value: ['https://shop.example.com/cb'] }]
  const { id: first } = await plan({ values })
  expectStatus(200, await w.call('POST', `${project}/promotions/${first}/apply`, { body: {} }))
  await w.changeSettings(w.test, { tokens: { access_token_ttl_seconds: 1_800 } })
  const { id } = await plan()
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  await show(page, at(id), 'Plan for Live')
  await w.changeSettings(w.live, { password: { min_length: 20 } })
  await button(page, 'Apply to Live').click()
  await page.getByText('Live has changed since this plan').waitFor()
  assert.equal(await button(page, 'Apply to Live').isDisabled(), true)
  assert.deepEqual(await audit(page, 'promotion out of date'), [])
  await page.setViewportSize(usual)

  await button(page, 'Plan again').first().click()
  await page.waitForURL(/earlier=/)
  await page.getByText('New in this plan', { exact: true }).waitFor()
  await page.getByText(/1 change made in Live would be replaced/).waitFor()
  assert.deepEqual(await audit(page, 'promotion with an edit in Live'), [])
  await page.setViewportSize(usual)
  const planned = page.url()
  await page.getByRole('button', { name: /^Leave it out/ }).click()
  await page.getByText('No longer in it: Minimum length.').waitFor()
  assert.equal(await button(page, 'Apply to Live').isEnabled(), true)
  await show(page, planned, 'Plan for Live')
  await page.getByLabel('Replace it: Settings: Minimum length').check()
  await button(page, 'Apply to Live').click()
  await heading(page, 'Promotion to Live')
  const { password, tokens } = await settingsOf(w, w.live)
  assert.deepEqual([password.min_length, tokens.access_token_ttl_seconds], [14, 1_800])

  await t.test('the overview opens the newest plan that waits, else the comparison', async () => {
    const step = page.getByRole('listitem').filter({ hasText: 'Bring it to Live' })
    await w.changeSettings(w.test, { password: { min_length: 12 } })
    await show(page, `${base}/test`, /^Project/)
    await step.getByRole('link', { name: 'Compare' }).waitFor()
    const { id } = await plan()
    await show(page, `${base}/test`, /^Project/)
    await step.getByRole('link', { name: 'Open the plan' }).click()
    await page.waitForURL(new RegExp(`/promotions/${id}$`))
  })

  await t.test('the configuration is a file, and the page has the commands that keep one', async () => {
    await show(page, `${base}/test/test-and-live`, 'Test and Live')
    await button(page, 'As a file').click()
    await page.getByText(/ostiary pull --project .* --env test --file test\.yaml/).waitFor()
    assert.deepEqual(await audit(page, 'configuration as a file'), [])
    await page.setViewportSize(usual)
    const download = page.waitForEvent('download')
    await button(page, 'Download JSON').click()
    const document = JSON.parse(await readFile(await (await download).path(), 'utf8'))
    assert.deepEqual([document.environment, document.settings.password.min_length], ['test', 12])
  })
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
})

const shop_values = [{ object: 'application', slug: 'shop', pointer: '/redirect_uris', value: ['https://shop.example.com/cb'] }]

test('the secrets of an apply are shown, although another reading says first that it is applied', { skip: noBrowser }, async (t) => {
  const { w, plan, at } = await differing()
  const { id } = await plan({ values: shop_values })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  await page.goto('about:blank') // the open page would be in 1970 for a moment, and ask for a range from there
  await page.clock.install()
  await show(page, at(id), 'Plan for Live')
  await button(page, 'Apply to Live').waitFor()

  const one = new RegExp(`/promotions/${id}$`)
  const [asked, reading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(one, async (route) => {
    asked.resolve()
    await reading.promise
    await route.continue()
  })
  await page.clock.fastForward(10_000)
  await asked.promise
  const [applied, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(new RegExp(`/promotions/${id}/apply$`), async (route) => {
    const response = await route.fetch()
    applied.resolve()
    await answer.promise
    await route.fulfill({ response })
  })
  await button(page, 'Apply to Live').click()
  await applied.promise
  reading.resolve()
  await heading(page, 'Promotion to Live')
  assert.equal(await page.getByText('Copy the secret now').count(), 0)
  answer.resolve()
  await page.getByText('Copy the secret now').waitFor()
  assert.match((await page.locator('.once code').textContent()) ?? '', /./)
  await page.getByLabel('I have stored these secrets').check()
  await button(page, 'Done').click()
  assert.equal(await page.getByText('was lost on the way').count(), 0)
  assert.deepEqual(faults, [])
})

test('a lost answer is said only where it had secrets, and names what to rotate', { skip: noBrowser }, async (t) => {
  const { w, plan, at } = await differing()
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  await loseAnswer(page, /\/apply$/)
  const { id: without } = await plan({ only: [{ object: 'settings' }] })
  await show(page, at(without), 'Plan for Live')
  await button(page, 'Apply to Live').click()
  await heading(page, 'Promotion to Live')
  await page.locator('#page-title:focus').waitFor()
  assert.equal(await page.getByText('was lost on the way').count(), 0)

  await loseAnswer(page, /\/apply$/)
  const { id } = await plan({ values: shop_values })
  await show(page, at(id), 'Plan for Live')
  await button(page, 'Apply to Live').click()
  await page.getByText(/Nobody has them: rotate the secret of Shop\./).waitFor()
})

test('a plan that is refused says why, although no value is left', { skip: noBrowser }, async (t) => {
  const { w, plan, at } = await differing()
  const { id } = await plan({ values: shop_values })
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  await show(page, at(id), 'Plan for Live')
  const body = JSON.stringify({ code: 'rate_limited', detail: 'Too many plans.', request_id: 'req_1' })
  const headers = { 'retry-after': '30', 'content-type': 'application/problem+json' }
  await page.route(/\/promotions$/, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 429, headers, body }) : route.fallback(),
  )
  await page.getByLabel(/^Redirect URIs/).fill('')
  await button(page, 'Plan with these values').click()
  await page.getByRole('alert').getByText('Too many plans.').waitFor()

  await page.unroute(/\/promotions$/)
  await page.getByLabel(/^Redirect URIs/).fill('https://shop.example.com/other')
  await button(page, 'Plan with these values').click()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  await page.getByRole('alert').waitFor({ state: 'hidden' })
})

test('what changes while the revert is read is shown as a conflict, and is left as it is', { skip: noBrowser }, async (t) => {
  const { w, plan, at, project } = await differing()
  const { id } = await plan({ only: [{ object: 'settings' }] })
  expectStatus(200, await w.call('POST', `${project}/promotions/${id}/apply`, { body: {} }))
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  await show(page, at(id), 'Promotion to Live')
  await button(page, 'Revert…').click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('row', { name: /Minimum length/ }).waitFor()
  await w.changeSettings(w.live, { password: { min_length: 20 } })
  await button(page, 'Revert').click()
  await dialog.getByText('Nothing is reverted: Live has changed since this was read.').waitFor()
  await dialog.getByText('1 thing has changed since').waitFor()
  await dialog.getByLabel('Leave it as it is now: Minimum length').check()
  await button(page, 'Revert').click()
  await page.getByText(/Reverted by/).waitFor()
  const { password, tokens } = await settingsOf(w, w.live)
  assert.deepEqual([password.min_length, tokens.access_token_ttl_seconds], [20, 3_600])
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
})

test('a second administrator approves a plan to Live, and a developer cannot apply it', { skip: noBrowser }, async (t) => {
  const { w, at, project, base } = await differing()
  const token = await administratorToken(w, owner)
  const people = { grace: await createAdministrator(w, 'grace@example.com'), devi: await createAdministrator(w, 'devi@example.com') }
  await joinTenant(w, { tenant_id: w.tenant_id, token }, people.grace, 'admin')
  await joinTenant(w, { tenant_id: w.tenant_id, token }, people.devi, 'developer')
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)

  await show(page, `${base}/promotions`, 'Promotions')
  await button(page, 'Need approvals for Live').click()
  await page.getByText('Needed for Live').waitFor()
  await show(page, `${base}/test/test-and-live`, 'Test and Live')
  await page.getByLabel('Take Access token to Live').check()
  await button(page, 'Review changes to Live').click()
  await heading(page, 'Plan for Live')
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.getByText('Needs another administrator.', { exact: true }).waitFor()
  await page.getByText('You planned this. Needs another administrator').waitFor()
  assert.equal(await button(page, 'Approve').isDisabled(), true)
  assert.deepEqual(await audit(page, 'promotion before an approval'), [])
  await page.setViewportSize(usual)

  const developer = await openDashboard(w, browser, people.devi)
  await show(developer.page, at(id), 'Plan for Live')
  await developer.page.getByText('Needs the role admin.').first().waitFor()
  assert.equal(await button(developer.page, 'Apply to Live').isDisabled(), true)

  const second = await openDashboard(w, browser, people.grace)
  await show(second.page, at(id), 'Plan for Live')
  await button(second.page, 'Approve').click()
  await second.page.getByText('Approved', { exact: true }).waitFor()
  await button(second.page, 'Apply to Live').click()
  await heading(second.page, 'Promotion to Live')
  await until('the change of Live', async () => (await settingsOf(w, w.live)).tokens.access_token_ttl_seconds === 900)
  const { approval, applied_by } = expectStatus(200, await w.call('GET', `${project}/promotions/${id}`))
  assert.deepEqual([approval.approved_by.label, applied_by.label], [people.grace.email, people.grace.email])
  await heading(page, 'Promotion to Live') // the other page reads it again by itself
  assert.deepEqual([...faults, ...developer.faults, ...second.faults], [])
})

test('from the comparison to Live and back by the keyboard alone', { skip: noBrowser }, async (t) => {
  const { w, base } = await differing()
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const { keyboard } = page
  await show(page, `${base}/test/test-and-live`, 'Test and Live')
  await page.locator('#page-title').focus()
  await tabTo(page, '', '[aria-label="Take Access token to Live"]')
  await keyboard.press('Space')
  await tabTo(page, '', '[aria-label="Take Shop to Live"]')
  await keyboard.press('Space')
  await press(page, 'Review changes to Live')
  await heading(page, 'Plan for Live')
  await page.locator('#page-title:focus').waitFor()
  await tabTo(page, 'Redirect URIs')
  await keyboard.type('https://shop.example.com/cb')
  await press(page, 'Plan with these values')
  await page.getByText('1 value is missing').waitFor({ state: 'hidden' })
  await page.locator('#page-title:focus').waitFor()
  await press(page, 'Apply to Live')
  await page.getByText('Copy the secret now').waitFor()
  await tabTo(page, 'I have stored these secrets')
  await keyboard.press('Space')
  await press(page, 'Done')
  await heading(page, 'Promotion to Live')
  await tabTo(page, 'Revert…')
  await keyboard.press('Enter')
  await page.getByRole('alertdialog').locator(':focus').waitFor()
  await page.getByRole('heading', { name: 'Is deleted' }).waitFor()
  await tabTo(page, 'Revert', '.danger:enabled')
  await keyboard.press('Enter')
  await page.getByText(/Reverted by/).waitFor()
  await keyboard.press('Control+k')
  await page.locator('[role=combobox]:focus').waitFor()
  await keyboard.type('promotions')
  await keyboard.press('Enter')
  await heading(page, 'Promotions')
  assert.deepEqual(faults, [])
})
