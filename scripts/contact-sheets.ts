/**
 * `node scripts/contact-sheets.ts [WORDS]` shows every view of the dashboard, every hosted page and pages of the documentation in both themes, on a phone and on a wide
 * screen, on contact sheets in `dist/views`: sheets of one width and theme, each view with its name. With words it takes the views whose
 * names contain one of them.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../server/test/support/chromium.ts'
import { dashboardFolder, openDashboard, slugOf } from '../server/test/support/dashboard-browser.ts'
import { expectStatus, owner, world } from '../server/test/support/world.ts'
import { dashboardViews, documentViews, fill, hostedViews, type View } from './views.ts'

/** Of each width: the columns of a sheet, its pictures, and how tall one may be. */
const widths = { 390: { columns: 8, pictures: 16, height: 520 }, 1440: { columns: 3, pictures: 9, height: 460 } } as const
const themes = ['light', 'dark'] as const
const sheet_width = 1_860
const window_height = 900

const folder = resolve('dist/views')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const words = process.argv.slice(2)
const isWanted = ({ name }: View) => words.length === 0 || words.some((word) => name.includes(word))

const w = await world({ dashboard_folder: dashboardFolder })
expectStatus(201, await w.call('POST', '/v1/platform/projects', { body: { slug: 'empty', name: 'Nothing yet' } }))
const filled = await fill(w)
const browser = await launchBrowser()
const tenant = `${w.base_url}/dashboard/t/acme`
const own = `${tenant}/p/${await slugOf(w)}`
const views = dashboardViews({ tenant, test: `${own}/test`, live: `${own}/live`, empty: `${tenant}/p/empty/test` }, filled)
const { page } = await openDashboard(w, browser, owner)
page.setDefaultTimeout(10_000)
const hosted = await browser.newPage({ javaScriptEnabled: true })
await hosted.route('**', (route) => (route.request().isNavigationRequest() ? route.continue() : route.abort()))
await shoot(page, 'dashboard', views.filter(isWanted))
await shoot(hosted, 'hosted', hostedViews(['en', 'de']).filter(isWanted))
await shoot(await browser.newPage(), 'documents', documentViews(w.base_url).filter(isWanted))
await browser.close()
process.exit() // the service would go on

async function shoot(of: Page, kind: string, wanted: readonly View[]): Promise<void> {
  for (const width of [390, 1440] as const) {
    for (const theme of themes) {
      await of.setViewportSize({ width, height: window_height })
      await of.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const taken: string[] = []
      for (const { name, open } of wanted) {
        const file = `${kind}-${name}-${width}-${theme}`.replaceAll(/[^a-z0-9]+/gi, '-')
        try {
          await open(of)
          await of.screenshot({ path: join(folder, `${file}.png`), fullPage: kind === 'hosted' })
          taken.push(file)
        } catch (error) {
          console.log(`${file}: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
        }
      }
      await makeSheets(browser, `${kind}-${width}-${theme}`, taken, widths[width])
    }
  }
}

async function makeSheets(
  of: Browser,
  name: string,
  files: readonly string[],
  { columns, pictures, height }: { columns: number; pictures: number; height: number },
): Promise<void> {
  const sheet = await of.newPage({ viewport: { width: sheet_width, height: window_height } })
  for (let begin = 0, number = 1; begin < files.length; begin += pictures, number++) {
    const figures = files
      .slice(begin, begin + pictures)
      .map((file) => `<figure><figcaption>${file}</figcaption><img src="${pathToFileURL(join(folder, `${file}.png`))}"></figure>`)
    const document = join(folder, 'sheet.html')
    writeFileSync(
      document,
      `<!doctype html><meta charset="utf-8"><style>
body{margin:0;padding:12px;display:grid;grid-template-columns:repeat(${columns},1fr);gap:14px 12px;background:#777;font:13px sans-serif}
figure{margin:0;min-width:0}figcaption{color:#fff;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;margin-bottom:3px}
img{display:block;width:100%;max-height:${height}px;object-fit:cover;object-position:top}
</style>${figures.join('\n')}`,
    )
    await sheet.goto(pathToFileURL(document).href)
    await sheet.screenshot({ path: join(folder, `sheet-${name}-${String(number).padStart(2, '0')}.png`), fullPage: true })
  }
  await sheet.close()
}
