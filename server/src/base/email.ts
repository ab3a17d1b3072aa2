// pure
/** Decides which emails accounts can have, and when two emails are the same account. */
import { aLabelsOf } from '@ostiary/contract/email-address.ts'
import { Email } from '@ostiary/contract/values.ts'
import { folded, longest_email, normalised } from './normalisation.ts'
import { withoutEnds } from './typed.ts'

/** Returns an address that a person typed, as an account stores it. `null`: no account can have it. */
export function accountAddress(text: string): string | null {
  if (text.length > longest_email) return null
  const email = normalised(withoutEnds(text))
  return Email.safeParse(email).success ? email : null
}

/**
 * Returns the key by which an email is looked up. It is unique within an environment. Emails that differ only in case, that NFKC
 * normalises to the same text, or whose domains have the same A-labels, have the same key. The key of an ASCII email is the email in
 * lower case. The email must have at most `longest_email` characters.
 */
export function emailKey(email: string): string {
  // Not trimmed: an address has no blanks, and one with a control character around it is not the same address.
  const key = folded(email)
  const text = normalised(email)
  const domain = text.slice(text.lastIndexOf('@') + 1)
  const labels = /^[\x20-\x7e]*$/.test(domain) ? null : aLabelsOf(domain)
  return labels === null ? key : `${key.slice(0, key.lastIndexOf('@') + 1)}${labels}`
}
