/** Token revocation (RFC 7009). The answer is the same for every token, known or not, ours or another client's. */
import { digestOf } from '../../digest.ts'
import { readAccessToken } from '../access-token.ts'
import { json, type OidcEndpoint } from '../call.ts'
import { requireParameter } from '../protocol/parameters.ts'
import { endGrant, findRefreshToken, revokeAccessToken } from '../store/grants.ts'
import { authenticateClient, readForm } from './token.ts'

export const revoke: OidcEndpoint = async (parts, call) => {
  const { db } = parts
  const { issuer, now } = call
  const parameters = readForm(call)
  const client = await authenticateClient(parts, call, parameters)
  const token = requireParameter(parameters, 'token')

  // RFC 7009 §2.1: the hint only says where to look first; both places are looked at.
  const refresh_token = await findRefreshToken(db, issuer.environment_id, digestOf(token))
  if (refresh_token) {
    if (refresh_token.client_id === client.client_id)
      await db.batch([endGrant(issuer.environment_id, refresh_token.grant_id, 'revoked', now)])
    return json(200, {})
  }
  const access_token = await readAccessToken(parts, issuer, token)
  if (access_token?.client_id === client.client_id)
    await db.batch([revokeAccessToken(issuer.environment_id, access_token.jti, new Date(access_token.exp * 1000))])
  return json(200, {})
}
