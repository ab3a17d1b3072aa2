/**
 * Which strings and names a request may bring, judged once for all routes: what a database or a reader would alter is refused, never
 * changed. A field that takes more says so beside its schema (`characters` in the contract).
 */
import { characters } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { type FieldError, pointerTo } from '../http/problem.ts'
import { isText } from '../text.ts'

/** More would make the answer long and tell nothing new. */
const most_problems = 20

/**
 * The strings and names of a body that cannot be accepted, each at its place. `__proto__` is unknown everywhere: an own member of that name
 * is harmless, and a later copy of the object may not be.
 */
export function textProblems(body: unknown, schema: z.ZodType): FieldError[] {
  const problems: FieldError[] = []
  const path: PropertyKey[] = []
  const refuse = (code: string, detail: string) => problems.push({ pointer: pointerTo(path), code, detail })

  const walk = (value: unknown): void => {
    if (problems.length >= most_problems) return
    if (typeof value === 'string') {
      const allowed = path.length === 1 ? allowedIn(schema).get(path[0]) : undefined
      if (allowed !== 'any' && !isText(value, allowed === 'lines')) refuse('bad_format', unwanted)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const members: [PropertyKey, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
    for (const [name, inner] of members) {
      path.push(name)
      if (name === '__proto__') refuse('unknown_field', 'There is no such field here.')
      else if (typeof name === 'string' && !isText(name)) refuse('bad_format', `The name: ${unwanted}`)
      else walk(inner)
      path.pop()
      if (problems.length >= most_problems) return
    }
  }
  walk(body)
  return problems
}

/** The known parameters of a query that cannot be accepted. Unknown ones are ignored. */
export function queryProblems(query: Readonly<Record<string, unknown>>, schema: z.ZodObject): FieldError[] {
  return Object.keys(schema.shape).flatMap((name) => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined
    const is_wrong = typeof value === 'string' && allowedIn(schema).get(name) !== 'any' && !isText(value)
    return is_wrong ? [{ pointer: pointerTo([name]), code: 'bad_format', detail: unwanted }] : []
  })
}

const unwanted = 'Control characters, line separators and halves of surrogate pairs are not accepted.'

type Allowed = ReadonlyMap<PropertyKey | undefined, 'lines' | 'any'>

const known = new WeakMap<z.ZodType, Allowed>()

/** The fields of a schema that take more than a line. */
function allowedIn(schema: z.ZodType): Allowed {
  let allowed = known.get(schema)
  if (!allowed) {
    const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
    allowed = new Map(
      shape.flatMap(([name, type]) => {
        const said = allowedBy(type as z.ZodType) // as: a shape holds types only
        return said ? [[name, said] as const] : []
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
