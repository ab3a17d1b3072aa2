// pure
/**
 * Parses JSON from clients. A text must have one meaning, so everything that parsers are known to treat differently is refused. The
 * allowed characters of strings and the allowed names are checked afterwards (`text.ts` and the schemas).
 *
 * RFC 8259 §4:   names within an object are unique, compared after unescaping
 * RFC 8259 §8.1: UTF-8, no byte order mark
 * RFC 8259 §9:   a parser may limit the depth of nesting
 */
import { finish, type Steps } from './steps.ts'

/** The body cannot be parsed. The message is for the caller. It may repeat a name and never repeats a value. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

const max_depth = 64
/** More than any valid body has: metadata of 16 KiB has at most 8,000. Each value becomes an object, and perhaps a field error. */
const max_values = 20_000

/** Parses a body. Returns `undefined` for an empty one. @throws JsonError */
export function parseJson(bytes: Uint8Array): unknown {
  return bytes.length === 0 ? undefined : parseJsonText(decodeJson(bytes))
}

/** Parses a text that `decodeJson` returned. @throws JsonError */
export function parseJsonText(text: string): unknown {
  return wellFormed(() => {
    finish(refuseAmbiguity(text, { most_values: max_values, onContainer: null }))
    return JSON.parse(text)
  })
}

/** As many as a document of 1,000 objects with their fields has. */
const max_values_of_large = 200_000
/** Of an object of the document, and of everything around the objects. It is parsed in one step. */
const longest_part = 524_288
/** The document is a member of the body, its sections are members of it, and the objects are those of the sections. */
const level_of_objects = 4

/** Parses a large body step by step: the containers of the level of objects by themselves, and then what is around them. @throws JsonError */
export function* jsonSteps(bytes: Uint8Array): Steps<unknown> {
  if (bytes.length === 0) return undefined
  const text = yield* decodeSteps(bytes)
  const parts: unknown[] = []
  let around = ''
  let rest = 0
  const refuseLong = (length: number) => {
    if (length > longest_part) throw new JsonError(`A part of the body has more than ${longest_part} characters.`)
  }
  const onContainer = (start: number, end: number) => {
    refuseLong(end - start)
    // No other list is on this level of the text around: each is the number of a part.
    around += `${text.slice(rest, start)}[${parts.length}]`
    rest = end
    parts.push(wellFormed(() => JSON.parse(text.slice(start, end)), false))
  }
  yield* refuseAmbiguity(text, { most_values: max_values_of_large, onContainer })
  around += text.slice(rest)
  refuseLong(around.length)
  const value: unknown = wellFormed(() => JSON.parse(around), false)
  yield
  return yield* withParts(value, parts, 1)
}

function* withParts(value: unknown, parts: readonly unknown[], level: number): Steps<unknown> {
  if (typeof value !== 'object' || value === null) return value
  if (level === level_of_objects) return parts[(value as number[])[0] ?? 0] // as: written by `jsonSteps`
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) items.push(yield* withParts(item, parts, level + 1))
    return items
  }
  const members: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    members.push([name, yield* withParts(inner, parts, level + 1)])
    if (level === level_of_objects - 1) yield
  }
  return Object.fromEntries(members)
}

/** Turns the error of JSON.parse into one for the caller. `has_place`: its position is one of the body. */
function wellFormed<T>(parse: () => T, has_place = true): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof JsonError) throw error
    throw new JsonError(`The body is not well-formed JSON${has_place ? positionOf(error) : ''}.`, { cause: error })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A step decodes so many bytes. */
const decoded_bytes = 524_288

function* decodeSteps(bytes: Uint8Array): Steps<string> {
  refuseMark(bytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const texts: string[] = []
  for (let at = 0; at < bytes.length; at += decoded_bytes) {
    const stream = at + decoded_bytes < bytes.length
    texts.push(decodeWith(() => decoder.decode(bytes.subarray(at, at + decoded_bytes), { stream })))
    yield
  }
  return texts.join('')
}

/** The text of JSON that is sent as bytes. @throws JsonError */
export function decodeJson(bytes: Uint8Array): string {
  refuseMark(bytes)
  return decodeWith(() => utf8.decode(bytes))
}

function refuseMark(bytes: Uint8Array): void {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new JsonError('The body begins with a byte order mark. Send UTF-8 without one.')
  }
}

function decodeWith(decoded: () => string): string {
  try {
    return decoded()
  } catch (cause) {
    throw new JsonError('The body is not UTF-8.', { cause })
  }
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const opening_bracket = 0x5b
const closing_bracket = 0x5d
const opening_brace = 0x7b
const closing_brace = 0x7d

/**
 * Checks depth, number of values, names and strings in one pass over the text. JSON.parse checks the rest of the grammar. It runs
 * afterwards, since a mebibyte of brackets would keep it busy for long.
 */
interface Scan {
  readonly most_values: number
  /** Gets the place of each container on the level of objects as it ends; `null`: of none. */
  readonly onContainer: ((start: number, end: number) => void) | null
}

/** A step of the scan. */
const scanned_characters = 65_536

function* refuseAmbiguity(text: string, { most_values, onContainer }: Scan): Steps<void> {
  const open: (Set<string> | null)[] = [] // the names so far in each open object; null for an array
  let values = 1
  let names: Set<string> | null = null // the earlier names, if the next string is a name
  let start = 0
  let step_ends = scanned_characters
  for (let at = 0; at < text.length; at++) {
    if (at >= step_ends) {
      step_ends = at + scanned_characters
      yield
    }
    const character = text.charCodeAt(at)
    if (character === quote) {
      const end = endOfString(text, at)
      if (onContainer && end - at > longest_part) throw new JsonError(`A part of the body has more than ${longest_part} characters.`)
      const string = unescaped(text, at, end)
      if (names) refuseRepeated(string, names)
      names = null
      at = end
    } else if (character === comma) {
      if (++values > most_values) throw new JsonError(`The body has more than ${most_values} values.`)
      names = open.at(-1) ?? null
    } else if (character === opening_brace || character === opening_bracket) {
      if (open.length === max_depth) throw new JsonError(`The body is nested more than ${max_depth} levels deep.`)
      names = character === opening_brace ? new Set() : null
      open.push(names)
      if (open.length === level_of_objects) start = at
    } else if (character === closing_brace || character === closing_bracket) {
      if (open.length === level_of_objects) onContainer?.(start, at + 1)
      open.pop()
    }
  }
}

/** Returns the position of the closing quote, or of the last character if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length - 1
}

function unescaped(text: string, start: number, end: number): string {
  const raw = text.slice(start, end + 1)
  if (!raw.includes('\\')) return raw.slice(1, -1)
  try {
    return JSON.parse(raw)
  } catch (cause) {
    throw new JsonError(
      'The body is not well-formed JSON: a string is not closed, or holds an escape or a control character that JSON does not allow.',
      { cause },
    )
  }
}

function refuseRepeated(name: string, names: Set<string>): void {
  if (names.has(name)) throw new JsonError(`The name ${JSON.stringify(name.slice(0, 60))} occurs twice in one object.`)
  names.add(name)
}

/** Takes only the position from a message of V8, since the message quotes the text, which may be a password. */
function positionOf(error: unknown): string {
  const position = error instanceof Error ? /\(line (\d+) column (\d+)\)/.exec(error.message) : null
  return position ? ` (line ${position[1]}, column ${position[2]})` : ''
}
