/**
 * Audits a page in a real browser: all rules of axe once, those of colour in the other theme, those of layout in the other widths. Saves
 * screenshots when OSTIARY_TEST_SCREENSHOTS names a folder. With OSTIARY_TEST_AUDIT=brief, for a second browser, it takes the narrow width only.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, launchBrowser } from './chromium.ts'

const is_brief = process.env.OSTIARY_TEST_AUDIT === 'brief'
const folder = process.env.OSTIARY_TEST_SCREENSHOTS
/** A theme changes only colours, so the second theme needs only the rules of colour. */
const rules_of_colour = ['color-contrast', 'link-in-text-block']
/** Another width of the same page moves things, and changes nothing else. */
const rules_of_layout = ['target-size', 'scrollable-region-focusable']

interface View {
  width: number
  height: number
  theme: 'light' | 'dark'
  /** Without them, all rules. */
  rules?: readonly string[]
  zoom?: string
}

/** All rules once, where most of a page is seen. The window of 1440 px at 200 % has half as many pixels of CSS. */
const views: View[] = [
  { width: 1440, height: 900, theme: 'light' },
  { width: 390, height: 900, theme: 'light', rules: rules_of_layout },
  { width: 720, height: 450, theme: 'light', rules: rules_of_layout, zoom: ' at 200 %' },
  { width: 1440, height: 900, theme: 'dark', rules: rules_of_colour },
]
const brief_views: View[] = [{ width: 390, height: 900, theme: 'light' }]
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
  for (const { width, height, theme, rules, zoom = '' } of is_brief ? brief_views : views) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    const variant = `${name}, ${zoom ? width * 2 : width} px${zoom}, ${theme}`
    found.push(...(await axeViolations(page, rules)).map((violation) => `${variant}: ${violation}`))
    if (theme === 'light')
      found.push(...(await tooWide(page, variant)), ...(await crooked(page, variant)), ...(await rivals(page, variant)))
    if (folder) await screenshot(page, variant)
  }
  await page.setViewportSize({ width: narrowest, height: 900 })
  return [...found, ...(await tooWide(page, `${name}, ${narrowest} px`))]
}

/** On a hosted page, from one button to the next one below it: `--between` of its style sheet. */
const between_buttons = 10

/** An element placed by a script, such as an open menu, follows the new width a moment later. */
const settling_ms = 10_000

async function tooWide(page: Page, variant: string): Promise<string[]> {
  const width = 'document.documentElement.scrollWidth - innerWidth'
  // `waitForFunction` with a string compiles it within the page, which the policy of the page forbids in newer versions of Chromium.
  const given_up_at = performance.now() + settling_ms
  while ((await page.evaluate(width)) !== 0 && performance.now() < given_up_at) await page.evaluate('new Promise(requestAnimationFrame)')
  const overflow = await page.evaluate(width)
  return overflow === 0 ? [] : [`${variant}: it is ${overflow} px too wide`]
}

/**
 * Buttons beside each other that are not in one line, buttons of one page whose texts are aligned differently, rows of buttons that end at
 * different places, and buttons below each other with different gaps. Those of people are a list.
 */
