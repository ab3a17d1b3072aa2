/**
 * Single rows that were read, for as long as nothing is committed by anybody: until then the same question has the same
 * answer. For an engine that knows at once of every commit. What is remembered is forgotten whole, never piece by piece, so
 * there is no rule here that a change could slip past.
 */
import type { EncodedValue } from './codec.ts'
import type { Statement } from './db.ts'

const most_remembered = 5_000

export type Recall = ReturnType<typeof createMemory>

/** @param asOf another number after every commit */
export function createMemory(asOf: () => number) {
  let known = new Map<readonly string[], Map<string, unknown>>()
  let known_as_of = Number.NaN
  let size = 0

  /** The answer that `ask` gives, or gave since the last commit. It is shared, so it is frozen. */
  return async <T>({ parts, values }: Statement, ask: () => Promise<T>): Promise<T> => {
    const now = asOf()
    if (now !== known_as_of || size === most_remembered) {
      known = new Map()
      known_as_of = now
      size = 0
    }
    const answers = known.get(parts) ?? new Map<string, unknown>()
    const about = nameOf(values)
    if (answers.has(about)) return answers.get(about) as T // as: the same text is always asked for the same type
    known.set(parts, answers)
    size += 1
    const answer = await ask()
    answers.set(about, Object.freeze(answer))
    return answer
  }
}

/** Another text for other values: none has U+0000 in it (see `encodeValue`), and what is no text begins with one. */
function nameOf(values: readonly EncodedValue[]): string {
  let name = ''
  for (const value of values) name += typeof value === 'string' ? `${value}\0` : `\0${value}\0`
  return name
}
