/**
 * JSON Schema of the contract's schemas. Objects, lists of choices and unions that a subject file exports become named components.
 * Every property has a description: its own, that of its type, or the one of its name in `common`.
 */
import { z } from 'zod'
import * as activity from './activity.ts'
import * as apiKeys from './api-key.ts'
import * as applicationTemplates from './application-template.ts'
import * as audit from './audit.ts'
import * as authConfig from './auth-config.ts'
import * as backchannelLogouts from './backchannel-logout.ts'
import * as clientSecrets from './client-secret.ts'
import * as configuration from './configuration.ts'
import * as dashboard from './dashboard.ts'
import * as deliveries from './delivery.ts'
import * as errors from './errors.ts'
import * as events from './event.ts'
import * as impact from './impact.ts'
import * as kept from './kept.ts'
import * as mail from './mail.ts'
import * as metadataClients from './metadata-client.ts'
import * as methods from './method.ts'
import * as names from './names.ts'
import * as applications from './objects/application.ts'
import * as providers from './objects/provider.ts'
import * as resourceServers from './objects/resource-server.ts'
import * as roles from './objects/role.ts'
import * as webhooks from './objects/webhook.ts'
import * as oidc from './oidc.ts'
import * as organizations from './organization.ts'
import * as promotions from './promotion.ts'
import * as promotionChecks from './promotion-check.ts'
import * as readiness from './readiness.ts'
import * as refusedCalls from './refused-call.ts'
import * as rolePreview from './role-preview.ts'
import * as scopes from './scopes.ts'
import * as sessions from './session.ts'
import * as settings from './settings.ts'
import * as signInTraces from './sign-in-trace.ts'
import * as signingKeys from './signing-key.ts'
import * as statistics from './statistics.ts'
import * as tenancy from './tenancy.ts'
import * as trustedBrowsers from './trusted-browser.ts'
import * as users from './user.ts'
import * as userAccess from './user-access.ts'
import * as userJobs from './user-job.ts'

export type Json = Record<string, unknown>

/** The files whose exports are components. A schema of a new file needs an entry here; `componentName` asks for it. */
// biome-ignore format: one entry a line would be longer than the file
const subjects: readonly Record<string, unknown>[] = [
  activity, apiKeys, applications, applicationTemplates, audit, authConfig, backchannelLogouts, clientSecrets, configuration, dashboard, deliveries, errors, events, impact, kept, mail, metadataClients, methods, names, oidc, organizations, promotionChecks, promotions, providers, readiness, refusedCalls,
  resourceServers, rolePreview, roles, scopes, sessions, settings, signInTraces, signingKeys, statistics, tenancy, trustedBrowsers, userAccess, userJobs, users, webhooks,
]

/**
 * Generators make names of their own, which no schema may have: constructors such as `NewProject` in Go, and the class `Configuration` of a
 * client in Go and Java.
 */
const nameInOtherLanguages = (name: string): string =>
  name === 'Configuration' ? 'EnvironmentConfiguration' : name.replace(/^New(?=[A-Z])(.+)/, '$1Creation')

const components = new Map<z.ZodType, string>()
for (const [name, value] of subjects.flatMap((subject) => Object.entries(subject)))
  if (value instanceof z.ZodType && /^[A-Z]/.test(name) && !components.has(value)) components.set(value, nameInOtherLanguages(name))
for (const [schema, id] of components) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id })

/** Properties that mean the same in every object. */
const common: Readonly<Record<string, string>> = {
  id: 'The id of the object.',
  name: 'The name.',
  type: 'The type.',
  email: 'The email address.',
  role: 'The role in the tenant.',
  issuer: 'The issuer URL of the environment.',
  ip: 'The IP address; `null` if it is unknown.',
  environment_type: 'The type of the environment.',
  event_type: 'The kind of the event.',
  created_at: 'When the object was created.',
  updated_at: 'When the object was last changed.',
  count: 'How often it happened.',
  outcome: 'How it ended.',
  method: 'The method.',
  grant_type: 'The grant type.',
}

export interface Components {
  readonly schemas: Record<string, Json>
  readonly responses: Record<string, Json>
}

