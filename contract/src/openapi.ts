/**
 * The route tables as an OpenAPI 3.1 document. The output depends on the contract only.
 *
 *   openapi-schemas.ts   schemas and components      openapi-answers.ts    which errors a row can answer
 *   api-examples.ts      recorded examples           openapi-headers.ts    parameters and headers that rows share
 *   descriptions.ts      what each operation does    tags.ts               the groups
 */
import { z } from 'zod'
import { apiExamples } from './api-examples.ts'
import { described_base_url } from './described-base-url.ts'
import { descriptions } from './descriptions.ts'
import { type ErrorCode, errors, generalErrors, Problem } from './errors.ts'
import { freshnessWords } from './fresh.ts'
import { exchanges, OAuthProblem, oauthErrors } from './oidc.ts'
import { errorsOf, ownErrorsOf, takesIfMatch, takesTenant } from './openapi-answers.ts'
import { answerHeaders, headerRef, parameterRef, sharedHeaders, sharedParameters } from './openapi-headers.ts'
import { type Components, componentName, type Json, listName, schemaOf } from './openapi-schemas.ts'
import { pathParameter } from './path-parameters.ts'
import { type Credential, isAction, type Route, scopesOf } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'
import { serviceAnswers } from './service-answers.ts'
import { tagOf, tags } from './tags.ts'

type RowName = keyof typeof descriptions

export function openApi(base_url = described_base_url): Json {
  const components: Components = { schemas: {}, responses: {} }
  schemaOf(Problem, 'output', components)
  const paths: Record<string, Json> = {}
  const add = (name: string, route: Route, rest: Json) => {
    const operation = { ...head(name as RowName, route), ...rest } // as: a name of the tables
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  for (const [name, route] of Object.entries<Route>(routes)) add(name, route, management(name, route, components))
  for (const [name, route] of Object.entries<Route>(oidcRoutes))
    add(name, route, protocol(name as keyof typeof oidcRoutes, route, components)) // as: a name of the table
  for (const [name, route] of Object.entries<Route>(serviceRoutes))
    add(name, route, service(name as keyof typeof serviceRoutes, route, components)) // as: a name of the table

  return {
    openapi: '3.1.0',
    info: {
      title: 'Ostiary',
      version: '1',
      summary: 'API keys, tenancy and an OpenID Connect server for each environment.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base_url, description: 'This deployment.' }],
    tags: tags.filter(({ name }) => usedTags(paths).has(name)).map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: components.responses,
      parameters: sharedParameters,
      headers: sharedHeaders,
      examples: Object.fromEntries(Object.keys(errors).map((code) => [code, { value: exampleProblem(code as ErrorCode, base_url) }])), // as: keys of a const object
      securitySchemes: security_schemes,
    },
  }
}

const introduction = `Send an API key in the header \`X-API-Key\`, or the access token of an administrator as \`Authorization: Bearer\`.

Bodies are JSON in snake_case. Times are RFC 3339 in UTC with milliseconds; durations are whole seconds. A field without a value is \`null\`. An unknown field in a body is refused, an unknown query parameter is ignored.

Lists are pages, newest first: pass \`next_cursor\` as \`cursor\` while \`has_more\` is true. A PATCH is a JSON Merge Patch (RFC 7396). Every POST can carry an \`Idempotency-Key\`; every change and deletion of an object can carry \`If-Match\`.

Errors are problem details (RFC 9457) with a stable \`code\`. Keep \`X-Request-Id\`: it finds the call.`

const security_schemes = {
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key. Its type decides which operations it can call.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token: of an administrator for the management API, of a user for UserInfo.',
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description:
      'client_secret_basic, also for an application with `client_secret`. Other methods send their parameters in the body, by token_endpoint_auth_method of the application.',
  },
}

const usedTags = (paths: Record<string, Json>) =>
  new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap((operation) => (operation as { tags: string[] }).tags))) // as: made by `head`

