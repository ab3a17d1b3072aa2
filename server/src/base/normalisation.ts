// pure
/**
 * Unicode normalisation of bounded text. Sorting the combining marks of one letter takes time in the square of their number: 100 kB of
 * marks block the thread for seconds. So only this file normalises (see `scripts/import-law.test.ts`), and its callers first refuse
 * text that is longer than any stored value.
 */

/** In UTF-16 code units. A text of only combining marks takes 1.5 ms. */
export const longest_normalised = 1_000

/** RFC 5321 §4.5.3.1.3: an address has at most 254 characters. Some addresses get shorter when normalised. */
export const longest_email = 320

/** Returns the text in NFKC, so that look-alikes become equal. @throws RangeError for a text that the caller should have refused. */
export function normalised(text: string): string {
  if (text.length > longest_normalised) throw new RangeError(`A text of ${text.length} characters is too long to be normalised.`)
  return text.normalize('NFKC')
}

const is_ascii = /^[\0-\x7f]*$/

/** Returns a text for comparisons that ignore case and look-alikes. */
export function folded(text: string): string {
  if (is_ascii.test(text)) return text.toLowerCase() // the same, in a third of the time: searches fold every name
  // The marks are in order already, so the second normalisation takes linear time.
  return normalised(text).toLowerCase().normalize('NFKC')
}

/** Removes the marks of a normalised text (`e` for `é`), since people leave them out. They are in order, so this takes linear time. */
export const withoutMarks = (normal: string): string => normal.normalize('NFKD').replaceAll(/\p{M}/gu, '')
