/**
 * Every call to an address that a tenant chose: webhooks, `jwks_uri`, providers, back-channel logout. All addresses of a
 * name are checked after DNS, and the connection goes to exactly those addresses, so the name cannot change its meaning
 * between check and use. Nothing follows a redirect, keeps a connection or a cookie, or uses a proxy. Every call ends by
 * its deadline: the deadline settles the call and destroys the socket, whatever the peer or `node:http` does.
 * Entered by `createOutbound`, once per process.
 */
import type { IncomingMessage } from 'node:http'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '../config.ts'
import { request as requestHttp } from '../http/node-http.ts'
import { type Address, parseAddress } from '../net/networks.ts'
import { literalAddress, mayReach } from './addresses.ts'
import { createResolve, type Resolve } from './resolve.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Live: `http` is refused, but for addresses under the base URL (contract §3). */
  https_only: boolean
  /** For all of it: name, connection, TLS, headers and body. */
  timeout_ms: number
  /** How much of the body is read. What is longer fails the call, or is left unread (`cut`). */
  limit_bytes: number
  beyond_limit: 'fail' | 'cut'
  /** Gives up before the time limit. */
  signal?: AbortSignal
}

/** What came back, whatever its status: a redirect is an answer like any other. The body is as sent, never decompressed. */
export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export type OutboundFailure = 'bad_url' | 'unreachable' | 'timeout' | 'answer_too_large' | 'stopped'

/**
 * No answer. `reason` may be told to whoever registered the URL: it never says what is at an address, nor whether a name
 * exists or is private (all `unreachable`). The message and its cause are for the log.
 */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed'
  readonly reason: OutboundFailure

  constructor(reason: OutboundFailure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>

/** `given` is for tests: another name server, another certificate authority. */
export function createOutbound(
  { base_url, webhook_allowed_networks: allowed }: Pick<Config, 'base_url' | 'webhook_allowed_networks'>,
  given: { resolve?: Resolve; ca?: string } = {},
): Outbound {
  const resolve = given.resolve ?? createResolve({ ask_system: allowed.length > 0 })

  return async (request) => {
    const url = readUrl(request, base_url)
    return byDeadline(request, async (end) => {
      try {
        const addresses = literalOf(url) ?? (await resolve(url.hostname, end)).map(readAddress)
        const refused = addresses.find((address) => !mayReach(address, allowed))
        if (refused) throw new Error(`${url.hostname} is at ${refused}, which outgoing calls may not reach.`)
        if (addresses.length === 0) throw new Error(`${url.hostname} has no address.`)
        end.throwIfAborted() // the call is over: no connection
        return await exchange(url, request, { end, lookup: pinnedTo(addresses), ca: given.ca })
      } catch (error) {
        throw error instanceof OutboundFailed ? error : new OutboundFailed('unreachable', 'No usable answer.', { cause: error })
      }
    })
  }
}

/**
 * Runs one call until it settles, its time limit passes or the caller gives up, whichever is first. `end` aborts in every
 * case, so nothing that the call opened outlives it. Does not wait for the work to notice.
 */
async function byDeadline<T>({ timeout_ms, signal }: OutboundRequest, work: (end: AbortSignal) => Promise<T>): Promise<T> {
  if (signal?.aborted) throw stopped()
  const { promise: given_up, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutboundFailed('timeout', `No answer within ${timeout_ms} ms.`)), timeout_ms)
  const stop = () => reject(stopped())
  signal?.addEventListener('abort', stop)
  const end = new AbortController()
  try {
    return await Promise.race([given_up, work(end.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    end.abort()
  }
}

const stopped = () => new OutboundFailed('stopped', 'The caller gave up.')

/** What can be refused before anything is asked. RFC 9110 §4.2.4: user info in a URL misleads; it is never sent. */
function readUrl({ url: text, https_only }: OutboundRequest, base_url: string): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw new OutboundFailed('bad_url', 'Not an http or https URL.')
  if (url.username !== '' || url.password !== '') throw new OutboundFailed('bad_url', 'The URL has user info.')
  if (https_only && url.protocol !== 'https:' && url.origin !== base_url) throw new OutboundFailed('bad_url', 'https is required here.')
  return url
}

function literalOf(url: URL): Address[] | null {
  const address = literalAddress(url)
  return address && [address]
}

/** An answer of a name server that cannot be judged is refused as a whole. */
function readAddress(text: string): Address {
  const address = parseAddress(text)
  if (!address) throw new Error(`The name server answered ${JSON.stringify(text)}.`)
  return address
}

/** Stands in for DNS while connecting: the addresses that were judged, and never another question. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  const all = addresses.map((address) => ({ address: address.toString(), family: address.kind() === 'ipv6' ? 6 : 4 }))
  const [first] = all
  return (_, options, callback) => {
    if (options.all) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }
}

interface Connection {
  /** Aborts when the call is over. */
  end: AbortSignal
  lookup: LookupFunction
  ca: string | undefined
}

/** A head or a trailer section may be this long. Node's own default, kept even where its command line says otherwise. */
const most_header_bytes = 16_384
/** The bytes of a connection, in all: interim answers, heads, framing of chunks, trailers. A byte in a chunk of its own takes six. */
const mostReceived = (limit_bytes: number) => 262_144 + 8 * limit_bytes

/** One request on one connection of its own. The socket is ours, so it is destroyed when the call is over, in any state. */
function exchange(url: URL, request: OutboundRequest, connection: Connection): Promise<OutboundAnswer> {
  const { end } = connection
  const body = request.body ?? ''
  return new Promise((resolve, reject) => {
    const socket = open(url, connection)
    socket.on('error', reject) // stays when `node:http` lets go of the socket, so no late error is unhandled
    // Settles after the events of what was received before the close.
    socket.on('close', () => setImmediate(reject, new Error('The connection was closed.')))
    const outgoing = send(socket, url, request, body)
    end.addEventListener('abort', () => {
      outgoing.destroy()
      socket.destroy()
    })
    let received = 0
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length
      if (received > mostReceived(request.limit_bytes)) reject(tooLong(request.limit_bytes))
    })
    outgoing.on('error', reject)
    // RFC 9110 §7.8: a server switches protocols only when the client asks for it. No request here asks.
    outgoing.on('upgrade', () => reject(new Error('The server switches to another protocol.')))
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0
      if (status < 200 || status > 599) return reject(new Error(`The status ${status} does not exist.`)) // RFC 9110 §15
      readBody(response, request).then((read) => resolve({ status, headers: response.headers, body: read }), reject)
    })
    outgoing.end(body)
  })
}

