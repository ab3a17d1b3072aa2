/** Audits a page in a real browser, in each theme and width. Saves screenshots when OSTIARY_TEST_SCREENSHOTS names a folder. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, launchBrowser } from './chromium.ts'

const folder = process.env.OSTIARY_TEST_SCREENSHOTS
const widths = [390, 1440]
/** A theme changes only colours, so the second theme needs only the rules of colour. */
const rules_of_colour = ['color-contrast', 'link-in-text-block']
/** Of a taller page the screenshot has the window only. */
const tallest_screenshot = 10_000
/** WCAG 2.2 §1.4.10: no horizontal scrolling at 320 px, which is 1280 px at 400 %. */
const narrowest = 320

export async function launchForTests(t: TestContext): Promise<Browser> {
  const browser = await launchBrowser()
  t.after(() => browser.close())
  return browser
}

/** The problems of the page in its current state, each with theme and width. The browser must allow scripts. */
export async function audit(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      const variant = `${name}, ${width} px, ${colorScheme}`
      const rules = colorScheme === 'light' ? undefined : rules_of_colour
      found.push(...(await axeViolations(page, rules)).map((violation) => `${variant}: ${violation}`))
      if (folder) await screenshot(page, variant)
    }
  }
  await page.setViewportSize({ width: narrowest, height: 900 })
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  return overflow === 0 ? found : [...found, `${name}: at ${narrowest} px it is ${overflow} px too wide`]
}

async function screenshot(page: Page, variant: string): Promise<void> {
  mkdirSync(folder ?? '', { recursive: true })
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const path = join(folder ?? '', `${variant.replaceAll(/[^a-z0-9]+/gi, '-')}.png`)
  await page.screenshot({ path, fullPage: height <= tallest_screenshot })
}
