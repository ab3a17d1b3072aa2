// pure
/** Decides which names of a provider can be user names here, and when two user names are the same. Products key their accounts by them. */
import { withoutUnseen } from '@ostiary/contract/visible.ts'
import { folded } from './normalisation.ts'

/** In characters, of which each can take two UTF-16 code units. */
const longest = 100

/** Whether a provider can name a person so. A name that reads as an address is refused, since a product could take it for a proved one. */
export const isUserName = (text: string): boolean =>
  text.length <= 2 * longest &&
  [...text].length <= longest &&
  text !== '' &&
  withoutUnseen(text) === text &&
  !userNameKey(text).includes('@')

/** Names that differ only in case, in characters that nobody sees, or in their form (NFKC) have the same key. */
export const userNameKey = (text: string): string => folded(withoutUnseen(text))
