/** Opens Overview of the dashboard with an empty cache, as on the first day. Says what came over the network, and when the page was usable. */
import type { CDPSession, Page } from 'playwright-core'

export interface Arrival {
  /** From the navigation until every part of the page is there. */
  usable_ms: number
  /** Everything that came until then, with its headers, by type of resource. */
  bytes: Record<string, number>
  bytes_in_all: number
}

/** The parts of the page: the numbers, the steps, the latest events and what code needs. No part is a skeleton any more. */
const is_usable = `(() => {
  const headings = [...document.querySelectorAll('main h2')].map((heading) => heading.textContent)
  const has = (text) => headings.some((heading) => heading.includes(text))
  return document.querySelector('main .stats .v') !== null && document.querySelector('main progress') !== null &&
    has('Latest events') && has('Connect') && document.querySelector('main .skeleton') === null && performance.now()
})()`

/** `slower`: how many times slower the processor of the browser is made. The browser must be signed in, and be Chromium. */
export async function openCold(page: Page, url: string, slower = 1): Promise<Arrival> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const bytes: Record<string, number> = {}
  const types = new Map<string, string>()
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? 'Other'
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength
  })
  await page.goto(url, { waitUntil: 'commit' })
  let usable_ms: number | false = false
  while (usable_ms === false) usable_ms = (await page.evaluate(is_usable)) as number | false // as: what the script returns
  await session.detach()
  return { usable_ms, bytes, bytes_in_all: Object.values(bytes).reduce((sum, each) => sum + each, 0) }
}
