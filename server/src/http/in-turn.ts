/**
 * Begins the requests of a connection in turn, and ends connections gently (docs/decisions/0149-requests-in-turn.md).
 *
 * Node begins every request of what it reads, 2,400 in one read, and keeps their answers. Here its parser gets the bytes in pieces that
 * end where a message can end, and the next piece after the answer. A piece decides only how much the parser sees at once, never where a
 * message ends: a cut in the wrong place cannot make two readings of one request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { ServerResponse as NodeResponse } from '../deployment/outbound/node-http.ts'
import type { Budget } from './budget.ts'

export interface TurnLimits {
  /** A request whose body makes no progress for so long is refused. */
  stalled_body_ms: number
  /** From the last byte to the end of a connection without a request. */
  idle_timeout_ms: number
  /** How long, and how many bytes, a client may go on to send after its answer. */
  linger_ms: number
  linger_bytes: number
}

/** Why a connection ends before its request was answered. */
export type Hurdle = 'slow_body' | 'too_many_pieces' | 'no_room'

export interface Turns {
  /** Drops further input, and ends the connection after the answer that was begun. */
  endAfterAnswer(): void
  /** Sends what was written, then drops further input until the client closes its side, within the limits of lingering. */
  linger(): void
  /** Whether so much of the body is still to come that an answer now has to close the connection. */
  isFarFromEnd(): boolean
  /** Called when the connection was silent for too long. */
  onSilence(): void
}

const turns_of = new WeakMap<Socket, Turns & { begin(request: IncomingMessage, response: ServerResponse): void }>()

export const turnsOf = (socket: Socket): Turns | undefined => turns_of.get(socket)

/** Tells the connection of each request that it begins. Node makes one for each request, whichever event it emits. */
export class ResponseInTurn extends NodeResponse {
  constructor(...given: ConstructorParameters<typeof NodeResponse>) {
    super(...given)
    const [request] = given
    turns_of.get(request.socket)?.begin(request, this)
  }
}

const nothing = Buffer.alloc(0)
const end_of_head = Buffer.from('\r\n\r\n')
/** The most bytes of a chunked body that the parser gets at once: it takes 3 µs for each chunk, and a chunk can have one byte. */
const longest_piece_of_chunks = 2_048
/** The most bytes that may follow an answer on an open connection. A proxy that has written them uses the connection again at once. */
const most_rest_bytes = 65_536
/** The pieces of a message beyond one for every 64 bytes: no client sends so many empty lines. */
const most_pieces = 1_024

/** After so many bytes of its body a request reads on in turn with the others: hundreds of large bodies delay nobody who sends a small one. */
const most_at_once = 65_536
const reading_on: (() => void)[] = []

/** Lets one connection read on in each turn of the event loop. A read takes at most 64 KiB. */
function inTurn(resume: () => void): void {
  if (reading_on.push(resume) === 1) setImmediate(readOn)
}

function readOn(): void {
  reading_on.shift()?.()
  if (reading_on.length > 0) setImmediate(readOn)
}

export interface TurnsOptions {
  limits: TurnLimits
  /** Counts bytes that have not become a request: what is written ahead, and begun heads. */
  budget: Budget
  refuse: (socket: Socket, why: Hurdle) => void
}

