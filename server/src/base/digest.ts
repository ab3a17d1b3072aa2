// pure
import { hash } from 'node:crypto'

/**
 * Returns the digest that is stored instead of a secret: SHA-256 (FIPS 180-4) in hexadecimal. Keys, codes, tokens and cookies have at
 * least 190 random bits, so they need no salt.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}
