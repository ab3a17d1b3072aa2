/**
 * Mounts the rows of the management API: authenticate, parse, run the handler, answer. Every rule for all rows is applied
 * here or in a file of this folder, so handlers get parsed values and return the response body.
 *
 *   authenticate.ts  credential, address, origin, rate limit, key type, tenant, role or scope
 *   input.ts         path, query and body
 *   fresh.ts         the time of the sign-in
 *   idempotency.ts   repeats of a POST with the same Idempotency-Key
 *   versions.ts      If-Match, and retries after concurrent changes
 *   commit.ts        the batch of a change: event, audit entry, recorded response
 *   lists.ts         pages and cursors
 *   answer.ts        status, headers and body of the response
 */
import type { ErrorCode } from '@ostiary/contract/errors.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Reason } from '../base/reason.ts'
import type { KeyRow } from '../domain/keys/store.ts'
import { parseIfMatch } from '../domain/lists/if-match.ts'
import { prefers } from '../http/accept.ts'
import { body_limit_bytes, large_body_limit_bytes, readBody } from '../http/body.ts'
import { goneSignal } from '../http/gone.ts'
import type { Fail } from '../http/problem.ts'
import { ApiError } from '../http/problem.ts'
import { send } from './answer.ts'
import { authenticate, type Caller, type Claimant, type Gate, isForBrowsers } from './authenticate.ts'
import { createCommit } from './commit.ts'
import { createFreshSignIn } from './fresh.ts'
import type {
  AnyHandler,
  AnyReplay,
  AnyTouchedScopes,
  CallOf,
  Handlers,
  NothingElse,
  Replays,
  RouteName,
  TouchedScopes,
} from './handler.ts'
import {
  createInFlight,
  findAnswer,
  type IdempotentRequest,
  type InFlight,
  idempotentRequest,
  malformedKey,
  mismatch,
  type RecordedAnswer,
} from './idempotency.ts'
import { areIds, checkIds, parseBody, parseLargeBody, parseQuery } from './input.ts'
import { refuseOperatorBody } from './operators.ts'
import type { Services } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Set as soon as the credential is recognised, even if it is refused. */
    claimant: Claimant | null
    ip_address: string | null
  }
}

interface Mounting {
  services: Services
  gate: Gate
  /** Compare every response body with its schema, as tests do. */
  check_answers: boolean
}

/** A row without a handler, and a handler without a row, are type errors. */
export function mount<H extends Handlers>(
  app: FastifyInstance,
  mounting: Mounting & { replays: Replays; touched_scopes: TouchedScopes },
  handlers: H & NothingElse<H>,
): void {
  const in_flight = createInFlight()
  for (const [name, route] of Object.entries(routes)) {
    const handler = (handlers as Handlers)[name as RouteName] as AnyHandler // as: the name is of a row, and the handler gets what that row describes
    const replay = (mounting.replays[name as RouteName] ?? null) as AnyReplay | null // as: likewise
    const touchedScopes = (mounting.touched_scopes[name as RouteName] ?? null) as AnyTouchedScopes | null // as: likewise
    mountOne(app, mounting, in_flight, { name, route, handler, replay, touchedScopes })
    if (isForBrowsers(route.credential)) mountPreflight(app, route)
  }
}

const different_origins = { vary: 'Origin' }
const no_bytes = Buffer.alloc(0)

interface Endpoint {
  name: string
  route: Route
  handler: AnyHandler
  /** Where rights of the row depend on what it touches. */
  replay: AnyReplay | null
  touchedScopes: AnyTouchedScopes | null
}