/** Takes over the bytes of a connection that Node's HTTP server has just accepted. */
export function takeTurns(socket: Socket, { limits, budget, refuse }: TurnsOptions): void {
  const { feed, stop } = takeData(socket, onData)
  let held: Buffer = nothing
  let is_waiting = false
  /** The last request whose end the parser has not seen yet. */
  let unfinished: Unfinished | null = null
  let answering: ServerResponse | null = null
  let in_flight = 0
  let is_dropping = false
  let is_lingering = false
  let dropped = 0
  let rest_timer: NodeJS.Timeout | null = null
  let counts_body = false
  let message = newMessage()
  const claim = budget.open(() => socket.remoteAddress ?? null, giveUp)

  function onData(piece: Buffer): void {
    if (is_dropping || rest_timer !== null) drop(piece.length)
    if (is_dropping) return
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    advance()
  }

  function advance(): void {
    while (held.length > 0 && !is_dropping && !socket.destroyed && (in_flight === 0 || unfinished !== null)) feedPiece()
    const is_large = unfinished !== null && message.bytes > most_at_once
    if (is_dropping || (held.length === 0 && !is_large)) resume()
    else {
      is_waiting = true
      hold()
      if (held.length === 0) inTurn(resume)
      else if (2 * held.length < held.buffer.byteLength) held = Buffer.from(held) // the rest of what was read would be kept with it
    }
    if (is_dropping) return
    claim.keep(held.length + (unfinished === null ? message.bytes : 0))
    watchBody()
  }

  function hold(): void {
    socket.pause()
    stop()
  }

  function resume(): void {
    if (is_waiting) socket.resume()
    is_waiting = false
  }

  function feedPiece(): void {
    const end = unfinished === null ? message.endOfPiece(held) : unfinished.endOfPiece(held, message)
    const piece = end === held.length ? held : held.subarray(0, end)
    held = end === held.length ? nothing : held.subarray(end)
    if (message.isExcess(end)) {
      held = nothing
      refuse(socket, 'too_many_pieces')
    } else {
      feed(piece)
      if (unfinished?.request.complete) finish()
    }
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    in_flight += 1
    answering = response
    response.once('close', afterAnswer)
    message = newMessage()
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && !Number(length)) return
    unfinished =
      encoding === undefined
        ? { request, ...upTo(Number(length)) }
        : { request, left: () => Number.POSITIVE_INFINITY, endOfPiece: piecesOfChunks }
  }

  function finish(): void {
    unfinished = null
    message = newMessage()
    if (rest_timer !== null) clearTimeout(rest_timer)
    rest_timer = null
    dropped = 0
  }

  function afterAnswer(): void {
    in_flight -= 1
    if (in_flight > 0) return
    answering = null
    counts_body = false
    if (socket.destroyed || is_lingering) return
    if (is_dropping) {
      linger()
      return
    }
    if (unfinished !== null) rest_timer ??= setTimeout(linger, limits.linger_ms)
    // Not at once: the requests of other connections have their turn.
    if (held.length > 0) setImmediate(advance)
  }

  function giveUp(): void {
    if (in_flight === 0) refuse(socket, 'no_room')
    else endAfterAnswer()
  }

  function endAfterAnswer(): void {
    is_dropping = true
    held = nothing
    claim.release()
    resume()
    if (answering && !answering.headersSent) answering.shouldKeepAlive = false
  }

  /** RFC 9112 §9.6: a socket closed with unread input is reset, and the client may lose its answer. */
  function linger(): void {
    if (is_lingering || socket.destroyed) return
    is_lingering = true
    is_dropping = true
    held = nothing
    claim.release()
    if (rest_timer !== null) clearTimeout(rest_timer)
    const timer = setTimeout(() => socket.destroy(), limits.linger_ms)
    socket.once('end', () => Socket.prototype.destroySoon.call(socket)).once('close', () => clearTimeout(timer))
    socket.on('error', () => socket.destroy())
    socket.end()
    is_waiting = false
    socket.resume()
  }

  function drop(bytes: number): void {
    dropped += bytes
    if (dropped <= limits.linger_bytes || in_flight > 0) return
    linger()
    // A proxy that is writing reads the answer only once it cannot write: closing now would reset its connection before.
    is_waiting = true
    hold()
  }

  function watchBody(): void {
    if (in_flight === 0 || counts_body === (unfinished !== null)) return
    counts_body = unfinished !== null
    socket.setTimeout(counts_body ? limits.stalled_body_ms : limits.idle_timeout_ms)
  }

  function onSilence(): void {
    if (!counts_body || unfinished === null) socket.destroy()
    else if (socket.isPaused())
      socket.setTimeout(limits.stalled_body_ms) // we did not read
    else if (answering?.headersSent) socket.destroy()
    else refuse(socket, 'slow_body')
  }

  // A request resumes the socket when it ends, and the socket reads then even if it was paused since.
  socket.on('resume', () => {
    if (is_waiting) hold()
  })
  // Node calls this after an answer that closes the connection.
  socket.destroySoon = () => {
    if (unfinished !== null || held.length > 0 || is_dropping) linger()
    else Socket.prototype.destroySoon.call(socket)
  }
  socket.once('close', () => {
    held = nothing
    claim.release()
    if (rest_timer !== null) clearTimeout(rest_timer)
  })
  const isFarFromEnd = () => is_dropping || (unfinished !== null && unfinished.left() > most_rest_bytes)
  turns_of.set(socket, { begin, endAfterAnswer, linger, isFarFromEnd, onSilence })
}

interface Unfinished {
  readonly request: IncomingMessage
  readonly left: () => number
  readonly endOfPiece: (held: Buffer, message: Message) => number
}

/**
 * Gets the bytes of the connection instead of Node, and returns the function with which Node parses them, and one that stops the socket at
 * once. Node reads past every listener until there is one of `data`, and then no longer stops the socket when it is paused: it would read
 * on into a buffer.
 */
function takeData(socket: Socket, onData: (piece: Buffer) => void): { feed: (piece: Buffer) => void; stop: () => void } {
  const [feed] = socket.listeners('data') as ((piece: Buffer) => void)[] // as: the event has such listeners
  if (!feed) throw new Error('Node reads the connection in another way than this file expects.')
  const stopping = socket.listeners('pause') as (() => void)[] // as: the event has no arguments
  const starting = socket.listeners('resume') as (() => void)[] // as: see above
  socket.on('data', onData).off('data', feed)
  for (const listener of stopping) if (!socket.listeners('pause').includes(listener)) socket.on('pause', listener)
  for (const listener of starting) if (!socket.listeners('resume').includes(listener)) socket.on('resume', listener)
  const stop = () => {
    for (const listener of stopping) listener.call(socket)
  }
  return { feed, stop }
}

type Message = ReturnType<typeof newMessage>

/** The bytes since the end of the last head or message. */
function newMessage() {
  let pieces = 0
  let bytes = 0
  /** The last bytes, with which the next ones may make an end. */
  let seam = ''
  return {
    get bytes() {
      return bytes
    },
    isExcess(length: number): boolean {
      bytes += length
      return ++pieces > most_pieces + bytes / 64
    },
    /** RFC 9112 §2.1: a head ends with an empty line, and so does a chunked body (§7.1). */
    endOfPiece(held: Buffer): number {
      const across = seam === '' ? -1 : `${seam}${held.toString('latin1', 0, 3)}`.indexOf('\r\n\r\n')
      const found = held.indexOf(end_of_head)
      const end = across !== -1 ? across + 4 - seam.length : found === -1 ? held.length : found + 4
      seam = across !== -1 || found !== -1 ? '' : `${seam}${held.toString('latin1', Math.max(0, held.length - 3))}`.slice(-3)
      return end
    },
  }
}

/** RFC 9112 §6.3: the body has exactly this length. */
function upTo(length: number): Omit<Unfinished, 'request'> {
  let left = length
  return {
    left: () => left,
    endOfPiece(held) {
      const end = Math.min(left, held.length)
      left -= end
      return end
    },
  }
}

const piecesOfChunks: Unfinished['endOfPiece'] = (held, message) => message.endOfPiece(held.subarray(0, longest_piece_of_chunks))
