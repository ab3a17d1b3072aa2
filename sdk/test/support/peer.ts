/** An HTTP server that keeps its requests and answers them in turn. The last answer repeats. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { after } from 'node:test'

export interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** `reset` breaks the connection; `silence` never answers. */
export type PeerAnswer = { status: number; headers?: Record<string, string>; body?: unknown } | 'reset' | 'silence'
type Answers = PeerAnswer | ((received: Received) => PeerAnswer)

export async function startPeer(...answers: Answers[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const chosen = answers[Math.min(received.length, answers.length - 1)] ?? { status: 204 }
    const message = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    received.push(message)
    const answer = typeof chosen === 'function' ? chosen(message) : chosen
    if (answer === 'silence') return
    if (answer === 'reset') return void request.socket.destroy()
    const { status, headers = {}, body } = answer
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, base_url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` }
}
