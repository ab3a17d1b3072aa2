/** A small web server as the application that people return to. It serves fixed files and records its requests. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.ts'

export async function startClientServer(t: TestContext, files: Record<string, { type: string; body: string }> = {}) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const visits: { method: string; url: string; body: string }[] = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    const body_sent = await text(request)
    if (pathname !== '/favicon.ico') visits.push({ method: request.method ?? '', url: request.url ?? '', body: body_sent })
    const { type, body } = files[pathname] ?? { type: 'text/html', body: '<!doctype html><title>Landed</title><h1>Landed</h1>' }
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return { origin, visits }
}
