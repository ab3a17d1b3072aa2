/** Parses the path, the query and the body of a management request with the schemas of its row. */
import { idPattern, prefixes } from '@ostiary/contract/ids.ts'
import { isAction, type Route } from '@ostiary/contract/route.ts'
import { sentenceOf } from '@ostiary/contract/sentences.ts'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { JsonError, jsonSteps, parseJson } from '../base/json.ts'
import { reason } from '../base/reason.ts'
import { isRecord } from '../base/record.ts'
import type { Steps } from '../base/steps.ts'
import { ApiError, type FieldError, fieldErrors, notFound, validationFailed } from '../http/problem.ts'
import { parametersOf, queryOf } from '../http/query.ts'
import { queryProblems, textProblems, textSteps } from './text-rules.ts'

/** Said here too, since another copy of the validator in this process replaces the sentences of all schemas (`domain/configuration/read-document.ts`). */
const said = { error: sentenceOf }

export function parseBody(route: Route, request: FastifyRequest, bytes: Buffer): unknown {
  // An empty body of any type is treated as absent.
  if (bytes.length === 0 && isAction(route)) return route.body?.parse({})
  refuseMediaType(route, request)
  const value = readJson(() => parseJson(bytes))
  if (!route.body) {
    if (isRecord(value) && Object.keys(value).length === 0) return undefined
    throw validationFailed([{ pointer: '', code: 'not_allowed', detail: 'This call takes no body.' }])
  }
  return accepted(textProblems(value, route.body), route.body.safeParse(value, said))
}

/** The body, its large member, the sections of that, and their objects. */
const levels_of_large = 3

/** Parses a body with a large member. The handler judges the member itself, step by step too. */
export function* parseLargeBody(
  route: Route & { body: z.ZodType; large_member: string },
  request: FastifyRequest,
  bytes: Buffer,
): Steps<unknown> {
  const { body: schema, large_member: name, instead_of_large: other } = route
  refuseMediaType(route, request)
  const reading = jsonSteps(bytes)
  const value = yield* stepsOf(reading)
  const of_texts = yield* textSteps(value, schema, levels_of_large)
  const problems = [...of_texts, ...(other === undefined ? [] : eitherProblems(value, other, name))]
  if (!isRecord(value) || value[name] === undefined) return accepted(problems, schema.safeParse(value, said))
  const { [name]: member, ...rest } = value
  const parsed = accepted(problems, schema.safeParse(rest, said))
  return { ...(parsed as object), [name]: member } // as: the schema is of an object
}

/** A body has one of the two members. */
function eitherProblems(value: unknown, one: string, other: string): FieldError[] {
  if (!isRecord(value) || (value[one] === undefined) !== (value[other] === undefined)) return []
  return [{ pointer: `/${one}`, code: 'required', detail: `Send ${one} or ${other}, and not both.` }]
}

function* stepsOf(reading: Steps<unknown>): Steps<unknown> {
  for (;;) {
    const { done, value } = readJson(() => {
      const step = reading.next()
      return step.done && step.value === undefined ? undefined : step
    })
    if (done) return value
    yield
  }
}

function refuseMediaType(route: Route, request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new ApiError('unsupported_media_type', 'Compressed bodies are not supported.')
  const types = route.method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  if (!types.includes(mediaType(request)) && !(isAction(route) && request.headers['content-type'] === undefined))
    throw new ApiError('unsupported_media_type', `Send Content-Type: ${types.join(' or ')}.`, {
      reason: reason`The Content-Type is not JSON in UTF-8.`,
    })
}

export function parseQuery(route: Route, request: FastifyRequest): unknown {
  if (!route.query) return undefined
  const query = parametersOf(queryOf(request.url))
  return accepted(queryProblems(query, route.query), route.query.safeParse(query, said))
}

/** Answers 404 for a malformed id, as for an unknown one, without a database query. */
export function checkIds(names: readonly string[], params: Record<string, string>): void {
  if (!areIds(names, params)) throw notFound(reason`An id in the path is not well-formed.`)
}

/** Whether each id in the path is well-formed. */
export const areIds = (names: readonly string[], params: Record<string, string>): boolean =>
  names.every((name) => {
    const prefix =
      name === 'invitation_id' ? prefixes.organization_invitation : Object.entries(prefixes).find(([kind]) => name === `${kind}_id`)?.[1]
    return prefix === undefined || idPattern(prefix).test(params[name] ?? '')
  })

/** The parsed value. Throws all problems at once, at most one of them for each field. */
function accepted<T>(problems: readonly FieldError[], parsed: z.ZodSafeParseResult<T>): T {
  const others = parsed.success
    ? []
    : fieldErrors(parsed.error).filter(({ pointer }) => !problems.some((known) => known.pointer === pointer))
  if (!parsed.success || problems.length > 0) throw validationFailed([...problems, ...others])
  return parsed.data
}

/** RFC 9110 §8.3.1: the media type in lower case. The only parameter that is accepted is charset=utf-8; with others it is empty. */
function mediaType(request: FastifyRequest): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  return parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter)) ? type : ''
}

function readJson<T>(parse: () => T | undefined): T {
  try {
    const value = parse()
    if (value === undefined) throw new JsonError('The body is empty. Send a JSON object.')
    return value
  } catch (error) {
    if (error instanceof JsonError)
      throw new ApiError('malformed_request', error.message, { reason: reason`The body is not well-formed JSON.` })
    throw error
  }
}
