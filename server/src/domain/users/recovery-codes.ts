// pure
/** Recovery codes: ten codes that replace an authenticator app, each once. */

const recovery_codes = 10
/** Base32 of Crockford: no letter looks like a digit. Twelve characters contain 60 bits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 12
/** Far more than a person types for a code. Longer text is not a code. */
const longest = 100

/** Makes a set of different codes, such as `7k2m-04xw-9tqd`. */
export function newRecoveryCodes(random: (bytes: number) => Buffer): string[] {
  const codes = new Set<string>()
  while (codes.size < recovery_codes) {
    const characters = Array.from(random(length), (byte) => alphabet.charAt(byte & 31)).join('')
    codes.add((characters.match(/.{4}/g) ?? []).join('-'))
  }
  return [...codes]
}

/**
 * The characters of a code as a person types it: without regard to case, spaces and dashes, and with the letters o, i and l as the
 * digits that they look like. `null` for text that cannot be a code.
 */
export function recoveryKey(text: string): string | null {
  if (text.length > longest) return null
  const key = text
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  return /^[0-9a-hjkmnp-tv-z]{12}$/.test(key) ? key : null
}