function head(name: RowName, route: Route): Json {
  const { credential } = route
  return {
    operationId: name,
    summary: route.summary,
    description: [descriptions[name], ...needs(route), ...freshness(route)].join('\n\n'),
    tags: [tagOf(route).name],
    security: securityOf(credential),
    ...('scope' in credential ? { 'x-required-scope': credential.scope } : {}),
    ...('also' in credential ? { 'x-required-scopes': scopesOf(credential) } : {}),
    ...('role' in credential && credential.role !== null ? { 'x-required-role': credential.role } : {}),
    ...('own_role' in credential ? { 'x-required-role-for-oneself': credential.own_role } : {}),
  }
}

/** Returns the requirements of a row for its caller, in sentences. */
function needs({ credential, operators }: Route): string[] {
  const administrator =
    'role' in credential && credential.role !== null ? `an administrator with the role \`${credential.role}\` or above` : null
  const or = administrator === null ? '' : `, or ${administrator}`
  const root = operators === 'hidden' ? ' In the root tenant it is 404.' : ''
  const refused = operators === 'refused' ? ' In the root tenant it is 403.' : ''
  switch (credential.kind) {
    case 'any_key':
      return ['Needs an API key of any type.']
    case 'publishable':
      return ['Needs a publishable key, from one of its allowed origins.']
    case 'secret':
      return [`Needs a secret key of the environment${or}.`]
    case 'platform':
      return [`Needs a platform key with the ${scopeWords(scopesOf(credential))}${or}.${refused}`]
    case 'administrator':
      return [`Needs ${administrator ?? 'an administrator'}.${root}`]
    default:
      return []
  }
}

function scopeWords(scopes: readonly string[]): string {
  const names = scopes.map((scope) => `\`${scope}\``)
  return names.length === 1 ? `scope ${names[0]}` : `scopes ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** When the sign-in of an administrator must be fresh. */
function freshness({ fresh }: Route): string[] {
  const words = fresh === undefined ? [] : freshnessWords(fresh)
  if (words.length === 0) return []
  return [
    `An administrator needs a fresh sign-in (\`fresh_sign_in\` of the project; by default of the last 10 minutes)${words.join(', and')}.`,
  ]
}

function management(name: string, route: Route, components: Components): Json {
  const [status, answer] = route.returns
  const json = answer && { schema: namedSchema(answer, components) }
  const content = json && {
    'application/json': { ...json, ...exampled(apiExamples[name]?.answer) },
    ...linesOf(route, components),
  }
  const shared = [
    ...(route.method === 'POST' ? ['IdempotencyKey' as const] : []),
    ...(takesIfMatch(route) ? ['IfMatch' as const] : []),
    ...(takesTenant(route) ? ['TenantId' as const] : []),
    ...(takesTenant(route) && route.credential.kind === 'secret' ? ['EnvironmentId' as const] : []),
    ...(route.credential.kind === 'publishable' ? ['Origin' as const] : []),
  ]
  const parameters = [...pathParameters(route), ...queryParameters(route.query, components), ...shared.map(parameterRef)]
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: !isAction(route), content: bodyOf(name, route, components) } } : {}),
    responses: {
      [status]: {
        description: answer ? `${titles[status] ?? 'Success'}.` : 'Done. The response has no content.',
        headers: answerHeaders(route),
        ...(content ? { content } : {}),
      },
      ...(route.cache ? { 304: { description: 'The copy of the client is current.' } } : {}),
      ...failures(errorsOf(route, generalErrors), components),
    },
    'x-own-errors': ownErrorsOf(route, generalErrors),
  }
}

const exampled = (example: unknown): Json => (example === undefined ? {} : { example })

const titles: Readonly<Record<number, string>> = { 200: 'Success', 201: 'Created', 202: 'Accepted' }

