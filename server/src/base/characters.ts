// pure
/** Finds characters in an address that are invisible or easily confused with others. */

interface Stretch {
  text: string
  unseen: boolean
}

/** Controls, formats, spaces, combining marks, and four letters that render blank. */
const unseen = /[\p{C}\p{Z}\p{M}\u115F\u1160\u2800\u3164]/u

/** Splits text into runs of visible characters and single invisible ones. */
export function stretchesOf(text: string): Stretch[] {
  if (/^[\x21-\x7e]+$/.test(text)) return [{ text, unseen: false }] // the fast path: every registered address is ASCII
  const stretches: Stretch[] = []
  for (const character of text) {
    const previous = stretches.at(-1)
    if (unseen.test(character)) stretches.push({ text: character, unseen: true })
    else if (previous && !previous.unseen) previous.text += character
    else stretches.push({ text: character, unseen: false })
  }
  return stretches
}

/** Formats a character as `U+200B`. */
export const codePoint = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)
