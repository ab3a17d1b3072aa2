/**
 * Joins a row of the route table with its handler: authenticate, parse, run, answer. Whatever holds for every
 * management route is here, once. A handler gets parsed values and returns a value; an object with `version` shows it as
 * ETag, and `fail` is the only other way out. What it changes goes through `commit`, which adds what every change leaves behind.
 */
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ErrorCode } from '@ostiary/contract/errors.ts'
import { idPattern, prefixes } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Deployment } from '../deployment.ts'
import { prefers } from '../http/accept.ts'
import { readBody } from '../http/body.ts'
import { goneSignal } from '../http/gone.ts'
import { JsonError, parseJson } from '../http/json.ts'
import { ApiError, type FieldError, fieldErrors, notFound, validationFailed } from '../http/problem.ts'
import { write } from '../http/write.ts'
import type { KeyRow } from '../keys/store.ts'
import type { Administrator } from '../members/administrators.ts'
import { authenticate, type Caller, type CallerEnvironment, type Gate, isForBrowsers } from './authenticate.ts'
import { type Commit, createCommit } from './commit.ts'
import { createInFlight, findAnswer, type IdempotentRequest, type InFlight, idempotentRequest, type RecordedAnswer } from './idempotency.ts'
import { entityTag, type IfMatch, isKnown, parseIfMatch } from './if-match.ts'
import { refuseOperatorBody } from './operators.ts'
import { queryProblems, textProblems } from './text-rules.ts'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a row's credential makes certain of its caller. */
type CallerOf<K> = K extends 'any_key' | 'publishable'
  ? Caller & { readonly key: KeyRow }
  : K extends 'secret'
    ? Caller & { readonly environment: CallerEnvironment }
    : K extends 'administrator'
      ? Caller & { readonly administrator: Administrator }
      : Caller

/** What a handler is told about one call. */
export interface Call<R extends Route> {
  readonly caller: CallerOf<R['credential']['kind']>
  readonly params: Readonly<Record<string, string>>
  readonly query: Parsed<R['query']>
  readonly body: Parsed<R['body']>
  readonly request_id: string
  readonly ip: string | null
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** For `changeVersioned`. */
  readonly if_match: IfMatch
  readonly fail: (code: ErrorCode, detail: string) => never
  /** The caller prefers the whole list in lines, where the row offers that: answer with `inLines`. */
  readonly wants_lines: boolean
  /** Makes the change, in one batch with all that it leaves behind. */
  readonly commit: Commit
}

export type Handler<R extends Route> = (deployment: Deployment, call: Call<R>) => Promise<object | null>
export type Handlers<T extends Record<string, Route>> = { [N in keyof T]: Handler<T[N]> }

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    ip_address: string | null
  }
}

export interface Mounting {
  deployment: Deployment
  gate: Gate
  /** Tests compare every answer with its schema; a running service trusts its own types. */
  check_answers: boolean
}

export function mount<T extends Record<string, Route>>(app: FastifyInstance, mounting: Mounting, table: T, handlers: Handlers<T>): void {
  const in_flight = createInFlight()
  for (const [name, route] of Object.entries(table)) {
    const handler = handlers[name] as Handler<Route> // as: Handlers<T> has the same names as the table
    mountOne(app, mounting, in_flight, { name, route, handler })
    if (isForBrowsers(route.credential)) mountPreflight(app, route)
  }
}

const different_origins = { vary: 'Origin' }
const no_bytes = Buffer.alloc(0)

interface Endpoint {
  name: string
  route: Route
  handler: Handler<Route>
}

function mountOne(
  app: FastifyInstance,
  { deployment, gate, check_answers }: Mounting,
  in_flight: InFlight,
  { name, route, handler }: Endpoint,
): void {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter)
  const takes_body = route.method !== 'GET' && route.method !== 'DELETE'
  const is_for_browsers = isForBrowsers(route.credential)

  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    async handler(request, reply) {
      if (is_for_browsers) reply.extra_headers = different_origins
      const admitted = await authenticate(gate, route, request, reply)
      request.caller = admitted
      const caller = admitted as CallerOf<never> // as: just admitted: every row of this table asks for a credential
      const params = request.params as Record<string, string> // as: Fastify types them unknown
      // Nobody's body is read before it is known who sends it.
      const bytes = takes_body ? await readBody(request.raw) : no_bytes
      const body = takes_body ? parseBody(route, request, bytes) : undefined
      if (admitted?.is_operator) refuseOperatorBody(route, body)
      const query = parseQuery(route, request)
      const path =
        names.length === 0 ? route.path : route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
      const idempotent = route.method === 'POST' ? idempotentRequest(request, bytes, caller, path) : null
      const run = () => {
        checkIds(names, params)
        return handler(deployment, {
          caller,
          params,
          query: query as undefined, // as: the row's own schema made it
          body: body as undefined, // as: the row's own schema made it
          request_id: request.id,
          ip: request.ip_address,
          get signal() {
            return goneSignal(reply.raw)
          },
          if_match: parseIfMatch(request.headers['if-match']),
          fail,
          wants_lines: route.lines !== undefined && prefers(request.headers.accept, route.lines),
          commit: (...change) =>
            createCommit(deployment, { name, route, caller, request_id: request.id, ip: request.ip_address, idempotent })(...change),
        })
      }
      const { answer, replayed } = idempotent
        ? await once(deployment, in_flight, idempotent, run)
        : { answer: await run(), replayed: false }
      if (replayed) reply.extra_headers = { ...reply.extra_headers, 'idempotent-replayed': 'true' }
      return send(reply, route, request, answer, `${deployment.config.base_url}${path}`, check_answers)
    },
  })
}

