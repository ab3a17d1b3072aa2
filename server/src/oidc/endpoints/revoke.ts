/** Token revocation (RFC 7009). The answer is the same for every token, known or unknown, of this or another client. */
import { digestOf } from '../../base/digest.ts'
import { endGrant, revokeAccessToken } from '../../sessions/grants.ts'
import { findRefreshToken } from '../../sessions/refresh-tokens.ts'
import { readAccessToken } from '../access-token.ts'
import { json, type OidcEndpoint } from '../call.ts'
import { authenticateClient, readClientRequest } from '../client-request.ts'
import { requireParameter } from '../protocol/parameters.ts'

export const revoke: OidcEndpoint = async (services, call) => {
  const { db } = services
  const { issuer, now } = call
  const parameters = readClientRequest(call)
  const client = await authenticateClient(services, call, parameters)
  const token = requireParameter(parameters, 'token')

  // RFC 7009 §2.1: `token_type_hint` is only a hint, so both kinds are looked up.
  const refresh_token = await findRefreshToken(db, issuer.environment_id, digestOf(token))
  if (refresh_token) {
    if (refresh_token.client_id === client.client_id)
      await db.batch([endGrant(issuer.environment_id, refresh_token.grant_id, 'revoked', now)])
    return json({})
  }
  const access_token = await readAccessToken(services, issuer, token)
  if (access_token?.client_id === client.client_id)
    await db.batch([revokeAccessToken(issuer.environment_id, access_token.jti, new Date(access_token.exp * 1000))])
  return json({})
}
