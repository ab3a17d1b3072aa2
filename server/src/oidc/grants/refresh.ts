/** The grant type `refresh_token` (RFC 6749 §6): replaces a refresh token by a new one, with a new access token. */
import { storeRepeated } from '../../domain/sessions/opaque-tokens.ts'
import { spendRefreshToken } from '../../domain/sessions/refresh-tokens.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { checkRefresh } from '../../protocol/refresh-grant.ts'
import { grantType } from './grant-type.ts'
import { completeTokens, findTarget, prepareTokens, together, tokenSettings } from './issue.ts'
import { type FoundToken, findRefreshToken, makeRefreshToken } from './refresh-token.ts'
import { endGrantAhead, endReusedGrant } from './reuse.ts'

export const refreshGrant = grantType({
  parameter: 'refresh_token',
  find: findRefreshToken,
  async exchange(services, call, { client, parameters, presented, row: found }) {
    const { db } = services
    const { issuer, now } = call
    const { environment_id, settings } = issuer
    const tokens = tokenSettings(services, call, client.client_id)
    if (!found) throw new OAuthError('invalid_grant', 'The refresh token is unknown or has expired.')
    const { grant } = found

    const may_stay = client.allowed_scopes.includes('offline_access') && !settings.scopes.disabled.includes('offline_access')
    const request = { client_id: client.client_id, scope: parameters.values.scope }
    const judge = (sent: FoundToken) => checkRefresh(sent.token, sent.grant, request, { now, tokens, may_stay })
    let latest = found
    let verdict = judge(found)
    if (verdict.kind === 'rotate') {
      const is_repeatable = tokens.refresh_retry_window_seconds > 0
      const made = makeRefreshToken(services, { environment_id, grant_id: grant.grant_id }, { after: found, is_repeatable })
      const target = await findTarget(services, call, grant, { client, parameters, scope: verdict.scope })
      const prepared = prepareTokens(services, call, grant, { client, target, is_offline: true })
      const next = { ...made.stored, issued_at: now, expires_at: prepared.refresh_until }
      const [rotated, answer] = await together(
        spendRefreshToken(db, environment_id, { grant, spent: found.token, next }, prepared.rows),
        completeTokens(call, grant, prepared, { nonce: null, refresh_token: made.text }),
      )
      if (rotated) return answer
      // A parallel request spent the token first, so it is judged again.
      const current = await findRefreshToken(services, environment_id, presented)
      if (!current) throw new OAuthError('invalid_grant', 'The refresh token has been revoked.')
      latest = current
      verdict = judge(current)
      if (verdict.kind === 'rotate') throw new OAuthError('invalid_grant', 'The refresh token has been revoked.')
    }
    if (verdict.kind === 'ahead') throw await endGrantAhead(services, call, grant)
    if (verdict.kind === 'repeat') {
      const target = await findTarget(services, call, grant, { client, parameters, scope: verdict.scope })
      const prepared = prepareTokens(services, call, grant, { client, target, is_offline: false })
      await storeRepeated(db, environment_id, grant, prepared.rows)
      return completeTokens(call, grant, prepared, { nonce: null, refresh_token: latest.successor })
    }
    throw await endReusedGrant(services, call, grant, 'refresh_token')
  },
})
