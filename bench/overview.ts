/**
 * The first look at the dashboard: a browser with an empty cache opens Overview, with its processor at a quarter of its speed. Measures what
 * comes over the network until the page is usable, and the time until then.
 */
import { join } from 'node:path'
import { isDashboardCurrent, makeDashboard } from '../build.mjs'
import { launchBrowser, noBrowser } from '../server/test/support/chromium.ts'
import { type Arrival, openCold } from '../server/test/support/cold-overview.ts'
import { type Ground, root } from './contestants.ts'
import { median } from './load.ts'
import { onAllCores } from './machine.ts'
import { newMasterKey, owner, seedOstiary, startOstiary } from './ostiary.ts'

const slower = 4

export async function surveyOverview(ground: Ground, times: number, progress: (text: string) => void) {
  return noBrowser ? undefined : onAllCores(() => survey(ground, times, progress))
}

async function survey({ folder }: Ground, times: number, progress: (text: string) => void) {
  const dist = join(root, 'dist')
  if (!isDashboardCurrent(root, dist)) await makeDashboard(root, dist)
  const started = await startOstiary({ root, folder: join(folder, 'overview'), database_url: null, core: null }, newMasterKey())
  await seedOstiary(root, started, 1)
  const { host, port } = started.address
  const browser = await launchBrowser([])
  const page = await browser.newPage()
  await page.goto(`http://${host}:${port}/dashboard/t/benchmark`)
  await page.fill('input[name=email]', owner.email)
  await page.fill('input[name=password]', owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const arrivals: Arrival[] = []
  for (let n = 0; n < times; n++) {
    progress(`overview, ${n + 1} of ${times}`)
    arrivals.push(await openCold(page, `http://${host}:${port}/dashboard/t/benchmark/p/bench/test`, slower))
  }
  await browser.close()
  await started.process.stop()
  return {
    slower,
    usable_ms: median(arrivals.map(({ usable_ms }) => usable_ms)),
    usable_most_ms: Math.max(...arrivals.map(({ usable_ms }) => usable_ms)),
    bytes_most: Math.max(...arrivals.map(({ bytes_in_all }) => bytes_in_all)),
    bytes: arrivals.at(-1)?.bytes,
  }
}
