/** A peer on a raw TCP socket whose responses never end, or end wrongly. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import type { OutboundFailure } from '../../src/deployment/outbound/fetch.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`

type Misbehave = (socket: Socket) => unknown

const send =
  (text: string): Misbehave =>
  (socket) =>
    socket.write(text)

/** Sends a piece every few milliseconds, as a slow peer would every second. */
export const drip =
  (begin: string | Buffer, piece: string | Buffer = 'a'): Misbehave =>
  (socket) => {
    socket.write(begin)
    const timer = setInterval(() => socket.write(piece), 5)
    socket.once('close', () => clearInterval(timer))
  }

/** Sends as much as the other side reads. */
const flood =
  (begin: string, piece: string): Misbehave =>
  (socket) => {
    socket.write(begin)
    const pieces = piece.repeat(Math.ceil(16_384 / piece.length))
    const more = () => {
      while (!socket.destroyed && socket.write(pieces));
    }
    socket.on('drain', more)
    more()
  }

const close =
  (text: string): Misbehave =>
  (socket) =>
    socket.write(text, () => socket.destroy())

const reset =
  (text: string): Misbehave =>
  (socket) =>
    socket.write(text, () => socket.resetAndDestroy())

const with_trailer = `${chunked}1\r\na\r\n0\r\n`

/** The response of a peer, and the failure of a call that reads at most 1,000 bytes. */
// biome-ignore format: this table is read by line
export const misbehaviours: Record<string, { answer: Misbehave; reason: OutboundFailure }> = {
  'says nothing': { answer: () => {}, reason: 'timeout' },
  'switches protocols': { answer: send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'), reason: 'unreachable' },
  'switches protocols without naming one': { answer: send('HTTP/1.1 101 Switching Protocols\r\n\r\n'), reason: 'unreachable' },
  'switches protocols and then resets the connection': { answer: reset('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\nrest'), reason: 'unreachable' },
  'switches protocols and then sends without end': { answer: flood('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n', 'a'), reason: 'unreachable' },
  'opens a tunnel, as CONNECT does': { answer: send('HTTP/1.1 200 Connection Established\r\n\r\n'), reason: 'timeout' },
  'announces an upgrade and goes on': { answer: send(`${ok}connection: upgrade\r\nupgrade: h2c\r\n\r\n`), reason: 'timeout' },
  'closes before the head': { answer: close(''), reason: 'unreachable' },
  'closes within the head': { answer: close(`${ok}x: `), reason: 'unreachable' },
  'closes after an interim answer': { answer: close('HTTP/1.1 103 Early Hints\r\n\r\n'), reason: 'unreachable' },
  'closes within the body': { answer: close(`${ok}content-length: 900\r\n\r\nabc`), reason: 'unreachable' },
  'closes within a chunk': { answer: close(`${chunked}ff\r\nabc`), reason: 'unreachable' },
  'closes before the last chunk': { answer: close(`${chunked}3\r\nabc\r\n`), reason: 'unreachable' },
  'resets before the head': { answer: (socket) => socket.resetAndDestroy(), reason: 'unreachable' },
  'resets within the head': { answer: reset(`${ok}x: `), reason: 'unreachable' },
  'resets within the body': { answer: reset(`${ok}content-length: 900\r\n\r\nabc`), reason: 'unreachable' },
  'ends its side and stays half open': { answer: (socket) => socket.end(), reason: 'unreachable' },
  'ends its side within the body and stays half open': { answer: (socket) => socket.end(`${ok}content-length: 900\r\n\r\nabc`), reason: 'unreachable' },
  'promises more than it sends': { answer: send(`${ok}content-length: 900\r\n\r\nabc`), reason: 'timeout' },
  'never ends its last chunk': { answer: send(`${chunked}3\r\nabc\r\n`), reason: 'timeout' },
  'sends its status line slowly': { answer: drip('HTTP/1.1 200 '), reason: 'timeout' },
  'sends a header slowly': { answer: drip(`${ok}x: `), reason: 'timeout' },
  'sends headers slowly': { answer: drip(ok, 'x: a\r\n'), reason: 'timeout' },
  'sends its body slowly': { answer: drip(`${ok}content-length: 900\r\n\r\n`), reason: 'timeout' },
  'sends chunks slowly': { answer: drip(chunked, '1\r\na\r\n'), reason: 'timeout' },
  'sends a trailer slowly': { answer: drip(`${with_trailer}x: `), reason: 'timeout' },
  'sends 100 again and again': { answer: drip('', 'HTTP/1.1 100 Continue\r\n\r\n'), reason: 'timeout' },
  'sends 102 again and again': { answer: drip('', 'HTTP/1.1 102 Processing\r\n\r\n'), reason: 'timeout' },
  'sends 103 again and again': { answer: drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'), reason: 'timeout' },
  'sends 100 without end': { answer: flood('', 'HTTP/1.1 100 Continue\r\n\r\n'), reason: 'answer_too_large' },
  'sends 103 without end': { answer: flood('', `HTTP/1.1 103 Early Hints\r\nlink: ${'a'.repeat(8_000)}\r\n\r\n`), reason: 'answer_too_large' },
  'sends empty lines without end': { answer: flood('', '\r\n'), reason: 'answer_too_large' },
  'sends a status line without end': { answer: flood('HTTP/1.1 200 ', 'a'), reason: 'unreachable' },
  'sends a header without end': { answer: flood(`${ok}x: `, 'a'), reason: 'unreachable' },
  'sends headers without end': { answer: flood(ok, 'x: a\r\n'), reason: 'unreachable' },
  'sends a body without end': { answer: flood(`${ok}\r\n`, 'a'), reason: 'answer_too_large' },
  'sends chunks without end': { answer: flood(chunked, '1\r\na\r\n'), reason: 'answer_too_large' },
  'sends a chunk extension without end': { answer: flood(`${chunked}1;`, 'a'), reason: 'unreachable' },
  'sends a trailer without end': { answer: flood(`${with_trailer}x: `, 'a'), reason: 'unreachable' },
  'sends trailers without end': { answer: flood(with_trailer, 'x: a\r\n'), reason: 'unreachable' },
  'sends another protocol': { answer: send('SSH-2.0-OpenSSH_9.6\r\n'), reason: 'unreachable' },
  'sends a status below 100': { answer: send('HTTP/1.1 099 Less\r\ncontent-length: 0\r\n\r\n'), reason: 'unreachable' },
  'sends a status above 599': { answer: send('HTTP/1.1 999 More\r\ncontent-length: 0\r\n\r\n'), reason: 'unreachable' },
}

export const misbehaviour_names = Object.keys(misbehaviours)

/** Starts a peer that reads its behaviour from the path: the number of a row of the table. */
export async function startHostilePeer() {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => {}) // the other side may reset the connection
    socket.on('end', () => socket.destroy())
    socket.once('data', (request: Buffer) => {
      const row = /^[A-Z]+ \S*\/row-(\d+)\//.exec(request.toString('latin1'))?.[1]
      misbehaviours[misbehaviour_names[Number(row)] ?? '']?.answer(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    port,
    /** The path of a behaviour. */
    pathOf(name: string): string {
      if (!(name in misbehaviours)) throw new Error(`No misbehaviour is called "${name}".`)
      return `/row-${misbehaviour_names.indexOf(name)}/`
    },
    open,
    /** Resolves when every connection has ended. */
    async idle(): Promise<void> {
      while (open.size > 0) await new Promise(setImmediate)
    },
  }
}
