/** A browser at a distance from the service, and buttons that are pressed twice within it. */
import assert from 'node:assert/strict'
import { createServer, request as sendRequest } from 'node:http'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** A proxy by which each request and each answer takes its time. It passes every request on, even where the browser gave it up, as a network does. Stops with the test file. */
export async function startDistance(port: number, service_port: number, one_way_ms: number): Promise<void> {
  const proxy = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    await wait(one_way_ms)
    const { method, url: path, headers } = request
    const sent = sendRequest({ host: '127.0.0.1', port: service_port, method, path, headers }, async (answer) => {
      const body: Buffer[] = []
      for await (const piece of answer) body.push(piece)
      await wait(one_way_ms)
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      response.end(Buffer.concat(body))
    })
    sent.on('error', () => response.destroy())
    sent.end(Buffer.concat(pieces))
  })
  await new Promise<void>((resolve) => proxy.listen(port, 'localhost', resolve))
  after(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
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
