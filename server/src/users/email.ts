// pure
/** Decides when two emails are the same account. */
import { folded } from '../normalisation.ts'

/**
 * Returns the key by which an email is looked up. It is unique within an environment. Emails that differ only in case, or that NFKC
 * normalises to the same text, have the same key. The email must have at most `longest_email` characters.
 */
export function emailKey(email: string): string {
  return folded(email)
}
