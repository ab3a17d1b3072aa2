// pure
import { hash } from 'node:crypto'

/** SHA-256 (FIPS 180-4). Text is digested as UTF-8. In one call: an object for the digest takes twice as long for a token. */
export const sha256 = (data: string | NodeJS.ArrayBufferView, encoding: 'hex' | 'base64' | 'base64url'): string =>
  hash('sha256', data, encoding)

/**
 * Returns the digest that is stored instead of a secret, in hexadecimal. Keys, codes, tokens and cookies have at least 190 random bits, so
 * they need no salt.
 */
export const digestOf = (secret: string): string => sha256(secret, 'hex')