/** The responses of these errors, one for each status. Rows with the same errors share a component. */
function failures(codes: readonly ErrorCode[], { responses }: Components): Json {
  const statuses = Map.groupBy(codes, (code) => errors[code].status)
  return Object.fromEntries(
    [...statuses].map(([status, group]) => {
      const name = group.join('.')
      responses[name] ??= {
        description: group.map((code) => `\`${code}\`: ${errors[code].title}.`).join(' '),
        headers: { 'X-Request-Id': headerRef('XRequestId'), ...failureHeaders(status) },
        content: {
          'application/problem+json': {
            ...problem,
            examples: Object.fromEntries(group.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      }
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

const problem = { schema: { $ref: '#/components/schemas/Problem' } }

function failureHeaders(status: number): Json {
  if (status === 401) return { 'WWW-Authenticate': headerRef('WWWAuthenticate') }
  return status === 429 || status === 503 ? { 'Retry-After': headerRef('RetryAfter') } : {}
}

function exampleProblem(code: ErrorCode, base_url: string): Json {
  const { status, title, explanation } = errors[code]
  return {
    type: `${base_url}/docs/errors/${code}`,
    title,
    status,
    detail: code === 'validation_failed' ? 'This field is required. (at /name)' : explanation.replace(/(?<=[.?]) .*$/, ''),
    code,
    request_id: 'req_01m7wwr5ftevtv5yxb47hmb4ht',
    ...(code === 'validation_failed' ? { errors: [{ pointer: '/name', code: 'required', detail: 'This field is required.' }] } : {}),
    ...(code === 'insufficient_scope' ? { required_scopes: ['projects:read'] } : {}),
  }
}

/** Each line is one object of `data`. */
function linesOf({ lines, returns: [, answer] }: Route, components: Components): Json {
  if (lines === 'text/csv') return { [lines]: { schema: { type: 'string' } } }
  const element = answer ? elementOf(answer) : null
  return lines === undefined || element === null ? {} : { [lines]: { schema: schemaOf(element, 'output', components) } }
}

/** The type of the objects of a page; `null` for another answer. */
function elementOf(answer: z.ZodType): z.ZodType | null {
  if (!(answer instanceof z.ZodObject) || !(answer.shape.data instanceof z.ZodArray) || !('next_cursor' in answer.shape)) return null
  return answer.shape.data.element as z.ZodType // as: an array of a schema of zod's own
}

/** An answer as a component: the schema itself, or the list of its element. */
function namedSchema(answer: z.ZodType, components: Components): Json {
  const element = elementOf(answer)
  if (element === null) {
    componentName(answer)
    return schemaOf(answer, 'output', components)
  }
  components.schemas[listName(element)] = schemaOf(answer, 'output', components)
  return { $ref: `#/components/schemas/${listName(element)}` }
}

function bodyOf(name: string, route: Route, components: Components): Json {
  if (!route.body) return {}
  componentName(route.body)
  const schema = schemaOf(route.body, 'input', components)
  const types = route.method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return Object.fromEntries(types.map((type) => [type, { schema, ...exampled(apiExamples[name]?.body) }]))
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name))
}

function queryParameters(query: z.ZodObject | undefined, components: Components): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, type]) => {
    const { description, ...schema } = schemaOf(type as z.ZodType, 'input', components) // as: a shape holds types only
    const required = !(type as z.ZodType).safeParse(undefined).success // as: a shape holds types only
    return { name, in: 'query', required, ...(description === undefined ? {} : { description }), schema }
  })
}

const html = { 'text/html': { schema: { type: 'string', description: 'A page.' } } }

/** RFC 6749 §5.2 and RFC 6750 §3 where the caller is a program, pages where it is a person. An unknown issuer is a problem response. */
function protocol(name: keyof typeof oidcRoutes, route: Route, components: Components): Json {
  const { query, form, answer, refuses = [], errors: own_errors, may_be_bare } = exchanges[name]
  const parameters = [...pathParameters(route), ...queryParameters(query, components)]
  const refusal = { 'application/json': { schema: schemaOf(OAuthProblem, 'output', components) } }
  const problems = { 'application/problem+json': problem }
  const json = answer && { 'application/json': { schema: schemaOf(answer, 'output', components), ...exampled(apiExamples[name]?.answer) } }
  const is_document = route.cross_origin === 'every'
  const failed = (status: number, content: Json) => [
    status,
    { description: oauthTitle(status, own_errors ?? []), ...(status === 503 ? { headers: failureHeaders(503) } : {}), content },
  ]
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(form
      ? {
          requestBody: {
            required: false,
            content: { 'application/x-www-form-urlencoded': { schema: schemaOf(form, 'input', components) } },
          },
        }
      : {}),
    responses: Object.fromEntries(
      route.page
        ? [
            [200, { description: 'A page.', content: html }],
            [303, { description: 'The next step, a page or the application.' }],
            ...pageStatuses(name, route).map((status) => failed(status, { ...html, ...problems })),
          ]
        : [
            [200, { description: 'Success.', ...(json ? { content: json } : {}) }],
            ...(is_document ? [[304, { description: 'The copy of the client is current.' }]] : []),
            ...refuses.map((status) => (may_be_bare && status === 401 ? bare_challenge : failed(status, refusal))),
            failed(404, problems),
            failed(500, is_document ? problems : { ...refusal, ...problems }),
            failed(503, is_document ? problems : { ...refusal, ...problems }),
          ],
    ),
    ...(own_errors ? { 'x-own-errors': own_errors } : {}),
  }
}

