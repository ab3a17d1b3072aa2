/** The grant type `authorization_code` (RFC 6749 §4.1.3): exchanges a code for tokens, once. */
import { digestOf } from '../../base/digest.ts'
import { findCode, redeemCode } from '../../domain/sessions/authorization-codes.ts'
import { checkCodeRedemption } from '../../protocol/code-grant.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { includesScope } from '../../protocol/scope.ts'
import { grantType } from './grant-type.ts'
import { completeTokens, findTarget, prepareTokens, together } from './issue.ts'
import { makeRefreshToken } from './refresh-token.ts'
import { endReusedGrant } from './reuse.ts'

export const codeGrant = grantType({
  parameter: 'code',
  find: ({ db }, environment_id, sent) => findCode(db, environment_id, digestOf(sent)),
  async exchange(services, call, { client, parameters, row: code }) {
    const { issuer, now } = call
    if (!code) throw new OAuthError('invalid_grant', 'The code is unknown or has expired.')
    if (code.spent_by !== null && code.client_id === client.client_id)
      throw await endReusedGrant(services, call, code, 'authorization_code')
    const { redirect_uri, code_verifier } = parameters.values
    checkCodeRedemption(code, client.client_id, { redirect_uri, code_verifier }, now)
    if (code.has_ended) throw new OAuthError('invalid_grant', 'The sign-in behind the code has ended.')

    const target = await findTarget(services, call, code, { client, parameters })
    const is_offline = includesScope(target.scope, 'offline_access')
    const of = { environment_id: issuer.environment_id, grant_id: code.grant_id }
    const refresh_token = is_offline ? makeRefreshToken(services, of, { after: null, is_repeatable: false }) : null
    const prepared = prepareTokens(services, call, code, { client, target, is_offline })
    const chain = refresh_token && { ...refresh_token.stored, issued_at: now, expires_at: prepared.refresh_until }
    const [redeemed, answer] = await together(
      redeemCode(services.db, issuer.environment_id, code, { attempt: call.request_id, chain, tokens: prepared.rows }),
      completeTokens(call, code, prepared, { nonce: code.nonce, refresh_token: refresh_token?.text ?? null }),
    )
    if (!redeemed) throw await endReusedGrant(services, call, code, 'authorization_code')
    if (!chain) services.grant_uses.note(issuer.environment_id, code.grant_id, now) // a chain says when its grant was used
    return answer
  },
})
