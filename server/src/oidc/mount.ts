/**
 * Mounts the OpenID Connect rows of the route table: finds the issuer that the path names, calls the endpoint with plain values, and
 * maps a thrown error to the response that the RFC of the endpoint requires.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reason } from '../base/reason.ts'
import type { Subject } from '../base/refusal.ts'
import { Unavailable } from '../base/unavailable.ts'
import { HashingRefused } from '../domain/users/password.ts'
import { goneSignal } from '../http/gone.ts'
import { ApiError, nothingHere, retry_after } from '../http/problem.ts'
import { queryOf } from '../http/query.ts'
import { write } from '../http/write.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { accountUrl } from './account-url.ts'
import { readSeeds } from './browser.ts'
import { type Answer, asQuery, errorJson, type OidcCall, type OidcEndpoint, type OidcServices } from './call.ts'
import { chooseLanguage } from './chosen-language.ts'
import { crossOriginHeaders, type OriginCheck, preflightHeaders } from './cross-origin.ts'
import { readForm, too_much, withinLimits } from './form.ts'
import { at_once, throughDoorway } from './hashing.ts'
import { message, pageAgain, tooLong } from './hosted-page.ts'
import { type Issuer, type Issuers, issuerAt } from './issuer.ts'
import { goneOn, leadToPage, pageOf, readRefusedBefore, recorded } from './refused-form.ts'
import { createRepeats } from './repeat.ts'

type Name = keyof typeof oidcRoutes

/** Forms with a password that strangers can send. */
const with_password: ReadonlySet<Name> = new Set<Name>(['signIn', 'signUp'])

/** Forms that can end a session of their own browser, or replace it. Every other form leaves its sessions as they were. */
const may_end_sessions: ReadonlySet<Name> = new Set<Name>([
  'signIn', 'signUp', 'enterCode', 'secondFactor', 'enrolTotp', 'enrolPasskey', 'signInByPasskey', 'selectAccount', 'useLink', 'newPassword',
  'removeOwnMethod', 'deleteOwnAccount', 'signOut', 'enterInvitationCode',
]) // biome-ignore format: one list

export interface OidcMounting {
  services: OidcServices
  issuers: Issuers
  originAllowed: OriginCheck
  /** The address at which the request of a form goes on. */
  continueUrl: (call: OidcCall, query: string) => string
}

interface Mounted {
  name: Name
  route: Route
  /** A form of a hosted page. */
  is_form: boolean
  endpoint: OidcEndpoint
}

export function mountOidc(app: FastifyInstance, mounting: OidcMounting, endpoints: Record<Name, OidcEndpoint>): void {
  const preflights = new Set<string>()
  const once = createRepeats(mounting.services, mounting.continueUrl)
  const rows = Object.entries(oidcRoutes) as [Name, Route][] // as: the names of the table
  for (const [name, route] of rows) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const is_form = route.method === 'POST' && route.credential.kind === 'session'
    const entrance = with_password.has(name) ? throughDoorway : at_once
    const form = { endpoint: endpoints[name], entrance, may_end_sessions: may_end_sessions.has(name) }
    const answerForm: OidcEndpoint = async (_, call) => goneOn(call, ledToPage(mounting, call, await once(call, form)))
    const endpoint = is_form ? answerForm : route.page && route.method === 'GET' ? pageBefore(endpoints[name]) : endpoints[name]
    app.route({
      method: route.method,
      url,
      handler: (request, reply) => answer(mounting, { name, route, is_form, endpoint }, request, reply),
    })
    if (route.cross_origin && !preflights.has(url)) {
      preflights.add(url)
      app.route({ method: 'OPTIONS', url, handler: (request, reply) => preflight(mounting, route, request, reply) })
    }
  }
}

/** A form that is answered with a page beside the steps leads to an address of that page. */
function ledToPage({ services, continueUrl }: OidcMounting, call: OidcCall, answer: Answer): Answer {
  const seeds = readSeeds(services, call)
  // A browser without a form cookie would not bring back what the page shows.
  if (answer.again === undefined || answer.step !== undefined || seeds.form_seeds.length === 0) return answer
  const { again, refusal } = answer
  const query = asQuery(call.form?.get('request') ?? '')
  const address = again.address ?? (query ? continueUrl(call, query) : accountUrl(call))
  const led = leadToPage(services, call, seeds, { address, view: { ...again.view, page: again.page } })
  return { ...led, ...(refusal && { refusal }) }
}

