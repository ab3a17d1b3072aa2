// pure
/** Which characters text may hold that is stored or shown: no controls, no line or paragraph separators, no halves of surrogate pairs. */

const unwanted = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
/** Also the controls of direction, which make one name look like another (UTS #55). */
const unwanted_in_names = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu

/** Whether text is one line of ordinary characters; with `lines`, also several lines. */
export function isText(text: string, lines = false): boolean {
  return !unwanted.test(lines ? text.replaceAll(/[\t\r\n]/g, '') : text)
}

/** Text from another system as a line of at most `max` characters, without the characters that a name cannot have. */
export function asLine(text: string, max: number): string {
  const clean = text
    .slice(0, 4 * max)
    .replaceAll(unwanted_in_names, '')
    .trim()
  return clean.length <= max ? clean : [...clean].slice(0, max).join('')
}
