// pure
/**
 * Parses JSON from clients. A text must have one meaning, so everything that parsers are known to treat differently is refused. The
 * allowed characters of strings and the allowed names are checked afterwards (`text.ts` and the schemas).
 *
 * RFC 8259 §4:   names within an object are unique, compared after unescaping
 * RFC 8259 §8.1: UTF-8, no byte order mark
 * RFC 8259 §9:   a parser may limit the depth of nesting
 */

/** The body cannot be parsed. The message is for the caller. It may repeat a name and never repeats a value. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

const max_depth = 64
/** More than any valid body has: metadata of 16 KiB has at most 8,000. Each value becomes an object, and perhaps a field error. */
const max_values = 20_000

/** Parses a body. Returns `undefined` for an empty one. @throws JsonError */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes)
  try {
    refuseAmbiguity(text)
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof JsonError) throw error
    throw new JsonError(`The body is not well-formed JSON${positionOf(error)}.`, { cause: error })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new JsonError('The body begins with a byte order mark. Send UTF-8 without one.')
  }
  try {
    return utf8.decode(bytes)
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
function refuseAmbiguity(text: string): void {
  const open: (Set<string> | null)[] = [] // the names so far in each open object; null for an array
  let values = 1
  let names: Set<string> | null = null // the earlier names, if the next string is a name
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) {
      const end = endOfString(text, at)
      const string = unescaped(text, at, end)
      if (names) refuseRepeated(string, names)
      names = null
      at = end
    } else if (character === comma) {
      if (++values > max_values) throw new JsonError(`The body has more than ${max_values} values.`)
      names = open.at(-1) ?? null
    } else if (character === opening_brace || character === opening_bracket) {
      if (open.length === max_depth) throw new JsonError(`The body is nested more than ${max_depth} levels deep.`)
      names = character === opening_brace ? new Set() : null
      open.push(names)
    } else if (character === closing_brace || character === closing_bracket) {
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
