/**
 * Remembers single rows for as long as nothing is committed to a table that the question names: until then it has the same
 * answer. For an engine that knows at once of every commit. An answer counts only with the number that `asOf` gave when it was
 * asked for, so there is no rule here that a change could slip past.
 *
 * Memory is bounded in bytes. Values come from requests, so a question with a long value is not remembered. Answers are kept
 * in two generations: what is used moves to the young one, and what was not used while the young one filled up is forgotten.
 */
import type { EncodedValue } from './codec.ts'
import type { Statement } from './db.ts'

/** Of one generation. */
const most_bytes = 8 * 1_048_576
/** Ids, digests and addresses are shorter; nothing that is looked up by a key is longer. */
const longest_name = 1_000
/** What an entry costs beside its texts. */
const overhead_bytes = 400

export type Recall = ReturnType<typeof createMemory>['recall']

interface Remembered {
  readonly as_of: number
  readonly answer: Promise<unknown>
  readonly bytes: number
}

/** @param asOf another number after every commit that may concern a statement */
export function createMemory(asOf: (statement: Statement) => number, limit_bytes = most_bytes) {
  const texts = new WeakMap<readonly string[], number>()
  let young = new Map<string, Remembered>()
  let old = new Map<string, Remembered>()
  let young_bytes = 0
  let old_bytes = 0
  let last_text = 0

  /** Another name for another text or other values: no value has U+0000 in it (see `encodeValue`), and what is no text begins with one. */
  function nameOf({ parts, values }: Statement): string {
    let text = texts.get(parts)
    if (text === undefined) {
      last_text += 1
      text = last_text
      texts.set(parts, text)
    }
    let name = `${text}\0`
    for (const value of values) name += typeof value === 'string' ? `${value}\0` : `\0${value}\0`
    return name
  }

  function keep(name: string, one: Remembered): void {
    if (young_bytes + one.bytes > limit_bytes) [old, old_bytes, young, young_bytes] = [young, young_bytes, new Map(), 0]
    young_bytes += one.bytes - (young.get(name)?.bytes ?? 0)
    young.set(name, one)
  }

  /** The answer that `ask` gives, or gave since the last commit that may concern it. It is shared, so it is frozen. */
  function recall<T>(statement: Statement, ask: () => Promise<T>): Promise<T> {
    let as_of: number
    try {
      as_of = asOf(statement)
    } catch (error) {
      return Promise.reject(error) // callers expect a promise that rejects
    }
    if (lengthOf(statement.values) > longest_name) return ask()
    const name = nameOf(statement)
    let known = young.get(name)
    if (!known) {
      known = old.get(name)
      if (known?.as_of === as_of) keep(name, known)
    }
    if (known?.as_of === as_of) return known.answer as Promise<T> // as: the same text is always asked for the same type
    const answer = ask().then((found) => {
      const bytes = overhead_bytes + 2 * name.length + sizeOf(found)
      if (bytes <= limit_bytes / 8) keep(name, { as_of, answer, bytes })
      return Object.freeze(found)
    })
    return answer
  }

  return { recall, bytes: () => young_bytes + old_bytes }
}

function lengthOf(values: readonly EncodedValue[]): number {
  let length = 0
  for (const value of values) length += typeof value === 'string' ? value.length : 8
  return length
}

/** Roughly the bytes that a decoded row takes. Its nesting is bounded by what may be stored. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 32
  for (const each of Object.values(value)) bytes += 16 + sizeOf(each)
  return bytes
}
