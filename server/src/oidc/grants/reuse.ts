/** A code or refresh token that comes back after its use. */
import { reason } from '../../base/reason.ts'
import { guard } from '../../db/db.ts'
import { byApplication, originOf } from '../../domain/events/origin.ts'
import { insertEvent } from '../../domain/events/store.ts'
import { endGrant, type GrantRow } from '../../domain/sessions/grants.ts'
import { markAhead } from '../../domain/sessions/refresh-chains.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import type { OidcCall, OidcServices } from '../call.ts'

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
  await services.db
    .of(issuer.environment_id)
    .batch([
      guard(endGrant(issuer.environment_id, row.grant_id, `${presented}_reused`, now)),
      insertEvent(issuer.environment_id, origin, event, now),
    ])
  const what = presented === 'refresh_token' ? 'refresh token' : 'code'
  return new OAuthError('invalid_grant', `The ${what} was used before. All tokens of its grant are revoked.`)
}

/**
 * Ends the grant of a token that was issued after the state of the database, and returns the error to throw. An older copy of the database
 * was restored: the live token of that copy is a spent one, which its client no longer has. Nobody stole a token, so no event says so;
 * `ostiary doctor` counts these grants. Of parallel requests one ends the grant.
 */
export async function endGrantAhead(services: OidcServices, { issuer, now }: OidcCall, { grant_id }: GrantRow): Promise<OAuthError> {
  await services.db
    .of(issuer.environment_id)
    .batch([markAhead(issuer.environment_id, grant_id, now), guard(endGrant(issuer.environment_id, grant_id, 'older_database', now))])
  return new OAuthError('invalid_grant', 'The refresh token is unknown or has expired.', {
    reason: reason`The refresh token is later than the database knows: an older copy of the database was restored. The person signs in again.`,
  })
}
