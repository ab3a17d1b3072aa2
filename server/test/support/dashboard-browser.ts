/** The built dashboard in a real browser. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { isDashboardCurrent, makeDashboard } from '../../../build.mjs'
import { isFirefox } from './chromium.ts'
import { expectStatus, type World } from './world.ts'

const root = join(import.meta.dirname, '../../..')
const dist = join(root, 'dist')
if (!isDashboardCurrent(root, dist)) await makeDashboard(root, dist)

export const dashboardFolder = join(dist, 'dashboard')

/** Signs in to the dashboard and records what must not happen: errors on the console, and requests to another origin. */
export async function openDashboard(w: World, browser: Browser, person: { email: string; password: string }) {
  const context = await browser.newContext(isFirefox() ? {} : { permissions: ['clipboard-read', 'clipboard-write'] })
  context.setDefaultTimeout(90_000) // a busy machine is slow, and a wait that is not needed costs no time
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== w.base_url) faults.push(`request to ${request.url()}`)
  })
  await page.goto(`${w.base_url}/dashboard/t/acme`)
  await signIn(page, person)
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  return { page, faults }
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await button(page, 'Sign in').click()
}

/** Signs in in the window that the dialog opens, which closes by itself. */
export async function signInAgain(page: Page, dialog: Locator, person: { email: string; password: string }): Promise<void> {
  const opened = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  const popup = await opened
  const closed = popup.waitForEvent('close')
  await popup.locator('input[name=password]:focus').waitFor() // the page knows whose sign-in it is
  assert.equal(await popup.inputValue('input[name=email]'), person.email)
  await signIn(popup, person)
  await closed
}

/** The service does the next POST to this path, but its answer is lost, so the client repeats it. */
export async function loseAnswer(page: Page, url: RegExp): Promise<void> {
  let is_lost = false
  await page.route(url, async (route) => {
    if (is_lost || route.request().method() !== 'POST') return route.fallback()
    is_lost = true
    await route.fetch()
    await route.abort('connectionreset')
  })
}

/** The slug of the project of the world. */
export async function slugOf(w: World): Promise<string> {
  return expectStatus(200, await w.call('GET', `/v1/platform/projects/${w.test.path.split('/')[4]}`)).slug
}
export const dashboardPath = (slug: string) => `/dashboard/t/acme/p/${slug}`

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Waits until a press has changed an object. Words of a change before may still be there. */
export async function changed(page: Page, press: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok()), press()])
}

/** Waits for the page behind an address of the dashboard. */
export async function show(page: Page, url: string, heading: string | RegExp) {
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.waitForLoadState('networkidle')
}

/** Presses Tab until the focus is on an element of this kind with this text, or on a field with this label. */
export async function tabTo(page: Page, text: string, kind = ':not(body)'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    const found = await page.evaluate(`document.activeElement?.matches(${JSON.stringify(kind)}) &&
      [document.activeElement, ...(document.activeElement.labels ?? [])]
        .some((element) => element.textContent?.trim().startsWith(${JSON.stringify(text)}))`)
    if (found) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab never reaches ${text}`)
}

/** Types into a field, by the keyboard alone. */
export async function enter(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label)
  await page.keyboard.type(text)
}

/** Presses a button or follows a link, by the keyboard alone. */
export async function press(page: Page, text: string, kind?: string): Promise<void> {
  await tabTo(page, text, kind)
  await page.keyboard.press('Enter')
}
