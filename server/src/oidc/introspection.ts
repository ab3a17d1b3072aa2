/** What an access token is worth right now, and if nothing, why (members of RFC 7662 §2.2). */
import type { ApplicationId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import type { inactiveReasons, TokenVerdict } from '@ostiary/contract/session.ts'
import type { Deployment } from '../deployment.ts'
import { findSiblings } from '../tenancy/store.ts'
import { type AccessTokenClaims, opaque_prefix, readAccessToken } from './access-token.ts'
import type { Issuer, Issuers } from './issuer.ts'
import { findGrantState } from './store/grants.ts'

/** No token of ours is near it: a longer one would not fit into a header. It is judged before any work that grows with it. */
const longest_token = 65_536

type Reason = (typeof inactiveReasons)[number]

export async function judgeToken(
  deployment: Pick<Deployment, 'db' | 'now'>,
  issuers: Issuers,
  issuer: Issuer,
  token: string,
): Promise<TokenVerdict> {
  if (token.length > longest_token) return inactive('malformed')
  const claims = await readAccessToken(deployment, issuer, token)
  if (!claims) return inactive(await whyUnread(deployment, issuers, issuer, token))

  const state = await findGrantState(deployment.db, issuer.environment_id, claims.grant_id, claims.jti)
  const reason = !state ? 'revoked' : whyDead(claims, state, deployment.now())
  if (reason) return inactive(reason)
  return {
    active: true,
    iss: claims.iss,
    sub: claims.sub as UserId, // as: claims we signed
    aud: claims.aud,
    client_id: claims.client_id as ApplicationId, // as: claims we signed
    scope: claims.scope,
    token_type: 'Bearer',
    exp: claims.exp,
    iat: claims.iat,
    nbf: claims.iat,
    jti: claims.jti,
    sid: claims.sid as SessionId, // as: claims we signed
    auth_time: claims.auth_time,
    environment_id: issuer.environment_id,
  }
}

const inactive = (reason: Reason): TokenVerdict => ({ active: false, reason })

/** Several may apply: what was done to the person counts most, then to the session, then to the token. A grant may outlive its session. */
function whyDead(claims: AccessTokenClaims, state: NonNullable<Awaited<ReturnType<typeof findGrantState>>>, now: Date): Reason | null {
  if (state.user_id === null || state.blocked_at !== null) return 'user_blocked'
  if (state.ended_at !== null && state.session_ended_at !== null) return 'session_ended'
  if (state.ended_at !== null || state.is_revoked) return 'revoked'
  return claims.exp * 1000 <= now.getTime() ? 'expired' : null
}

/** A token of another environment of the same project says so, to help whoever mixed up Test and Live; of anybody else's nothing is told. */
async function whyUnread(deployment: Pick<Deployment, 'db'>, issuers: Issuers, issuer: Issuer, token: string): Promise<Reason> {
  if (!token.startsWith(opaque_prefix) && !looksLikeJwt(token)) return 'malformed'
  for (const id of await findSiblings(deployment.db, issuer)) {
    const sibling = await issuers.find(id)
    if (sibling && (await readAccessToken(deployment, sibling, token))) return 'environment_mismatch'
  }
  return 'unknown'
}

/** RFC 7519 §3: three base64url parts, the first two JSON. */
function looksLikeJwt(token: string): boolean {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return false
  const parts = token.split('.')
  try {
    return (
      parts.length === 3 &&
      parts.slice(0, 2).every((part) => typeof JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) === 'object')
    )
  } catch {
    return false // not JSON, so no JWT
  }
}
