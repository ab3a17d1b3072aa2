/**
 * Joins the OpenID Connect rows of the route table with their endpoints: finds the issuer the path names, hands over plain
 * values, and turns a thrown refusal into the answer its RFC asks for. Cross-origin rules of these endpoints are here too.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseUnavailable } from '../db/db.ts'
import { body_limit_bytes, readBody, type Watch } from '../http/body.ts'
import { goneSignal } from '../http/gone.ts'
import { ApiError, notFound, retry_after } from '../http/problem.ts'
import { write } from '../http/write.ts'
import { HashingRefused } from '../users/password.ts'
import { type Answer, json, longest_query, type OidcCall, type OidcEndpoint, type OidcServices } from './call.ts'
import { message } from './hosted-page.ts'
import type { Issuer, Issuers } from './issuer.ts'
import { OAuthError } from './protocol/oauth-error.ts'

type Name = keyof typeof oidcRoutes

/** A form or query with more parameters than any request of ours has is refused before it is taken apart. */
const most_parameters = 200

/**
 * No parameter of a page is longer: this is the request that a page carries along. A query is bounded by the head it comes in. Other
 * endpoints take a token of any length, up to that of a body: an unknown one is revoked like any other (RFC 7009 §2.2).
 */
const longest_encoded = 3 * longest_query // percent-encoding takes three bytes

const everybody = { 'access-control-allow-origin': '*' }

export interface OidcMounting {
  parts: OidcServices
  issuers: Issuers
  originAllowed: (issuer: Issuer, origin: string) => Promise<boolean>
}

interface Mounted {
  name: Name
  route: Route
  endpoint: OidcEndpoint
}

export function mountOidc(app: FastifyInstance, mounting: OidcMounting, endpoints: Record<Name, OidcEndpoint>): void {
  const preflights = new Set<string>()
  const rows = Object.entries(oidcRoutes) as [Name, Route][] // as: the names of the table
  for (const [name, route] of rows) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.route({
      method: route.method,
      url,
      handler: (request, reply) => answer(mounting, { name, route, endpoint: endpoints[name] }, request, reply),
    })
    if (route.cross_origin && !preflights.has(url)) {
      preflights.add(url)
      app.route({ method: 'OPTIONS', url, handler: (request, reply) => preflight(mounting, route, request, reply) })
    }
  }
}

async function answer(
  { parts, issuers, originAllowed }: OidcMounting,
  { name, route, endpoint }: Mounted,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const issuer = await issuers.find((request.params as { environment_id: string }).environment_id) // as: every row has it
  if (!issuer) throw notFound()
  const form = request.method === 'POST' ? await readForm(request, route.page ?? false).catch((error) => unreadable(error, route)) : null
  if (form === 'too much') reply.extra_headers = { connection: 'close' } // the rest of the body is not read
  if (form !== null && typeof form === 'object' && 'status' in form) return write(reply, form.status, form.headers, form.body)
  let signal: AbortSignal | undefined
  const call: OidcCall = {
    issuer,
    method: request.method,
    params: request.params as Record<string, string>, // as: Fastify types them unknown
    query: request.url.slice(request.url.indexOf('?') + 1 || request.url.length + 1),
    form: form === 'too much' ? null : form,
    headers: request.headers,
    ip: request.ip_address,
    request_id: request.id,
    now: parts.now(),
    get signal() {
      signal ??= goneSignal(reply.raw)
      return signal
    },
  }
  const readers = route.cross_origin
  if (readers === 'every') reply.extra_headers = { ...reply.extra_headers, ...everybody }
  if (readers === 'applications') reply.extra_headers = { ...reply.extra_headers, ...(await corsHeaders(issuer, request, originAllowed)) }
  let given: Answer
  try {
    if (form === 'too much' || hasMore(call.query, most_parameters)) given = tooMuch(route, call)
    else given = await endpoint(parts, call)
  } catch (error) {
    given = answerOf(error, parts, { name, route }, call)
  }
  return write(reply, given.status, given.headers, given.body)
}

/** RFC 6749 §5.2: clients read `error`, also where a body was never read because it is too large (RFC 9110 §15.5.14). */
function unreadable(error: unknown, route: Route): Answer {
  if (route.page || !(error instanceof ApiError)) throw error // to the one who answers everything else
  return json(error.status, new OAuthError('invalid_request', error.message), error.extra.headers)
}

