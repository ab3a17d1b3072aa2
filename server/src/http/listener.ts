/**
 * Makes HTTP listeners. Every listener of the service has the same limits, so that a client that is slow, silent or broken
 * costs little and not for long. What Node would refuse on its own, without a body, is refused here as a problem (RFC 9457).
 * docs/decisions/0029-limits-of-transport.md gives the reasons for the numbers.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { dropExcessChunks } from './body.ts'
import { createServer } from './node-http.ts'
import { ApiError } from './problem.ts'

export interface TransportLimits {
  /** From the first byte of a connection, or of its next request, to the end of the head. */
  headers_timeout_ms: number
  /** To the end of the body. */
  request_timeout_ms: number
  /** Between two requests. Longer than load balancers keep a connection, so that they close it first. */
  keep_alive_timeout_ms: number
  /** Without a byte in either direction, such as a client that does not read its response. */
  idle_timeout_ms: number
  /** How often the timeouts of heads and bodies are checked. */
  check_interval_ms: number
  /** Authorization requests arrive in the address, with the state and hints of the client. */
  head_bytes: number
  header_fields: number
  /** Of a body that nobody reads yet. Counted in bytes, but each chunk takes 230 bytes more, and chunks may be of one byte. */
  unread_bytes: number
  /** How long a refused connection may take to read its refusal. */
  linger_ms: number
}

export const transport_limits: TransportLimits = {
  headers_timeout_ms: 10_000,
  request_timeout_ms: 30_000,
  keep_alive_timeout_ms: 72_000,
  idle_timeout_ms: 60_000,
  check_interval_ms: 1_000,
  head_bytes: 32_768,
  header_fields: 200,
  unread_bytes: 8_192,
  linger_ms: 1_000,
}

export interface Refusals {
  base_url: string
  newRequestId: () => string
}

/** A listener for the application. `handle` sees only requests whose head is in order. */
export function createListener(handle: RequestListener, refusals: Refusals, limits: TransportLimits = transport_limits): Server {
  const refuse = (response: ServerResponse, refusal: BrokenRequest) => {
    const { status, headers, body } = answerOf(refusal, refusals)
    response.writeHead(status, headers).end(body)
  }
  const server = createLimited((request, response) => {
    const refusal = brokenHead(request, limits)
    if (refusal) return refuse(response, refusal)
    if (request.headers['transfer-encoding'] !== undefined) dropExcessChunks(request)
    handle(request, response)
  }, limits)
  server.on('checkExpectation', (_, response) => refuse(response, unmet_expectation))
  server.on('clientError', (error, socket) => answerBroken(error, socket as Socket, refusals, limits)) // as: an HTTP listener without TLS has these
  server.on('connect', (_, socket) => endWith(socket as Socket, no_proxy, refusals, limits)) // as: the same
  return server
}

/** The limits alone, for a listener that answers no strangers. */
export function createLimited(handle: RequestListener, limits: TransportLimits = transport_limits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headers_timeout_ms,
      requestTimeout: limits.request_timeout_ms,
      keepAliveTimeout: limits.keep_alive_timeout_ms,
      connectionsCheckingInterval: limits.check_interval_ms,
      maxHeaderSize: limits.head_bytes,
      highWaterMark: limits.unread_bytes,
      optimizeEmptyRequests: true,
      requireHostHeader: false, // see `brokenHead`
    },
    handle,
  )
  return server.setTimeout(limits.idle_timeout_ms)
}

interface BrokenRequest {
  status: number
  title: string
  detail: string
}

const bad_request = { status: 400, title: 'Bad Request' }
const not_http: BrokenRequest = { ...bad_request, detail: 'The request is not well-formed HTTP/1.1.' }
const too_slow: BrokenRequest = { status: 408, title: 'Request Timeout', detail: 'The request took too long to arrive.' }
const too_many_headers: BrokenRequest = {
  status: 431,
  title: 'Request Header Fields Too Large',
  detail: 'The request line and the header fields are too long, or too many.',
}
const unmet_expectation: BrokenRequest = {
  status: 417,
  title: 'Expectation Failed',
  detail: 'The only expectation that is met is 100-continue.',
}
const no_proxy: BrokenRequest = { ...bad_request, detail: 'CONNECT is for proxies. This is none.' }

/**
 * RFC 9112 §3.2: a request of HTTP/1.1 without Host, or any with two, is 400
 * RFC 6585 §5:   too many header fields are 431
 */
function brokenHead({ rawHeaders, httpVersion }: IncomingMessage, { header_fields }: TransportLimits): BrokenRequest | null {
  if (rawHeaders.length > 2 * header_fields) return too_many_headers
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null
  return { ...bad_request, detail: hosts === 0 ? 'The request has no Host header.' : 'The request has more than one Host header.' }
}

/** Sockets that have their refusal: what else arrives is dropped. */
const refused = new WeakSet<Socket>()

/** Answers what never became a request: broken syntax, a head over the limit, or a request that does not arrive. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket, refusals: Refusals, limits: TransportLimits): void {
  if (refused.has(socket)) return
  // A response that has begun cannot be followed by a refusal: the client would read it as a part of that response.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse } // as: Node keeps it here, and decides by it too
  if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent) socket.destroy()
  else endWith(socket, kindOf(error), refusals, limits)
}

function kindOf({ code }: NodeJS.ErrnoException): BrokenRequest {
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return too_many_headers
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? too_slow : not_http
}

/**
 * Sends the refusal and destroys the socket. A socket that is destroyed with unread input resets the connection, and the
 * refusal may be lost; so what is still coming is read and dropped until the client has closed its side, or for `linger_ms`.
 */
function endWith(socket: Socket, refusal: BrokenRequest, refusals: Refusals, { linger_ms }: TransportLimits): void {
  refused.add(socket)
  const { status, title, headers, body } = answerOf(refusal, refusals)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), linger_ms)
  socket.once('end', () => socket.destroySoon()).once('close', () => clearTimeout(timer))
  socket.on('error', () => socket.destroy())
  socket.resume()
}

function answerOf({ status, title, detail }: BrokenRequest, { base_url, newRequestId }: Refusals) {
  const request_id = newRequestId()
  const problem = new ApiError('malformed_request', detail).toProblem(base_url, request_id)
  const body = JSON.stringify({ ...problem, title, status })
  const headers = {
    'x-request-id': request_id,
    'x-content-type-options': 'nosniff',
    ...(base_url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    'cache-control': 'no-store',
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  return { status, title, headers, body }
}
