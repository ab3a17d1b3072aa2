/**
 * Writes an answer that is complete: a status, headers and a text. It goes past Fastify's own sending, which would look for
 * a type, a serialiser and a length once more: that takes longer than most answers take to make (decision 0014).
 */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** From the signal to stop on: what is still answered ends its connection, so that nobody's keep-alive holds up the end. */
    isStopping(): boolean
    /** Whether the public address is https. */
    isHttps: boolean
    /** Told of every answer, as it is written. */
    record(request: FastifyRequest, status: number): void
  }
  interface FastifyReply {
    /** Headers of the answer, whatever it will be: a refusal has them too. */
    extra_headers: Readonly<Record<string, string>> | null
  }
}

type Headers = Readonly<Record<string, string | string[]>>

/** What every answer carries, whoever writes it. */
export function sentAlways({ request, server, extra_headers }: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': request.id, 'x-content-type-options': 'nosniff' }
  if (server.isHttps) headers['strict-transport-security'] = 'max-age=31536000'
  if (server.isStopping()) headers.connection = 'close'
  return extra_headers ? Object.assign(headers, extra_headers) : headers
}

/** RFC 9110 §8.6: an answer without content has no length; of others it is that of the content, also where only the head is asked for. */
export function write(reply: FastifyReply, status: number, headers: Headers, body: string): FastifyReply {
  reply.hijack()
  const all: OutgoingHttpHeaders = Object.assign(sentAlways(reply), headers)
  const length = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) all['content-length'] = length
  reply.raw.writeHead(status, all)
  reply.raw.end(body, length === body.length ? 'latin1' : 'utf8') // of ASCII the same bytes, with less looking at them
  reply.server.record(reply.request, status)
  return reply
}
