// pure
/** The position of a refresh token in its chain (decision 0125). `refresh-grant.ts` decides the consequences. */

/** The row of a chain: its live token. */
export interface Chain {
  number: number
  digest: string
  /** The salt from which, with the previous token, the random bits were derived; `null` if they are random and cannot be repeated. */
  salt: string | null
  /** When the live token was issued, and so the token before it was spent. */
  issued_at: Date
  /** See `refreshLifetimes`. */
  expires_at: Date
}

/** A token of a client with its chain. `successor_digest` is that of the token derived from it; `null`: there is none. */
export interface PresentedToken {
  number: number
  digest: string
  successor_digest: string | null
  chain: Chain
}

/**
 * The place of the presented token.
 *
 * - `live`: the latest one.
 * - `replaced`: spent, and the latest one was derived from it.
 * - `spent`: spent in any other way. This is also a token with the number of the latest one that another copy of the database has issued.
 * - `ahead`: later than the latest one that the database knows, so an older copy of the database was restored.
 */
type TokenPlace = 'live' | 'replaced' | 'spent' | 'ahead'

export function placeOfToken({ number, digest, successor_digest, chain }: PresentedToken): TokenPlace {
  if (number > chain.number) return 'ahead'
  if (number === chain.number) return digest === chain.digest ? 'live' : 'spent'
  return number === chain.number - 1 && successor_digest === chain.digest ? 'replaced' : 'spent'
}