/** The schema of a value, as a reference where it has a name. Adds the components that it refers to. */
export function schemaOf(type: z.ZodType, io: 'input' | 'output', { schemas }: Components): Json {
  const { $defs, ...own } = generate(type, io)
  const defs = { ...($defs as Record<string, Json> | undefined) } // as: JSON Schema
  const id = components.get(type)
  if (id !== undefined) defs[id] = own.$ref === undefined ? own : (defs[id] ?? {})
  const renamed = new Map<string, string>()
  for (const [name, { id: _, ...schema }] of Object.entries(defs)) {
    const known = schemas[name]
    const is_other =
      io === 'input' && known !== undefined && JSON.stringify(withNamesOfChoices(name, pointAt(schema, renamed))) !== JSON.stringify(known)
    renamed.set(name, is_other ? `${name}Input` : name)
  }
  for (const [name, { id: _, ...schema }] of Object.entries(defs))
    schemas[renamed.get(name) ?? name] = withNamesOfChoices(name, pointAt(schema, renamed))
  return id === undefined ? pointAt(own, renamed) : { $ref: `#/components/schemas/${renamed.get(id)}` }
}

/**
 * Generators of Go name the constants of a choice by the value alone, so `test` of two lists would be one name. Every list of choices has
 * names with its own in front, so that a value added to one list renames nothing in another.
 */
function withNamesOfChoices(name: string, schema: Json): Json {
  if (!Array.isArray(schema.enum)) return schema
  const upper = (text: string) => text.replaceAll(/(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+/g, '_').toUpperCase()
  return { ...schema, 'x-enum-varnames': schema.enum.map((value) => `${upper(name)}_${value === '*' ? 'ALL' : upper(String(value))}`) }
}

/** The schema of a value as a document of its own, with its definitions. */
export function definedSchemaOf(type: z.ZodType): Json {
  const { $defs, ...own } = generate(type, 'input')
  const { [components.get(type) ?? '']: root = own, ...others } = ($defs ?? {}) as Record<string, Json> // as: JSON Schema
  const defs = Object.entries(others).map(([name, { id: _, ...schema }]) => [name, schema])
  const { id: _, ...schema } = root
  return { ...schema, ...(defs.length > 0 ? { $defs: Object.fromEntries(defs) } : {}) }
}

/** Replaces references to definitions by references to components. */
function pointAt<T>(value: T, renamed: ReadonlyMap<string, string>): T {
  return JSON.parse(JSON.stringify(value), (key, member) =>
    key === '$ref' && typeof member === 'string'
      ? member.replace(/^#\/\$defs\/(.+)$/, (_, name) => `#/components/schemas/${renamed.get(name) ?? name}`)
      : member,
  ) as T // as: the same value with other strings
}

/** The name of the list of this element, such as `ProjectList`. */
export function listName(element: z.ZodType): string {
  return `${componentName(element)}List`
}

/** The component name of a schema. */
export function componentName(type: z.ZodType): string {
  const name = components.get(type)
  if (name === undefined)
    throw new Error('A body or an answer of a row has no name. Export its schema from a file that is in `subjects` of openapi-schemas.ts.')
  return name
}

/** Ids are custom types: their JSON Schema is in their metadata. The route of the settings accepts any object and merges it first. */
function representCustom({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }): void {
  if (zodSchema._zod.def.type === 'custom') Object.assign(jsonSchema, z.globalRegistry.get(zodSchema))
  if (zodSchema === settings.SettingsChange) {
    delete jsonSchema.propertyNames
    Object.assign(jsonSchema, patchOfSettings())
  }
}

function generate(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', override: representCustom }) as Json // as: JSON Schema is a JSON object
  return simplify(schema, components.get(type) ?? '')
}

/** Makes a schema simple to read and to generate code from, from its leaves to its root. */
function simplify(value: unknown, place: string): Json {
  if (Array.isArray(value)) return value.map((member) => simplify(member, place)) as unknown as Json // as: a member of a schema
  if (typeof value !== 'object' || value === null) return value as unknown as Json // as: a member of a schema
  const schema: Json = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, simplify(member, `${place}/${name}`)]))
  // The patterns of zod for times and emails have lookarounds and a kilobyte of leap years; the format says the same.
  if (schema.format === 'e164')
    delete schema.format // not a format of JSON Schema
  else if (typeof schema.format === 'string') delete schema.pattern
  openMap(schema)
  joinNull(schema)
  openList(schema)
  describeProperties(schema, place)
  return joinVerdicts(schema)
}

/**
 * Objects that a boolean tells apart are one object, whose other members may be absent: generators make a constant of a boolean that does not
 * compile in Go, and a choice without a name in other languages.
 */
