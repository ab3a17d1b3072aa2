/** The options of a command that become the body or the query of its call, from the schemas of its row. */
import { type Components, type Json, schemaOf } from '@ostiary/contract/openapi-schemas.ts'
import type { Route } from '@ostiary/contract/route.ts'
import type { z } from 'zod'
import type { Kind } from '../arguments.ts'

export interface Field {
  /** Without the dashes: `rate-limit.window-seconds`. */
  readonly option: string
  /** The members on the way to it: `rate_limit`, `window_seconds`. */
  readonly path: readonly string[]
  readonly kind: Kind
  /** The option can be repeated, once for each value. */
  readonly is_list: boolean
  /** The word `null` stands for no value. */
  readonly is_nullable: boolean
  readonly is_required: boolean
  readonly choices: readonly string[]
  readonly help: string
}

/** The fields of the body of a row; none if it has no body. */
export function bodyFields({ body, returns: [, answer] }: Route): Field[] {
  if (body === undefined) return []
  const components: Components = { schemas: {}, responses: {} }
  const own = schemaOf(body, 'input', components)
  if (answer !== null) schemaOf(answer, 'output', components) // a change of the settings refers to components of its answer
  const schema = resolved(own, components)
  return membersOf(schema, [], components)
}

/** The filters of a row. The cursor is not among them for a list, which is read page by page. */
export function queryFields({ query }: Route): Field[] {
  const components: Components = { schemas: {}, responses: {} }
  return Object.entries(query?.shape ?? {}).map(([name, type]) => {
    const schema = resolved(schemaOf(type as z.ZodType, 'input', components), components) // as: a shape holds types only
    const is_required = !(type as z.ZodType).safeParse(undefined).success // as: a shape holds types only
    return fieldOf(schema, [name], is_required, components)
  })
}

function membersOf(schema: Json, above: readonly string[], components: Components): Field[] {
  const required = (schema.required ?? []) as string[] // as: JSON Schema
  const properties = (schema.properties ?? {}) as Record<string, Json> // as: JSON Schema
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = resolved(property, components)
    const path = [...above, name]
    const field = fieldOf(inner, path, above.length === 0 && required.includes(name), components)
    if (!isGroup(inner)) return [field]
    // A group as a whole can only be removed; its members have options of their own.
    return [...(field.is_nullable ? [field] : []), ...membersOf(inner, path, components)]
  })
}

/** An object whose members are all known. */
const isGroup = (schema: Json) => schema.properties !== undefined && schema.additionalProperties === false

function fieldOf(schema: Json, path: readonly string[], is_required: boolean, components: Components): Field {
  const types = [schema.type].flat()
  const is_list = types.includes('array')
  const value = is_list ? resolved((schema.items ?? {}) as Json, components) : schema // as: JSON Schema
  const choices = (value.enum ?? []) as unknown[] // as: JSON Schema
  return {
    option: optionOf(path),
    path,
    kind: kindOf(value),
    is_list,
    is_nullable: types.includes('null'),
    is_required,
    choices: choices.filter((choice) => typeof choice === 'string'),
    help: typeof schema.description === 'string' ? schema.description : '',
  }
}

export const optionOf = (path: readonly string[]) => path.map((name) => name.replaceAll('_', '-')).join('.')

function kindOf(schema: Json): Kind {
  const types = [schema.type].flat()
  if (types.includes('string') || schema.enum !== undefined) return 'text'
  if (types.includes('integer') || types.includes('number')) return 'number'
  return types.includes('boolean') ? 'boolean' : 'json'
}

/** Follows a reference, and joins a value that may be null into one schema with both types. The nearer description is used. */
function resolved(schema: Json, components: Components): Json {
  const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? '')) ?? []
  const target = name === undefined ? undefined : components.schemas[name]
  if (target !== undefined) return { ...resolved(target, components), ...(schema.description ? { description: schema.description } : {}) }
  const variants = (schema.anyOf ?? schema.oneOf) as Json[] | undefined // as: JSON Schema
  const [inner, ...others] = (variants ?? []).filter(({ type }) => type !== 'null').map((variant) => resolved(variant, components))
  if (variants === undefined || inner === undefined || others.length > 0) return schema
  const is_nullable = variants.some(({ type }) => type === 'null')
  return { ...inner, ...schema, type: [inner.type, ...(is_nullable ? ['null'] : [])].flat() }
}