const bare_challenge = [
  401,
  {
    description:
      '`invalid_token`. `WWW-Authenticate` has the error, and so has the JSON body. A request without a token gets neither (RFC 6750 §3.1).',
    headers: failureHeaders(401),
  },
]

function pageStatuses(name: keyof typeof oidcRoutes, { method, credential }: Route): number[] {
  const has_body = method === 'POST' ? [413] : []
  // The form of a page of ours, which a second press sends again.
  const is_form = method === 'POST' && credential.kind === 'session' ? [409, 429] : []
  const calls_provider = name === 'federate' || name.startsWith('callback') ? [502] : []
  const can_be_over = /nvitation$|Link$|ewPassword(Page)?$|RecoveryCodes$/.test(name) ? [410] : []
  const counts_attempts = name === 'showInvitation' || name.startsWith('callback') ? [429] : []
  return [400, 404, ...can_be_over, ...has_body, ...is_form, ...counts_attempts, 500, ...calls_provider, 503]
}

/** Describes a status. An endpoint that declares its errors has only those codes. */
function oauthTitle(status: number, own: readonly string[]): string {
  const codes = Object.entries(oauthErrors).filter(
    ([code, each]) => each.status === status && (status >= 500 || own.length === 0 || own.includes(code)),
  )
  const named = codes.map(([code]) => `\`${code}\``).join(', ')
  return (
    {
      404: 'There is no such issuer, or no such object.',
      409: 'The account changed in the meantime, or the answer to the first press of the button was lost.',
      410: 'The link or the page was used or has expired.',
      413: 'The body is larger than 1 MiB.',
      429: 'Too many attempts.',
      502: 'The provider did not answer.',
    }[status] ?? `${named}.`
  )
}

function service(name: keyof typeof serviceRoutes, route: Route, components: Components): Json {
  const answers = serviceAnswers(name, route)
  const parameters = [...pathParameters(route), ...queryParameters(route.query, components)]
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, types }]) => [
          status,
          {
            description,
            ...(types
              ? {
                  content: Object.fromEntries(
                    Object.entries(types).map(([type, schema]) => [type, { schema: schemaOf(schema, 'output', components) }]),
                  ),
                }
              : {}),
          },
        ]),
      ),
      ...failures(
        route.path.includes('{') || route.path.startsWith('/demo') ? ['not_found', 'internal_error'] : ['internal_error'],
        components,
      ),
    },
  }
}

const by_api_key = [{ api_key: [] }]

function securityOf(credential: Credential): Json[] {
  switch (credential.kind) {
    case 'none':
    case 'session':
      return []
    case 'bearer':
    case 'administrator':
      return [{ bearer: [] }]
    case 'client':
      return [{ client: [] }, {}]
    case 'platform':
      return [...by_api_key, { bearer: [] }]
    case 'secret':
      return credential.role === null ? by_api_key : [...by_api_key, { bearer: [] }]
    default:
      return by_api_key
  }
}
