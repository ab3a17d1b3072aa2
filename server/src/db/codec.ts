/**
 * The one mapping between rows and the types of the contract: milliseconds ↔ RFC 3339 or Date, text ↔ JSON,
 * 0/1 ↔ boolean. What a column means is read from the zod schema the row is wanted as.
 */
import type { z } from 'zod'

export type Value = string | number | bigint | boolean | null | Date | readonly unknown[] | Record<string, unknown>
export type EncodedValue = string | bigint | null

/**
 * Integers go as bigint: a JavaScript number would arrive as 5.0 in a text column of SQLite. Text is stored as it is or not at all:
 * PostgreSQL takes no U+0000, and no database half a surrogate pair. Requests that bring one are refused earlier (`http/text.ts`).
 */
export function encodeValue(value: Value | undefined): EncodedValue {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw new TypeError('A value of a statement holds U+0000 or half a surrogate pair.')
    return value
  }
  if (value === null || typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value instanceof Date) return BigInt(value.getTime())
  if (value === undefined) throw new TypeError('A value of a statement is undefined; null is meant.')
  return JSON.stringify(value)
}

type Decode = (value: unknown) => unknown

const compiled = new WeakMap<z.ZodObject, readonly (readonly [string, Decode])[]>()

/** A row as the schema has it. Columns the schema does not name are left out; a missing one is a fault of ours. */
export function decodeRow<S extends z.ZodObject>(schema: S, row: Record<string, unknown>): z.output<S> {
  let fields = compiled.get(schema)
  if (!fields) {
    fields = Object.entries(schema.shape).map(([name, type]) => [name, decoderOf(type as z.ZodType)] as const) // as: a shape holds types only
    compiled.set(schema, fields)
  }
  const decoded: Record<string, unknown> = {}
  for (const [name, decode] of fields) {
    const value = row[name]
    if (value === undefined) throw new Error(`The query does not return the column ${name}.`)
    decoded[name] = value === null ? null : decode(value)
  }
  return decoded as z.output<S> // as: what the database holds was checked on its way in
}

const asIs: Decode = (value) => value

function decoderOf(type: z.ZodType): Decode {
  const def = type.def as { type: string; format?: string; innerType?: z.ZodType } // as: the public, untyped introspection of zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return def.innerType ? decoderOf(def.innerType) : asIs
    case 'boolean':
      return (value) => Number(value) !== 0
    case 'number':
    case 'int':
      return Number
    case 'date':
      return (value) => new Date(Number(value))
    case 'string':
      return def.format === 'datetime' ? (value) => new Date(Number(value)).toISOString() : asIs
    case 'object':
    case 'array':
    case 'record':
      return (value) => JSON.parse(String(value))
    default:
      return asIs
  }
}
