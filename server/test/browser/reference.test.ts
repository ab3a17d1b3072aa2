/** The documentation pages in a browser without scripts: the reference, the index of errors and the page of an error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

const w = await world()

const pages: [name: string, path: string][] = [
  ['API reference', '/docs/api'],
  ['errors', '/docs/errors'],
  ['an error of the API', '/docs/errors/validation_failed'],
  ['an error of OAuth', '/docs/errors/invalid_grant'],
  ['a code of both', '/docs/errors/insufficient_scope'],
]

/**
 * The reference has 18,000 elements, on which axe takes minutes. All its sections and schemas come from the same functions, so some of
 * each are audited.
 */
const shorten = `
  const kept = ['tag-users', 'tag-settings', 'tag-openid-connect', 'tag-hosted-pages', 'schemas']
  for (const section of document.querySelectorAll('main>section')) if (!kept.includes(section.getAttribute('aria-labelledby'))) section.remove()
  document.querySelectorAll('[aria-labelledby=schemas]>article').forEach((article, i) => i % 8 === 0 || article.remove())`

test('the documentation passes the audit', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  for (const [name, path] of pages)
    await t.test(name, async () => {
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      await page.goto(w.reach(w.base_url + path))
      await page.evaluate(shorten)
      assert.deepEqual([...(await audit(page, name)), ...errors], [])
      await page.close()
    })
})

test('a link of the contents leads to its operation, without scripts', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(w.reach(`${w.base_url}/docs/api`))
  await page.getByRole('navigation').getByRole('link', { name: 'createProject', exact: true }).click()
  assert.equal(new URL(page.url()).hash, '#createProject')
  assert.match((await page.locator('#createProject').textContent()) ?? '', /curl -X POST "\$BASE_URL\/v1\/platform\/projects"/)
})