/** Shows the page to which `ledToPage` led, while it is kept. */
function pageBefore(endpoint: OidcEndpoint): OidcEndpoint {
  return (services, call) => {
    const kept = call.refused_before === 'page' ? pageOf(services, call, readSeeds(services, call)) : null
    if (kept === null) return endpoint(services, call)
    const [path = ''] = call.url.replace(/^\/e\/[^/?]*/, '').split('?')
    return recorded(pageAgain(call, kept, `${call.issuer.url}${path}${call.query && `?${call.query}`}`))
  }
}

const no_issuer = reason`No environment has this address.`

function nothingAt(): never {
  throw nothingHere('There is no issuer at this address. The issuer of an environment is a field of the environment.', no_issuer)
}

const environmentOf = ({ params }: FastifyRequest): string => (params as { environment_id: string }).environment_id // as: every row has it

type Form = Awaited<ReturnType<typeof readForm>> | Answer

/** Sends what was prepared, or throws it for `server-errors.ts`. */
type Send = () => FastifyReply

/**
 * The issuer may prove outdated (`use`), and then everything is prepared again with the current one. Only the body is read once.
 * A form is prepared once, with the current issuer: it takes turns of this process, and the first thing that it does in the database is a write.
 */
async function answer(mounting: OidcMounting, mounted: Mounted, request: FastifyRequest, reply: FastifyReply) {
  let form: Promise<Form> | null = null
  function read(): Promise<Form> {
    form ??= readForm(request.raw, mounted.route, () => request.ip_address).catch((error) => unreadable(error, mounted.route))
    return form
  }
  const prepareFor = (found: Issuer | null) => prepare(mounting, mounted, { found, request, reply, read })
  const { issuers } = mounting
  const id = environmentOf(request)
  const send = mounted.is_form ? await prepareFor(await issuers.find(id)) : await issuers.use(id, prepareFor)
  return send()
}

interface Asked {
  found: Issuer | null
  request: FastifyRequest
  reply: FastifyReply
  read: () => Promise<Form>
}

/** Prepares the answer. Only the returned function changes the request and the reply. */
async function prepare(mounting: OidcMounting, mounted: Mounted, { found, request, reply, read }: Asked): Promise<Send> {
  const { services, originAllowed } = mounting
  const { route, endpoint } = mounted
  const issuer = issuerAt(request.raw, found)
  if (!issuer) return nothingAt
  let headers: Record<string, string> | null = null
  const prepared = (last: () => FastifyReply): Send => {
    return () => {
      request.issuer_id = issuer.environment_id
      if (headers) reply.extra_headers = headers
      return last()
    }
  }
  let form: Form
  try {
    // Before the body is read: a script of an allowed origin can read every refusal.
    if (route.cross_origin) headers = await crossOriginHeaders(route, issuer, request.headers.origin, originAllowed)
    form = request.method === 'POST' ? await read() : null
  } catch (error) {
    return prepared(() => {
      throw error
    })
  }
  if (form === too_much)
    headers = { ...headers, connection: 'close' } // the rest of the body is not read
  else if (form !== null && 'status' in form) return prepared(() => send(request, reply, form, null))
  const { call, is_too_much } = callOf(services, { issuer, route, request, reply, form })
  try {
    const chosen = route.page && !is_too_much ? chooseLanguage(call) : null
    const result = chosen ?? (is_too_much ? tooMuch(route, call) : await endpoint(services, call))
    return prepared(() => send(request, reply, result, call.subject))
  } catch (error) {
    return prepared(() => send(request, reply, answerOf(error, services, mounted, call), call.subject))
  }
}

interface Read {
  issuer: Issuer
  route: Route
  request: FastifyRequest
  reply: FastifyReply
  form: URLSearchParams | null | typeof too_much
}