/** Runs the first of all requests with the same Idempotency-Key; the others get its answer. */
async function once({ db, now }: Deployment, in_flight: InFlight, idempotent: IdempotentRequest, run: () => Promise<object | null>) {
  const replay = (first: RecordedAnswer) => ({ answer: first.answer, replayed: true })
  return in_flight.alone(idempotent, async () => {
    const before = await findAnswer(db, idempotent, now())
    if (before) return replay(before)
    try {
      return { answer: await run(), replayed: false }
    } catch (error) {
      // Another process may have been faster: then its record stands, and ours was undone with our change.
      const other = error instanceof ApiError ? null : await findAnswer(db, idempotent, now())
      if (other) return replay(other)
      throw error
    }
  })
}

const lines = Symbol('lines')

interface Lines {
  [lines]: AsyncIterable<readonly object[]>
}

/** An answer that is written while it is read, an object a line, however long it is. */
export function inLines(pages: Lines[typeof lines]): Lines {
  return { [lines]: pages }
}

async function* written({ [lines]: pages }: Lines): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((object) => `${JSON.stringify(object)}\n`).join('')
}

function fail(code: ErrorCode, detail: string): never {
  throw new ApiError(code, detail)
}

/** A preflight carries no key, so it is answered alike for everybody; whether the origin may call, the call itself tells. */
function mountPreflight(app: FastifyInstance, route: Route): void {
  app.route({
    method: 'OPTIONS',
    url: route.path,
    async handler(request, reply) {
      const { origin } = request.headers
      const allowed = {
        'access-control-allow-origin': origin ?? '',
        'access-control-allow-methods': route.method,
        'access-control-allow-headers': 'X-API-Key, Authorization, If-None-Match',
        'access-control-max-age': '600',
      }
      return reply
        .code(204)
        .headers({ vary: 'Origin', ...(origin === undefined ? {} : allowed) })
        .send()
    },
  })
}

function parseBody(route: Route, request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0 && !route.body) return undefined

  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new ApiError('unsupported_media_type', 'Compressed bodies are not accepted.')
  const types = route.method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  if (!types.includes(mediaType(request))) throw new ApiError('unsupported_media_type', `Send Content-Type: ${types.join(' or ')}.`)

  const value = readJson(bytes)
  if (!route.body) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0) return undefined
    throw validationFailed([{ pointer: '', code: 'not_allowed', detail: 'This call takes no body.' }])
  }
  return accepted(textProblems(value, route.body), route.body.safeParse(value))
}

/** What the schema made of a value. Every problem is reported at once, and one place is named by one problem. */
function accepted<T>(problems: readonly FieldError[], parsed: z.ZodSafeParseResult<T>): T {
  const others = parsed.success
    ? []
    : fieldErrors(parsed.error).filter(({ pointer }) => !problems.some((known) => known.pointer === pointer))
  if (!parsed.success || problems.length > 0) throw validationFailed([...problems, ...others])
  return parsed.data
}

/** RFC 9110 §8.3.1: type and subtype, whatever the case; the only parameter that is understood is charset=utf-8. */
function mediaType(request: FastifyRequest): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  return parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter)) ? type : ''
}

function readJson(bytes: Buffer): unknown {
  try {
    const value = parseJson(bytes)
    if (value === undefined) throw new JsonError('The body is empty. Send a JSON object.')
    return value
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('malformed_request', error.message)
    throw error
  }
}

function parseQuery(route: Route, request: FastifyRequest): unknown {
  if (!route.query) return undefined
  const query = request.query as Record<string, unknown> // as: Fastify types it unknown
  return accepted(queryProblems(query, route.query), route.query.safeParse(query))
}

/** An id that cannot be one is the same 404 as one that never existed, and never reaches the database. */
function checkIds(names: readonly string[], params: Record<string, string>): void {
  for (const name of names) {
    const prefix = Object.entries(prefixes).find(([kind]) => name === `${kind}_id`)?.[1]
    if (prefix && !idPattern(prefix).test(params[name] ?? '')) throw notFound()
  }
}

function send(reply: FastifyReply, route: Route, request: FastifyRequest, answer: object | null, address: string, check: boolean) {
  const [status, schema] = route.returns
  if (answer === null || schema === null) return write(reply, status, { 'cache-control': 'no-store' }, '')
  if (lines in answer)
    return reply
      .header('cache-control', 'no-store')
      .type(`${route.lines}; charset=utf-8`)
      .send(Readable.from(written(answer as Lines))) // as: just checked

  const { version, id } = answer as { version?: number; id?: string } // as: handlers may return a versioned resource
  const body = version === undefined ? answer : { ...answer, version: undefined } // JSON leaves it out
  const text = JSON.stringify(body)
  if (check) schema.parse(JSON.parse(text))

  const tag = version !== undefined ? entityTag(version) : route.cache ? `"${hash('sha256', text, 'base64url')}"` : null
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 201 && id ? { location: `${address}/${id}` } : {}),
    ...(tag ? { etag: tag } : {}),
    // What depends on the key must not be kept for another one: a page may use those of two environments.
    ...(route.cache ? { 'cache-control': route.cache, vary: 'Origin, X-API-Key, Authorization' } : {}),
  }
  const is_known = tag !== null && route.method === 'GET' && isKnown(request.headers['if-none-match'], tag)
  return is_known ? write(reply, 304, headers, '') : write(reply, status, headers, text)
}
