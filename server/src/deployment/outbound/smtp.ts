/**
 * Delivers one mail to a mail server (RFC 5321). This file connects: it resolves the name, checks every address like any outgoing call
 * (`deployment/outbound/fetch.ts`) and connects to exactly those. nodemailer speaks the protocol over that connection, through a pipe that counts
 * what the server sends. Every exchange ends by its deadline, which destroys the socket, whatever the server does.
 */
import { connect, type LookupFunction, type Socket } from 'node:net'
import { type Duplex, duplexPair, Readable } from 'node:stream'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { MailStage } from '@ostiary/contract/mail.ts'
import { literalAddress, mayReach } from '../../base/addresses.ts'
import type { Config } from '../../base/config/config.ts'
import { hostUrl, mail_ports } from '../../base/mail-settings.ts'
import { type Address, isWithin, type Network, parseAddress } from '../../base/networks.ts'
import { MailForbidden, MailTimeout, SmtpUtf8Missing } from './mail-failure.ts'
import { type Message, mimeOf } from './mime.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { shownReply } from './smtp-reply.ts'

export interface MailServer {
  host: string
  port: number
  tls: 'starttls' | 'implicit' | 'none'
  username: string | null
  password: string | null
}

export interface Exchange {
  server: MailServer
  /** `null` ends the exchange after signing in to the server, as a check. */
  message: Message | null
  /** How long the server may take to accept the message after it has the last line. */
  reply_timeout_ms: number
  /** Ends the exchange before its deadline. */
  signal?: AbortSignal
}

/** The end of an exchange. `reply` may be shown to the tenant. `cause` is for the log. */
export interface Delivered {
  accepted: boolean
  /** The step that failed, or `data`. */
  stage: MailStage
  reply: string | null
  /** The server refused this message for good (RFC 5321 §4.2.1: 5yz), so another attempt is useless. */
  permanent: boolean
  cause?: unknown
}

export type DeliverBySmtp = (exchange: Exchange) => Promise<Delivered>

/** From the name to the envelope, so a server cannot hold a call slot for longer. */
const exchange_ms = 30_000
/** More than any mail server sends in one exchange. */
const most_received_bytes = 65_536
const farewell_ms = 1_000

interface Overrides {
  resolve?: Resolve
  /** Another certificate authority, for tests. */
  ca?: string
  timeout_ms?: number
  most_reply_ms?: number
}

