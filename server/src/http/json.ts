// pure
/**
 * The JSON that is accepted from outside: one text, one meaning. Two readers of the same bytes must never disagree on
 * what they say, so everything that parsers are known to differ about is refused. Which characters a string may hold, and
 * which names an object may have, is judged afterwards (`text.ts`).
 *
 * RFC 8259 §4:   names within an object are unique, compared after unescaping
 * RFC 8259 §8.1: UTF-8, no byte order mark
 * RFC 8259 §9:   a parser may limit the depth of nesting
 */

/** The body cannot be read. The message is for the caller and repeats names at most, never values. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

const max_depth = 64
/** No body of ours has more: metadata of 16 KiB has 8,000 at most. Each would become an object, and perhaps a complaint, of its own. */
const max_values = 20_000

/** The value a body holds; `undefined` for a body of no bytes at all. Throws `JsonError`. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes)
  try {
    refuseAmbiguity(text)
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof JsonError) throw error
    throw new JsonError(`The body is not well-formed JSON${placeOf(error)}.`, { cause: error })
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
 * One pass over the text that looks at depth, names and strings. It knows nothing else of the grammar: what is no JSON
 * at all is left to JSON.parse, which runs afterwards because a mebibyte of brackets would keep it busy for long.
 */
function refuseAmbiguity(text: string): void {
  const open: (Set<string> | null)[] = [] // the names so far in each object that is open; null for an array
  let values = 1
  let names: Set<string> | null = null // where the next string is a name: those before it
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

/** The position of the closing quote, or of the last character where there is none. */
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
      'The body is not well-formed JSON: a string is not closed, or holds an escape or a control character that JSON does not know.',
      { cause },
    )
  }
}

function refuseRepeated(name: string, names: Set<string>): void {
  if (names.has(name)) throw new JsonError(`The name ${JSON.stringify(name.slice(0, 60))} occurs twice in one object.`)
  names.add(name)
}

/** The messages of V8 quote the text, which may be a password; where it says the place, that is taken. */
function placeOf(error: unknown): string {
  const place = error instanceof Error ? /\(line (\d+) column (\d+)\)/.exec(error.message) : null
  return place ? ` (line ${place[1]}, column ${place[2]})` : ''
}
