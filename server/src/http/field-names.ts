/** The names of all fields that a request can have, by the schemas of the route table. */
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { z } from 'zod'

let names: ReadonlySet<string> | null = null

export function fieldNames(): ReadonlySet<string> {
  names ??= new Set(Object.values<Route>(routes).flatMap(({ query, body }) => [query, body].flatMap((schema) => namesIn(schema))))
  return names
}

/** The names in a schema and in the schemas that it is made of. */
function namesIn(schema: unknown): string[] {
  if (!(schema instanceof z.ZodType)) return []
  const own = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const { innerType, element, valueType, in: input, out, left, right, options } = schema.def as object as Record<string, unknown> // as: the public, untyped introspection of zod
  const inner = schema instanceof z.ZodObject ? Object.values(schema.shape) : []
  const parts = [...inner, innerType, element, valueType, input, out, left, right, ...(Array.isArray(options) ? options : [])]
  return [...own, ...parts.flatMap(namesIn)]
}
