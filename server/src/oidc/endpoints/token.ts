/** The token endpoint (RFC 6749 §3.2): authenticates the client and lets the grant type exchange what the client presents. */
import { reason } from '../../base/reason.ts'
import { grantTypeNames } from '../../protocol/grant-types.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { requireParameter } from '../../protocol/parameters.ts'
import { json, type OidcEndpoint } from '../call.ts'
import { authenticateClient, readClientRequest } from '../client-request.ts'
import { findGrantType } from '../grants/grant-types.ts'

export const token: OidcEndpoint = async (services, call) => {
  const parameters = readClientRequest(call)
  const [client, exchange] = await Promise.all([
    authenticateClient(services, call, parameters),
    findGrantType(parameters.values.grant_type)?.(services, call, parameters),
  ])
  const grant_type = requireParameter(parameters, 'grant_type')
  if (!exchange)
    throw new OAuthError('unsupported_grant_type', `grant_type must be ${grantTypeNames.join(' or ')}.`, {
      reason: reason`grant_type has a value that this service does not offer.`,
    })
  const response = await exchange(client)
  if (client.metadata) services.client_uses.note(call.issuer.environment_id, client.client_id, call.now)
  else services.counters.count(call.issuer.environment_id, 'application_use', client.client_id)
  services.counters.count(call.issuer.environment_id, 'token', grant_type)
  return json(response)
}