function open(url: URL, { lookup, ca }: Connection): Socket {
  const host = hostOf(url)
  const to = { host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), lookup }
  if (url.protocol === 'http:') return connect(to)
  // RFC 6066 §3: no address and no trailing dot in SNI. Certificates are always verified, whatever the environment says.
  const servername = isIP(host) ? '' : host.replace(/\.$/, '')
  return connectTls({ ...to, servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) })
}

const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** Without an agent: the connection is closed afterwards, and no proxy of the environment is used. */
function send(socket: Socket, url: URL, { method, headers }: OutboundRequest, body: string) {
  return requestHttp({
    method,
    createConnection: () => socket,
    path: url.pathname + url.search,
    maxHeaderSize: most_header_bytes,
    headers: {
      host: url.host,
      'user-agent': 'Ostiary',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
      ...headers,
    },
  })
}

/** Reads at most the limit into one buffer that grows, since many small chunks occupy far more than their bytes. */
function readBody(response: IncomingMessage, { limit_bytes, beyond_limit }: OutboundRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (limit_bytes === 0 && beyond_limit === 'cut') return resolve(Buffer.alloc(0)) // the status is enough: waits for no body
    let body = Buffer.alloc(Math.min(limit_bytes, 4_096))
    let length = 0
    response.on('error', reject)
    response.on('end', () => resolve(body.subarray(0, length)))
    response.on('data', (chunk: Buffer) => {
      const is_longer = length + chunk.length > limit_bytes
      if (is_longer && beyond_limit === 'fail') return reject(tooLong(limit_bytes))
      const wanted = Math.min(length + chunk.length, limit_bytes)
      if (wanted > body.length) body = Buffer.concat([body], Math.min(limit_bytes, Math.max(wanted, 2 * body.length)))
      length += chunk.copy(body, length, 0, wanted - length)
      if (is_longer) resolve(body)
    })
  })
}

const tooLong = (limit_bytes: number) => new OutboundFailed('answer_too_large', `The answer is longer than ${limit_bytes} bytes.`)
