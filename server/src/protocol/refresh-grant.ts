// pure
import type { Settings } from '@ostiary/contract/settings.ts'
import { type Reason, reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'
import { scopeNames } from './scope.ts'
import { type PresentedToken, placeOfToken } from './token-place.ts'

interface RefreshedGrant {
  client_id: string
  scope: string
  grant_created_at: Date
  /** The grant is no longer valid. */
  has_ended: boolean
  blocked_at: Date | null
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
  if (place === 'replaced' && now.getTime() >= token.chain.issued_at.getTime() + tokens.refresh_retry_window_seconds * 1_000)
    return { kind: 'reuse' }
  if (!may_stay) throw refusal(reason`The application may not ask for offline_access any more.`)
  const successor = refreshLifetimes(now, grant.grant_created_at, tokens)
  // The chain stores the expiry of its live token alone. A token that it replaced was valid within the retry window.
  if (token.chain.expires_at <= now || successor.expires_at <= now) throw refusal(reason`The refresh token has expired.`)
  return { kind: place === 'live' ? 'rotate' : 'repeat', scope: narrowed(grant.scope, request.scope) }
}

/** The lifetimes of a refresh token that is issued now. */
export function refreshLifetimes(now: Date, grant_created_at: Date, tokens: Omit<TokenSettings, 'refresh_retry_window_seconds'>) {
  const idle_until = now.getTime() + tokens.refresh_token_idle_ttl_seconds * 1_000
  const renewable_until = grant_created_at.getTime() + tokens.refresh_token_absolute_ttl_seconds * 1_000
  return {
    /** The end of its idle time or of the lifetime of its grant, whichever is earlier. */
    expires_at: new Date(Math.min(idle_until, renewable_until)),
    /** No token of the grant is renewed after it. */
    renewable_until: new Date(renewable_until),
  }
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
