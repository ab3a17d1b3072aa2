/** The documentation in a browser: its pages pass the audit, the search works by keyboard and without scripts, and code can be copied. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../support/chromium.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

const w = await world()
const at = (path: string) => w.reach(w.base_url + path)

const pages: [name: string, path: string][] = [
  ['documentation', '/docs'],
  ['quick start', '/docs/quick-start'],
  ['operating guide', '/docs/operate'],
  ['results of a search', '/docs/search?q=redirect_uri'],
  ['a search without results', '/docs/search?q=xyzzyplugh'],
  ['code in many languages', '/docs/guides/django'],
  ['an example for operators', '/docs/packaging/compose.yaml'],
  ['what is not here', '/docs/not-here'],
  ['a group of settings', '/docs/settings/sessions'],
  ['API reference', '/docs/api'],
  ['group of the API reference', '/docs/api/users'],
  ['errors', '/docs/errors'],
  ['a code of both', '/docs/errors/insufficient_scope'],
]

/** The lists of the overview have 2,000 elements, on which axe takes long. All come from the same functions, so some are audited. */
const shorten = `document.querySelectorAll('.calls>li, .names>li, .codes tbody>tr').forEach((line, i) => i % 8 === 0 || line.remove())`

async function open(page: Page, path: string): Promise<string[]> {
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(at(path))
  return errors
}

test('the documentation passes the audit', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  for (const [name, path] of pages)
    await t.test(name, async () => {
      const page = await browser.newPage()
      const errors = await open(page, path)
      await page.evaluate(shorten)
      assert.deepEqual([...(await audit(page, name)), ...errors], [])
      await page.close()
    })

  await t.test('the search opens by its key, shows results while typing, and leads to one by the arrow keys', async () => {
    const page = await browser.newPage()
    const errors = await open(page, '/docs/concepts')
    await page.keyboard.press('/')
    await page.keyboard.type('slug_taken')
    await page.getByRole('link', { name: 'slug_taken' }).first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('/docs/errors/slug_taken'))
    await page.keyboard.press('/')
    await page.keyboard.type('webhook')
    await page.getByRole('list', { name: 'Results' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('list', { name: 'Results' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+a')
    await page.keyboard.type('xyzzyplugh')
    await page.getByRole('link', { name: 'Nothing found' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('/docs/not-here'))
    assert.deepEqual(errors, [])
    await page.close()
  })

  await t.test('a button copies a block of code', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(at('/docs/quick-start'))
    await page.getByRole('button', { name: 'Copy: File setup.mjs' }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^import \{ readFileSync[\s\S]*\)\n$/)
    await context.close()
  })
})

test('without scripts the search is a form, and the contents lead to every operation', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(at('/docs'))
  await page.getByRole('searchbox').fill('redirect_uri')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText(/sections found/).waitFor()
  await page.goto(at('/docs/api/projects'))
  await page.getByRole('navigation').getByRole('link', { name: 'createProject', exact: true }).click()
  assert.equal(new URL(page.url()).hash, '#createProject')
  assert.match((await page.locator('#createProject').textContent()) ?? '', /curl -X POST "\$BASE_URL\/v1\/platform\/projects"/)
})
