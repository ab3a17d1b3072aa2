/** Opens Overview of the dashboard with an empty cache, as on the first day. Says what came over the network until the page was usable. */
import type { CDPSession, Page } from 'playwright-core'

interface Arrival {
  /** Everything that came until then, with its headers, by type of resource. */
  bytes: Record<string, number>
  bytes_in_all: number
}

/**
 * The parts of the page: the numbers, the steps, the latest events and what code needs. No part is a skeleton any more. The page itself looks
 * at each frame.
 */
const watch = `{
  const has = (text) => [...document.querySelectorAll('main h2')].some((heading) => heading.textContent.includes(text))
  const look = () => {
    if (document.querySelector('main .stats .v') && document.querySelector('main progress') && has('Latest events') && has('Connect') &&
      !document.querySelector('main .skeleton')) performance.mark('usable')
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}`
const usable = `performance.getEntriesByName('usable')[0]?.startTime ?? new Promise((resolve) =>
  new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: 'mark' }))`

/** The browser must be signed in, and be Chromium. */
export async function openCold(page: Page, url: string): Promise<Arrival> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const bytes: Record<string, number> = {}
  const types = new Map<string, string>()
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? 'Other'
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength
  })
  const watching = await page.addInitScript(watch)
  await page.goto(url, { waitUntil: 'commit' })
  await page.evaluate(usable)
  await watching.dispose()
  await session.detach()
  return { bytes, bytes_in_all: Object.values(bytes).reduce((sum, each) => sum + each, 0) }
}
