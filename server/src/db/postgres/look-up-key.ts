/** Tells which look-ups are equal. */
import type { Owner, Statement } from '../db.ts'

/** Returns a function with the same result for look-ups of the same text, values and owner. No text value contains U+0000 (`encodeValue`). */
export function createLookUpKeys(): (statement: Statement, owner: Owner) => string {
  const texts = new WeakMap<Statement['parts'], number>()
  let last_text = 0

  return ({ parts, values }, owner) => {
    let text = texts.get(parts)
    if (text === undefined) {
      last_text += 1
      text = last_text
      texts.set(parts, text)
    }
    let key = `${text} ${owner}`
    for (const value of values) key += typeof value === 'string' ? `\0'${value}` : `\0:${value}`
    return key
  }
}
