/**
 * Creates HTTP listeners. Every listener of the service has the same limits, so a slow, silent or broken client costs little and is
 * disconnected soon. Requests that Node would refuse without a body are refused here with a problem response (RFC 9457).
 * docs/decisions/0029-limits-of-transport.md gives the reasons for the numbers.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { reason } from '../base/reason.ts'
import { createServer } from '../deployment/outbound/node-http.ts'
import { dropExcessChunks } from './body.ts'
import { type Budget, createBudget } from './budget.ts'
import { type Hurdle, ResponseInTurn, takeTurns, turnsOf } from './in-turn.ts'
import { ApiError, retry_after } from './problem.ts'

export interface TransportLimits {
  /** From the first byte of a connection or of its next request to the end of the head. */
  headers_timeout_ms: number
  /** From the same byte to the end of the body. */
  request_timeout_ms: number
  /** Between two requests. Load balancers keep a connection for a shorter time, so they close it first (`OSTIARY_IDLE_SECONDS`). */
  keep_alive_timeout_ms: number
  /** The time without a byte in either direction, for example if a client does not read its response. */
  idle_timeout_ms: number
  /** How often the timeouts of heads and bodies are checked. */
  check_interval_ms: number
  /** Authorization requests arrive in the request line, with the state and hints of the client. */
  head_bytes: number
  header_fields: number
  /** The buffered part of a body before it is read. Each chunk takes 230 bytes more, and a chunk may have one byte. */
  unread_bytes: number
  /** The time without a byte of a body that was begun. */
  stalled_body_ms: number
  /** How long, and how many bytes, a client may go on to send after an answer that closes the connection (RFC 9112 §9.6). */
  linger_ms: number
  linger_bytes: number
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
  stalled_body_ms: 10_000,
  linger_ms: 1_000,
  linger_bytes: 1_048_576,
}

/** The bytes that wait to become requests, in one process: begun heads, and requests that were written ahead. */
const process_budget = createBudget({ most_bytes: 16_000_000, free_bytes: 4_096 })

export interface Refusals {
  base_url: string
  newRequestId: () => string
}

/** Creates a listener for the application. `handle` gets only requests with a valid head, of each connection one at a time. */
export function createListener(
  handle: RequestListener,
  refusals: Refusals,
  limits: TransportLimits = transport_limits,
  budget: Budget = process_budget,
): Server {
  const refuse = (response: ServerResponse, refusal: BrokenRequest) => {
    const { status, headers, body } = answerOf(refusal, refusals)
    response.writeHead(status, headers).end(body)
  }
  const server = createServerWithLimits((request, response) => {
    const refusal = brokenHead(request, limits)
    if (refusal) return refuse(response, refusal)
    if (request.headers['transfer-encoding'] !== undefined) dropExcessChunks(request, () => turnsOf(request.socket)?.endAfterAnswer())
    handle(request, response)
  }, limits)
  inTurn(server, { limits, budget, refuse: (socket, why) => endWith(socket, hurdles[why], refusals) })
  server.on('checkExpectation', (_, response) => refuse(response, unmet_expectation))
  server.on('clientError', (error, socket) => answerBrokenRequest(error, socket as Socket, refusals)) // as: a listener without TLS has such sockets
  server.on('connect', (_, socket) => endWith(socket as Socket, no_proxy, refusals)) // as: see above
  return server
}

/** Creates a listener with the limits only, for one that is not public. */
export function createLimited(handle: RequestListener, limits: TransportLimits = transport_limits): Server {
  return inTurn(createServerWithLimits(handle, limits), { limits, budget: process_budget, refuse: (socket) => void socket.destroy() })
}

function inTurn(server: Server, options: Parameters<typeof takeTurns>[1]): Server {
  return server.on('connection', (socket: Socket) => takeTurns(socket, options)).on('timeout', (socket) => turnsOf(socket)?.onSilence())
}

function createServerWithLimits(handle: RequestListener, limits: TransportLimits): Server {
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
      ServerResponse: ResponseInTurn,
    },
    handle,
  )
  return server.setTimeout(limits.idle_timeout_ms)
}

interface BrokenRequest {
  status: number
  title: string
  detail: string
  headers?: Readonly<Record<string, string>>
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
  detail: 'The server supports only the expectation 100-continue.',
}
const too_many_pieces: BrokenRequest = { ...bad_request, detail: 'The request arrives in too many small pieces.' }
const no_room: BrokenRequest = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'Too many unfinished requests arrive at the same time. Try again shortly.',
  headers: { 'retry-after': retry_after },
}
const hurdles: Record<Hurdle, BrokenRequest> = { slow_body: too_slow, too_many_pieces, no_room }
const no_proxy: BrokenRequest = { ...bad_request, detail: 'This server is not a proxy, so it does not support CONNECT.' }

/**
 * RFC 9112 §3.2: an HTTP/1.1 request without Host, or any request with two, gets 400
 * RFC 6585 §5:   too many header fields get 431
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

/** The sockets that got a refusal. */
const refused = new WeakSet<Socket>()

/** Answers input that did not become a request: broken syntax, a head over the limit, or a request that does not arrive in time. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, refusals: Refusals): void {
  if (refused.has(socket)) return
  // After a response has begun, the client would read a refusal as a part of that response.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse } // as: Node keeps the response here
  if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent) socket.destroy()
  else endWith(socket, kindOf(error), refusals)
}

function kindOf({ code }: NodeJS.ErrnoException): BrokenRequest {
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return too_many_headers
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? too_slow : not_http
}

/** Sends the refusal, and closes the connection after what the client still sends. */
function endWith(socket: Socket, refusal: BrokenRequest, refusals: Refusals): void {
  refused.add(socket)
  const { status, title, headers, body } = answerOf(refusal, refusals)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`)
  turnsOf(socket)?.linger()
}

function answerOf({ status, title, detail, headers: more }: BrokenRequest, { base_url, newRequestId }: Refusals) {
  const request_id = newRequestId()
  const problem = new ApiError('malformed_request', detail, { reason: reason`The request is not well-formed HTTP.` }).toProblem(
    base_url,
    request_id,
  )
  const body = JSON.stringify({ ...problem, title, status })
  const headers = {
    'x-request-id': request_id,
    'x-content-type-options': 'nosniff',
    ...(base_url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    'cache-control': 'no-store',
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...more,
  }
  return { status, title, headers, body }
}
