/**
 * Writes an answer that is complete: a status, headers and a text. It goes past Fastify's own sending, which would look for
 * a type, a serialiser and a length once more: that takes longer than most answers take to make (decision 0014).
 */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** From the signal to stop on: what is still answered ends its connection, so that nobody's keep-alive holds up the end. */
    isStopping(): boolean
    /** Whether the public address is https. */
    isHttps: boolean
  }
}

type Headers = Readonly<Record<string, string | string[]>>

/** What every answer carries, whoever writes it. */
export function sentAlways({ request, server }: FastifyReply): Record<string, string> {
  return {
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    ...(server.isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    ...(server.isStopping() ? { connection: 'close' } : {}),
  }
}

/** RFC 9110 §8.6: an answer without content has no length; of others it is that of the content, also where only the head is asked for. */
export function write(reply: FastifyReply, status: number, headers: Headers, body: string): FastifyReply {
  const has_content = status !== 204 && status !== 304
  reply.hijack()
  const all = { ...sentAlways(reply), ...reply.getHeaders(), ...headers } as OutgoingHttpHeaders // as: Fastify types some headers more widely than Node
  if (has_content) all['content-length'] = Buffer.byteLength(body)
  reply.raw.writeHead(status, all)
  reply.raw.end(body)
  return reply
}
