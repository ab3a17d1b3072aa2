// pure
/** The logout token of a provider, by which it says that a person signed out there. `../upstream-logout-token.ts` checks its signature. */
import { type Reason, reason } from '../base/reason.ts'
import { isRecord } from '../base/record.ts'
import { isText } from '../base/text.ts'
import { assertionAlgorithms } from './client-assertion.ts'
import { OAuthError } from './oauth-error.ts'

export const longest_logout_token = 10_000
/** Of `sub`, `sid` and `jti`, in characters. OIDC Core §2 says so of `sub`. */
const longest_id = 255
/** How far `iat` may be from now. */
const most_seconds = 120
const event = 'http://schemas.openid.net/event/backchannel-logout'

/** Who signed out. One of both is not null. */
export interface UpstreamLogout {
  sub: string | null
  sid: string | null
  jti: string
  /** Until then the token could be sent again. */
  expires_at: Date
}

/**
 * RFC 8725 §3.1, §3.2, §3.11: the algorithms are asymmetric, and an explicit type separates the JWTs that one key signs
 * Back-Channel Logout 1.0 §2.4: the type is logout+jwt; older providers send JWT, or none
 * RFC 7515 §4.1.11: an extension that is not understood must not be ignored
 *
 * @throws OAuthError `invalid_request`
 */
export function checkLogoutTokenHeader({ alg, typ, crit }: { alg?: unknown; typ?: unknown; crit?: unknown }): void {
  if (!assertionAlgorithms.some((known) => known === alg))
    refuse(reason`The logout token is signed with an algorithm that is not accepted.`)
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  if (type !== undefined && type !== 'jwt' && type !== 'logout+jwt') refuse(reason`The token has a type (typ) that is not logout+jwt.`)
  if (crit !== undefined) refuse(reason`The logout token has critical headers (crit) that are not understood.`)
}

/**
 * Judges the claims of a logout token with a valid signature.
 *
 * Back-Channel Logout 1.0 §2.6: iss, aud, iat, exp, jti and events; sub or sid; never a nonce, so that no ID token passes for one
 * We choose: iat within 120 s, so that a token is stored for that long and not for as long as it says; exp may be missing, as in drafts
 *
 * @throws OAuthError `invalid_request`
 */
export function checkLogoutTokenClaims(
  claims: Readonly<Record<string, unknown>>,
  { issuer, client_id }: { issuer: string; client_id: string },
  now: Date,
): UpstreamLogout {
  const { iss, aud, iat, exp, jti, events, nonce, sub, sid } = claims
  const seconds = now.getTime() / 1_000
  if (iss !== issuer) refuse(reason`iss of the logout token is not the issuer of the provider.`)
  const audience = Array.isArray(aud) ? aud : [aud]
  if (!audience.includes(client_id)) refuse(reason`aud of the logout token is not the client id at the provider.`)
  if (typeof iat !== 'number' || !(Math.abs(iat - seconds) <= most_seconds))
    refuse(reason`iat of the logout token is not within 120 seconds from now.`)
  if (exp !== undefined && (typeof exp !== 'number' || !(exp > seconds))) refuse(reason`The logout token has expired.`)
  const named = isRecord(events) ? events[event] : undefined
  if (!isRecord(named)) refuse(reason`events of the logout token has no back-channel logout.`)
  if (nonce !== undefined) refuse(reason`The logout token has a nonce, so it may be an ID token.`)
  if (!isId(jti)) refuse(reason`The logout token lacks jti.`)
  if (sub !== undefined && !isId(sub)) refuse(reason`sub of the logout token is not usable.`)
  if (sid !== undefined && !isId(sid)) refuse(reason`sid of the logout token is not usable.`)
  if (sub === undefined && sid === undefined) refuse(reason`The logout token has neither sub nor sid.`)
  return { sub: sub ?? null, sid: sid ?? null, jti, expires_at: new Date((iat + most_seconds + 1) * 1_000) }
}

const isId = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= longest_id && isText(value)

function refuse(description: Reason): never {
  throw new OAuthError('invalid_request', description)
}
