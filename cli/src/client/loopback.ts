/** Waits for the answer of a sign-in: at a loopback port (RFC 8252 §7.3), or pasted by the person where the browser is elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import type { Io } from './io.ts'

export interface Listener {
  /** The redirect URI with the port that listens. */
  readonly redirect_uri: string
  /** Resolves with the parameters of the answer. */
  readonly answer: Promise<URLSearchParams>
  close(): void
}

/** Listens at the registered loopback address, on any free port. Only a request with the state of this sign-in is an answer. */
export async function listenForAnswer(registered: string, state: string): Promise<Listener> {
  const { hostname, pathname } = new URL(registered)
  let settle: (parameters: URLSearchParams) => void
  const answer = new Promise<URLSearchParams>((resolve) => {
    settle = resolve
  })
  const server = createServer((request, response) => {
    const parameters = parametersOf(request, pathname)
    // Other pages can call this port, too; they do not know the state.
    if (parameters?.get('state') !== state) return respond(response, 400, 'This is not the answer of a sign-in that began here.')
    const is_done = parameters.has('code')
    respond(
      response,
      200,
      is_done ? 'You are signed in. Close this page and go back to the terminal.' : 'You are not signed in. Close this page.',
    )
    settle(parameters)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, hostname, resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    redirect_uri: `http://${hostname}:${port}${pathname}`,
    answer,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function parametersOf({ method, url = '' }: IncomingMessage, path: string): URLSearchParams | null {
  if (method !== 'GET' || !URL.canParse(url, 'http://loopback')) return null
  const { pathname, searchParams } = new URL(url, 'http://loopback')
  return pathname === path ? searchParams : null
}

function respond(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  }
  response.writeHead(status, headers).end(`<!doctype html><html lang="en"><title>Ostiary</title><h1>${text}</h1></html>\n`)
}

const longest_line = 8_000

/**
 * Reads lines until `judge` accepts one, and resolves with what it made of it. Resolves with `null` at the end of the input, such as
 * that of a pipeline.
 */
export function readLines<T>(input: Io['input'], signal: AbortSignal, judge: (line: string) => T | null): Promise<T | null> {
  return new Promise((resolve) => {
    const lines = createInterface({ input, terminal: false })
    const end = (value: T | null) => {
      signal.removeEventListener('abort', stop)
      resolve(value) // before `close`, which resolves with null
      lines.close()
    }
    const stop = () => end(null)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) return stop()
    lines.on('close', () => resolve(null))
    lines.on('line', (line) => {
      const accepted = line.length <= longest_line ? judge(line.trim()) : null
      if (accepted !== null) end(accepted)
    })
  })
}