function callOf(services: OidcServices, { issuer, route, request, reply, form }: Read): { call: OidcCall; is_too_much: boolean } {
  const [path = ''] = request.url.split('?', 1)
  const sent = queryOf(request.url)
  const { refused_before, query: given } = route.page ? readRefusedBefore(sent) : { refused_before: null, query: sent }
  // A query over the limits is not parsed: neither for a language, nor for the links of the page that refuses it.
  const within = form === too_much || holdsTooMuch(form, route) ? null : withinLimits(given, route)
  const query = within ?? ''
  const call: OidcCall = {
    issuer,
    method: request.method,
    url: refused_before === null && query === sent ? request.url : `${path}${query && `?${query}`}`,
    params: request.params as Record<string, string>, // as: Fastify types them unknown
    query,
    refused_before,
    form: form === too_much ? null : form,
    headers: request.headers,
    ip: request.ip_address,
    request_id: request.id,
    now: services.now(),
    signal: () => goneSignal(reply.raw),
    subject: { client_id: null, user_id: null, event_id: null },
  }
  return { call, is_too_much: within === null }
}

/** The form of a page contains the request of the page, which is a query too. */
function holdsTooMuch(form: URLSearchParams | null | typeof too_much, route: Route): boolean {
  if (form === null || form === too_much || !route.page) return false
  const request = form.get('request')
  const within = request === null ? '' : withinLimits(request, route)
  if (within !== null && request !== null && within !== request) form.set('request', within)
  return within === null
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Answer, subject: Subject | null) {
  if (answer.is_recorded) request.is_recorded = true
  if (answer.refusal) {
    request.refusal = answer.refusal
    request.subject = subject
  }
  return write(reply, answer.status, answer.headers, answer.body)
}

/** RFC 6749 §5.2: clients read `error`, even where the body is too large to read (RFC 9110 §15.5.14). */
function unreadable(error: unknown, route: Route): Answer {
  if (route.page || !(error instanceof ApiError)) throw error
  const code = error.code === 'unavailable' ? 'temporarily_unavailable' : 'invalid_request'
  return errorJson(new OAuthError(code, error.message, { reason: error.reason }), error.extra.headers, error.status)
}

/** Answers a request that exceeds the limits of `form.ts`. */
function tooMuch(route: Route, call: OidcCall): Answer {
  if (route.page) return tooLong(call)
  throw new OAuthError('invalid_request', 'The request has too many parameters, or one that is too long.')
}

/** Maps a thrown error to the endpoint's response. */
function answerOf(error: unknown, { log }: OidcServices, { name, route }: Pick<Mounted, 'name' | 'route'>, call: OidcCall): Answer {
  if (error instanceof OAuthError) return errorAnswer(call, error)
  const is_busy = error instanceof HashingRefused
  const unavailable = error instanceof Unavailable
  const about = { request_id: call.request_id, endpoint: name }
  if (!is_busy) log.error(unavailable ? 'The database is out of reach.' : 'An endpoint failed.', about, error)
  const refusal = new OAuthError(
    unavailable ? 'temporarily_unavailable' : 'server_error',
    'Something failed on our side. Try again shortly.',
    {
      reason: unavailable ? error.why : reason`The service failed. Its log has the cause under the request id.`,
    },
  )
  const answer = route.page ? message(call, unavailable ? 'unavailable' : 'trouble', refusal) : errorAnswer(call, refusal)
  return unavailable ? { ...answer, headers: { ...answer.headers, 'retry-after': retry_after } } : answer
}

/** RFC 6749 §5.2: 401 names the scheme where the client used the Authorization header. */
function errorAnswer({ issuer }: OidcCall, error: OAuthError): Answer {
  const challenge = error.status === 401 && error.used_header ? { 'www-authenticate': `Basic realm="${issuer.url}", charset="UTF-8"` } : {}
  return errorJson(error, challenge)
}

async function preflight(mounting: OidcMounting, route: Route, request: FastifyRequest, reply: FastifyReply) {
  const headers = await mounting.issuers.use(environmentOf(request), async (found) => {
    const issuer = issuerAt(request.raw, found) ?? nothingAt()
    return preflightHeaders(await crossOriginHeaders(route, issuer, request.headers.origin, mounting.originAllowed))
  })
  return reply.code(204).headers(headers).send()
}
