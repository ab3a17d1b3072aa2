/**
 * Makes every call to a URL that a tenant chose: webhooks, `jwks_uri`, providers, back-channel logout. Checks all addresses of a
 * host name after DNS and connects to exactly those addresses, so DNS rebinding has no effect. Follows no redirect, keeps no
 * connection and no cookie. Every call ends by its deadline, which settles the call and destroys the socket, whatever the peer or
 * `node:http` does. With an egress proxy every call goes through it, and it resolves the names. Entered by `createOutbound`, once per process.
 */
import type { IncomingMessage } from 'node:http'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { AttemptError } from '@ostiary/contract/delivery.ts'
import { isPrivateLiteral, literalAddress, mayReach } from '../../base/addresses.ts'
import type { Config, EgressProxy } from '../../base/config/config.ts'
import { type Address, parseAddress } from '../../base/networks.ts'
import { confirmation } from '../../base/premise.ts'
import { currentTrace } from '../../base/trace.ts'
import { traceHeaders } from '../../base/trace-context.ts'
import { openTunnel } from './egress-proxy.ts'
import { request as requestHttp } from './node-http.ts'
import { createResolve, type Resolve } from './resolve.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** In Live, `http` is refused except for URLs under the base URL. */
  https_only: boolean
  /** For the whole call: DNS, connection, TLS, headers and body. */
  timeout_ms: number
  /** The most bytes of the body that are read. A longer body fails the call (`fail`), or its rest is not read (`cut`). */
  limit_bytes: number
  beyond_limit: 'fail' | 'cut'
  /** Ends the call before its time limit. */
  signal?: AbortSignal
}

/** An answer of any status, redirects included. The body is never decompressed. */
export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** When the certificate of the peer ends; absent without TLS. */
  readonly certificate_ends_at?: Date
}

export type OutboundFailure = 'bad_url' | 'unreachable' | 'timeout' | 'answer_too_large' | 'stopped'

/** The step at which a call failed. `null` for a step after the connection, so that it tells nothing of what answered. */
export type FailedStep = AttemptError | null

/**
 * The call got no usable answer. `reason` may be shown to anyone: it does not reveal what runs at an address, whether a name exists or
 * whether it is private (all are `unreachable`). `step` is for the tenant that registered the URL. The message and its cause are for
 * the log.
 */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed'
  readonly reason: OutboundFailure
  readonly step: FailedStep

  constructor(reason: OutboundFailure, message: string, { step = null, ...options }: { cause?: unknown; step?: FailedStep } = {}) {
    super(message, options)
    this.reason = reason
    this.step = step
  }
}

export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>

type OutboundConfig = Pick<Config, 'base_url' | 'webhook_allowed_networks'> & Partial<Pick<Config, 'egress_proxy'>>

/** `overrides` are for tests: another resolver, another certificate authority. */
export function createOutbound(
  { base_url, webhook_allowed_networks: allowed, egress_proxy = null }: OutboundConfig,
  overrides: { resolve?: Resolve; ca?: string } = {},
): Outbound {
  const resolve = overrides.resolve ?? createResolve({ ask_system: allowed.length > 0 })

  return async (request) => {
    await confirmation() // no call for a request that begins again
    const url = readUrl(request, base_url)
    const progress: Progress = { step: 'dns' }
    return byDeadline(request, progress, async (end) => {
      try {
        const route = egress_proxy === null ? await direct(url, end, progress) : await throughProxy(egress_proxy, url, end, progress)
        return await exchange(url, request, { end, route, ca: overrides.ca, progress })
      } catch (error) {
        const { step } = progress
        throw error instanceof OutboundFailed ? error : new OutboundFailed('unreachable', 'No usable answer.', { cause: error, step })
      }
    })
  }

  async function direct(url: URL, end: AbortSignal, progress: Progress): Promise<Route> {
    const addresses = literalOf(url) ?? (await resolve(url.hostname, end)).map(readAddress)
    const refused = addresses.find((address) => !mayReach(address, allowed))
    if (refused) {
      progress.step = 'address_not_allowed'
      throw new Error(`${url.hostname} resolves to ${refused}, which outgoing calls may not reach.`)
    }
    if (addresses.length === 0) throw new Error(`${url.hostname} has no address.`)
    end.throwIfAborted() // no connection after the deadline
    progress.step = 'refused'
    return { lookup: pinnedTo(addresses) }
  }

  /** The proxy resolves names, so only what is spelt out is judged here. */
  async function throughProxy(proxy: EgressProxy, url: URL, end: AbortSignal, progress: Progress): Promise<Route> {
    if (isPrivateLiteral(url, allowed)) {
      progress.step = 'address_not_allowed'
      throw new Error(`Outgoing calls may not reach ${url.hostname}.`)
    }
    progress.step = 'proxy'
    const tunnel = await openTunnel(proxy, `${url.hostname}:${portOf(url)}`, end)
    progress.step = afterConnection(url)
    return { tunnel }
  }
}

/**
 * Runs one call until it settles, its time limit passes or the caller aborts it, whichever is first. Then aborts `end`, so that
 * everything the call opened is closed. Does not wait for the work to react.
 */
