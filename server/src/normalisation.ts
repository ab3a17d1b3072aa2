// pure
/**
 * Unicode normalisation, with the lengths that bound it. Sorting the combining marks of one letter takes the square of their
 * number: 100 kB of them take seconds, and the thread is everyone's. So text is normalised here only (see
 * `scripts/import-law.test.ts`), and what is longer than anything we store is refused before.
 */

/** In UTF-16 code units. As many combining marks take 1.5 ms. */
export const longest_normalised = 1_000

/** RFC 5321 §4.5.3.1.3: an address has at most 254. Room for those that normalise to fewer. */
export const longest_email = 320

/** In NFKC, so that look-alikes are one text. @throws RangeError for a text that the caller should have refused. */
export function normalised(text: string): string {
  if (text.length > longest_normalised) throw new RangeError(`A text of ${text.length} characters is too long to be normalised.`)
  return text.normalize('NFKC')
}

/** For comparing without regard to case or look-alikes. */
export function folded(text: string): string {
  // The second time the marks are in order already, so it takes no longer than reading.
  return normalised(text).trim().toLowerCase().normalize('NFKC')
}

/** A normalised text with `e` for `é`, since people leave the marks out. Its marks are in order already, so this takes no longer than reading. */
export const withoutMarks = (normal: string): string => normal.normalize('NFKD').replaceAll(/\p{M}/gu, '')
