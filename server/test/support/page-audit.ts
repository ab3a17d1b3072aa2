/**
 * Audits a page in a real browser, in each theme and width. Saves screenshots when OSTIARY_TEST_SCREENSHOTS names a folder. With
 * OSTIARY_TEST_AUDIT=brief, for a second browser, it takes one theme and the narrow width only.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, launchBrowser } from './chromium.ts'

const is_brief = process.env.OSTIARY_TEST_AUDIT === 'brief'
const themes = is_brief ? (['light'] as const) : (['light', 'dark'] as const)
const folder = process.env.OSTIARY_TEST_SCREENSHOTS
/** A theme changes only colours, so the second theme needs only the rules of colour. */
const rules_of_colour = ['color-contrast', 'link-in-text-block']
/** Another width of the same page moves things, and changes nothing else. */
const rules_of_layout = [...rules_of_colour, 'target-size', 'scrollable-region-focusable']
/** The last one is the window of 1440 px at 200 %, which has half as many pixels of CSS. */
const windows: { width: number; height: number; rules?: readonly string[]; zoom?: string }[] = [
  { width: 390, height: 900 },
  { width: 1440, height: 900 },
  { width: 720, height: 450, rules: rules_of_layout, zoom: ' at 200 %' },
]
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
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const { width, height, rules, zoom = '' } of is_brief ? windows.slice(0, 1) : windows) {
      await page.setViewportSize({ width, height })
      const variant = `${name}, ${zoom ? width * 2 : width} px${zoom}, ${colorScheme}`
      const chosen = colorScheme === 'light' ? rules : rules_of_colour
      found.push(...(await axeViolations(page, chosen)).map((violation) => `${variant}: ${violation}`))
      if (colorScheme === 'light') found.push(...(await tooWide(page, variant)), ...(await crooked(page, variant)))
      if (folder) await screenshot(page, variant)
    }
  }
  await page.setViewportSize({ width: narrowest, height: 900 })
  return [...found, ...(await tooWide(page, `${name}, ${narrowest} px`))]
}

/** What a script places, such as an open menu, follows the new width a moment later. */
const settling_ms = 10_000

async function tooWide(page: Page, variant: string): Promise<string[]> {
  const width = 'document.documentElement.scrollWidth - innerWidth'
  // `waitForFunction` with a string compiles it within the page, which the policy of the page forbids in newer versions of Chromium.
  const given_up_at = performance.now() + settling_ms
  while ((await page.evaluate(width)) !== 0 && performance.now() < given_up_at) await page.evaluate('new Promise(requestAnimationFrame)')
  const overflow = await page.evaluate(width)
  return overflow === 0 ? [] : [`${variant}: it is ${overflow} px too wide`]
}

/** Buttons beside each other that are not in one line, and buttons of one page whose texts are aligned differently. Those of people are a list. */
async function crooked(page: Page, variant: string): Promise<string[]> {
  const pairs = (await page.evaluate(`[...document.querySelectorAll('.b + .b')].flatMap((second) => {
    const [a, b] = [second.previousElementSibling.getBoundingClientRect(), second.getBoundingClientRect()]
    const are_beside = a.height > 0 && b.height > 0 && a.top < b.bottom && b.top < a.bottom
    return are_beside && Math.abs(a.top + a.bottom - b.top - b.bottom) > 2 ? [second.textContent] : []
  })`)) as string[] // as: what the script returns
  const alignments = (await page.evaluate(`[...document.querySelectorAll('.panel .b')].flatMap((button) =>
    button.getBoundingClientRect().height === 0 || button.closest('.people') ? [] : [getComputedStyle(button).justifyContent])`)) as string[] // as: what the script returns
  return [
    ...pairs.map((text) => `${variant}: the button "${text}" is not in line with the one before it`),
    ...(new Set(alignments).size > 1 ? [`${variant}: the texts of buttons are aligned in ${new Set(alignments).size} ways`] : []),
  ]
}

async function screenshot(page: Page, variant: string): Promise<void> {
  mkdirSync(folder ?? '', { recursive: true })
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const path = join(folder ?? '', `${variant.replaceAll(/[^a-z0-9]+/gi, '-')}.png`)
  await page.screenshot({ path, fullPage: height <= tallest_screenshot })
}
