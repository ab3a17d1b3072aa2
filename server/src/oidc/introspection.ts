/** Validates an access token, and names the reason where it is inactive (members of RFC 7662 §2.2). */
import type { OrganizationId, SessionId } from '@ostiary/contract/ids.ts'
import type { inactiveReasons, TokenVerdict } from '@ostiary/contract/session.ts'
import { digestOf } from '../base/digest.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { findGrantState, findLiveGrant, type GrantRow } from '../domain/sessions/grants.ts'
import { isOpaqueTokenOfSibling } from '../domain/sessions/opaque-tokens.ts'
import { findSibling } from '../domain/tenancy/store.ts'
import { claimedIssuer } from '../protocol/claimed-issuer.ts'
import { dataOf } from '../protocol/claims.ts'
import { scopeGiven } from '../protocol/roles.ts'
import { scopeNames } from '../protocol/scope.ts'
import { type AccessTokenClaims, opaque_prefix, readAccessToken } from './access-token.ts'
import { longest_token } from './elsewhere.ts'
import type { Issuer, Issuers } from './issuer.ts'
import { rolesAt } from './person-roles.ts'

type Reason = (typeof inactiveReasons)[number]

export async function judgeToken(
  deployment: Pick<Deployment, 'db' | 'now'>,
  issuers: Issuers,
  issuer: Issuer,
  token: string,
): Promise<TokenVerdict> {
  if (token.length > longest_token) return inactive('malformed')
  const claims = await readAccessToken(deployment, issuer, token)
  if (!claims) return inactive(await whyUnknown(deployment, issuers, issuer, token))

  const grant = await activeGrant(deployment, issuer, claims)
  if (typeof grant === 'string') return inactive(grant)
  const { access, held, slugs, keptOut } = await rolesAt(issuer, grant, claims.client_id)
  const audience = [claims.aud].flat()
  if (keptOut(audience) !== null) return inactive('not_allowed')
  const scope = scopeGiven(scopeNames(claims.scope), audience, access, held)
  return {
    active: true,
    iss: claims.iss,
    sub: claims.sub,
    user_id: grant.user_id,
    aud: claims.aud,
    client_id: claims.client_id,
    ...(scope.length === 0 ? {} : { scope: scope.join(' ') }),
    org_id: grant.organization_id as OrganizationId | null, // as: an id that we made
    roles: [...slugs()],
    claims: { ...dataOf(grant) },
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

/**
 * The grant of a token, or the first reason that applies, from the user to the session to the token. A grant may outlive its session. Without
 * a grant the token has expired, unless the grant was deleted before its time.
 */
async function activeGrant(
  { db, now }: Pick<Deployment, 'db' | 'now'>,
  { environment_id }: Issuer,
  { grant_id, jti, exp }: AccessTokenClaims,
): Promise<GrantRow | Reason> {
  const is_expired = exp * 1000 <= now().getTime()
  // Most tokens are valid, and this look-up costs less than the one that tells the reasons apart.
  const grant = await findLiveGrant(db, environment_id, grant_id, jti)
  if (grant) return is_expired ? 'expired' : grant
  const state = await findGrantState(db, environment_id, grant_id, jti)
  if (!state) return is_expired ? 'expired' : 'revoked'
  if (state.user_id === null || state.blocked_at !== null) return 'user_blocked'
  if (state.has_ended && state.session_has_ended) return 'session_ended'
  if (state.has_ended || state.is_revoked) return 'revoked'
  if (is_expired) return 'expired'
  return (await findLiveGrant(db, environment_id, grant_id, jti)) ?? 'revoked' // it may stand since the first look-up
}

/** Names a token of another environment of the same project, because Test and Live are easily confused. Any other token is unknown. */
async function whyUnknown({ db }: Pick<Deployment, 'db'>, issuers: Issuers, issuer: Issuer, token: string): Promise<Reason> {
  if (token.startsWith(opaque_prefix))
    return (await isOpaqueTokenOfSibling(db, issuer, digestOf(token))) ? 'environment_mismatch' : 'unknown'
  const claimed = claimedIssuer(token)
  if (claimed === null) return 'malformed'
  const id = await findSibling(db, issuer, claimed)
  const sibling = id && (await issuers.find(id))
  return sibling && (await readAccessToken({ db }, sibling, token)) ? 'environment_mismatch' : 'unknown'
}
