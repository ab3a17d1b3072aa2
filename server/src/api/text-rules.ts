/**
 * The rules for all strings and names in a request. Characters that a database or a reader would alter are refused and never changed.
 * A field that accepts more is registered in `characters` of the contract.
 */
import { characters } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { finish, type Steps } from '../base/steps.ts'
import { isText } from '../base/text.ts'
import { type FieldError, pointerTo } from '../http/problem.ts'

/** Enough to find the mistake. */
const most_problems = 20

/**
 * The problems of the strings and names in a body. `__proto__` is refused everywhere: an own member with that name is harmless, but
 * copying it may set a prototype.
 */
export const textProblems = (body: unknown, schema: z.ZodType): FieldError[] => finish(textSteps(body, schema, 0))

/** @param levels of a large body, each of whose members takes a step */
export function* textSteps(body: unknown, schema: z.ZodType, levels: number): Steps<FieldError[]> {
  const problems: FieldError[] = []
  const path: PropertyKey[] = []
  const refuse = (code: string, detail: string) => problems.push({ pointer: pointerTo(path), code, detail })

  const walk = (value: unknown): void => {
    if (problems.length >= most_problems) return
    if (typeof value === 'string') {
      const allowed = allowedIn(schema).get(path[0])
      if (allowed !== 'any' && !isText(value, allowed === 'lines')) refuse('bad_format', bad_characters)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const members: [PropertyKey, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
    for (const [name, inner] of members) {
      if (enter(name)) walk(inner)
      path.pop()
      if (problems.length >= most_problems) return
    }
  }
  function enter(name: PropertyKey): boolean {
    path.push(name)
    if (name === '__proto__') refuse('unknown_field', 'Unknown field.')
    else if (typeof name === 'string' && !isText(name)) refuse('bad_format', `Field name: ${bad_characters}`)
    else return true
    return false
  }
  function* walkSteps(value: unknown): Steps<undefined> {
    if (path.length >= levels || typeof value !== 'object' || value === null || Array.isArray(value)) {
      walk(value)
      return
    }
    for (const [name, inner] of Object.entries(value)) {
      if (enter(name)) yield* walkSteps(inner)
      path.pop()
      yield
      if (problems.length >= most_problems) return
    }
  }
  yield* walkSteps(body)
  return problems
}

/** The problems of the query parameters in the schema. Unknown parameters are ignored. */
export function queryProblems(query: Readonly<Record<string, unknown>>, schema: z.ZodObject): FieldError[] {
  return Object.keys(schema.shape).flatMap((name) => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined
    const is_wrong = typeof value === 'string' && allowedIn(schema).get(name) !== 'any' && !isText(value)
    return is_wrong ? [{ pointer: pointerTo([name]), code: 'bad_format', detail: bad_characters }] : []
  })
}

const bad_characters = 'Control characters, line separators and lone surrogates are not accepted.'

type Allowed = ReadonlyMap<PropertyKey | undefined, 'lines' | 'any'>

const known = new WeakMap<z.ZodType, Allowed>()

/** The fields of a schema that accept more than one line of text. */
function allowedIn(schema: z.ZodType): Allowed {
  let allowed = known.get(schema)
  if (!allowed) {
    const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
    allowed = new Map(
      shape.flatMap(([name, type]) => {
        const characters = allowedBy(type as z.ZodType) // as: a shape has only types
        return characters ? [[name, characters] as const] : []
      }),
    )
    known.set(schema, allowed)
  }
  return allowed
}

function allowedBy(type: z.ZodType): 'lines' | 'any' | undefined {
  const { innerType } = type.def as { innerType?: z.ZodType } // as: the public, untyped introspection of zod
  return characters.get(type)?.allowed ?? (innerType && allowedBy(innerType))
}
