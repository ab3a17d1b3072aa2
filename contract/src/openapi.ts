/** The route table as an OpenAPI 3.1 document. The output depends on the table only. */
import { z } from 'zod'
import { type ErrorCode, errors, generalErrors, Problem } from './errors.ts'
import type { Credential, Route } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'

type Json = Record<string, unknown>

export function openApi(): Json {
  const paths: Record<string, Json> = {}
  const add = (name: string, route: Route, tag: string) => {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route, tag) }
  }
  for (const [name, route] of Object.entries(routes)) add(name, route, 'Management and runtime API')
  for (const [name, route] of Object.entries(oidcRoutes)) add(name, route, 'OpenID Connect and hosted pages')
  for (const [name, route] of Object.entries(serviceRoutes)) add(name, route, 'Service')

  return {
    openapi: '3.1.0',
    info: {
      title: 'Ostiary',
      version: '1',
      description: [
        'API keys, tenancy and OpenID Connect.',
        'Errors of the management and runtime API are problem details (RFC 9457) with a stable `code`.',
        `Every operation can answer ${generalErrors.map(described).join(', ')}. An operation lists its other codes.`,
      ].join(' '),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '{base_url}', variables: { base_url: { default: 'http://localhost:3000' } } }],
    paths,
    components: {
      schemas: { Problem: schemaOf(Problem, 'output') },
      securitySchemes: {
        api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        authorization_api_key: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Authorization: ApiKey <API_KEY>' },
        bearer: { type: 'http', scheme: 'bearer' },
        client: {
          type: 'http',
          scheme: 'basic',
          description: 'Or client_id and client_secret in the body, depending on token_endpoint_auth_method',
        },
      },
    },
  }
}

function operation(operationId: string, route: Route, tag: string): Json {
  const [status, answer] = route.returns
  const parameters = [...pathParameters(route.path), ...queryParameters(route)]
  return {
    operationId,
    summary: route.summary,
    tags: [tag],
    security: securityOf(route.credential),
    ...requirements(route.credential),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: contentOf(route) } } : {}),
    responses: {
      [status]: {
        description: route.summary,
        ...(answer ? { content: { 'application/json': { schema: schemaOf(answer, 'output') }, ...linesOf(route) } } : {}),
      },
      ...(isManagement(route) ? failures(route) : {}),
    },
  }
}

/** The scope that a platform key needs and the role that an administrator needs. */
function requirements(credential: Credential): Json {
  return {
    ...(credential.kind === 'platform' ? { 'x-required-scope': credential.scope } : {}),
    ...('role' in credential && credential.role !== null ? { 'x-required-role': credential.role } : {}),
    ...('own_role' in credential ? { 'x-required-role-for-oneself': credential.own_role } : {}),
  }
}

const isManagement = (route: Route) => !['none', 'client', 'bearer', 'session'].includes(route.credential.kind)

/** Each line is one object of `data`. */
function linesOf({ lines, returns: [, answer] }: Route): Json {
  if (lines === undefined || !(answer instanceof z.ZodObject) || !(answer.shape.data instanceof z.ZodArray)) return {}
  return { [lines]: { schema: schemaOf(answer.shape.data.element as z.ZodType, 'output') } } // as: an array of a schema of zod's own
}

function failures(route: Route): Json {
  const own = (route.fails ?? []).map(described)
  const description = own.length > 0 ? `Problem details: ${own.join(', ')}, or a general error.` : 'Problem details of a general error.'
  return { default: { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } } }
}

const described = (code: ErrorCode) => `${errors[code].status} \`${code}\``

function contentOf(route: Route): Json {
  const schema = route.body ? schemaOf(route.body, 'input') : {}
  const types = route.method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function queryParameters(route: Route): Json[] {
  return Object.entries(route.query?.shape ?? {}).map(([name, type]) => ({
    name,
    in: 'query',
    required: false,
    schema: schemaOf(type as z.ZodType, 'input'), // as: a shape holds types only
  }))
}

function schemaOf(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', override: plainCustom }) as Json // as: JSON Schema is a JSON object
  return schema
}

/** Ids are custom types. Their JSON Schema is in their metadata. */
function plainCustom({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  if (zodSchema._zod.def.type === 'custom') Object.assign(jsonSchema, z.globalRegistry.get(zodSchema))
}

const by_api_key = [{ api_key: [] }, { authorization_api_key: [] }]

function securityOf(credential: Credential): Json[] {
  switch (credential.kind) {
    case 'none':
    case 'session':
      return []
    case 'bearer':
      return [{ bearer: [] }]
    case 'client':
      return [{ client: [] }, {}]
    case 'administrator':
      return [{ bearer: [] }]
    case 'platform':
      return [...by_api_key, { bearer: [] }]
    case 'secret':
      return credential.role === null ? by_api_key : [...by_api_key, { bearer: [] }]
    default:
      return by_api_key
  }
}
