import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations, launchBrowser, noBrowser } from './support/chromium.ts'

test('axe finds violations on a page with a strict Content-Security-Policy', { skip: noBrowser }, async (t) => {
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  const strict = `<meta http-equiv="content-security-policy" content="default-src 'none'">`
  await page.goto(`data:text/html,<!doctype html><html lang="en">${strict}<title>Form</title><main><h1>Form</h1><input></main>`)
  assert.deepEqual(await axeViolations(page), ['label (critical): Form elements must have labels: input'])
  assert.ok((await page.screenshot()).length > 0)
})
