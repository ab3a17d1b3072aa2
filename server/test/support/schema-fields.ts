/** The strings and objects of a request body, read from its schema, so that the tests cover a new field without a change. */
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import type { z } from 'zod'

export type Path = readonly (string | number)[]

export interface Field {
  path: Path
  /** `text`: a string. `closed`: an object that accepts only its named members. `open`: an object that accepts any member. */
  kind: 'text' | 'closed' | 'open'
}

/** Every string and object of a body. The schema of `changeSettings` accepts any object, so the schema of the settings replaces it. */
export function fieldsOf(name: string, body: z.ZodType): Field[] {
  return walk(name === 'changeSettings' ? settingsSchemas.test : body, [])
}

interface Def {
  type: string
  innerType?: z.ZodType
  element?: z.ZodType
  catchall?: z.ZodType
}

function walk(type: z.ZodType, path: Path): Field[] {
  const def = type.def as Def // as: the public, untyped introspection of zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return def.innerType ? walk(def.innerType, path) : []
    case 'array':
      return def.element ? walk(def.element, [...path, 0]) : []
    case 'record':
      return [
        { path, kind: 'open' },
        { path: [...path, 'member'], kind: 'text' },
      ]
    case 'object': {
      const is_open = def.catchall?.def.type === 'unknown'
      const shape = (type as z.ZodObject).shape // as: its type says so
      const inner = Object.entries(shape).flatMap(([name, field]) => walk(field as z.ZodType, [...path, name])) // as: a shape holds types only
      return [
        { path, kind: is_open ? 'open' : 'closed' },
        ...(is_open ? [{ path: [...path, 'member'], kind: 'text' as const }] : []),
        ...inner,
      ]
    }
    case 'string':
    case 'enum':
    case 'custom':
    case 'unknown':
      return [{ path, kind: 'text' }]
    case 'boolean':
    case 'number':
    case 'int':
    case 'literal':
      return []
    default:
      throw new Error(`There is no rule for the type ${def.type} at ${path.join('/')}: add one here.`)
  }
}

/** A copy of a body with another value at a path. Creates the containers on the way that are missing. */
export function withValue(body: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined) return value
  if (typeof first === 'number') return [withValue(undefined, rest, value)]
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  return {
    ...object,
    [first]: withValue(Object.hasOwn(object, first) ? (object as Record<string, unknown>)[first] : undefined, rest, value),
  } // as: reading a member by its name
}

export const pointerOf = (path: Path) => path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