export function createSmtp(
  { base_url, webhook_allowed_networks: allowed }: Pick<Config, 'base_url' | 'webhook_allowed_networks'>,
  { ca, timeout_ms = exchange_ms, ...overrides }: Overrides = {},
): DeliverBySmtp {
  const resolve = overrides.resolve ?? createResolve({ ask_system: allowed.length > 0 })
  const name = ehloName(new URL(base_url).hostname)

  return async ({ server, message, reply_timeout_ms, signal }) => {
    const { promise: cancelled, reject } = Promise.withResolvers<never>()
    const endAfter = (ms: number) => setTimeout(() => reject(new MailTimeout(`The mail server did not finish within ${ms} ms.`)), ms)
    let timer = endAfter(timeout_ms)
    const progress: Progress = {
      stage: 'dns',
      has_greeted: false,
      end: new AbortController(),
      sendsMessage() {
        if (progress.end.signal.aborted) return
        progress.stage = 'data'
        clearTimeout(timer)
        timer = endAfter(Math.min(reply_timeout_ms, overrides.most_reply_ms ?? reply_timeout_ms))
      },
    }
    const failed = (error: unknown): Delivered => {
      const { response, permanent = false } = error as { response?: unknown; permanent?: boolean } // as: the members of nodemailer's errors
      const shown = progress.has_greeted && typeof response === 'string' ? shownReply(response, secretsOf(server, message)) : null
      const is_final = permanent && (progress.stage === 'recipient' || progress.stage === 'data')
      return { accepted: false, stage: progress.stage, reply: shown, permanent: is_final, cause: error }
    }
    const stop = () => reject(new MailTimeout('The caller stopped the exchange.'))
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    let is_done = false
    try {
      const reply = await Promise.race([cancelled, exchange()])
      is_done = true
      return { accepted: true, stage: progress.stage, reply: shownReply(reply, secretsOf(server, message)), permanent: false }
    } catch (error) {
      return failed(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      if (is_done)
        setTimeout(() => progress.end.abort(), farewell_ms).unref() // for QUIT
      else progress.end.abort()
    }

    async function exchange(): Promise<string> {
      const { end } = progress
      const url = hostUrl(server.host)
      const literal = literalAddress(url)
      const addresses = literal ? [literal] : (await resolve(url.hostname, end.signal)).map(readAddress)
      if (addresses.length === 0) throw new Error(`${url.hostname} has no address.`)
      progress.stage = 'connect'
      for (const address of addresses) refuseForbidden(address, server, allowed)
      end.signal.throwIfAborted() // no connection after the deadline
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
      const socket = await open(addresses, server.port, progress)
      end.signal.throwIfAborted()
      const secured = server.tls === 'implicit' ? await secure(socket, host, ca, progress) : socket
      progress.stage = 'greeting'
      return converse(metered(secured, progress), { server, message, host, name, ca }, progress)
    }
  }
}

/** RFC 5321 §4.1.3: an address is in brackets, and an IPv6 address has a tag. */
function ehloName(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.replace('[', '[IPv6:')
  return parseAddress(hostname) ? `[${hostname}]` : hostname
}

interface Progress {
  stage: MailStage
  /** The server began with 220. Other replies are not shown: the peer may not be a mail server at all. */
  has_greeted: boolean
  /** Aborts when the exchange ends. */
  end: AbortController
  /** The server has accepted the envelope and now gets the message. */
  sendsMessage(): void
}

function readAddress(text: string): Address {
  const address = parseAddress(text)
  if (!address) throw new Error(`The name server answered ${JSON.stringify(text)}.`)
  return address
}

function refuseForbidden(address: Address, { host, port, tls }: MailServer, allowed: readonly Network[]): void {
  const needs_allowed = tls === 'none' || !mail_ports.includes(port)
  if (!mayReach(address, allowed)) throw new MailForbidden(`${host} resolves to ${address}, which outgoing calls may not reach.`)
  if (needs_allowed && !isWithin(address, allowed))
    throw new MailForbidden(`${host} resolves to ${address}: port ${port} and tls ${tls} need an allowed network.`)
}

/** Connects to one of the addresses. The socket is destroyed when the exchange ends. */
function open(addresses: readonly Address[], port: number, { end }: Progress): Promise<Socket> {
  const all = addresses.map((address) => ({ address: address.toString(), family: address.kind() === 'ipv6' ? 6 : 4 }))
  const lookup: LookupFunction = (_, options, callback) => {
    const [first] = all
    if (options.all) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'checked-addresses.invalid', port, lookup })
    destroyAtEnd(socket, end)
    socket.on('error', reject)
    socket.on('connect', () => resolve(socket))
  })
}

/** RFC 8314 §3.3: TLS from the first byte. */
function secure(socket: Socket, host: string, ca: string | undefined, progress: Progress): Promise<Socket> {
  progress.stage = 'tls'
  return new Promise((resolve, reject) => {
    const secured = connectTls({ ...tlsOptions(host, ca), socket })
    destroyAtEnd(secured, progress.end)
    secured.on('error', reject)
    secured.on('close', () => reject(new Error('The connection was closed.')))
    secured.on('secureConnect', () => resolve(secured))
  })
}

/** RFC 6066 §3: SNI has no address. Certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says. */
function tlsOptions(host: string, ca: string | undefined) {
  const servername = parseAddress(host) ? '' : host.replace(/\.$/, '')
  return { host, servername, rejectUnauthorized: true, minVersion: 'TLSv1.2' as const, ...(ca === undefined ? {} : { ca }) }
}

function destroyAtEnd(socket: Socket, end: AbortController): void {
  socket.on('error', () => {}) // a late error has no other listener
  end.signal.addEventListener('abort', () => socket.destroy())
}

