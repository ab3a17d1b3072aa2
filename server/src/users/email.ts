// pure
/** When two addresses are the same account: what the unique key of an environment is made of. */
import { folded } from '../normalisation.ts'

/**
 * The key an address is looked up by. Unicode look-alikes that normalise to the same text are the same account
 * (NFKC before anything else looks at it), and letters have no case. Takes no more than `longest_email` characters.
 */
export function emailKey(email: string): string {
  return folded(email)
}
