// pure
/** The characters of stored and shown text: no controls, no line or paragraph separators, no lone surrogates. */

const unwanted = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
/** Also the bidirectional controls, which make one name look like another (UTS #55). */
const unwanted_in_names = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu

/** Reports whether the text is one line of ordinary characters, or with `lines` several lines. */
export function isText(text: string, lines = false): boolean {
  return !unwanted.test(lines ? text.replaceAll(/[\t\r\n]/g, '') : text)
}

/**
 * RFC 9110 §5.6.3: removes the blanks around a part of a header, which are a space or a tab. `trim` also removes other characters, so
 * that a name which a browser stored under another rule would become one of ours.
 */
export function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isBlank(text[from])) from++
  while (to > from && isBlank(text[to - 1])) to--
  return text.slice(from, to)
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** For text that is shown and never compared. Makes one line of at most `max` characters from the text of another system, without the characters that a name cannot have. */
export function asLine(text: string, max: number): string {
  const clean = text
    .slice(0, 4 * max)
    .replaceAll(unwanted_in_names, '')
    .trim()
  return clean.length <= max ? clean : [...clean].slice(0, max).join('')
}
