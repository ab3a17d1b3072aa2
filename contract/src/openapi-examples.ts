/** An example of every schema, made from the schema itself and from typical values of well-known names. */
import type { Json } from './openapi-schemas.ts'

const typical: Readonly<Record<string, unknown>> = {
  slug: 'shop',
  name: 'Shop',
  label: 'Backend',
  email: 'ada@example.com',
  to: 'ada@example.com',
  given_name: 'Ada',
  family_name: 'Lovelace',
  issuer: 'https://id.example.com/e/env_01m7wwr5ftevtv5yxb47hmb4ht',
  discovery_url: 'https://id.example.com/e/env_01m7wwr5ftevtv5yxb47hmb4ht/.well-known/openid-configuration',
  url: 'https://hooks.example.com/ostiary',
  identifier: 'https://api.example.com',
  redirect_uris: ['https://app.example.com/callback'],
  allowed_origins: ['https://app.example.com'],
  ip_allowlist: ['203.0.113.0/24'],
  scopes: ['projects:read'],
  start: 'svc_auth_sk_test_9aB3',
  last4: 'x7Qp',
  key: 'svc_auth_sk_test_…',
  token: 'eyJhbGciOiJSUzI1NiIs…',
  sequence: 42,
  token_endpoint_auth_method: 'client_secret_basic',
  application_type: 'web',
  methods: ['password'],
  amr: ['pwd'],
  locales: ['en'],
  request_id: 'req_01m7wwr5ftevtv5yxb47hmb4ht',
  detail: 'This field is required. (at /name)',
  password: 'an engine of brass',
  allowed_scopes: ['openid', 'profile', 'email'],
}

/** Whether a typical value has the type of this schema: `scopes` are strings in some places and objects in others. */
const fits = (value: unknown, schema: Json): boolean => {
  const types = [schema.type].flat()
  if (Array.isArray(value)) {
    const items = schema.items as Json | undefined // as: JSON Schema
    return types.includes('array') && items?.type !== 'object'
  }
  return (
    schema.enum === undefined &&
    schema.format !== 'date-time' &&
    schema.const === undefined &&
    types.includes(typeof value === 'number' ? 'integer' : typeof value)
  )
}

type Schemas = Readonly<Record<string, Json>>

/** Only the required members of a request, all members of an answer. */
export function exampleOf(schema: Json, schemas: Schemas, all_members: boolean, name = ''): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(schemas[schema.$ref.replace(/^.*\//, '')] ?? {}, schemas, all_members, name)
  if (name !== '' && Object.hasOwn(typical, name) && fits(typical[name], schema)) return typical[name]
  const given = Array.isArray(schema.examples) ? schema.examples[0] : undefined
  if (given !== undefined) return given
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const variants = (schema.oneOf ?? schema.anyOf) as Json[] | undefined // as: JSON Schema
  if (variants) return variants.some(({ type }) => type === 'null') ? null : exampleOf(variants[0] ?? {}, schemas, all_members, name)
  const types = [schema.type].flat()
  if (types.includes('null')) return null
  switch (types[0]) {
    case 'object':
      return exampleObject(schema, schemas, all_members)
    case 'array':
      return isEmptyByDefault(schema, all_members) ? [] : [exampleOf(schema.items as Json, schemas, all_members)] // as: JSON Schema
    case 'string':
      return (
        { 'date-time': '2026-11-20T16:31:00.000Z', uri: 'https://example.com/', email: 'ada@example.com' }[String(schema.format)] ??
        hashOr(schema)
      )
    case 'integer':
    case 'number':
      return schema.minimum === Number.MIN_SAFE_INTEGER ? 1 : Math.max(1, Number(schema.minimum ?? 1))
    case 'boolean':
      return false
    default:
      return null
  }
}

const hashOr = ({ pattern }: Json): string => (pattern === '^[0-9a-f]{64}$' ? '5f'.repeat(32) : 'example')

const isEmptyByDefault = ({ items, minItems }: Json, all_members: boolean): boolean =>
  minItems === undefined && (!all_members || (items as Json | undefined)?.type === 'string') // as: JSON Schema

function exampleObject({ properties, required }: Json, schemas: Schemas, all_members: boolean): Json {
  const members = Object.entries((properties ?? {}) as Record<string, Json>) // as: JSON Schema
  const needed = (required ?? []) as string[] // as: JSON Schema
  const shown = members.filter(([name]) => all_members || needed.includes(name))
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, schemas, all_members, name)]))
}
