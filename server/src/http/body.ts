/**
 * Reads the body of a request when its handler asks for it: after the credential was judged, and never on a route without a
 * body. Fastify reads none (`app.ts`): it would do so before the handler, and take longer than most handlers (decision 0014).
 */
import type { IncomingMessage } from 'node:http'
import { ApiError } from './problem.ts'

export const body_limit_bytes = 1_048_576

const nothing = Buffer.alloc(0)

/**
 * @param watch sees each piece as it arrives; the reason to stop, or `null`
 * @throws ApiError `body_too_large`, before more than the limit was read; `malformed_request` where the body ends too soon
 */
export async function readBody(message: IncomingMessage, watch: Watch = () => null): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers
  // RFC 9112 §6.3: no body without one of them. Node tells of none then, not even of its end (`optimizeEmptyRequests`).
  if (length === undefined && encoding === undefined) return nothing
  if (Number(length) > body_limit_bytes) throw tooLarge()
  if (message.destroyed) throw endedTooSoon()
  return readAll(message, Number(length ?? body_limit_bytes), watch)
}

export type Watch = (piece: Buffer) => ApiError | null

function readAll(message: IncomingMessage, most_bytes: number, watch: Watch): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = growing(most_bytes)
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
 * Pieces that a body may arrive in, beside one for every 64 bytes of it: network packets are larger. A client that sends each
 * byte as a chunk of its own would cost a hundred times what an honest body costs.
 */
export const most_pieces = 1_024

const isExcess = (pieces: number, bytes: number) => pieces > most_pieces + bytes / 64

/**
 * Drops the chunks that follow the first one too many, which `readBody` refuses. One read of a socket brings 11,000 chunks of one
 * byte, and Node would keep each as an object until the handler comes to read them.
 */
export function dropExcessChunks(message: IncomingMessage): void {
  const push = message.push.bind(message)
  let pieces = 0
  let bytes = 0
  let has_excess = false
  message.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece)
    if (has_excess) return false
    bytes += piece.length
    has_excess = isExcess(++pieces, bytes)
    return push(piece, encoding)
  }
}

/**
 * One buffer that doubles as bytes arrive, and never holds more than twice what has arrived. A piece is copied, since each is
 * an object of its own over memory of the connection.
 */
export function growing(most_bytes: number) {
  let buffer = nothing
  let length = 0
  let pieces = 0
  return {
    /** The reason to stop, or `null`. */
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
