/** A real mail server on this machine, for tests: it keeps what it accepts, and a test decides its replies. */
import { createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { makeCertificate } from './certificate.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  /** The parameters of MAIL FROM. */
  parameters: string[]
  raw: string
  user: string | null
  is_secure: boolean
}

export const certificate = makeCertificate('mail.test', 'localhost', '127.0.0.1')

/** An error that the server turns into a reply. */
export const reply = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

type Decide = (mail: ReceivedMail, count: number) => Error | string | undefined

interface MailServerOptions extends SMTPServerOptions {
  /** Judges a recipient. */
  recipient?: (address: string) => Error | undefined
  /** Judges a message once it is complete: an error refuses it, `drop` breaks off without a reply, a text is the reply. */
  decide?: Decide
  port?: number
}

export async function startMailServer({ recipient, decide, port = 0, ...options }: MailServerOptions = {}) {
  const received: ReceivedMail[] = []
  let count = 0
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    closeTimeout: 1,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'shop' && password === 'smtp password'
        ? done(null, { user: username })
        : done(reply(535, `Wrong credentials of ${username}.`)),
    onRcptTo: ({ address }, _session, done) => done(recipient?.(address) ?? null),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          parameters: Object.keys((mailFrom ? mailFrom.args : false) || {}),
          raw: Buffer.concat(chunks).toString(),
          user: typeof session.user === 'string' ? session.user : null,
          is_secure: session.secure,
        }
        const verdict = decide?.(mail, ++count)
        if (verdict instanceof Error) return done(verdict)
        received.push(mail)
        if (verdict === 'drop') for (const socket of sockets) if (socket.remotePort === session.remotePort) socket.destroy()
        if (verdict !== 'drop') done(null, verdict)
      })
    },
    ...options,
  })
  server.on('error', () => {}) // a client may break off
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(port)
  const address = server.server.address()
  const own_port = typeof address === 'object' && address ? address.port : 0
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  after(stop)
  return { received, port: own_port, stop, sockets }
}

/** A peer on a raw socket. */
export async function startRawPeer(answer: (socket: Socket) => unknown) {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
    answer(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, open }
}

/** The parts of a message that tests read: unfolded headers, the decoded text and the decoded HTML. */
export function readMessage(raw: string) {
  const { headers, body } = splitPart(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1]
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1)
  const decoded = parts.map((part) => {
    const { headers: own, body: encoded } = splitPart(part.replace(/^\r\n/, ''))
    return { type: own.get('content-type') ?? '', content: decode(own.get('content-transfer-encoding') ?? '7bit', encoded) }
  })
  const contentOf = (type: string) => decoded.find((part) => part.type.startsWith(type))?.content ?? ''
  return { headers, subject: decodeWords(headers.get('subject') ?? ''), text: contentOf('text/plain'), html: contentOf('text/html') }
}

function splitPart(part: string) {
  const end = part.indexOf('\r\n\r\n')
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]))
  return { headers, lines, body: part.slice(end + 4) }
}

function decode(encoding: string, text: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
  if (encoding !== 'quoted-printable') return text
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** RFC 2047, in base64 only. */
const decodeWords = (text: string) =>
  text.replace(/(?<=\?=) (?==\?)/g, '').replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, encoded) => Buffer.from(encoded, 'base64').toString())
