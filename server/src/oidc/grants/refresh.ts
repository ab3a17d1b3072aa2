/** The grant type `refresh_token` (RFC 6749 §6): replaces a refresh token by a new one, with a new access token. */
import { digestOf } from '../../base/digest.ts'
import { storeRepeated } from '../../domain/sessions/opaque-tokens.ts'
import { findRefreshRow, spendRefreshToken } from '../../domain/sessions/refresh-tokens.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { checkRefresh } from '../../protocol/refresh-grant.ts'
import { grantType } from './grant-type.ts'
import { completeTokens, findTarget, noteUse, prepareTokens, together, tokenSettings } from './issue.ts'
import { type FoundToken, findRefreshToken, makeRefreshToken, replacementOf } from './refresh-token.ts'
import { endGrantAhead, endReusedGrant } from './reuse.ts'

export const refreshGrant = grantType({
  parameter: 'refresh_token',
  find: findRefreshToken,
  async exchange(services, call, { client, parameters, presented, row: found }) {
    const { db, secrets } = services
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
      const made = makeRefreshToken(services, { environment_id, grant_id: grant.grant_id }, { after: found, is_repeatable }, now)
      const target = await findTarget(services, call, { ...grant, scope: verdict.scope }, { client, parameters })
      const prepared = prepareTokens(services, call, grant, { target, refresh_token: made })
      const [rotated, answer] = await together(
        spendRefreshToken(db, environment_id, found, { attempt: call.request_id, tokens: prepared.rows, now }),
        completeTokens(call, grant, prepared, { nonce: null, refresh_token: made.text }),
      )
      if (rotated) {
        noteUse(services, call, grant, prepared)
        return answer
      }
      // A parallel request spent the token first, so it is judged again.
      const current = await findRefreshToken(services, environment_id, presented)
      if (!current) throw new OAuthError('invalid_grant', 'The refresh token has been revoked.')
      latest = current
      verdict = judge(current)
      if (verdict.kind === 'rotate') throw new OAuthError('invalid_grant', 'The refresh token has been revoked.')
    }
    if (verdict.kind === 'ahead') throw await endGrantAhead(services, call, grant)
    if (verdict.kind === 'repeat') {
      const successor = replacementOf(secrets, environment_id, latest)
      // The row of a chain has the digest of the successor, which was compared. A successor with a row of its own is looked up.
      const row = latest.token.chain ? null : await findRefreshRow(db, environment_id, digestOf(successor))
      if (latest.token.chain || row?.spent_at === null) {
        const target = await findTarget(services, call, { ...grant, scope: verdict.scope }, { client, parameters })
        const prepared = prepareTokens(services, call, grant, { target, refresh_token: null })
        await storeRepeated(db, environment_id, grant, prepared.rows)
        return completeTokens(call, grant, prepared, { nonce: null, refresh_token: successor })
      }
    }
    throw await endReusedGrant(services, call, grant, 'refresh_token')
  },
})
