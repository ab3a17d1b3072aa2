/** Describes a setting, with its range and its default from its schema. */
import { z } from 'zod'
import { wordsOf } from './settings-words.ts'
import { thousands } from './thousands.ts'

/** The bounds and the type of a field's values, from its schema. */
export interface ValueRange {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly items?: { readonly enum?: readonly string[] }
}

export const rangeOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ValueRange // as: our schemas have these members

/** The sentences about a field, for the API reference and the command line. */
export function sentencesOf(path: string, schema: z.ZodType): string {
  const { minimum, maximum, type, ...range } = rangeOf(schema)
  const unit = path.endsWith('_seconds') ? ' seconds' : ''
  const has_range = type === 'integer' && minimum !== undefined && maximum !== undefined
  return [
    wordsOf(path).help,
    ...(has_range ? [`From ${thousands(minimum)} to ${thousands(maximum)}${unit}.`] : []),
    ...(shown(range.default) === null ? [] : [`The default is ${shown(range.default)}.`]),
  ].join(' ')
}

function shown(value: unknown): string | null {
  if (typeof value === 'number') return thousands(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value) && value.length === 0) return 'none'
  return typeof value === 'string' ? `\`${value}\`` : null
}
