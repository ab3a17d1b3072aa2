/**
 * Single rows that were read, for as long as nothing is committed to a table that the question names: until then it has
 * the same answer. For an engine that knows at once of every commit. What is remembered of a question is forgotten for all
 * of its values at once, so there is no rule here that a change could slip past.
 */
import type { EncodedValue } from './codec.ts'
import type { Statement } from './db.ts'

const most_remembered = 5_000

export type Recall = ReturnType<typeof createMemory>

/** @param asOf another number after every commit that may concern a statement */
export function createMemory(asOf: (statement: Statement) => number) {
  const known = new Map<readonly string[], { as_of: number; answers: Map<string, Promise<unknown>> }>()
  let size = 0

  /** The answer that `ask` gives, or gave since the last commit that may concern it. It is shared, so it is frozen. */
  return <T>(statement: Statement, ask: () => Promise<T>): Promise<T> => {
    const { parts, values } = statement
    let as_of: number
    try {
      as_of = asOf(statement)
    } catch (error) {
      return Promise.reject(error) // whoever waits for a promise is told by it
    }
    if (size >= most_remembered) {
      known.clear()
      size = 0
    }
    let before = known.get(parts)
    if (before?.as_of !== as_of) {
      size -= before?.answers.size ?? 0
      before = { as_of, answers: new Map() }
      known.set(parts, before)
    }
    const { answers } = before
    const about = nameOf(values)
    const answer = answers.get(about)
    if (answer) return answer as Promise<T> // as: the same text is always asked for the same type
    const asked = ask().then((found) => {
      if (known.get(parts) === before && !answers.has(about)) size += 1
      answers.set(about, asked)
      return Object.freeze(found)
    })
    return asked
  }
}

/** Another text for other values: none has U+0000 in it (see `encodeValue`), and what is no text begins with one. */
function nameOf(values: readonly EncodedValue[]): string {
  let name = ''
  for (const value of values) name += typeof value === 'string' ? `${value}\0` : `\0${value}\0`
  return name
}
