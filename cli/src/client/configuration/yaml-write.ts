// pure
/** Values as YAML 1.2. Text has quotes where this or an older version of YAML would read something else. */
import { isObject, quoted } from '../show.ts'

/** A map keeps the order of its members. An object has names such as `123` before all others. */
export type Members = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

export const isMembers = (value: unknown): value is Members => value instanceof Map || isObject(value)

export const membersOf = (value: Members): [string, unknown][] => (value instanceof Map ? [...value] : Object.entries(value))

/** A value on one line. */
export function inlineText(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : quoted(value)
  if (Array.isArray(value)) return `[${value.map(inlineText).join(', ')}]`
  if (!isMembers(value)) return JSON.stringify(value ?? null)
  return `{${membersOf(value)
    .map(([name, inner]) => `${inlineText(name)}: ${inlineText(inner)}`)
    .join(', ')}}`
}

/** The lines of a map or a list that has something in it. */
export function blockLines(value: readonly unknown[] | Members): string[] {
  if (isMembers(value)) return membersOf(value).flatMap(([name, inner]) => entryLines(name, inner))
  return value.flatMap(itemLines)
}

export const itemLines = (item: unknown) =>
  (isBlock(item) ? blockLines(item) : [inlineText(item)]).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`)

export function entryLines(name: string, value: unknown): string[] {
  const key = inlineText(name)
  return isBlock(value) ? [`${key}:`, ...blockLines(value).map((line) => `  ${line}`)] : [`${key}: ${inlineText(value)}`]
}

/** YAML 1.2.2 §8.2.2: a key of a block has at most 1,024 characters. An escaped one has six for each. */
const longest_key = 160

/** Whether a value takes lines of its own. */
export function isBlock(value: unknown): value is readonly unknown[] | Members {
  if (Array.isArray(value)) return value.length > 0
  return isMembers(value) && membersOf(value).length > 0 && membersOf(value).every(([name]) => name.length <= longest_key)
}

/** The words that YAML 1.1 or 1.2 reads as a boolean or as no value. */
const words = /^(true|false|yes|no|on|off|y|n|null)$/i

/** Begins with a letter or `/`, as no number does, and has no sign to which YAML gives a meaning, and none that nobody sees. */
const plain = /^[\p{L}/][^\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp},[\]{}]*$/u

export const isPlain = (text: string) => plain.test(text) && !words.test(text) && !/: |:$| #|\s$|[^\S ]/u.test(text)
