/** The values of a configuration: their places in a document, and their words for people. Pure functions. */
import type { EnvironmentConfiguration } from '@ostiary/sdk'
import { type Look, objects } from '../../generated/objects.ts'
import { duration } from '../../parts/clock.ts'
import { kinds, type ObjectKind, type Subject } from './fields.ts'

export type Fields = Readonly<Record<string, unknown>>

export const objectsOf = (document: EnvironmentConfiguration, kind: ObjectKind): Readonly<Record<string, Fields>> =>
  document[objects[kind].section] as unknown as Record<string, Fields> // as: read by name

/** The object of a document; `undefined` where it has none. */
export const objectIn = (document: EnvironmentConfiguration, object: Subject, slug: string | null): Fields | undefined =>
  object === 'settings' ? (document.settings as unknown as Fields) : objectsOf(document, object)[slug ?? ''] // as: read by name

/** The value at a JSON pointer; `undefined` where a group on the way is missing. */
export function valueAt(object: Fields | undefined, pointer: string): unknown {
  let value: unknown = object
  for (const name of pointer.slice(1).split('/')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Fields)[name] // as: read by name
  }
  return value
}

/** Returns the name of an object for people: its name, else its slug. */
export function nameOf(object: Fields | undefined, slug: string): string {
  const name = object?.name ?? object?.display_name
  return typeof name === 'string' ? name : slug
}

export const isSet = (value: unknown) =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)

/** A value in words, one line for each entry of a list. */
export function linesOf(look: Look, value: unknown): string[] {
  if (look === 'events' && Array.isArray(value) && value.length === 0) return ['All kinds']
  if (look === 'switch') return [value === true ? 'On' : 'Off']
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return ['Not set']
  if (look === 'seconds') return [duration(Number(value))]
  if (look === 'json') return [JSON.stringify(value)]
  const wordsOf = (one: unknown) => (typeof look === 'object' ? look[String(one)] : undefined) ?? String(one)
  if (!Array.isArray(value)) return [wordsOf(value)]
  return value.map((entry) => (isScope(entry) ? scopeWords(entry) : wordsOf(entry)))
}

export const shown = (look: Look, value: unknown): string => linesOf(look, value).join(', ')

/** Of two lists, the lines that both have: the others are new, or go. */
export function sharedLines(look: Look, one: unknown, other: unknown): ReadonlySet<string> {
  const lines = new Set(linesOf(look, one))
  return new Set(linesOf(look, other).filter((line) => lines.has(line)))
}

interface Scope {
  name: string
  description?: string | null
}
const isScope = (entry: unknown): entry is Scope => typeof entry === 'object' && entry !== null && 'name' in entry
const scopeWords = ({ name, description }: Scope) => (description ? `${name}: ${description}` : name)

/** The kind of objects in a section of the document, or the settings. */
export const subjectOf = (section: string): Subject | undefined =>
  section === 'settings' ? 'settings' : kinds.find((kind) => objects[kind].section === section)
