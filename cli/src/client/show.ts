// pure
/** Results as text: JSON for programs, tables for people. Text from the service never controls the terminal. */

/** Control characters, separators of lines and characters that change the direction of text (UTS #55), except line breaks. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu

const hexadecimal = (number: number) => number.toString(16).padStart(4, '0')

/** A text on one line. */
export const visible = (text: string) => text.replace(unprintable, (character) => `\\u{${hexadecimal(character.codePointAt(0) ?? 0)}}`)

/** One line of JSON. Programs that read it get the text unchanged. */
export const jsonLine = (value: unknown) => `${quoted(value)}\n`

/** A value as JSON, which is also YAML. Characters that nobody sees are escaped. */
export const quoted = (value: unknown) => JSON.stringify(value).replace(unprintable, jsonEscape)

/** RFC 8259 §7. All these characters are one UTF-16 code unit. */
const jsonEscape = (character: string) => `\\u${hexadecimal(character.charCodeAt(0))}`

/** A table with a line for each row. Without rows it is empty. */
export function columnsOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

// biome-ignore format: the order of columns in every list
const columns = [
  'id', 'slug', 'label', 'name', 'display_name', 'email', 'to', 'type', 'kind', 'application_type', 'role', 'status', 'sequence', 'code',
  'action', 'object_id', 'route', 'reason', 'identifier', 'issuer', 'url', 'subject', 'scope', 'start', 'disabled', 'enabled', 'state',
  'hour', 'ip', 'count', 'refused', 'timestamp', 'at', 'last_sign_in_at', 'people_30_days', 'created_at', 'revoked_at', 'expires_at', 'last_used_at', 'last_at',
]
const most_columns = 8
const longest_cell = 60

type Json = Record<string, unknown>

/** Objects as a table. Its columns are those of the first object that people look for. */
export function listText(objects: readonly Json[]): string {
  const [first] = objects
  if (first === undefined) return 'Nothing found.\n'
  const shown = columns.filter((name) => name in first && objects.some((object) => object[name] !== null)).slice(0, most_columns)
  const names = shown.length > 0 ? shown : Object.keys(first).slice(0, most_columns)
  const header = names.map((name) => name.replaceAll('_', ' ').toUpperCase())
  return columnsOf([header, ...objects.map((object) => names.map((name) => cell(name, object[name])))])
}

/** Ids and addresses are never cut. */
function cell(name: string, value: unknown): string {
  const text = visible(wordOf(value))
  return text.length <= longest_cell || /(^|_)(id|url|issuer|identifier)$/.test(name) ? text : `${text.slice(0, longest_cell - 1)}…`
}

const wordOf = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(wordOf).join(', ')
  if (isCount(value)) return value.or_more ? `${value.count} or more` : String(value.count)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** One object, with a line for each member. Members of an object within have their path as name. */
export function objectText(object: Json): string {
  const members = membersOf(object, '')
  const width = Math.max(0, ...members.map(([name]) => name.length))
  const continued = `\n${' '.repeat(width + 2)}`
  return members
    .map(([name, value]) => `${name.padEnd(width)}  ${value.split(/\r?\n/).map(visible).join(continued)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

/** A number with a bound. */
const isCount = (value: unknown): value is { count: number; or_more: boolean } =>
  isObject(value) && typeof value.count === 'number' && typeof value.or_more === 'boolean' && Object.keys(value).length === 2

function membersOf(object: Json, above: string): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    const path = visible(`${above}${name}`)
    if (isObject(value) && !isCount(value) && Object.keys(value).length > 0) return membersOf(value, `${path}.`)
    if (Array.isArray(value) && value.some(isObject))
      return value.flatMap((each, index) =>
        isObject(each) ? membersOf(each, `${path}[${index}].`) : [[`${path}[${index}]`, wordOf(each)]],
      )
    return [[path, wordOf(value)]]
  })
}

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
