/** Reads, compares and shows the values of the settings document. */
import type { Settings } from '@ostiary/sdk'
import { duration } from '../../parts/clock.ts'
import type { Field, Value } from './fields.ts'

export const valueIn = (document: Settings, { group, name }: Field): Value =>
  (document as unknown as Record<string, Record<string, Value> | null>)[group]?.[name] ?? null // as: read by name

/** The JSON pointer of a field, as errors name it. */
export const pathOf = ({ group, name }: Pick<Field, 'group' | 'name'>) => `/${group}/${name}`

export const isSame = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other)

/** The words of the contract, with the labels of values in place of what the API calls them. An empty field is `null`. */
export const inWords = ({ help, choices }: Pick<Field, 'help' | 'choices'>) =>
  (choices ?? [])
    .reduce((text, { value, label }) => text.replaceAll(`\`${value}\``, `“${label}”`), help)
    .replaceAll('`null`', 'empty')
    .replaceAll('`', '')

/** `null` is not a value, or restores the default of a field that has one. */
export function shown(field: Field, value: Value): string {
  if (value === null) return field.default === null ? 'Not set' : `Default: ${shown(field, field.default)}`
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  const wordsOf = (one: unknown) => field.choices?.find(({ value }) => value === one)?.label
  if (Array.isArray(value)) return value.map((one) => wordsOf(one) ?? one).join(', ') || 'None'
  const words = field.kind === 'choice' ? wordsOf(value) : undefined
  if (words) return words
  return field.kind === 'seconds' && typeof value === 'number' ? duration(value) : String(value)
}

/** A merge patch of the fields that were changed. */
export function changeOf(changed: readonly (readonly [Field, Value])[]): Record<string, Record<string, Value>> {
  const change: Record<string, Record<string, Value>> = {}
  for (const [{ group, name }, value] of changed) change[group] = { ...change[group], [name]: value }
  return change
}
