/**
 * Every call that this service makes to an address somebody else chose: webhooks, `jwks_uri`, providers, back-channel
 * logout. Addresses are judged after DNS, all of them, and the connection is made to exactly those that were judged, so
 * a name cannot mean one thing when it is checked and another when it is used. Nothing follows a redirect, keeps a
 * connection or a cookie, or goes through a proxy. Entered by `createOutbound`, once per process.
 */
import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Config } from '../config.ts'
import { type Address, parseAddress } from '../http/client-ip.ts'
import { request as requestHttp } from '../http/node-http.ts'
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
    const timeout = AbortSignal.timeout(request.timeout_ms)
    const signal = AbortSignal.any(request.signal ? [timeout, request.signal] : [timeout])
    try {
      const addresses = literalOf(url) ?? (await untilAborted(signal, resolve(url.hostname, signal))).map(readAddress)
      const refused = addresses.find((address) => !mayReach(address, allowed))
      if (refused) throw new Error(`${url.hostname} is at ${refused}, which outgoing calls may not reach.`)
      if (addresses.length === 0) throw new Error(`${url.hostname} has no address.`)
      return await exchange(url, request, { signal, lookup: pinnedTo(addresses), ca: given.ca })
    } catch (error) {
      if (error instanceof OutboundFailed) throw error
      if (timeout.aborted) throw new OutboundFailed('timeout', `No answer within ${request.timeout_ms} ms.`, { cause: error })
      if (signal.aborted) throw new OutboundFailed('stopped', 'The call was given up.', { cause: error })
      throw new OutboundFailed('unreachable', 'No usable answer.', { cause: error })
    }
  }
}

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
  signal: AbortSignal
  lookup: LookupFunction
  ca: string | undefined
}

function exchange(url: URL, request: OutboundRequest, { signal, lookup, ca }: Connection): Promise<OutboundAnswer> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const body = request.body ?? ''
  const options: RequestOptions = {
    method: request.method,
    hostname: host,
    port: url.port === '' ? null : Number(url.port),
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      'user-agent': 'Ostiary',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(request.method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
      ...request.headers,
    },
    agent: false, // an agent of its own: one connection, closed afterwards, and no proxy of the environment
    lookup,
    signal,
  }
  // RFC 6066 §3: no address and no trailing dot in SNI. Certificates are always verified, whatever the environment says.
  const tls = { servername: isIP(host) ? '' : host.replace(/\.$/, ''), rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) }
  return new Promise((resolve, reject) => {
    const outgoing = url.protocol === 'https:' ? requestHttps({ ...options, ...tls }) : requestHttp(options)
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      readBody(response, request)
        .then((read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }), reject)
        .finally(() => outgoing.destroy())
    })
    outgoing.end(body)
  })
}

async function readBody(response: IncomingMessage, { limit_bytes, beyond_limit }: OutboundRequest): Promise<Buffer> {
  if (limit_bytes === 0 && beyond_limit === 'cut') return Buffer.alloc(0) // whoever wants none does not wait for it
  const chunks: Buffer[] = []
  let length = 0
  const sent = response as AsyncIterable<Buffer> // as: no encoding is set, so chunks are buffers
  for await (const chunk of sent) {
    chunks.push(chunk)
    length += chunk.length
    if (length <= limit_bytes) continue
    if (beyond_limit === 'fail') throw new OutboundFailed('answer_too_large', `The answer is longer than ${limit_bytes} bytes.`)
    break
  }
  return Buffer.concat(chunks).subarray(0, limit_bytes)
}

/** Waits no longer than the signal lets it, also for what cannot be stopped. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
