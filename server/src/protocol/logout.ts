// pure
import type { Client } from './client.ts'
import { type HintClaims, type HintedPerson, isHinted } from './id-token-hint.ts'
import { OAuthError } from './oauth-error.ts'
import { type RequestParameters, refuseUnreadable } from './parameters.ts'
import { withQuery } from './respond.ts'

/** The claims of an id_token_hint that we signed, expired or not; `invalid` for any other; null where none was sent. */
export type LogoutHint = HintClaims | 'invalid' | null

export type LogoutVerdict =
  /** End these sessions of the browser, which may be none; then redirect, or confirm the sign-out where `redirect_to` is null. */
  | { kind: 'sign_out_now'; session_ids: readonly string[]; redirect_to: string | null }
  /** Ask the person. Never redirect: this page and the next show `link_to` as a link. */
  | { kind: 'ask'; link_to: string | null }
  | { kind: 'show_error'; error: OAuthError }

/** The client that a sign-out request names. The caller looks it up for `judgeLogout`. */
export function logoutClientId(parameters: RequestParameters, hint: LogoutHint): string | null {
  return parameters.values.client_id ?? verified(hint)?.aud ?? null
}

/** A session of the browser. An expired one signs nobody in, but it and its applications may still have tokens to end. */
interface LogoutSession extends HintedPerson {
  session_id: string
  is_expired: boolean
}

/**
 * Judges a sign-out request. `sessions` are those of the browser.
 *
 * RP-Initiated Logout 1.0 §2: client_id and the audience of the hint must agree; without a hint for a session of this browser the
 *                             person is asked
 * RP-Initiated Logout 1.0 §3: redirect only to a URI that a known client registered, compared as an exact string, with state
 * RP-Initiated Logout 1.0 §4: a value that fails validation is not used
 * We choose: a hint of an earlier session of the same user signs this user out, as an application expects after a new sign-in;
 *            expired sessions of the user end with the sign-out, and those of others ask no question
 */
export function judgeLogout(
  parameters: RequestParameters,
  hint: LogoutHint,
  client: Client | null,
  sessions: readonly LogoutSession[],
): LogoutVerdict {
  try {
    refuseUnreadable(parameters)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return { kind: 'show_error', error }
  }

  const claims = verified(hint)
  const { client_id } = parameters.values
  const disagree = claims !== null && client_id !== undefined && client_id !== claims.aud
  if (disagree) return { kind: 'ask', link_to: null }

  const is_client_known = client !== null && client.client_id === logoutClientId(parameters, hint) && !client.disabled
  const link_to = is_client_known ? registeredRedirect(parameters, client) : null
  if (claims === null) return { kind: 'ask', link_to }

  const of_user = sessions.filter((session) => isHinted(claims, session))
  const is_named = of_user.some(({ session_id, is_expired }) => session_id === claims.sid && !is_expired)
  const ended = of_user.filter(({ session_id, is_expired }) => is_expired || !is_named || session_id === claims.sid)
  if (ended.length === 0 && sessions.some(({ is_expired }) => !is_expired)) return { kind: 'ask', link_to }
  return { kind: 'sign_out_now', session_ids: ended.map(({ session_id }) => session_id), redirect_to: link_to }
}

/** Why a sign-out leads back to no application, although the request has a return address. */
export type NoReturn =
  | 'no_client'
  | 'invalid_hint'
  /** A hint that names the issuer of another environment. The endpoint looks that up. */
  | 'hint_elsewhere'
  | 'unknown_client'
  | 'other_client'
  | 'disabled_client'
  | 'unregistered'

/** The first reason that applies, from who asks to what is asked for; `null` where the address is used, or none was sent. */
export function whyNoReturn(parameters: RequestParameters, hint: LogoutHint, client: Client | null): NoReturn | null {
  const { client_id, post_logout_redirect_uri } = parameters.values
  if (post_logout_redirect_uri === undefined) return null
  const claims = verified(hint)
  if (client_id === undefined && claims === null) return hint === null ? 'no_client' : 'invalid_hint'
  if (claims !== null && client_id !== undefined && client_id !== claims.aud) return 'other_client'
  if (client === null) return 'unknown_client'
  if (client.disabled) return 'disabled_client'
  return client.post_logout_redirect_uris.includes(post_logout_redirect_uri) ? null : 'unregistered'
}

const verified = (hint: LogoutHint) => (hint === 'invalid' ? null : hint)

function registeredRedirect({ values }: RequestParameters, client: Client): string | null {
  const uri = values.post_logout_redirect_uri
  if (uri === undefined || !client.post_logout_redirect_uris.includes(uri)) return null
  return withQuery(uri, values.state === undefined ? {} : { state: values.state })
}
