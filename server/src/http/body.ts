/**
 * Reads the body of a request for whoever wants it, when they want it: not before the credential was judged, and never where
 * nobody takes one. Fastify reads none (`app.ts`): it would do so before the handler, and take longer than most handlers (decision 0014).
 */
import type { IncomingMessage } from 'node:http'
import { ApiError } from './problem.ts'

export const body_limit_bytes = 1_048_576

const nothing = Buffer.alloc(0)

/** @throws ApiError `body_too_large`, before more than the limit was read; `malformed_request` where the body ends too soon. */
export async function readBody(message: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers
  // RFC 9112 §6.3: no body without one of them. Node tells of none then, not even of its end (`optimizeEmptyRequests`).
  if (length === undefined && encoding === undefined) return nothing
  if (Number(length) > body_limit_bytes) throw tooLarge()
  if (message.destroyed) throw endedTooSoon()
  return readAll(message)
}

function readAll(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    message.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= body_limit_bytes) chunks.push(chunk)
      else reject(tooLarge())
    })
    message.on('end', () => resolve(Buffer.concat(chunks)))
    message.on('error', () => reject(endedTooSoon()))
  })
}

function endedTooSoon(): ApiError {
  return new ApiError('malformed_request', 'The connection ended before the body did.')
}

/** The rest is not waited for, so nothing else can be asked on this connection. */
function tooLarge(): ApiError {
  return new ApiError('body_too_large', 'Bodies are limited to 1 MiB.', { headers: { connection: 'close' } })
}
