// pure
/** Characters that a person cannot see, or cannot tell from others, in an address. */

interface Stretch {
  text: string
  unseen: boolean
}

/** Controls, formats, spaces, marks that join the character before them, and four letters that are blank. */
const unseen = /[\p{C}\p{Z}\p{M}\u115F\u1160\u2800\u3164]/u

/** Splits text into stretches that can be seen and single characters that cannot. */
export function stretchesOf(text: string): Stretch[] {
  if (/^[\x21-\x7e]+$/.test(text)) return [{ text, unseen: false }] // as every registered address is
  const stretches: Stretch[] = []
  for (const character of text) {
    const previous = stretches.at(-1)
    if (unseen.test(character)) stretches.push({ text: character, unseen: true })
    else if (previous && !previous.unseen) previous.text += character
    else stretches.push({ text: character, unseen: false })
  }
  return stretches
}

/** `U+200B`, as Unicode writes it. */
export const codePoint = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)
