/** Maps thrown errors to problem responses (RFC 9457), and logs those that are the server's fault. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Deployment } from '../deployment.ts'
import { Unavailable } from '../unavailable.ts'
import { ApiError, notFound, retry_after } from './problem.ts'
import { commonHeaders } from './write.ts'

/** Answers a request whose handler, hook or router threw. */
export function answerError(
  { config, log }: Pick<Deployment, 'config' | 'log'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const refusal = toApiError(error)
  request.refused_code = refusal.code
  if (refusal.status >= 500) log.error(refusal.code, { request_id: request.id, route: request.routeOptions.url ?? null }, error)
  return reply
    .code(refusal.status)
    .headers({
      ...commonHeaders(reply), // errors of the router run no hook
      ...refusal.extra.headers,
      'cache-control': 'no-store',
      ...(refusal.code === 'unavailable' ? { 'retry-after': retry_after } : {}),
    })
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(refusal.toProblem(config.base_url, request.id)))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable) return new ApiError('unavailable', error.detail)
  const { statusCode } = error as Partial<FastifyError> // as: Fastify's own errors have this field
  if (statusCode === 404) return notFound()
  if (statusCode !== undefined && statusCode < 500) return new ApiError('malformed_request', 'The request cannot be read.')
  return new ApiError('internal_error', 'Something failed on our side. The request id finds it in the log.')
}
