/**
 * Reads the body of a request when its handler asks for it: after authentication, and only on routes with a body. Fastify reads no
 * body (`app.ts`), since it would do so before the handler and take longer than most handlers (decision 0014).
 */
import type { IncomingMessage } from 'node:http'
import { reason } from '../base/reason.ts'
import { type Budget, createBudget } from './budget.ts'
import { ApiError, retry_after } from './problem.ts'

export const body_limit_bytes = 1_048_576
/** Of a row with `large_member`. */
export const large_body_limit_bytes = 4 * body_limit_bytes

const nothing = Buffer.alloc(0)
const closing = { headers: { connection: 'close' } }

/** Keeps the pieces of a body while it arrives. */
export interface Kept {
  /** Takes a piece. Returns the reason to stop, or `null`. */
  add(piece: Buffer): ApiError | null
  bytes(): Buffer
  /** The memory that is taken. */
  capacity(): number
}

/** The budget of a process for bodies that are still arriving. A body of at most 4 KiB is never refused for it. */
const process_budget = createBudget({ most_bytes: 64_000_000, free_bytes: 4_096 })

export interface Reading {
  /** The address of the sender, under whose network the body counts. */
  addressOf: () => string | null
  limit_bytes?: number
  /** Keeps all by default. */
  keep?: (most_bytes: number) => Kept
  budget?: Budget
}

/**
 * @throws ApiError `body_too_large` before more than the limit is read; `malformed_request` if the body ends too soon; `unavailable` if too
 * many bodies arrive at the same time
 */
export async function readBody(message: IncomingMessage, reading: Reading): Promise<Buffer> {
  const { limit_bytes = body_limit_bytes, keep = (most_bytes) => growingBuffer(most_bytes, limit_bytes) } = reading
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers
  // RFC 9112 §6.3: without both headers there is no body, and Node then emits no `end` event (`optimizeEmptyRequests`).
  if (length === undefined && encoding === undefined) return nothing
  if (Number(length) > limit_bytes) throw tooLarge(limit_bytes)
  if (message.destroyed) throw endedTooSoon()
  return readAll(message, keep(Number(length ?? limit_bytes)), reading)
}

function readAll(message: IncomingMessage, kept: Kept, { addressOf, budget = process_budget }: Reading): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Kept | null = kept
    const claim = budget.open(addressOf, () => refuse(noRoom()))
    const refuse = (refusal: ApiError) => {
      body = null // the message outlives its refusal
      claim.release()
      message.off('data', onData).pause()
      reject(refusal)
    }
    const onData = (piece: Buffer) => {
      const problem = body?.add(piece) ?? null
      if (problem !== null) refuse(problem)
      else if (body) claim.keep(body.capacity())
    }
    message.on('data', onData)
    message.on('end', () => {
      claim.release()
      resolve(body?.bytes() ?? nothing)
    })
    message.on('error', () => refuse(endedTooSoon()))
  })
}

const first_bytes = 4_096

/**
 * The number of pieces that a body may arrive in, in addition to one for every 64 bytes. Network packets are larger. Chunks of one byte
 * would cost a hundred times as much as an ordinary body.
 */
export const most_pieces = 1_024

export const isExcess = (pieces: number, bytes: number) => pieces > most_pieces + bytes / 64

/**
 * Drops the chunks after the first excess one, which `readBody` refuses. One read of a socket yields 11,000 chunks of one byte, and Node
 * would keep each as an object until the handler reads them.
 */
export function dropExcessChunks(message: IncomingMessage, onExcess: () => void = () => {}): void {
  const push = message.push.bind(message)
  let pieces = 0
  let bytes = 0
  let has_excess = false
  message.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece)
    if (has_excess) return false
    bytes += piece.length
    has_excess = isExcess(++pieces, bytes)
    if (has_excess) onExcess()
    return push(piece, encoding)
  }
}

/**
 * Collects pieces in one buffer, which doubles as needed and is never larger than twice the received bytes. Pieces are copied, since each
 * keeps memory of the connection alive.
 */
export function growingBuffer(most_bytes: number, limit_bytes = body_limit_bytes): Kept {
  const kept = growingBytes(most_bytes)
  let pieces = 0
  return {
    add(piece) {
      const needed = kept.length() + piece.length
      if (needed > limit_bytes) return tooLarge(limit_bytes)
      if (isExcess(++pieces, needed)) return tooManyPieces()
      kept.append(piece)
      return null
    },
    bytes: kept.bytes,
    capacity: kept.capacity,
  }
}

export function growingBytes(most_bytes: number) {
  let buffer = nothing
  let length = 0
  return {
    append(piece: Buffer): void {
      const needed = length + piece.length
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(most_bytes, Math.max(first_bytes, 2 * buffer.length))))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      piece.copy(buffer, length)
      length = needed
    },
    /** Forgets what was appended after the first `bytes`, and gives back the memory of a large part. */
    cutTo(bytes: number): void {
      length = bytes
      if (buffer.length > first_bytes && 2 * length < buffer.length) buffer = Buffer.from(buffer.subarray(0, length))
    },
    length: () => length,
    bytes: () => buffer.subarray(0, length),
    capacity: () => buffer.length,
  }
}

/** Keeps nothing of a body, and counts it. */
export function noBytes(): Kept {
  let length = 0
  let pieces = 0
  return {
    add({ length: more }) {
      length += more
      if (length > body_limit_bytes) return tooLarge(body_limit_bytes)
      return isExcess(++pieces, length) ? tooManyPieces() : null
    },
    bytes: () => nothing,
    capacity: () => 0,
  }
}

function endedTooSoon(): ApiError {
  return new ApiError('malformed_request', 'The connection ended before the body did.')
}

/** The rest of the body is not read, so the connection cannot be used again. */
export function tooLarge(limit_bytes: number): ApiError {
  const mebibytes = limit_bytes / body_limit_bytes
  return new ApiError('body_too_large', `Bodies are limited to ${mebibytes} MiB.`, {
    ...closing,
    reason: reason`Bodies are limited to ${mebibytes} MiB.`,
  })
}

export function tooManyPieces(): ApiError {
  return new ApiError('malformed_request', 'The body arrives in too many small chunks.', closing)
}

function noRoom(): ApiError {
  return new ApiError('unavailable', 'Too many large bodies arrive at the same time. Try again shortly.', {
    headers: { ...closing.headers, 'retry-after': retry_after },
    reason: reason`The bodies that arrive from the network of the sender take too much memory.`,
  })
}
