// pure
import { hash } from 'node:crypto'

/**
 * What is stored instead of a secret: SHA-256 (FIPS 180-4), hexadecimal. Keys, codes, tokens and cookies have 190 random bits or
 * more, so no salt is needed.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}