/** For a request with more parameters, or longer ones, than any request of ours. */
function tooMuch(route: Route, call: OidcCall): Answer {
  if (route.page) return message(call, 'unusable_request')
  throw new OAuthError('invalid_request', 'The request has too many parameters, or one that is too long.')
}

/** Maps a thrown error to the endpoint's response. */
function answerOf(error: unknown, { log }: OidcServices, { name, route }: Pick<Mounted, 'name' | 'route'>, call: OidcCall): Answer {
  if (error instanceof OAuthError) return refusal(call, error)
  const is_busy = error instanceof HashingRefused
  const unavailable = is_busy || error instanceof DatabaseUnavailable
  const about = { request_id: call.request_id, endpoint: name }
  if (!is_busy) log.error(unavailable ? 'The database is out of reach.' : 'An endpoint failed.', about, error)
  const answer = route.page
    ? message(call, unavailable ? 'unavailable' : 'trouble')
    : refusal(
        call,
        new OAuthError(unavailable ? 'temporarily_unavailable' : 'server_error', 'Something failed on our side. Try again shortly.'),
      )
  return unavailable ? { ...answer, headers: { ...answer.headers, 'retry-after': retry_after } } : answer
}

/** Each parameter takes a character and an ampersand at least. */
const hasMore = (query: string, most: number) => query.length > most && query.split('&', most + 1).length > most

/** RFC 6749 §5.2: 401 names the scheme where the client used the Authorization header. */
function refusal({ issuer }: OidcCall, error: OAuthError): Answer {
  const challenge = error.status === 401 && error.used_header ? { 'www-authenticate': `Basic realm="${issuer.url}", charset="UTF-8"` } : {}
  return json(error.status, error, challenge)
}

/** RFC 9110 §8.3.1: the media type without its parameters, in any case. `null` for a body of another type. */
async function readForm({ raw, headers }: FastifyRequest, is_page: boolean): Promise<URLSearchParams | null | 'too much'> {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  const is_form = type === 'application/x-www-form-urlencoded' && headers['content-encoding'] === undefined
  try {
    const body = await readBody(raw, is_form ? watchForm(is_page ? longest_encoded : body_limit_bytes) : undefined)
    return is_form ? new URLSearchParams(body.toString('utf8')) : null
  } catch (error) {
    if (error === too_much) return 'too much'
    throw error
  }
}

const too_much = new ApiError('malformed_request', 'The form has too many parameters, or one that is too long.')

/**
 * Stops at the first parameter too many, or the first byte of one too long. Judged by the bytes as they arrive, since to keep
 * a megabyte, and to make an object for each of a hundred thousand parameters, would be the cost to avoid.
 */
function watchForm(longest: number): Watch {
  let parameters = 1
  let length = 0 // of the last parameter so far
  return (piece) => {
    let from = 0
    for (let at = piece.indexOf('&'); at !== -1; at = piece.indexOf('&', from)) {
      if (++parameters > most_parameters || length + at - from > longest) return too_much
      length = 0
      from = at + 1
    }
    length += piece.length - from
    return length > longest ? too_much : null
  }
}

/** Which pages of the environment's own may read the answer. */
async function corsHeaders(
  issuer: Issuer,
  request: FastifyRequest,
  originAllowed: OidcMounting['originAllowed'],
): Promise<Record<string, string>> {
  const { origin } = request.headers
  const is_allowed = origin !== undefined && (await originAllowed(issuer, origin))
  // Some clients send credentials mode "include"; nothing here reads a cookie.
  return is_allowed
    ? {
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'WWW-Authenticate, X-Request-Id',
        vary: 'Origin',
      }
    : { vary: 'Origin' }
}

async function preflight({ issuers, originAllowed }: OidcMounting, route: Route, request: FastifyRequest, reply: FastifyReply) {
  const issuer = await issuers.find((request.params as { environment_id: string }).environment_id) // as: every row has it
  if (!issuer) throw notFound()
  const cors = route.cross_origin === 'every' ? everybody : await corsHeaders(issuer, request, originAllowed)
  const allowed =
    'access-control-allow-origin' in cors
      ? {
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'Authorization, Content-Type, Accept',
          'access-control-max-age': '600',
        }
      : {}
  return reply
    .code(204)
    .headers({ ...cors, ...allowed })
    .send()
}
