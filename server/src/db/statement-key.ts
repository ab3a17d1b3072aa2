/** Tells which statements are equal, for results that are shared. */
import type { Statement } from './db.ts'

/** A number that is made of bits has so many. */
const most_bits = 31

/**
 * Returns a function with the same key for statements of the same text and values; `null` where their texts are longer together than
 * `longest_values`. No text value contains U+0000 (`encodeValue`). A statement names its environment once for each of its tables, so a value
 * that repeats the one before is one bit of a number at the beginning.
 */
export function createStatementKeys(longest_values = Number.POSITIVE_INFINITY): (statement: Statement) => string | null {
  const texts = new WeakMap<Statement['parts'], number>()
  let last_text = 0

  return ({ parts, values }) => {
    let text = texts.get(parts)
    if (text === undefined) {
      last_text += 1
      text = last_text
      texts.set(parts, text)
    }
    let rest = ''
    let repeated = 0
    let length = 0
    for (let i = 0; i < values.length; i++) {
      const value = values[i]
      if (i > 0 && i < most_bits && value === values[i - 1]) {
        repeated |= 1 << i
      } else if (typeof value === 'string') {
        length += value.length
        if (length > longest_values) return null
        rest += `'${value}\0`
      } else rest += `:${value}\0`
    }
    return `${text} ${repeated}\0${rest}`
  }
}
