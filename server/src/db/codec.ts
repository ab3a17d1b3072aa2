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

/** The rows of a result. The columns are named once: results of one prepared statement share the array of their names. */
export interface Rows {
  readonly columns: readonly string[]
  /** Each row has its values in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[]
}

export const no_rows: Rows = { columns: [], rows: [] }

/** Decodes rows by the schema. Leaves out columns that the schema does not name. @throws Error if the query returned no such column */
export function decodeRows<S extends z.ZodObject>(schema: S, { columns, rows }: Rows): z.output<S>[] {
  return rows.length === 0 ? [] : rows.map(decoderFor(schema, columns))
}

/** Decodes the first row; `null` without one. */
export function decodeFirst<S extends z.ZodObject>(schema: S, { columns, rows }: Rows): z.output<S> | null {
  const [row] = rows
  return row ? decoderFor(schema, columns)(row) : null
}

/** Returns rows as objects with the values as the engine returned them, for what has no schema, such as the catalogue of a server. */
export const asObjects = ({ columns, rows }: Rows): Record<string, unknown>[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])))

type Decode = (value: unknown) => unknown
type DecodeRow<S extends z.ZodObject> = (row: readonly unknown[]) => z.output<S>

/** The decoders of the columns of a statement, by schema. */
const decoders = new WeakMap<readonly string[], WeakMap<z.ZodObject, DecodeRow<z.ZodObject>>>()

/** Returns the decoder of rows with these columns, which is built once. */
function decoderFor<S extends z.ZodObject>(schema: S, columns: readonly string[]): DecodeRow<S> {
  let of_columns = decoders.get(columns)
  if (!of_columns) {
    of_columns = new WeakMap()
    decoders.set(columns, of_columns)
  }
  let decoder = of_columns.get(schema)
  if (!decoder) {
    decoder = rowDecoder(schema, columns)
    of_columns.set(schema, decoder)
  }
  return decoder as DecodeRow<S> // as: it was built from this schema
}

function rowDecoder(schema: z.ZodObject, columns: readonly string[]): DecodeRow<z.ZodObject> {
  const fields = Object.entries(schema.shape).map(([name, type]) => {
    const at = columns.lastIndexOf(name)
    if (at === -1) throw new Error(`The query does not return the column ${name}.`)
    return { name, at, decode: decoderOf(type as z.ZodType) } // as: a shape holds types only
  })
  return (row) => {
    const decoded: Record<string, unknown> = {}
    for (const { name, at, decode } of fields) {
      const value = row[at]
      decoded[name] = value === null ? null : decode(value)
    }
    return decoded
  }
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
