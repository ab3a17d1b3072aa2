/** Generates files from the settings: the table that the dashboard reads, `docs/settings.md`, and the page of each group. */
import type { Look } from './objects/field.ts'
import { fieldClasses } from './objects/objects.ts'
import { settingsSchemas } from './settings.ts'
import { type PageField, settingsPageOf, settingsPages } from './settings-pages.ts'
import { rangeOf, type ValueRange } from './settings-sentences.ts'
import { type SettingWords, settings_words } from './settings-words.ts'
import { thousands } from './thousands.ts'

interface Described extends SettingWords {
  path: string
  range: ValueRange
  class: string
}

interface Member {
  properties?: Record<string, Member>
  anyOf?: Member[]
}

/** The groups in the order of the pages, each field with its range and class. */
function describedGroups(): { title: string; fields: Described[] }[] {
  const documents = { test: rangeOf(settingsSchemas.test), live: rangeOf(settingsSchemas.live) }
  return settings_words.map(({ title, fields }) => ({
    title,
    fields: Object.entries(fields).map(([path, words]) => ({
      ...words,
      path,
      range: at(documents[words.only ?? 'test'] as Member, path) as ValueRange, // as: a JSON Schema
      class: String(at({ properties: fieldClasses.settings as never }, path)), // as: the classes have the shape of the document
    })),
  }))
}

/** The member of a JSON Schema at a path. */
function at(document: Member, path: string): Member {
  return path.split('.').reduce<Member>((schema, name) => {
    const object = schema.properties ? schema : (schema.anyOf?.find(({ properties }) => properties) ?? { properties: schema as never }) // as: the classes are plain objects
    const member = object.properties?.[name]
    if (!member) throw new TypeError(`The settings have no ${path}.`)
    return member
  }, document)
}

/** How a value is edited and shown. */
function lookOf({ path, range, choices }: Described): Look {
  const words = choicesOf(range, choices)
  if (words) return words
  if (path.endsWith('_seconds')) return 'seconds'
  if (range.type === 'integer') return 'number'
  if (range.type === 'boolean') return 'switch'
  return range.items ? 'list' : 'text'
}

/** The sources by their path from the root of the repository. */
export function settingsSources(): Record<string, string> {
  const described = describedGroups()
  const groups = described.map(({ title, fields }) => ({ title, fields: fields.map(fieldOf) }))
  const help = described.flatMap(({ fields }) => fields.map(({ path, help, lowered = null }) => [path, { help, lowered }]))
  return {
    'dashboard/src/generated/settings.ts': dashboardSource(groups),
    'dashboard/src/generated/settings-help.ts': helpSource(Object.fromEntries(help)),
    'docs/settings.md': markdown(),
    ...settingsPages(described.map(({ title, fields }) => ({ title, fields: fields.map(pageField) }))),
  }
}

function fieldOf(described: Described): object {
  const { path, range, label, affects, advice = null, only = null } = described
  const [group, ...names] = path.split('.')
  return {
    path,
    group,
    name: names.join('.'),
    label,
    affects,
    advice,
    only,
    class: described.class === 'never' ? 'secret' : described.class,
    look: lookOf(described),
    default: range.default ?? null,
    min: range.minimum ?? null,
    max: range.maximum ?? null,
  }
}

function choicesOf(range: ValueRange, words: SettingWords['choices']): Readonly<Record<string, string>> | null {
  const values = range.enum ?? range.items?.enum
  return words ?? (values ? Object.fromEntries(values.map((value) => [value, value])) : null)
}

const dashboardSource = (
  groups: readonly object[],
) => `// Generated from contract/src/settings.ts and settings-words.ts by \`npm run docs\`.
import type { Look } from './objects.ts'

export type Value = string | number | boolean | null | readonly string[]

/** A field of the settings: what it is called, what a change of it means, its range, and what happens to it on the way to Live. */
export interface Setting {
  /** The path in the document. */
  path: string
  group: string
  name: string
  label: string
  /** Who notices a change, and when. */
  affects: string
  /** The advice for Live where only Test has a value. */
  advice: string | null
  /** The type of environment that has the field, if not both. */
  only: 'test' | 'live' | null
  class: 'travels' | 'owned' | 'secret'
  look: Look
  default: Value
  min: number | null
  max: number | null
}

export const settings_groups: readonly { title: string; fields: readonly Setting[] }[] = ${JSON.stringify(groups, null, 2)}
`

const helpSource = (
  help: object,
) => `// Generated from contract/src/settings-words.ts by \`npm run docs\`. The overview needs no help, so this is a file of its own.

/** Describes each setting, and the effect of a lower value. */
export const settings_help: Readonly<Record<string, { help: string; lowered: string | null }>> = ${JSON.stringify(help, null, 2)}
`

function markdown(): string {
  const sections = describedGroups().map(({ title, fields }) => {
    const rows = fields.map(
      (field) =>
        `| \`${field.path}\` | ${cell(`${field.label}. ${field.help}`)} | ${rangeIn(field)} | ${defaultIn(field)} | ${field.class} | ${cell(consequence(field))} |`,
    )
    return [
      `## ${title}`,
      '',
      `[Each field by itself, with examples](${settingsPageOf(title)}.md).`,
      '',
      '| Field | What it does | Values | Default | To Live | A change |',
      '| --- | --- | --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n')
  })
  return `# Settings

The settings of an environment, one document in groups: read by \`GET …/settings\`, changed by a merge patch (\`null\` restores a default).
The dashboard and the command line use the same words. "To Live" says what happens when Test is brought to Live: \`travels\` is copied,
\`owned\` belongs to its environment, \`never\` is a secret.

${sections.join('\n')}`
}

const cell = (text: string) => text.replaceAll('|', '\\|')
const consequence = ({ affects, lowered }: Described) => (lowered === undefined ? affects : `${affects} Lowered: ${lowered}`)

const pageField = (field: Described): PageField => ({
  ...field,
  values: rangeIn(field) + inWords(field, [field.range.minimum, field.range.maximum]),
  default_value: defaultIn(field) + inWords(field, [field.range.default]),
  consequence: consequence(field),
})

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A duration in the largest unit that divides it; nothing for other values, and for a minute or less. */
function inWords({ path }: Described, values: readonly unknown[]): string {
  if (!path.endsWith('_seconds') || values.some((value) => typeof value !== 'number' || value % 60 !== 0 || value === 0)) return ''
  return ` (${values.map((value) => durationOf(Number(value))).join(' to ')})`
}

function durationOf(seconds: number): string {
  const [unit, length] = units.find(([, length]) => seconds % length === 0) ?? ['second', 1]
  const count = seconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function rangeIn({ range, path, choices }: Described): string {
  const values = choicesOf(range, choices)
  if (values)
    return Object.keys(values)
      .map((value) => `\`${value}\``)
      .join(' ')
  if (range.minimum === undefined || range.maximum === undefined) return range.type === 'boolean' ? '`true` `false`' : 'text'
  return `${thousands(range.minimum)} to ${thousands(range.maximum)}${path.endsWith('_seconds') ? ' s' : ''}`
}

function defaultIn({ range }: Described): string {
  if (range.default === undefined || range.default === null) return 'none'
  return `\`${JSON.stringify(range.default).replaceAll('"', '')}\``
}