function mountOne(
  app: FastifyInstance,
  { services, gate, check_answers }: Mounting,
  in_flight: InFlight,
  { name, route, handler, replay, touchedScopes }: Endpoint,
): void {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter)
  const takes_body = route.method !== 'GET' && route.method !== 'DELETE'
  const is_for_browsers = isForBrowsers(route.credential)

  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    async handler(request, reply) {
      if (is_for_browsers) reply.extra_headers = different_origins
      const params = request.params as Record<string, string> // as: Fastify types them unknown
      const more = touchedScopes && ((key: KeyRow) => scopesTouched(touchedScopes, request, key))
      const admitted = await authenticate(gate, { route, more }, request, reply)
      request.caller = admitted
      const caller = admitted as CallOf<Route>['caller'] // as: every row of this table asks for a credential, which has just been checked
      const sign_in = route.fresh && caller.administrator ? createFreshSignIn(gate, route, caller, params) : null
      // The body is read only after the caller is authenticated.
      const bytes = takes_body ? await readBody(request.raw, readingOf(request)) : no_bytes
      const body = !takes_body
        ? undefined
        : isLarge(route)
          ? await services.slices.run(parseLargeBody(route, request, bytes))
          : parseBody(route, request, bytes)
      if (caller.is_operator) refuseOperatorBody(route, body)
      const query = parseQuery(route, request)
      const path =
        names.length === 0 ? route.path : route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
      const idempotent = route.method === 'POST' ? idempotentRequest(request, { body: bytes, query }, caller, path) : null
      const call: CallOf<Route> = {
        caller,
        params,
        query: query as undefined, // as: parsed with the schema of the row
        body: body as undefined, // as: parsed with the schema of the row
        request_id: request.id,
        ip: request.ip_address,
        signal: () => goneSignal(reply.raw),
        if_match: parseIfMatch(request.headers['if-match']),
        fail,
        note(refusal) {
          request.refusal = refusal
        },
        sign_in,
        wants_lines: route.lines !== undefined && prefers(request.headers.accept, route.lines),
        commit: (...change) =>
          createCommit(services, {
            name,
            route,
            caller,
            request_id: request.id,
            ip: request.ip_address,
            idempotent: idempotent === 'malformed' ? null : idempotent,
            params,
            sign_in,
          })(...change),
      }
      const attempt: Attempt = {
        async askSignIn() {
          await sign_in?.atCall()
          await sign_in?.forBody(body)
        },
        run() {
          checkIds(names, params)
          return handler(services, call)
        },
        replay: async ({ answer }) => (replay ? replay(services, call, answer) : answer),
      }
      const { answer, replayed } = await (idempotent === null || idempotent === 'malformed'
        ? runAlways(attempt, idempotent)
        : runOnce(services, in_flight, idempotent, attempt))
      if (replayed) reply.extra_headers = { ...reply.extra_headers, 'idempotent-replayed': 'true' }
      return send(reply, request, route, { answer, url: `${services.config.base_url}${path}`, check: check_answers })
    },
  })

  function readingOf(request: FastifyRequest) {
    return { addressOf: () => request.ip_address, limit_bytes: isLarge(route) ? large_body_limit_bytes : body_limit_bytes }
  }

  /** The refusal is about the scopes, so a body that the row does not accept touches nothing. */
  async function scopesTouched(find: AnyTouchedScopes, request: FastifyRequest, { tenant_id }: KeyRow) {
    const params = request.params as Record<string, string> // as: Fastify types them unknown
    if (!areIds(names, params)) return []
    const read = async () => parseBody(route, request, await readBody(request.raw, readingOf(request)))
    const body = takes_body ? await read().catch(undefinedIfRefused) : undefined
    return find(services, { tenant_id, params, body: body as undefined }) // as: parsed with the schema of the row
  }
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}

const fail: Fail<ErrorCode> = (code, detail, ...explained) => {
  throw new ApiError<string>(code, detail, explained[0] as { reason: Reason }) // as: the type of `Fail` asks for the reason where one is needed
}

/** The steps of one call, in the order of refusals: fresh sign-in, Idempotency-Key, look-up, version. */
interface Attempt {
  /** Asks for the fresh sign-in that the row needs. A replay needs none. */
  askSignIn(): Promise<void>
  run(): Promise<object | null>
  /** Judges the rights that depend on what the call touches, and returns what of the first answer the caller may see now. */
  replay(first: RecordedAnswer): Promise<object>
}

async function runAlways({ askSignIn, run }: Attempt, idempotency_key: 'malformed' | null) {
  await askSignIn()
  if (idempotency_key !== null) throw malformedKey()
  return { answer: await run(), replayed: false }
}

/** Runs the first request with an Idempotency-Key. Its repeats get the recorded answer, if the caller has the rights for it now. */
async function runOnce({ db, now }: Services, in_flight: InFlight, idempotent: IdempotentRequest, attempt: Attempt) {
  const replay = async (first: RecordedAnswer) => ({ answer: await attempt.replay(first), replayed: true })
  return in_flight.alone(idempotent, async () => {
    const before = await findAnswer(db, idempotent, now())
    if (before !== null && before !== 'mismatch') return replay(before)
    await attempt.askSignIn()
    if (before === 'mismatch') throw mismatch()
    try {
      return { answer: await attempt.run(), replayed: false }
    } catch (error) {
      // If another process committed the same request first, its record exists. This batch was undone by the record's primary key, or
      // before that by a guard or a check that the first request made fail: its slug is taken, its place in the quota is used.
      const other = await findAnswer(db, idempotent, now())
      if (other === 'mismatch') throw mismatch()
      if (other) return replay(other)
      throw error
    }
  })
}

type Large = Route & Required<Pick<Route, 'body' | 'large_member'>>

const isLarge = (route: Route): route is Large => route.large_member !== undefined && route.body !== undefined

/** A preflight request carries no key, so every origin gets the same answer. The request itself is checked against the allowed origins. */
function mountPreflight(app: FastifyInstance, route: Route): void {
  app.route({
    method: 'OPTIONS',
    url: route.path,
    async handler(request, reply) {
      const { origin } = request.headers
      const allowed = {
        'access-control-allow-origin': origin ?? '',
        'access-control-allow-methods': route.method,
        'access-control-allow-headers': 'X-API-Key, Authorization, If-None-Match, traceparent, tracestate',
        'access-control-max-age': '600',
      }
      return reply
        .code(204)
        .headers({ vary: 'Origin', ...(origin === undefined ? {} : allowed) })
        .send()
    },
  })
}