/** A stream in place of the socket. It ends the exchange if the server sends too much, and notes the greeting and STARTTLS. */
function metered(socket: Socket, progress: Progress): Duplex {
  const [inner, outer] = duplexPair()
  let received = 0
  let first = ''
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
    if (first.length < 4) first += bytes.toString('latin1', 0, 4)
    progress.has_greeted ||= /^220[ -]/.test(first)
    if (received > most_received_bytes) inner.destroy(new Error(`The mail server sent more than ${most_received_bytes} bytes.`))
  })
  outer.on('data', (bytes: Buffer) => {
    if (bytes.equals(starttls)) progress.stage = 'tls'
  })
  inner.on('error', () => {})
  outer.on('error', () => {})
  socket.on('error', (error) => inner.destroy(error))
  socket.on('close', () => outer.destroy())
  outer.on('close', () => socket.destroy())
  progress.end.signal.addEventListener('abort', () => inner.destroy())
  socket.pipe(outer)
  outer.pipe(socket)
  return inner
}

const starttls = Buffer.from('STARTTLS\r\n')

interface Conversation {
  server: MailServer
  message: Message | null
  host: string
  name: string
  ca: string | undefined
}

/** Speaks SMTP and returns the reply that accepted the message. */
async function converse(stream: Duplex, { server, message, host, name, ca }: Conversation, progress: Progress): Promise<string> {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection') // a deployment without SMTP does not load it
  progress.end.signal.throwIfAborted()
  const ignore = () => stream
  // Of a socket, nodemailer needs only what a stream has, and three methods that the deadline makes superfluous.
  const connected: unknown = Object.assign(stream, { setTimeout: ignore, setKeepAlive: ignore, setNoDelay: ignore })
  const connection = new SmtpConnection({
    connection: connected as Socket, // as: see above
    host,
    port: server.port,
    name,
    secure: server.tls === 'implicit',
    secured: server.tls === 'implicit',
    requireTLS: server.tls === 'starttls',
    ignoreTLS: server.tls === 'none',
    tls: tlsOptions(host, ca),
    maxResponseSize: 65_536,
    connectionTimeout: exchange_ms,
    greetingTimeout: exchange_ms,
    logger: false,
  })
  const { promise: broken, reject } = Promise.withResolvers<never>()
  broken.catch(() => {}) // a late error has no other listener
  connection.on('error', (error) => reject(reasonOf(connection._socket) ?? error))
  connection.once('end', () => reject(new Error('The connection was closed.')))
  progress.end.signal.addEventListener('abort', () => connection.close())
  const step = <T>(run: (done: (error: unknown, result?: T) => void) => void): Promise<T | undefined> =>
    Promise.race([broken, new Promise<T | undefined>((resolve, fail) => run((error, result) => (error ? fail(error) : resolve(result))))])

  await step((done) => connection.connect((error) => done(error)))
  if (server.username !== null && server.password !== null) {
    progress.stage = 'auth'
    const auth = { user: server.username, pass: server.password }
    await step((done) => connection.login(auth, done))
  }
  if (message === null) {
    connection.quit()
    return ''
  }
  progress.stage = 'recipient'
  const { envelope, content } = await mimeOf(message)
  const { _supportedExtensions: offered } = connection as unknown as { _supportedExtensions: string[] } // as: a member without a type
  if (needsSmtpUtf8(envelope) && !offered.includes('SMTPUTF8')) throw new SmtpUtf8Missing()
  const body = Readable.from(marking(content, progress), { objectMode: false })
  const sent = await step<{ response: string }>((done) => connection.send({ ...envelope, size: content.length }, body, done))
  connection.quit()
  return sent?.response ?? ''
}

const needsSmtpUtf8 = ({ from, to }: { from: string; to: readonly string[] }) => /[^\x20-\x7e]/.test([from, ...to].join(''))

/** A certificate that fails closes the connection, which nodemailer notices before it gets the reason. */
function reasonOf(socket: Socket | false | null): Error | null {
  return socket instanceof TLSSocket && !socket.authorized ? socket.errored : null
}

/** nodemailer reads the message when the server has accepted its envelope. */
async function* marking(content: Buffer, progress: Progress) {
  progress.sendsMessage()
  yield content
}

/** A server may repeat what it received, so replies with one of these are not shown. */
function secretsOf({ username, password }: MailServer, message: Message | null): string[] {
  const encoded = [password, `\0${username}\0${password}`].map((text) => Buffer.from(text ?? '').toString('base64'))
  return [...(message?.secrets ?? []), ...(password === null ? [] : [password, ...encoded])]
}
