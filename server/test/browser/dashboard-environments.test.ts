/** The pages about whole environments: Test and Live side by side, the charts, and the pages of operators. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { authorizationRequest, createAgent, signInForTokens } from '../support/cookie-browser.ts'
import { button, dashboardFolder, dashboardPath, openDashboard, show, slugOf, tabTo } from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, owner, world } from '../support/world.ts'

test('Test and Live stand side by side, and each open check leads to a page of Live', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const settings = async (body: unknown, { path } = w.live) => expectStatus(200, await w.call('PATCH', `${path}/settings`, { body }))
  const application = { name: 'Shop', slug: 'shop', application_type: 'web', redirect_uris: ['https://shop.example.com/cb'] }
  for (const { path } of [w.test, w.live]) expectStatus(201, await w.call('POST', `${path}/applications`, { body: application }))
  const [shop] = expectStatus(200, await w.call('GET', `${w.test.path}/applications?slug=shop`)).data
  expectStatus(200, await w.call('PATCH', `${w.test.path}/applications/${shop.id}`, { body: { consent: 'ask' } }))
  await w.createApplication(w.test, { name: 'Meal Planner' })
  await settings(
    { tokens: { access_token_ttl_seconds: 900 }, sign_in: { passkey: true }, links: { terms_url: 'https://a.test/terms' } },
    w.test,
  )

  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const url = `${w.base_url}${dashboardPath(await slugOf(w))}/test/test-and-live`
  await show(page, url, 'Test and Live')
  const row = (name: string | RegExp) => page.getByRole('row', { name })

  await t.test('each row has its state, and only differences can be taken to Live', async () => {
    await row(/Access token 15 min 1 h Differs/).waitFor()
    await row(/Terms.*Missing in Live/).waitFor()
    await row(/Meal Planner.*Exists Missing Missing in Live/).waitFor()
    assert.equal(await row(/Session unused/).count(), 0, 'what is the same is not among the differences')
    const ticks = await page.getByRole('checkbox', { name: /^Take (?!all)/ }).count()
    assert.equal(ticks, (await page.getByText('Differs', { exact: true }).count()) + 1, 'what differs, and the application that Live lacks')
    assert.deepEqual(await audit(page, 'test and live'), [])
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  await t.test('each open check of "Ready for Live?" leads to a page of Live', async () => {
    const links = page.locator('.go a')
    for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))) {
      assert.match(href, /^\/dashboard\/t\/acme\/(p\/[^/]+\/live(\/|$)|members$)/)
    }
    await page.getByRole('link', { name: 'Mail settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    assert.match(await page.title(), /^\[Live\]/)
  })
  await t.test('charts show the counters, bar by bar by keyboard, and as a table', async () => {
    const user = await w.createUser(w.test)
    const client = await w.createApplication(w.test)
    await signInForTokens(w, w.test, client, { user })
    const agent = createAgent()
    const form = await agent.get(authorizationRequest(w.test, client).url)
    await agent.submit(form, { email: user.email, password: 'wrong', method: 'password' })
    await w.deployment.refused_calls.write()
    await w.deployment.counters.write()

    await show(page, url.replace('/test-and-live', ''), 'Project shop')
    await page.getByText('1 active person, 1 sign-in, 1 failure.').waitFor()
    const in_words = page.getByRole('list', { name: 'Failures by reason' })
    await in_words.getByText('1 Wrong password').waitFor()
    assert.equal(await page.getByRole('slider').count(), 0, 'one hour with counts needs no chart')
    for (const passkeys of [2, 3]) {
      w.advance(3_600)
      for (let n = 0; n < passkeys; n++) w.deployment.counters.count(w.test.id, 'sign_in', 'passkey.succeeded')
      w.deployment.counters.count(w.test.id, 'refused_call', 'wrong_password')
      await w.deployment.counters.write()
    }
    await show(page, url.replace('/test-and-live', ''), 'Project shop')
    const chart = page.getByRole('slider', { name: 'Sign-ins by method, bar by bar' })
    await chart.focus()
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /: 3 passkey, 0 password/)
    await page.keyboard.press('Home')
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /: no sign-ins/)
    await page.getByText('Show as table: Sign-ins by method').click()
    assert.equal(await page.getByRole('table', { name: 'Sign-ins by method' }).getByRole('row').count(), 4)
    assert.deepEqual(await audit(page, 'charts of the overview'), [])
    await page.setViewportSize({ width: 1280, height: 900 })

    await page.getByRole('link', { name: 'All events' }).focus()
    await tabTo(page, '', 'time')
    await page.getByRole('tooltip', { name: /\.\d{3}Z$/ }).waitFor() // the exact time, without a pointer
    assert.deepEqual(await audit(page, 'exact time'), [])
    await page.setViewportSize({ width: 1280, height: 900 })
    await show(page, `${url.replace('/test-and-live', '')}?range=30d`, 'Project shop')
    await page.getByText('1 active person, 6 sign-ins, 3 failures.').waitFor()
    await show(page, url.replace('test-and-live', 'calls'), 'Calls')
    const refusals = page.getByRole('slider', { name: 'Refused calls by reason, bar by bar' })
    await refusals.waitFor()
    const [list, below] = [
      await page.getByRole('table', { name: 'Refused calls', exact: true }).boundingBox(),
      await refusals.boundingBox(),
    ]
    assert.ok(list && below && list.y < below.y, 'the list comes first')
    assert.deepEqual(await audit(page, 'charts of calls'), [])
  })
  assert.deepEqual(faults, [])
})

test(
  'operators reach the pages of the deployment from the top bar, and change there what the API lets them',
  { skip: noBrowser },
  async (t) => {
    const w = await world({ dashboard_folder: dashboardFolder })
    const browser = await launchForTests(t)
    const { page, faults } = await openDashboard(w, browser, owner)
    await page.getByRole('link', { name: 'Deployment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Deployment' }).waitFor()
    await page.getByRole('heading', { level: 2, name: 'Administrators', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    const base = page.url().replace(/\/deployment$/, '')

    await t.test('on a phone the link stands in the drawer, and leaves the bar to the project', async () => {
      await page.setViewportSize({ width: 390, height: 844 })
      await show(page, `${w.base_url}/dashboard/t/acme`, 'Projects')
      assert.equal(await page.getByRole('link', { name: 'Deployment' }).count(), 0)
      await button(page, 'Open navigation').click()
      await page.getByRole('dialog', { name: 'Pages' }).getByRole('link', { name: 'Deployment' }).click()
      await page.getByRole('heading', { level: 1, name: 'Deployment' }).waitFor()
      await page.setViewportSize({ width: 1280, height: 900 })
    })

    await t.test('the sidebar has only what operators manage', async () => {
      const links = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link')
      const names = (await links.allTextContents()).map((name) => name.trim())
      for (const absent of ['Overview', 'Applications', 'API keys', 'Webhooks', 'Projects', 'Platform keys', 'Test and Live'])
        assert.ok(!names.includes(absent), absent)
      for (const present of ['Deployment', 'Administrators', 'Settings', 'Providers', 'Operators', 'Audit log'])
        assert.ok(names.includes(present), present)
      assert.deepEqual(await audit(page, 'deployment'), [])
      await page.setViewportSize({ width: 1280, height: 900 })
    })

    // biome-ignore format: this table is read by column
    const buttons: [string, string | RegExp, string, boolean][] = [
    ['users',        'Administrators', 'Add user',      false],
    ['applications', 'Applications', 'New application', false],
    ['api-keys',     'API keys',     'Create key',      false],
    ['providers',    'Providers',    'Add provider',    true],
  ]
    for (const [path, heading, name, is_enabled] of buttons)
      await t.test(`${name} is ${is_enabled ? 'offered' : 'closed, with the reason'}`, async () => {
        await show(page, `${base}/${path}`, heading)
        const main = page.getByRole('main') // the button is in the head, or in the empty list
        assert.equal(await main.getByRole('button', { name: new RegExp(`^${name}`) }).isEnabled(), is_enabled)
        assert.equal(await main.getByText('Not in the deployment itself').count(), is_enabled ? 0 : 1)
      })

    await t.test('a change of the methods reaches the environment of administrators', async () => {
      await show(page, `${base}/settings`, 'Settings')
      await page.getByLabel('Minimum length').fill('14')
      await button(page, 'Review').click()
      await button(page, 'Save').click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await show(page, `${base}/settings`, 'Settings')
      assert.equal(await page.getByLabel('Minimum length').inputValue(), '14')
    })
    assert.deepEqual(faults, [])
  },
)

test('what was edited in Test is never saved to Live, and leaving it asks first', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const settings = async ({ path }: { path: string }, change?: unknown) =>
    expectStatus(200, await w.call(change ? 'PATCH' : 'GET', `${path}/settings`, change ? { body: change } : {}))
  await settings(w.test, { branding: { display_name: 'Bakery in Test' }, email: { from: 'test@example.com' } })
  await settings(w.live, { branding: { display_name: 'Bakery' }, email: { from: 'live@example.com' } })
  const versionOf = async ({ path }: { path: string }) => (await w.call('GET', `${path}/settings`)).headers.get('etag')
  assert.equal(await versionOf(w.test), await versionOf(w.live), 'a version says nothing about the object that it belongs to')

  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = w.base_url + dashboardPath(await slugOf(w))
  const toLive = () => page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Live' }).click()
  const asked: string[] = []
  let answer = false
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void (answer ? dialog.accept() : dialog.dismiss())
  })

  await t.test('the form of Live has the values of Live', async () => {
    await show(page, `${base}/test/settings`, 'Settings')
    assert.equal(await page.getByLabel('Sender').inputValue(), 'test@example.com')
    await toLive()
    await page.waitForURL(/\/live\/settings$/)
    await page.locator('[aria-label=Environment].band.live').waitFor()
    await page.getByLabel('Sender').waitFor()
    assert.equal(await page.getByLabel('Sender').inputValue(), 'live@example.com')
    assert.deepEqual(asked, [], 'nothing was edited')
  })

  await t.test('unsaved changes stay until the person agrees to lose them, once for all forms of the page', async () => {
    await show(page, `${base}/test/settings`, 'Settings')
    await page.getByLabel('Sender').fill('edited@example.com')
    await page.getByLabel('Minimum length').fill('14')
    await button(page, 'Review').waitFor()
    await toLive()
    await until('the question', () => asked.length === 1)
    assert.match(page.url(), /\/test\/settings$/)
    assert.equal(await page.getByLabel('Sender').inputValue(), 'edited@example.com')

    answer = true
    await toLive()
    await page.waitForURL(/\/live\/settings$/)
    await page.getByLabel('Sender').waitFor()
    assert.equal(asked.length, 2)
    assert.equal(await page.getByLabel('Sender').inputValue(), 'live@example.com')
    assert.equal(await button(page, 'Review').count(), 0)
    assert.equal(await button(page, 'Save mail').isDisabled(), true)
  })
  assert.deepEqual(faults, [])
})
