/** What a person does on the pages of the service, whichever it shows, until it leads back to the product. */
import type { Page } from 'playwright-core'
import { eventually } from './processes.ts'
import type { Person } from './product.ts'

/** Test environments of a run take this code in place of a mailed one. */
export const fixed_code = '123456'

const most_pages = 8
const seconds_per_page = 30

/** @param has_account if not, the person signs up */
export async function passHostedPages(page: Page, service: string, person: Person & { has_account: boolean }): Promise<void> {
  for (let pages = 0; pages < most_pages; pages++) {
    await page.waitForLoadState('domcontentloaded')
    if (new URL(page.url()).origin !== service) return
    const act = actions[await stepOf(page)]
    if (!act) throw new Error(`The service shows a page that leads no further:\n${await page.locator('body').innerText()}`)
    const before = await stamp(page)
    await act(page, person)
    await eventually('The service showed no next page', seconds_per_page, async () => (await stamp(page)) !== before)
  }
  throw new Error(`The service shows one page after the other:\n${await page.locator('body').innerText()}`)
}

const stepOf = async (page: Page) => (await page.locator('main').getAttribute('data-step', { timeout: 10_000 })) ?? ''

/** Another value for each document that a browser loads. It throws while one document replaces another. */
const stamp = (page: Page): Promise<unknown> => page.evaluate('location.href + " " + performance.timeOrigin')

const press = (page: Page, action: string) => page.locator(`[data-action="${action}"]`).first().click({ timeout: 15_000 })

const actions: Readonly<Record<string, (page: Page, person: Person & { has_account: boolean }) => Promise<void>>> = {
  'sign-in': async (page, { email, password, has_account }) => {
    if (!has_account) return press(page, 'create-account')
    await page.locator('[name="email"]').fill(email)
    await page.locator('[name="password"]').fill(password)
    await press(page, 'password')
  },
  'sign-up': async (page, { email, password }) => {
    await page.locator('[name="email"]').fill(email)
    await page.locator('[name="password"]').fill(password)
    await press(page, 'create-account')
  },
  code: async (page) => {
    await page.locator('[name="code"]').fill(fixed_code)
    await page.locator('main form button').first().click({ timeout: 15_000 })
  },
  'offer-passkey': (page) => press(page, 'not-now'),
}

/** A product that ends the session at the service too may lead to the question whether the person wants that. */
export async function passSignOut(page: Page, service: string): Promise<void> {
  await page.waitForLoadState('domcontentloaded')
  if (new URL(page.url()).origin === service && (await stepOf(page)) === 'sign-out') await press(page, 'sign-out')
}
