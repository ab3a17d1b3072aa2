/** A webhook receiver on this machine: it keeps its requests and answers with a function of the test. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { after } from 'node:test'
import { awaiting } from './awaited.ts'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

type Answer = { status: number; headers?: Record<string, string>; body?: string }

export async function startReceiver(answer: (received: Received, count: number) => Answer | Promise<Answer> = () => ({ status: 204 })) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const message = { headers: request.headers, body: Buffer.concat(chunks).toString() }
    received.push(message)
    const { status, headers, body } = await answer(message, received.length)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`, server }
}

/** Repeats a question until its answer is truthy. */
export function until<T>(expected: string, ask: () => T | false | Promise<T | false>): Promise<NonNullable<T>> {
  async function repeat(): Promise<NonNullable<T>> {
    for (;;) {
      const answer = await ask()
      if (answer) return answer
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return awaiting(expected, repeat())
}
