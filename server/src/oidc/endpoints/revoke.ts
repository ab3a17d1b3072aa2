/** Token revocation (RFC 7009). The answer is the same for every token, known or unknown, of this or another client. */
import { endGrant, revokeAccessToken } from '../../domain/sessions/grants.ts'
import { sentIdOf } from '../../protocol/client.ts'
import { requireParameter } from '../../protocol/parameters.ts'
import { placeOfToken } from '../../protocol/token-place.ts'
import { readAccessToken } from '../access-token.ts'
import { json, type OidcEndpoint } from '../call.ts'
import { authenticateClient, readClientRequest } from '../client-request.ts'
import { findRefreshToken } from '../grants/refresh-token.ts'

export const revoke: OidcEndpoint = async (services, call) => {
  const { db } = services
  const { issuer, now } = call
  const parameters = readClientRequest(call)
  const client = await authenticateClient(services, call, parameters)
  const token = requireParameter(parameters, 'token')

  // RFC 7009 §2.1: `token_type_hint` is only a hint, so both kinds are looked up.
  const found = await findRefreshToken(services, issuer.environment_id, token)
  if (found) {
    const { grant } = found
    // A spent token ends its family too. One that only a later copy of the database has issued is unknown.
    if (grant.client_id === client.client_id && placeOfToken(found.token) !== 'ahead')
      await db.of(issuer.environment_id).batch([endGrant(issuer.environment_id, grant.grant_id, 'revoked', now)])
    return json({})
  }
  const access_token = await readAccessToken(services, issuer, token)
  if (access_token?.client_id === sentIdOf(client))
    await db
      .of(issuer.environment_id)
      .batch([revokeAccessToken(issuer.environment_id, access_token.jti, new Date(access_token.exp * 1000))])
  return json({})
}
