// pure
/** The position of a refresh token in its chain (decision 0125). `refresh-grant.ts` decides the consequences. */
import { first_number } from './refresh-token.ts'

/** The row of a chain: its live token. */
export interface Chain {
  number: number
  digest: string
  /** The salt from which, with the previous token, the random bits were derived; `null` if they are random and cannot be repeated. */
  salt: string | null
  /** When the live token was issued, and so the token before it was spent. */
  issued_at: Date
  /** See `expiryOfRefreshToken`. */
  expires_at: Date
}

/** A token of a client, with the row that it belongs to. `successor_digest` is that of the token derived from it; `null`: there is none. */
export type PresentedToken =
  | { form: 'chain'; number: number; digest: string; successor_digest: string | null; chain: Chain }
  /** A token with a row of its own, from before chains. Its grant may have a chain by now. */
  | { form: 'row'; spent_at: Date | null; expires_at: Date; successor_digest: string | null; chain: Chain | null }

/**
 * The place of the presented token.
 *
 * - `live`: the latest one.
 * - `replaced`: spent, and the latest one was derived from it.
 * - `spent`: spent in any other way. This is also a token with the number of the latest one that another copy of the database has issued.
 * - `ahead`: later than the latest one that the database knows, so an older copy of the database was restored.
 */
type TokenPlace = 'live' | 'replaced' | 'spent' | 'ahead'

export function placeOfToken(token: PresentedToken): TokenPlace {
  const { form, chain, successor_digest } = token
  // Without a chain the row says when it was spent. Whether its successor is live is looked up afterwards.
  if (!chain) return form === 'row' && token.spent_at === null ? 'live' : 'replaced'
  // A chain that began with a row has its first number now. A grant with a chain never goes back to rows.
  const number = form === 'chain' ? token.number : first_number - 1
  if (number > chain.number) return 'ahead'
  if (form === 'chain' && number === chain.number) return token.digest === chain.digest ? 'live' : 'spent'
  return number === chain.number - 1 && successor_digest === chain.digest ? 'replaced' : 'spent'
}
