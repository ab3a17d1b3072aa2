/**
 * Reads the body of a request when its handler asks for it: after authentication, and only on routes with a body. Fastify reads no
 * body (`app.ts`), since it would do so before the handler and take longer than most handlers (decision 0014).
 */
import type { IncomingMessage } from 'node:http'
import { ApiError } from './problem.ts'

export const body_limit_bytes = 1_048_576

const nothing = Buffer.alloc(0)

/**
 * @param watch gets each piece as it arrives, and returns the reason to stop or `null`
 * @throws ApiError `body_too_large` before more than the limit is read; `malformed_request` if the body ends too soon
 */
export async function readBody(message: IncomingMessage, watch: Watch = () => null): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers
  // RFC 9112 §6.3: without both headers there is no body, and Node then emits no `end` event (`optimizeEmptyRequests`).
  if (length === undefined && encoding === undefined) return nothing
  if (Number(length) > body_limit_bytes) throw tooLarge()
  if (message.destroyed) throw endedTooSoon()
  return readAll(message, Number(length ?? body_limit_bytes), watch)
}

export type Watch = (piece: Buffer) => ApiError | null

function readAll(message: IncomingMessage, most_bytes: number, watch: Watch): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = growingBuffer(most_bytes)
    const refuse = (refusal: ApiError) => {
      message.off('data', onData).pause()
      reject(refusal)
    }
    const onData = (piece: Buffer) => {
      const problem = watch(piece) ?? body.add(piece)
      if (problem !== null) refuse(problem)
    }
    message.on('data', onData)
    message.on('end', () => resolve(body.bytes()))
    message.on('error', () => refuse(endedTooSoon()))
  })
}

const first_bytes = 4_096

/**
 * The number of pieces that a body may arrive in, in addition to one for every 64 bytes. Network packets are larger. Chunks of one byte
 * would cost a hundred times as much as an ordinary body.
 */
export const most_pieces = 1_024

const isExcess = (pieces: number, bytes: number) => pieces > most_pieces + bytes / 64

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
export function growingBuffer(most_bytes: number) {
  let buffer = nothing
  let length = 0
  let pieces = 0
  return {
    /** Returns the reason to stop, or `null`. */
    add(piece: Buffer): ApiError | null {
      const needed = length + piece.length
      if (needed > body_limit_bytes) return tooLarge()
      if (isExcess(++pieces, needed)) return tooManyPieces()
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(most_bytes, Math.max(first_bytes, 2 * buffer.length))))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      piece.copy(buffer, length)
      length = needed
      return null
    },
    bytes: () => buffer.subarray(0, length),
    capacity: () => buffer.length,
  }
}

function endedTooSoon(): ApiError {
  return new ApiError('malformed_request', 'The connection ended before the body did.')
}

/** The rest of the body is not read, so the connection cannot be used again. */
function tooLarge(): ApiError {
  return new ApiError('body_too_large', 'Bodies are limited to 1 MiB.', { headers: { connection: 'close' } })
}

function tooManyPieces(): ApiError {
  return new ApiError('malformed_request', 'The body arrives in too many small chunks.', { headers: { connection: 'close' } })
}
