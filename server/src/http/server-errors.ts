/** Maps thrown errors to problem responses (RFC 9457), or to pages for browsers, and logs those that are the server's fault. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { idIn, type Reason, reason } from '../base/reason.ts'
import { Unavailable } from '../base/unavailable.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { wantsPage } from './accept.ts'
import { ApiError, notFound, retry_after } from './problem.ts'
import type { PageAnswer } from './service-routes.ts'
import { commonHeaders } from './write.ts'

/** Shows an error to a person, with the brand of the issuer that the address names. */
export type ShowError = (error: ApiError, request: Pick<FastifyRequest, 'id' | 'url' | 'headers' | 'raw'>) => Promise<PageAnswer>

/** Answers a request whose handler, hook or router threw. */
export async function answerError(
  { config, log, showError }: Pick<Deployment, 'config' | 'log'> & { showError: ShowError },
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const refusal = toApiError(error)
  const { code, refused } = refusal
  request.refusal = { code, refused, reason: refusal.reason === unspecific ? notFoundReason(request) : refusal.reason }
  if (refusal.status >= 500) log.error(code, { request_id: request.id, route: request.routeOptions.url ?? null }, error)
  const headers = {
    ...commonHeaders(reply), // errors of the router run no hook
    ...refusal.extra.headers,
    'cache-control': 'no-store',
    ...(code === 'unavailable' ? { 'retry-after': retry_after } : {}),
  }
  if (wantsPage(request.headers)) {
    const page = await showError(refusal, request)
    return reply
      .code(refusal.status)
      .headers({ ...headers, ...page.headers })
      .send(page.body)
  }
  return reply
    .code(refusal.status)
    .headers(headers)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(refusal.toProblem(config.base_url, request.id)))
}

const unspecific = notFound().reason

/** Names the object of the path. The reason is the same for an object that does not exist and for one of another tenant. */
function notFoundReason({ params }: FastifyRequest): Reason {
  const id = Object.values((params ?? {}) as Record<string, string>).at(-1) // as: Fastify types them unknown
  return id === undefined
    ? unspecific
    : reason`There is no object with the id ${idIn(id)} in the tenant, project and environment of the call.`
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable) return new ApiError('unavailable', error.detail, { reason: error.why })
  const { statusCode } = error as Partial<FastifyError> // as: Fastify's own errors have this field
  if (statusCode === 404) return notFound()
  if (statusCode !== undefined && statusCode < 500) return new ApiError('malformed_request', 'The request cannot be read.')
  return new ApiError('internal_error', 'Something failed on our side. The request id finds it in the log.')
}
