/** Visits hosted pages in a browser without scripts, and audits them afterwards in one with scripts, which axe needs. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContext, Page, Response } from 'playwright-core'
import { audit, launchForTests } from './page-audit.ts'

/** A page as it was answered. */
export interface Seen {
  name: string
  url: string
  status: number
  headers: Record<string, string>
  body: string
}

/** A browser without scripts that records pages for the audit and the errors in its console. */
export async function withoutScripts(t: TestContext, locale = 'en-GB') {
  const browser = await launchForTests(t)
  const context = await browser.newContext({ javaScriptEnabled: false, locale })
  const page = await context.newPage()
  const errors: string[] = []
  let latest: Response | null = null
  page.on('console', (message) => {
    // The browser logs a line for each error status, which error pages have.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  page.on('response', (response) => {
    if (response.request().isNavigationRequest() && response.status() !== 303) latest = response
  })
  const seen: Seen[] = []
  async function look(name: string, status = 200) {
    const response = latest as Response | null // as: set by a callback that the compiler does not follow
    assert.equal(response?.status(), status, `${name}: ${page.url()}`)
    seen.push({ name, url: page.url(), status, headers: await response.allHeaders(), body: await response.text() })
    await attributesFit(page, name)
  }
  return {
    browser,
    context,
    page,
    seen,
    errors,
    look,
    /** Presses the button with this name. */
    press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
  }
}

/** Password managers need one posted form with the email and the password, each with its standard autocomplete name. */
async function attributesFit(page: Page, name: string): Promise<void> {
  for (const password of await page.locator('input[type=password]').all()) {
    const form = page.locator('form', { has: page.locator('input[type=password]') })
    assert.equal(await form.getAttribute('method'), 'post', name)
    assert.equal(await form.locator('input[type=email][autocomplete=username]').count(), 1, name)
    assert.match((await password.getAttribute('autocomplete')) ?? '', /^(current|new)-password$/, name)
  }
}

/** Audits a recorded page with its own headers, in a browser with scripts, which axe needs. Requests nothing from the service. */
export async function auditSeen(context: BrowserContext, { name, url, headers, body }: Seen): Promise<string[]> {
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(`${name}: ${message.text()}`))
  // The page that posts itself to the client stays. A navigation, even one that is answered with 204, would make the locators wait.
  await page.addInitScript('HTMLFormElement.prototype.submit = () => {}')
  await page.route('**/*', (route) => (route.request().url() === url ? route.fulfill({ headers, body }) : route.fulfill({ status: 204 })))
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('h1').waitFor()
  const found = await audit(page, name)
  await page.close()
  return [...found, ...errors]
}
