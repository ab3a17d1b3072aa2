/**
 * The grants of the token endpoint, one file per grant type:
 *
 *     POST /v1/oauth/token   token → authenticateClient beside the look-up of what the client presents → exchange
 *
 * A grant type is an object made by `grantType`, and a line in `grant-types.ts`. Its `exchange` takes an `AuthenticatedClient`, so it
 * cannot run before the client is authenticated. `issue.ts` makes tokens, `reuse.ts` ends the grant of a credential that comes back.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type RequestParameters, requireParameter } from '../../protocol/parameters.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import type { AuthenticatedClient } from '../client-request.ts'
import type { TokenResponse } from './issue.ts'

/** The request of a client for tokens. */
export interface GrantRequest<Row> {
  client: AuthenticatedClient
  parameters: RequestParameters
  /** The code or token as it was sent. */
  presented: string
  /** Its row; `null` where the environment has none. */
  row: Row | null
}

interface GrantTypeRules<Row> {
  /** The parameter that carries the code or token. */
  parameter: 'code' | 'refresh_token'
  /** Reads its row. */
  find: (services: OidcServices, environment_id: EnvironmentId, sent: string) => Promise<Row | null>
  /** @throws OAuthError where the client gets no tokens */
  exchange: (services: OidcServices, call: OidcCall, request: GrantRequest<Row>) => Promise<TokenResponse>
}

/**
 * The first phase of a grant: reads what the client presents. It runs beside the authentication of the client, because both look-ups
 * can go out together. The second phase is the function that it returns.
 */
export type GrantType = (
  services: OidcServices,
  call: OidcCall,
  parameters: RequestParameters,
) => Promise<(client: AuthenticatedClient) => Promise<TokenResponse>>

export function grantType<Row>({ parameter, find, exchange }: GrantTypeRules<Row>): GrantType {
  return async (services, call, parameters) => {
    const sent = parameters.values[parameter]
    const row = sent === undefined ? null : await find(services, call.issuer.environment_id, sent)
    return (client) => exchange(services, call, { client, parameters, presented: requireParameter(parameters, parameter), row })
  }
}
