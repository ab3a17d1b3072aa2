/** Screens of the dashboard say what they say once, keep it true, and fold what is not needed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { expectStatus, owner, world } from '../support/world.ts'

test('screens of the dashboard say it once, keep it true and fold the rest', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const tenant = `${w.base_url}/dashboard/t/acme`
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  const provider = (client_id: string) =>
    w.call('POST', `${w.test.path}/providers`, { body: { type: 'github', client_id, client_secret: 'a secret' } })

  await t.test('a time in words moves while the page is open, and nothing else is drawn for it', async () => {
    await page.goto('about:blank') // the open page would be in 1970 for a moment, and ask for a range from there
    await page.clock.install()
    await show(page, `${tenant}/audit-log`, 'Audit log')
    const time = page.locator('main tbody time').first()
    await page.clock.runFor(2_000)
    await page.evaluate(`globalThis.drawn = []
      new MutationObserver((changes) => drawn.push(...changes.map(({ target }) => (target.nodeType === 3 ? target.parentElement : target).localName)))
        .observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true, attributes: true })`)
    const before = await time.textContent()
    await page.clock.runFor(5_000)
    assert.notEqual(await time.textContent(), before)
    assert.deepEqual(await page.evaluate('[...new Set(drawn)]'), ['time'])
    await page.clock.runFor(90_000)
    assert.match((await time.textContent()) ?? '', /^[12] min ago$/)
    await page.clock.resume()
  })

  await t.test('the sidebar has one page Calls, which leads to the calls outside of environments', async () => {
    await show(page, `${base}/calls`, 'Calls')
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Calls', exact: true })
    assert.equal(await links.count(), 1)
    assert.equal(await links.getAttribute('href'), new URL(`${base}/calls`).pathname)
    await page.getByRole('link', { name: 'Outside of environments' }).press('Enter')
    await page.getByText('was refused outside of its environments').waitFor()
    assert.equal(await links.count(), 1)
    assert.equal(await links.getAttribute('href'), new URL(`${tenant}/calls`).pathname)
  })

  await t.test('steps that are not needed are folded, on the overview and beside Test and Live', async () => {
    for (const [path, heading] of [
      ['', /./],
      ['/test-and-live', 'Test and Live'],
    ] as const) {
      await show(page, `${base}${path}`, heading)
      const folded = page.locator('.unneeded').first()
      const summary = folded.locator('summary')
      assert.match((await summary.textContent()) ?? '', /^\d+ not needed here$/)
      assert.equal(await folded.getByRole('listitem').first().isVisible(), false)
      await summary.focus()
      await page.keyboard.press('Enter')
      await folded.getByRole('listitem').first().waitFor()
      assert.deepEqual(await audit(page, `folded ${path}`), [])
    }
  })

  await t.test('two providers with one name differ by their slugs', async () => {
    const [one, other] = [expectStatus(201, await provider('one')), expectStatus(201, await provider('other'))]
    assert.equal(one.display_name, other.display_name)
    await show(page, `${base}/providers`, 'Providers')
    for (const { slug } of [one, other]) {
      const name = `GitHub (${slug})`
      await page.getByRole('cell', { name }).first().waitFor()
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      await page.getByRole('alertdialog', { name: `Delete ${name}?` }).waitFor()
      await page.keyboard.press('Escape')
    }
    assert.deepEqual(await audit(page, 'providers with one name'), [])
  })

  await t.test('settings have their controls in one column, and open what few people need by the keyboard', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await show(page, `${base}/settings`, 'Settings')
    const columns = await page.evaluate(`[...document.querySelectorAll('.settings-rows input:not([type=hidden]), .settings-rows select')]
      .filter((control) => !control.closest('.mail-test, .duration > :last-child, .choices-column'))
      .map((control) => Math.round((control.closest('.duration, .mantine-Input-wrapper, .mantine-Checkbox-inner') ?? control).getBoundingClientRect().left))`)
    assert.equal(new Set(columns as number[]).size, 1, String(columns)) // as: numbers, by the expression
    const more = page.locator('.more', { hasText: 'about Name of a person' })
    assert.equal(await more.getByText('takes no account without a name').isVisible(), false)
    await more.locator('summary').focus()
    await page.keyboard.press('Enter')
    await more.getByText('takes no account without a name').waitFor()
    assert.deepEqual(await audit(page, 'settings opened'), [])
    const link = page.getByRole('link', { name: 'Read more about Sessions' })
    assert.equal((await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href)).status(), 200)
  })

  await t.test('an entry of a creation has what says something, and one of a change has before and after', async () => {
    const application = await w.createApplication(w.test, { name: 'Shop', redirect_uris: ['https://shop.example.com/cb'] })
    await w.call('PATCH', `${w.test.path}/applications/${application.id}`, { body: { name: 'Shop for phones', disabled: true } })
    await show(page, `${tenant}/audit-log`, 'Audit log')
    await page
      .getByRole('row', { name: /created the application/ })
      .first()
      .click()
    const entry = page.getByRole('dialog')
    await entry.getByRole('heading', { name: 'Created with' }).waitFor()
    const values = await entry.locator('.changes dd').allTextContents()
    assert.ok(values.includes('https://shop.example.com/cb'), String(values))
    assert.deepEqual(
      values.filter((value) => ['none', application.id, w.test.id].includes(value)),
      [],
    )
    assert.equal(await entry.getByText('createApplication').isVisible(), false)
    await entry.getByText('Record and JSON').focus()
    await page.keyboard.press('Enter')
    await entry.getByText('createApplication').waitFor()
    assert.deepEqual(await audit(page, 'audit entry of a creation'), [])
    await page.keyboard.press('Escape')
    await page
      .getByRole('row', { name: /changed the application/ })
      .first()
      .click()
    await entry.getByRole('heading', { name: 'What changed' }).waitFor()
    assert.deepEqual(await entry.locator('.sides').allTextContents(), ['before: off→after: on', 'before: Shop→after: Shop for phones'])
    assert.deepEqual(await audit(page, 'audit entry of a change'), [])
    await entry.getByRole('link', { name: 'Shop for phones' }).press('Enter')
    await page.waitForURL(new RegExp(`/applications/${application.id}`))
  })

  assert.deepEqual(faults, [])
})
