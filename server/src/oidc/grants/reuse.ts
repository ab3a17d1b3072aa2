/** A code or refresh token that comes back after its use. */
import { guard } from '../../db/db.ts'
import { byApplication, originOf } from '../../events/origin.ts'
import { insertEvent } from '../../events/store.ts'
import { endGrant, type GrantRow } from '../../sessions/grants.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import { OAuthError } from '../protocol/oauth-error.ts'

/**
 * Ends the grant and returns the error to throw. RFC 6749 §4.1.2, RFC 9700 §4.14.2: a spent code or refresh token that comes back means
 * that a copy of it exists. Of parallel requests only the one that ends the grant records the event.
 */
export async function endReusedGrant(
  services: OidcServices,
  { issuer, now, request_id }: OidcCall,
  row: GrantRow,
  presented: 'authorization_code' | 'refresh_token',
): Promise<OAuthError> {
  const origin = originOf(services, byApplication(row.client_id), request_id)
  const event = {
    type: 'token.reuse_detected' as const,
    user_id: row.user_id,
    application_id: row.client_id,
    data: { grant_id: row.grant_id, presented },
  }
  await services.db.batch([
    guard(endGrant(issuer.environment_id, row.grant_id, `${presented}_reused`, now)),
    insertEvent(issuer.environment_id, origin, event, now),
  ])
  const what = presented === 'refresh_token' ? 'refresh token' : 'code'
  return new OAuthError('invalid_grant', `The ${what} was used before. All tokens of its grant are revoked.`)
}
