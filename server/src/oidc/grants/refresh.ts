/** The grant type `refresh_token` (RFC 6749 §6): replaces a refresh token by a new one, with a new access token. */

import { digestOf } from '../../base/digest.ts'
import { newSecret } from '../../deployment/deployment.ts'
import { storeRepeated } from '../../sessions/opaque-tokens.ts'
import { findRefreshToken, type RefreshRow, rotateRefreshToken } from '../../sessions/refresh-tokens.ts'
import type { OidcServices } from '../call.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { checkRefresh } from '../protocol/refresh-grant.ts'
import { grantType } from './grant-type.ts'
import { completeTokens, findTarget, prepareTokens, together, tokenSettings } from './issue.ts'
import { endReusedGrant } from './reuse.ts'

export const refreshGrant = grantType({
  parameter: 'refresh_token',
  find: findRefreshToken,
  async exchange(services, call, { client, parameters, presented, row }) {
    const { db } = services
    const { issuer, now } = call
    const { environment_id, settings } = issuer
    const tokens = tokenSettings(services, call, client.client_id)
    if (!row) throw new OAuthError('invalid_grant', 'The refresh token is unknown or has expired.')

    const may_stay = client.allowed_scopes.includes('offline_access') && !settings.scopes.disabled.includes('offline_access')
    const judge = (token: RefreshRow) =>
      checkRefresh(token, client.client_id, { scope: parameters.values.scope }, { now, tokens, may_stay })
    let verdict = judge(row)
    if (verdict.kind === 'rotate') {
      // The successor is derived only where a retry may need it again, because the database keeps nothing but its digest.
      const successor = tokens.refresh_retry_window_seconds > 0 ? successorOf(services, environment_id, presented) : newSecret(services)
      const target = await findTarget(services, call, { ...row, scope: verdict.scope }, { client, parameters })
      const prepared = prepareTokens(services, call, row, { target, refresh_token: successor })
      const [rotated, answer] = await together(
        rotateRefreshToken(db, environment_id, row, { attempt: call.request_id, tokens: prepared.rows, now }),
        completeTokens(call, row, prepared, { nonce: null, refresh_token: successor }),
      )
      if (rotated) {
        services.grant_uses.note(environment_id, row.grant_id, now)
        return answer
      }
      // A parallel request spent the token first, so it is judged again.
      const current = await findRefreshToken(db, environment_id, digestOf(presented))
      if (!current || current.spent_at === null) throw new OAuthError('invalid_grant', 'The refresh token has been revoked.')
      verdict = judge(current)
    }
    if (verdict.kind === 'repeat') {
      const successor = successorOf(services, environment_id, presented)
      const issued = await findRefreshToken(db, environment_id, digestOf(successor))
      if (issued && issued.spent_at === null) {
        const target = await findTarget(services, call, { ...row, scope: verdict.scope }, { client, parameters })
        const prepared = prepareTokens(services, call, row, { target, refresh_token: null })
        await storeRepeated(db, environment_id, row, prepared.rows)
        return completeTokens(call, row, prepared, { nonce: null, refresh_token: successor })
      }
    }
    throw await endReusedGrant(services, call, row, 'refresh_token')
  },
})

/** The same at every retry. No one can compute it, because the key never leaves the service. */
function successorOf({ secrets }: OidcServices, environment_id: string, refresh_token: string): string {
  return secrets.mac('refresh-successor', `${environment_id}.${refresh_token}`).toString('base64url')
}
