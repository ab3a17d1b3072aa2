/** UserInfo (OIDC Core §5.3): claims about the user, for an active access token of this environment with the scope `openid`. */
import { useAccessToken } from '../access-token.ts'
import { type Answer, header, json, type OidcCall, type OidcEndpoint } from '../call.ts'
import { userClaims } from '../protocol/claims.ts'
import { includesScope } from '../protocol/scope.ts'

export const userinfo: OidcEndpoint = async (services, call) => {
  const token = readBearer(call)
  if (typeof token !== 'string') return token
  const found = await useAccessToken(services, call.issuer, token, call.now)
  if (!found) return refuse(401, 'invalid_token', 'The access token is unknown, expired or revoked.')
  const { claims, grant } = found
  if (![claims.aud].flat().includes(call.issuer.url))
    return refuse(401, 'invalid_token', 'The audience of the access token does not include this issuer.')
  if (!includesScope(claims.scope, 'openid')) return refuse(403, 'insufficient_scope', 'UserInfo needs the scope openid.', 'openid')
  return json(200, userClaims(grant, claims.scope))
}

/** RFC 6750 §2.1, §2.2: the token is in the Authorization header or in a form body, not in both; never in the URL (RFC 9700 §4.3.2). */
function readBearer(call: OidcCall): string | Answer {
  const authorization = header(call, 'authorization')
  const in_body = call.method === 'POST' ? (call.form?.getAll('access_token') ?? []) : []
  if (authorization === undefined && in_body.length === 0)
    return { ...json(401, {}), headers: { 'cache-control': 'no-store', 'www-authenticate': 'Bearer' }, body: '' }
  if (in_body.length + (authorization === undefined ? 0 : 1) > 1) return refuse(400, 'invalid_request', 'Send the access token once.')
  const token = authorization === undefined ? in_body[0] : /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]
  return token ?? refuse(401, 'invalid_token', 'The Authorization header is not well-formed Bearer.')
}

/** RFC 6750 §3: the error is in WWW-Authenticate. */
function refuse(status: number, error: string, error_description: string, scope?: string): Answer {
  const challenge = `Bearer error="${error}", error_description="${error_description}"${scope === undefined ? '' : `, scope="${scope}"`}`
  return json(status, { error, error_description }, { 'www-authenticate': challenge })
}
