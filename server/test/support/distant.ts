/** A browser at a distance from the service, and buttons that are pressed twice within it. */
import assert from 'node:assert/strict'
import { createServer, request as sendRequest } from 'node:http'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** The browser that sends a request by several processes of the service: its presses of one button reach all of them. */
const hand_header = 'x-hand'

interface Distance {
  port: number
  /** The processes of the service. A browser without a name reaches the first one. */
  services: readonly number[]
  one_way_ms: number
}

/**
 * A proxy by which each request and each answer takes its time. It passes every request on, even where the browser gave it up, as a network
 * does. Stops with the test file.
 */
export async function startDistance({ port, services, one_way_ms }: Distance) {
  const sent_to = new Map<string, number[]>()
  let turn = 0
  /** A request that is sent again reaches the next process. */
  function choose(hand: string, request: string): number {
    const before = sent_to.get(`${hand} ${request}`) ?? []
    const index = before.length > 0 ? ((before.at(-1) ?? 0) + 1) % services.length : turn++ % services.length
    sent_to.set(`${hand} ${request}`, [...before, index])
    return services[index] ?? 0
  }

  const proxy = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    await wait(one_way_ms)
    const { method, url: path, headers } = request
    const hand = headers[hand_header]
    const service = hand === undefined ? services[0] : choose(String(hand), `${method} ${path} ${body}`)
    const sent = sendRequest({ host: '127.0.0.1', port: service, method, path, headers }, async (answer) => {
      const answered: Buffer[] = []
      for await (const piece of answer) answered.push(piece)
      await wait(one_way_ms)
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      response.end(Buffer.concat(answered))
    })
    sent.on('error', () => response.destroy())
    sent.end(body)
  })
  await new Promise<void>((resolve) => proxy.listen(port, 'localhost', resolve))
  after(() => {
    proxy.close()
    proxy.closeAllConnections()
  })

  return {
    /** The headers of a browser that reaches all processes. */
    headersOf: (hand: string) => ({ [hand_header]: hand }),
    /** How many forms of a browser reached several processes. */
    formsInSeveral: (hand: string): number =>
      [...sent_to].filter(([request, reached]) => request.startsWith(`${hand} POST `) && new Set(reached).size > 1).length,
  }
}

/** Two clicks of the mouse, which wait for nothing. */
export async function pressTwice(page: Page, action: string, gap_ms: number): Promise<void> {
  const button = page.locator(`button[data-action=${action}]`).first()
  await button.scrollIntoViewIfNeeded()
  const box = await button.boundingBox()
  assert.ok(box, action)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.click(x, y)
  if (gap_ms > 0) await wait(gap_ms)
  await page.mouse.click(x, y)
}

export const isAt = (page: Page, step: string): Promise<void> => page.locator(`main[data-step=${step}]`).waitFor()

/** The secret of the app that a page offers. */
export const secretOfApp = async (page: Page): Promise<string> =>
  new URL((await page.locator('a[href^="otpauth:"]').getAttribute('href')) ?? '').searchParams.get('secret') ?? ''