function joinVerdicts(schema: Json): Json {
  const choices = (schema.oneOf ?? []) as { properties: Record<string, Json>; required: string[] }[] // as: a list of schemas
  const tells = Object.entries(choices[0]?.properties ?? {}).find(([, { type, const: value }]) => type === 'boolean' && value !== undefined)
  if (tells === undefined) return schema
  const { oneOf: _, ...rest } = schema
  const [name, { const: __, ...flag }] = tells
  return {
    ...rest,
    type: 'object',
    properties: { ...Object.assign({}, ...choices.toReversed().map(({ properties }) => properties)), [name]: flag },
    required: choices[0]?.required.filter((member) => choices.every(({ required }) => required.includes(member))),
    additionalProperties: false,
  }
}

/** An object of any members. Generators of Java leave out the type of an empty schema. */
function openMap(schema: Json): void {
  const { additionalProperties: more, propertyNames: names } = schema
  if (typeof more === 'object' && more !== null && Object.keys(more).length === 0) schema.additionalProperties = true
  if (JSON.stringify(names) === '{"type":"string"}') delete schema.propertyNames // every name is a string
}

/**
 * `anyOf` a simple type and a list of it has no type: its description says what it is. openapi-generator 7.16 makes a class of such a choice that
 * does not compile in Java, and oapi-codegen 2.8 refuses one type with both names. The client library reads the extension.
 */
function openList(schema: Json): void {
  const [one, list, more] = (schema.anyOf ?? []) as Json[] // as: a list of schemas
  if (typeof one?.type !== 'string' || list?.type !== 'array' || more !== undefined || Object.keys(one).length > 1) return
  schema['x-any-of'] = schema.anyOf
  delete schema.anyOf
}

/** `anyOf` a simple type and null is one type with both. */
function joinNull(schema: Json): void {
  if (!Array.isArray(schema.anyOf)) return
  const [inner, other, more] = schema.anyOf as Json[] // as: a list of schemas
  if (inner === undefined || other?.type !== 'null' || more !== undefined) return
  if (typeof inner.description === 'string') schema.description ??= inner.description
  if (inner.$ref !== undefined) delete inner.description
  // openapi-generator 7.16 gives the values of such a map no type in Java where two media types have the schema.
  if (inner.additionalProperties === true && inner.properties === undefined) {
    delete inner.description
    return
  }
  if (typeof inner.type !== 'string' || inner.enum !== undefined || inner.id !== undefined) return
  delete schema.anyOf
  Object.assign(schema, { ...inner, ...schema, type: [inner.type, 'null'] })
}

function describeProperties(schema: Json, place: string): void {
  if (schema.type !== 'object' && !(Array.isArray(schema.type) && schema.type.includes('object'))) return
  const properties = (schema.properties ?? {}) as Record<string, Json> // as: JSON Schema
  for (const [name, property] of Object.entries(properties)) {
    if (property.description !== undefined) continue
    const variants = [property.anyOf, property.oneOf].flatMap((each) => (each as Json[] | undefined) ?? []) // as: lists of schemas
    const found = variants.find((variant) => typeof variant.description === 'string')?.description ?? common[name]
    if (found !== undefined) property.description = found
    else undescribed.add(`${place}/${name}`.replaceAll(/\/(?:properties|\$defs)\b/g, ''))
  }
}

/** Properties without a description, by their path in a schema. A test requires that there are none. */
export const undescribed = new Set<string>()

/** The merge patch of the settings: every member may be absent, and `null` restores its default. Live has one more method of sign-in. */
function patchOfSettings(): Json {
  const { test, live } = settings.settingsSchemas
  return optional(generate(z.strictObject({ ...test.shape, sign_in: live.shape.sign_in.describe('The methods of sign-in.') }), 'input'))
}

/** The definitions are components of the document. */
function optional({ required: _, default: __, $defs: ___, ...schema }: Json): Json {
  const properties = schema.properties as Record<string, Json> | undefined // as: JSON Schema
  if (properties === undefined) return schema
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, nullable(optional(member))])),
  }
}

function nullable(schema: Json): Json {
  const { description, ...rest } = schema
  if (schema.anyOf !== undefined || (Array.isArray(schema.type) && schema.type.includes('null'))) return schema
  if (typeof schema.type === 'string' && schema.enum === undefined) return { ...schema, type: [schema.type, 'null'] }
  return { anyOf: [rest, { type: 'null' }], ...(description === undefined ? {} : { description }) }
}
