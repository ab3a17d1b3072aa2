/**
 * Writes a complete response: a status, headers and a text. It bypasses `reply.send` of Fastify, which determines the type, the
 * serialiser and the length again and takes longer than most handlers (decision 0014).
 */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal, Subject } from '../base/refusal.ts'
import { turnsOf } from './in-turn.ts'
import { issuerAtHost } from './place.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** True after the signal to stop. Each response then closes its connection, so that keep-alive does not delay the end. */
    isStopping(): boolean
    /** Finds the issuer that the host of a request selects, then handles the request; see `place.ts`. */
    routeByHost(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void
    /** True if the public address is https. */
    isHttps: boolean
    /** Logs every response when it is written, and records refused calls. */
    record(request: FastifyRequest, status: number): void
  }
  interface FastifyRequest {
    /** Why the call is refused. Set before the response is written. */
    refusal: Refusal | null
    /** The answer shows what an earlier call was refused for, which has the record. */
    is_recorded: boolean
    /** The subject of a refused call; `null` if its route looked nothing up. */
    subject: Subject | null
    /** The environment whose issuer the path names. */
    issuer_id: string | null
  }
  interface FastifyReply {
    /** Headers of the response, even if it is an error. */
    extra_headers: Readonly<Record<string, string>> | null
  }
}

type Headers = Readonly<Record<string, string | string[]>>

/** Returns the headers of every response. */
export function commonHeaders({ request, server, extra_headers }: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': request.id, 'x-content-type-options': 'nosniff' }
  if (server.isHttps || issuerAtHost(request.raw) !== null) headers['strict-transport-security'] = 'max-age=31536000'
  if (server.isStopping() || turnsOf(request.raw.socket)?.isFarFromEnd()) headers.connection = 'close'
  return extra_headers ? Object.assign(headers, extra_headers) : headers
}

/** RFC 9110 §8.6: a response without content has no length. The response to HEAD has the length that GET would have. */
export function write(reply: FastifyReply, status: number, headers: Headers, body: string): FastifyReply {
  reply.hijack()
  const all: OutgoingHttpHeaders = Object.assign(commonHeaders(reply), headers)
  const length = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) all['content-length'] = length
  reply.raw.writeHead(status, all)
  reply.raw.end(body, length === body.length ? 'latin1' : 'utf8') // the same bytes for ASCII, and faster
  reply.server.record(reply.request, status)
  return reply
}