async function byDeadline<T>(
  { timeout_ms, signal }: OutboundRequest,
  progress: Progress,
  work: (end: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw stopped()
  const { promise: cancelled, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const step = progress.step === 'proxy' ? 'proxy' : 'timeout'
    reject(new OutboundFailed('timeout', `No answer within ${timeout_ms} ms.`, { step }))
  }, timeout_ms)
  const stop = () => reject(stopped())
  signal?.addEventListener('abort', stop)
  const end = new AbortController()
  try {
    return await Promise.race([cancelled, work(end.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    end.abort()
  }
}

const stopped = () => new OutboundFailed('stopped', 'The caller stopped the call.')

/** Refuses unusable URLs before DNS. RFC 9110 §4.2.4: user info in a URL can mislead, so it is refused. */
function readUrl({ url: text, https_only }: OutboundRequest, base_url: string): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw new OutboundFailed('bad_url', 'Not an http or https URL.')
  if (url.username !== '' || url.password !== '') throw new OutboundFailed('bad_url', 'The URL contains user info.')
  if (https_only && url.protocol !== 'https:' && url.origin !== base_url) throw new OutboundFailed('bad_url', 'https is required.')
  return url
}

function literalOf(url: URL): Address[] | null {
  const address = literalAddress(url)
  return address && [address]
}

/** Throws on text that is not an address, which refuses the whole DNS answer. */
function readAddress(text: string): Address {
  const address = parseAddress(text)
  if (!address) throw new Error(`The name server answered ${JSON.stringify(text)}.`)
  return address
}

/** Replaces DNS while connecting: returns the addresses that were checked. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  const all = addresses.map((address) => ({ address: address.toString(), family: address.kind() === 'ipv6' ? 6 : 4 }))
  const [first] = all
  return (_, options, callback) => {
    if (options.all) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** The step that a call has reached: the one that failed, if it fails now. */
interface Progress {
  step: FailedStep
}

/** How the peer is reached: by addresses that were checked, or on a connection that the egress proxy made. */
type Route = { readonly lookup: LookupFunction } | { readonly tunnel: Socket }

/** The step that fails next, once there is a connection. */
const afterConnection = (url: URL): FailedStep => (url.protocol === 'https:' ? 'tls' : null)

interface Connection {
  /** Aborts when the call ends. */
  end: AbortSignal
  route: Route
  ca: string | undefined
  progress: Progress
}

/** The limit for a header or trailer section: Node's default, set explicitly because its command line can change it. */
const max_header_bytes = 16_384
/** The limit for all bytes of a connection: interim answers, headers, chunk framing, trailers. A one-byte chunk takes six bytes. */
const maxReceived = (limit_bytes: number) => 262_144 + 8 * limit_bytes

/** Sends one request on its own connection. The socket is created here, so it can be destroyed in any state when the call ends. */
function exchange(url: URL, request: OutboundRequest, connection: Connection): Promise<OutboundAnswer> {
  const { end, progress } = connection
  const body = request.body ?? ''
  return new Promise((resolve, reject) => {
    const socket = open(url, connection)
    socket.once('connect', () => {
      progress.step = afterConnection(url)
    })
    let certificate: { certificate_ends_at?: Date } = {}
    socket.once('secureConnect', () => {
      progress.step = null
      if (socket instanceof TLSSocket) certificate = { certificate_ends_at: new Date(socket.getPeerCertificate().valid_to) }
    })
    socket.on('error', reject) // `node:http` removes its own listener; this one handles late errors
    // Rejects after the events of data that arrived before the close.
    socket.on('close', () => setImmediate(reject, new Error('The connection was closed.')))
    const outgoing = send(socket, url, request, body)
    end.addEventListener('abort', () => {
      outgoing.destroy()
      socket.destroy()
    })
    let received = 0
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length
      if (received > maxReceived(request.limit_bytes)) reject(tooLong(request.limit_bytes))
    })
    outgoing.on('error', reject)
    // RFC 9110 §7.8: a server switches protocols only if the client asks. No request here asks.
    outgoing.on('upgrade', () => reject(new Error('The server switched to another protocol.')))
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0
      if (status < 200 || status > 599) return reject(new Error(`The status ${status} is not valid.`)) // RFC 9110 §15
      readBody(response, request).then((read) => resolve({ status, headers: response.headers, body: read, ...certificate }), reject)
    })
    outgoing.end(body)
  })
}

function open(url: URL, { route, ca }: Pick<Connection, 'route' | 'ca'>): Socket {
  const host = hostOf(url)
  if (url.protocol === 'http:') return 'tunnel' in route ? route.tunnel : connect({ host, port: portOf(url), lookup: route.lookup })
  const to = 'tunnel' in route ? { host, socket: route.tunnel } : { host, port: portOf(url), lookup: route.lookup }
  // RFC 6066 §3: SNI has no address and no trailing dot. Certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  const servername = isIP(host) ? '' : host.replace(/\.$/, '')
  return connectTls({ ...to, servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) })
}

const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))
const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** Uses no agent: the connection closes afterwards, and proxy variables have no effect. */
function send(socket: Socket, url: URL, { method, headers }: OutboundRequest, body: string) {
  const trace = currentTrace()
  return requestHttp({
    method,
    createConnection: () => socket,
    path: url.pathname + url.search,
    maxHeaderSize: max_header_bytes,
    headers: {
      host: url.host,
      'user-agent': 'Ostiary',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
      ...(trace && traceHeaders(trace)),
      ...headers,
    },
  })
}

/** Reads up to the limit into one growing buffer, since many small chunks would occupy far more memory than their bytes. */
function readBody(response: IncomingMessage, { limit_bytes, beyond_limit }: OutboundRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (limit_bytes === 0 && beyond_limit === 'cut') return resolve(Buffer.alloc(0)) // only the status is wanted
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

const tooLong = (limit_bytes: number) => new OutboundFailed('answer_too_large', `The answer is larger than ${limit_bytes} bytes.`)
