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
export const inWords = ({ help, look }: Pick<Field, 'help' | 'look'>) =>
  Object.entries(typeof look === 'object' ? look : {})
    .reduce((text, [value, label]) => text.replaceAll(`\`${value}\``, `“${label}”`), help)
    .replaceAll('`null`', 'empty')
    .replaceAll('`', '')

/** The first sentence of an explanation, and the rest. A text that fits on a line stays whole. */
export function sentencesOf(text: string): { first: string; rest: string } {
  if (text.length <= 80) return { first: text, rest: '' }
  const [, first = text, rest = ''] = /^(.*?\.) (.*)$/s.exec(text) ?? []
  return { first, rest }
}

/** `null` is not a value, or restores the default of a field that has one. */
export function shown(field: Field, value: Value): string {
  if (value === null) return field.default === null ? 'Not set' : `Default: ${shown(field, field.default)}`
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  const { look } = field
  const wordsOf = (one: unknown) => (typeof look === 'object' ? look[String(one)] : undefined) ?? String(one)
  if (Array.isArray(value)) return value.map(wordsOf).join(', ') || 'None'
  return look === 'seconds' && typeof value === 'number' ? duration(value) : wordsOf(value)
}

/** A merge patch of the fields that were changed. */
export function changeOf(changed: readonly (readonly [Field, Value])[]): Record<string, Record<string, Value>> {
  const change: Record<string, Record<string, Value>> = {}
  for (const [{ group, name }, value] of changed) change[group] = { ...change[group], [name]: value }
  return change
}
