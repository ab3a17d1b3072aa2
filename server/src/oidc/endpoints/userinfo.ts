/** UserInfo (OIDC Core §5.3): claims about the user, for an active access token of this environment with the scope `openid`. */
import { type Reason, reason } from '../../base/reason.ts'
import { refusal } from '../../base/refusal.ts'
import { findGrantOwner } from '../../domain/sessions/grants.ts'
import { organizationClaims, userClaims } from '../../protocol/claims.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { includesScope } from '../../protocol/scope.ts'
import { readAccessToken, useAccessToken } from '../access-token.ts'
import { type Answer, errorJson, header, json, type OidcCall, type OidcEndpoint, type OidcServices, refused } from '../call.ts'
import { isOfSibling } from '../elsewhere.ts'
import { readIdTokenHint } from '../id-token-hint.ts'
import { dataFor, rolesAt } from '../person-roles.ts'

export const userinfo: OidcEndpoint = async (services, call) => {
  const token = readBearer(call)
  if (typeof token !== 'string') return token
  const found = await useAccessToken(services, call.issuer, token, call.now)
  if (!found)
    return refuse(
      new OAuthError('invalid_token', 'The access token is unknown, expired or revoked.', {
        reason: await whyRefused(services, call, token),
      }),
    )
  const { claims, grant } = found
  Object.assign(call.subject, { client_id: claims.client_id, user_id: grant.user_id })
  const roles = await rolesAt(call.issuer, grant, claims.client_id)
  const audience = [claims.aud].flat()
  const kept_out = roles.keptOut(audience)
  if (kept_out !== null)
    return refuse(new OAuthError('invalid_token', 'The person has no access to the application.', { reason: kept_out }))
  // First, since the audience of a token without openid is its resource servers alone.
  if (!includesScope(claims.scope, 'openid'))
    return refuse(new OAuthError('insufficient_scope', 'UserInfo needs the scope openid.'), 'openid')
  if (!audience.includes(call.issuer.url))
    return refuse(new OAuthError('invalid_token', 'The audience of the access token does not include this issuer.'))
  return json({
    ...dataFor(roles.access, grant, claims.client_id),
    ...userClaims(grant, claims.scope, call.issuer.settings.claims),
    ...organizationClaims(grant),
    ...roles.claims,
  })
}

async function whyRefused(services: OidcServices, call: OidcCall, token: string): Promise<Reason> {
  const claims = await readAccessToken(services, call.issuer, token)
  if (!claims) {
    if (await isOfSibling(services.db, call.issuer, token)) return reason`The token names the issuer of another environment of the project.`
    if (readIdTokenHint(call.issuer, token) !== 'invalid') return reason`The text is an ID token. UserInfo takes the access token.`
    return reason`The text is not an access token of this issuer.`
  }
  // The grant says which user: the `sub` can be that of another one since.
  const user_id = await findGrantOwner(services.db, call.issuer.environment_id, claims.grant_id)
  Object.assign(call.subject, { client_id: claims.client_id, user_id })
  return claims.exp * 1000 <= call.now.getTime()
    ? reason`The access token has expired.`
    : reason`The access token is revoked, or its grant has ended.`
}

/** RFC 6750 §2.1, §2.2: the token is in the Authorization header or in a form body, not in both; never in the URL (RFC 9700 §4.3.2). */
function readBearer(call: OidcCall): string | Answer {
  const authorization = header(call, 'authorization')
  const in_body = call.method === 'POST' ? (call.form?.getAll('access_token') ?? []) : []
  if (authorization === undefined && in_body.length === 0)
    return refused(
      { status: 401, headers: { 'cache-control': 'no-store', 'www-authenticate': 'Bearer' }, body: '' },
      refusal('invalid_token', reason`The request has no access token in its header or form.`),
    )
  if (in_body.length + (authorization === undefined ? 0 : 1) > 1)
    return refuse(new OAuthError('invalid_request', 'Send the access token once.'))
  const token = authorization === undefined ? in_body[0] : /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]
  return token ?? refuse(new OAuthError('invalid_token', 'The Authorization header is not well-formed Bearer.'))
}

/** RFC 6750 §3: the error is in WWW-Authenticate. */
function refuse(error: OAuthError, scope?: string): Answer {
  const challenge = `Bearer error="${error.code}", error_description="${error.message}"${scope === undefined ? '' : `, scope="${scope}"`}`
  return errorJson(error, { 'www-authenticate': challenge })
}
