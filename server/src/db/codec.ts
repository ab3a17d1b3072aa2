/**
 * Maps rows to the types of the contract and back: milliseconds ↔ RFC 3339 or Date, text ↔ JSON, 0/1 ↔ boolean. The zod schema of
 * the wanted row gives the type of each column. Nothing else maps rows.
 */
import type { z } from 'zod'

export type Value = string | number | bigint | boolean | null | Date | readonly unknown[] | Record<string, unknown>
export type EncodedValue = string | bigint | null

/**
 * Encodes a value for both engines. Integers become bigint, since SQLite would store a JavaScript number as 5.0 in a text column. Text
 * is never changed: PostgreSQL refuses U+0000, and no database stores a lone surrogate. Such requests are refused earlier (`text.ts`).
 */
export function encodeValue(value: Value | undefined): EncodedValue {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw new TypeError('A value of a statement holds U+0000 or a lone surrogate.')
    return value
  }
  if (value === null || typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value instanceof Date) return BigInt(value.getTime())
  if (value === undefined) throw new TypeError('A value of a statement is undefined. Use null.')
  return JSON.stringify(value)
}

type Decode = (value: unknown) => unknown

const compiled = new WeakMap<z.ZodObject, readonly (readonly [string, Decode])[]>()

/** Decodes a row by the schema. Leaves out columns that the schema does not name. @throws Error if the query returned no such column */
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
  return decoded as z.output<S> // as: the values were checked before they were stored
}

const asIs: Decode = (value) => value

function decoderOf(type: z.ZodType): Decode {
  const def = type.def as { type: string; format?: string; innerType?: z.ZodType } // as: zod's introspection is public and untyped
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