async function crooked(page: Page, variant: string): Promise<string[]> {
  const pairs = (await page.evaluate(`[...document.querySelectorAll('.b + .b')].flatMap((second) => {
    const [a, b] = [second.previousElementSibling.getBoundingClientRect(), second.getBoundingClientRect()]
    const are_beside = a.height > 0 && b.height > 0 && a.top < b.bottom && b.top < a.bottom
    return are_beside && Math.abs(a.top + a.bottom - b.top - b.bottom) > 2 ? [second.textContent] : []
  })`)) as string[] // as: what the script returns
  const alignments = (await page.evaluate(`[...document.querySelectorAll('.panel .b')].flatMap((button) =>
    button.getBoundingClientRect().height === 0 || button.closest('.people') ? [] : [getComputedStyle(button).justifyContent])`)) as string[] // as: what the script returns
  const gaps = (await page.evaluate(`[...document.querySelectorAll('.panel')].flatMap((panel) => {
    const seen = (element) => element.getBoundingClientRect().height > 0
    const buttons = [...panel.querySelectorAll('.b')].filter((button) => seen(button) && !button.closest('.people'))
    const texts = [...panel.querySelectorAll('*')].filter((one) => one.children.length === 0 && one.textContent.trim() !== '' && seen(one))
    return buttons.slice(1).flatMap((second, place) => {
      const [a, b] = [buttons[place].getBoundingClientRect(), second.getBoundingClientRect()]
      const has_text_between = texts.some((text) => text.getBoundingClientRect().top >= a.bottom && text.getBoundingClientRect().bottom <= b.top)
      return b.top >= a.bottom && !has_text_between ? [Math.round(b.top - a.bottom)] : []
    })
  })`)) as number[] // as: what the script returns
  const rows = (await page.evaluate(`[...document.querySelectorAll('.panel')].flatMap((panel) => {
    const buttons = [...panel.querySelectorAll('.b')].map((button) => [button, button.getBoundingClientRect()]).filter(([button, { height }]) => height > 0 && !button.closest('.people'))
    const rows = Map.groupBy(buttons, ([, { top }]) => Math.round(top))
    const widths = [...rows.values()].map((row) => Math.round(Math.max(...row.map(([, { right }]) => right)) - Math.min(...row.map(([, { left }]) => left))))
    const { paddingLeft, paddingRight } = getComputedStyle(panel)
    const whole = Math.round(panel.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight))
    return widths.some((width) => Math.abs(width - whole) <= 1) ? widths.filter((width) => Math.abs(width - whole) > 1) : []
  })`)) as number[] // as: what the script returns
  return [
    ...rows.map((width) => `${variant}: a row of buttons is ${width} px wide, and others of the page are as wide as the panel`),
    ...gaps.filter((gap) => gap !== between_buttons).map((gap) => `${variant}: ${gap} px are between two buttons`),
    ...pairs.map((text) => `${variant}: the button "${text}" is not in line with the one before it`),
    ...(new Set(alignments).size > 1 ? [`${variant}: the texts of buttons are aligned in ${new Set(alignments).size} ways`] : []),
  ]
}

/** Filled buttons of one view of the dashboard that can be pressed: one at most, for what the person most probably came for. */
async function rivals(page: Page, variant: string): Promise<string[]> {
  const filled = (await page.evaluate(`(() => {
    const view = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1) ?? document
    const seen = (button) => button.getBoundingClientRect().height > 0 && !button.disabled
    return [...view.querySelectorAll('.btn.pri')].filter(seen).map(({ textContent }) => textContent.trim())
  })()`)) as string[] // as: what the script returns
  return filled.length > 1 ? [`${variant}: ${filled.length} filled buttons: ${filled.join(', ')}`] : []
}

/** WCAG 2.2 §2.5.5, with the exception of links in a sentence. */
const finger_px = 44

/** Returns controls of the dashboard that are too small for a finger, except those that open with their row and links in a sentence. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const targets = [...document.querySelectorAll('a, button, select, summary, label, [role=tab], [role=menuitem], input:not([type=checkbox], [type=radio], [type=hidden])')]
    const isExempt = (target) => target.closest('p, dd, td.kn, .sub, .skip, .sentence, .mantine-InputWrapper-label, .ep') !== null
    return targets.filter((target) => !isExempt(target) && (target.tagName !== 'LABEL' || target.querySelector('input'))).flatMap((target) => {
      const { height, width, bottom, right } = (target.closest('.mantine-Input-input') ?? target).getBoundingClientRect() // a field around tags leads to its text
      const is_seen = height > 1 && width > 1 && bottom > 0 && right > 0
      return is_seen && height < ${finger_px} ? [(target.getAttribute('aria-label') ?? target.textContent).trim() + ': ' + Math.round(height) + ' px'] : []
    })
  })()`)

async function screenshot(page: Page, variant: string): Promise<void> {
  mkdirSync(folder ?? '', { recursive: true })
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const path = join(folder ?? '', `${variant.replaceAll(/[^a-z0-9]+/gi, '-')}.png`)
  await page.screenshot({ path, fullPage: height <= tallest_screenshot })
}
