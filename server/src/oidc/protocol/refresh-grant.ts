// pure
import type { Settings } from '@ostiary/contract/settings.ts'
import { type Reason, reason } from '../../base/reason.ts'
import { OAuthError } from './oauth-error.ts'
import { first_number } from './refresh-token.ts'
import { scopeNames } from './scope.ts'

interface RefreshedGrant {
  client_id: string
  scope: string
  grant_created_at: Date
  /** The grant does not count any more. */
  has_ended: boolean
  blocked_at: Date | null
}

/** The row of a chain: its live token. */
export interface Chain {
  number: number
  digest: string
  /** What the random bits were derived with, besides the token before; `null` where they are random, so that nothing can repeat them. */
  salt: string | null
  /** When the live token was issued, and so the token before it was spent. */
  issued_at: Date
  /** See `expiryOfRefreshToken`. */
  expires_at: Date
}

/** What a client presents, beside the row that it belongs to. `successor_digest` is that of the token derived from it; `null`: there is none. */
export type PresentedToken =
  | { form: 'chain'; number: number; digest: string; successor_digest: string | null; chain: Chain }
  /** A token with a row of its own, from before chains. Its grant may have a chain by now. */
  | { form: 'row'; spent_at: Date | null; expires_at: Date; successor_digest: string | null; chain: Chain | null }

/**
 * Where the presented token stands.
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

type TokenSettings = Pick<
  Settings['tokens'],
  'refresh_token_idle_ttl_seconds' | 'refresh_token_absolute_ttl_seconds' | 'refresh_retry_window_seconds'
>

interface RefreshPolicy {
  now: Date
  /** The present settings: a shorter lifetime also applies to grants from before. */
  tokens: TokenSettings
  /** The application and the environment still allow `offline_access`. */
  may_stay: boolean
}

interface RefreshRequest {
  client_id: string
  scope: string | undefined
}

export type RefreshVerdict =
  /** Spend it and issue a successor. `scope` is that of the access token; the successor keeps the scope of the row. */
  | { kind: 'rotate'; scope: string }
  /** Spent within the retry window: return the same successor again, never another one. */
  | { kind: 'repeat'; scope: string }
  /** Spent earlier: a copy exists. End the grant. */
  | { kind: 'reuse' }
  /** Issued by a later copy of the database: end the grant, and raise no event, since its live token was already spent. */
  | { kind: 'ahead' }

/**
 * Judges whether this client may refresh with this token now. The database decides which of parallel requests rotates the token (see
 * `spendRefreshToken`).
 *
 * @throws OAuthError where the request has no effect but the error
 *
 * RFC 6749 §6, §5.2: issued to this client, not expired, not revoked, else invalid_grant; an attempt of another client has no
 *                    effect
 * RFC 6749 §6:       a request may narrow the scope, for this access token only; a scope that was not granted is invalid_scope
 * RFC 9700 §4.14.2:  a spent token that comes back is reuse
 * We choose:         without offline_access the token is invalid (invalid_grant) but not spent: it is valid again once the
 *                    scope is allowed again (docs/decisions/0030-withdrawn-scopes.md)
 */
export function checkRefresh(
  token: PresentedToken,
  grant: RefreshedGrant,
  request: RefreshRequest,
  { now, tokens, may_stay }: RefreshPolicy,
): RefreshVerdict {
  const refusal = (description: Reason) => new OAuthError('invalid_grant', description)

  if (grant.client_id !== request.client_id) throw refusal(reason`The refresh token was issued to another client.`)
  if (grant.blocked_at !== null) throw refusal(reason`The person may not sign in.`)
  if (grant.has_ended) throw refusal(reason`The refresh token has been revoked.`)
  const place = placeOfToken(token)
  if (place === 'ahead') return { kind: 'ahead' }
  if (place === 'spent') return { kind: 'reuse' }
  if (place === 'replaced' && now.getTime() >= spentAt(token) + tokens.refresh_retry_window_seconds * 1_000) return { kind: 'reuse' }
  if (!may_stay) throw refusal(reason`The application may not ask for offline_access any more.`)
  const successor_expires_at = expiryOfRefreshToken(now, grant.grant_created_at, tokens)
  if (expiryOf(token) <= now || successor_expires_at <= now) throw refusal(reason`The refresh token has expired.`)
  return { kind: place === 'live' ? 'rotate' : 'repeat', scope: narrowed(grant.scope, request.scope) }
}

/** When a token that was replaced was spent: when its successor was issued. */
function spentAt({ chain, ...token }: PresentedToken): number {
  const at = chain ? chain.issued_at : token.form === 'row' ? token.spent_at : null
  return at?.getTime() ?? 0
}

/** A chain stores the expiry of its live token alone. A token that it replaced was valid within the retry window. */
const expiryOf = (token: PresentedToken): Date => (token.form === 'chain' ? token.chain : (token.chain ?? token)).expires_at

/** The expiry of a refresh token that is issued now: the end of its idle time or of the lifetime of its grant, whichever is earlier. */
export function expiryOfRefreshToken(now: Date, grant_created_at: Date, tokens: Omit<TokenSettings, 'refresh_retry_window_seconds'>): Date {
  const idle = now.getTime() + tokens.refresh_token_idle_ttl_seconds * 1_000
  const absolute = grant_created_at.getTime() + tokens.refresh_token_absolute_ttl_seconds * 1_000
  return new Date(Math.min(idle, absolute))
}

/** RFC 6749 §6: an omitted scope means the whole granted scope. */
function narrowed(granted: string, requested: string | undefined): string {
  if (requested === undefined) return granted
  const names = scopeNames(requested)
  const beyond = names.find((name) => !scopeNames(granted).includes(name))
  if (beyond !== undefined)
    throw new OAuthError('invalid_scope', `The scope ${beyond} was not granted.`, {
      reason: reason`The request has a scope that was not granted.`,
    })
  return names.length === 0 ? granted : names.join(' ')
}
