/**
 * Back-channel logout from a provider (OIDC Back-Channel Logout 1.0 §2.5, with this service as the client): a signed token says that a
 * person signed out there, and the sessions that began there end. `protocol/upstream-logout-token.ts` judges the token.
 */
import { digestOf } from '../../base/digest.ts'
import { type Reason, reason } from '../../base/reason.ts'
import { sourceOf } from '../../base/source.ts'
import { guard, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import { byUser, originOf } from '../../domain/events/origin.ts'
import { issuerOfProvider, kinds } from '../../domain/providers/kinds.ts'
import { UpstreamFailed, type VerifiedToken } from '../../domain/providers/profile.ts'
import { findIdentity, findUpstream, type Upstream } from '../../domain/providers/store.ts'
import { endSession, findSessionsAtProvider, type SessionAtProvider } from '../../domain/sessions/sessions.ts'
import { takeFromSource } from '../../domain/users/attempts.ts'
import { aboutUsers } from '../../domain/users/store.ts'
import { assertionAlgorithms } from '../../protocol/client-assertion.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import {
  checkLogoutTokenClaims,
  checkLogoutTokenHeader,
  longest_logout_token,
  type UpstreamLogout,
} from '../../protocol/upstream-logout-token.ts'
import { errorJson, json, type OidcCall, type OidcEndpoint, type OidcServices } from '../call.ts'

export const providerLogout: OidcEndpoint = async (services, call) => {
  const { db } = services
  const { issuer, now } = call
  const { environment_id } = issuer
  const wait_seconds = await takeFromSource(db, 'provider_logout', { environment_id, source: sourceOf(call.ip), now })
  if (wait_seconds !== null) return errorJson(too_many, { 'retry-after': String(wait_seconds) }, 429)

  const [token = '', ...more] = call.form?.getAll('logout_token') ?? []
  if (token === '' || more.length > 0) throw refusal(reason`The form must have one logout_token.`)
  if (token.length > longest_logout_token) throw refusal(reason`logout_token is longer than ${longest_logout_token} characters.`)
  const provider = await findUpstream(db, environment_id, call.params.provider_id ?? '')
  if (!provider || !kinds[provider.type].is_oidc) throw refusal(reason`The address names no OpenID Provider that is switched on.`)
  checkLogoutTokenHeader(headerOf(token))
  const verified = await verify(services, provider, token)
  if (!verified) throw refusal(reason`The logout token is not signed with a key of the provider.`)
  const logout = checkLogoutTokenClaims(verified.claims, { issuer: verified.issuer, client_id: provider.client_id }, now)
  if (!(await endAtProvider(services, call, provider, logout))) throw refusal(reason`The logout token was used before (jti).`)
  return json({})
}

async function verify({ upstreams }: OidcServices, provider: Upstream, token: string): Promise<VerifiedToken | null> {
  try {
    return await upstreams.verifyToken(provider, token, assertionAlgorithms)
  } catch (error) {
    if (error instanceof UpstreamFailed) throw refusal(reason`The metadata of the provider cannot be read (${error.failure.cause}).`)
    throw error
  }
}

/** Sessions of one batch. */
const most_at_once = 20

/**
 * Ends the sessions a slice at a time, with their grants and the back-channel logouts of their applications. The first batch stores the id
 * of the token: of parallel requests with one token, the database lets one proceed. `false`: the token was used before.
 */
async function endAtProvider(services: OidcServices, call: OidcCall, provider: Upstream, logout: UpstreamLogout): Promise<boolean> {
  const { db } = services
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const { sub, sid, jti, expires_at } = logout
  const subject = { provider_id: provider.id, issuer: issuerOfProvider(provider), subject: sub ?? '' }
  const identity = sub === null ? null : await findIdentity(db, environment_id, subject)
  const is_nobody = sub !== null && identity === null
  const at: SessionAtProvider = { provider_id: provider.id, sid, identity }
  const used = guard(
    insertInto(
      'used_assertions',
      { environment_id, client_id: provider.id, jti_hash: digestOf(jti), expires_at },
      sql`on conflict (environment_id, client_id, jti_hash) do nothing`,
    ),
  )
  for (let is_first = true; ; is_first = false) {
    const sessions = is_nobody ? [] : await findSessionsAtProvider(db, environment_id, at, most_at_once)
    if (!is_first && sessions.length === 0) return true
    const users = sessions.map(({ user_id }) => user_id)
    const ended = await db.of(environment_id).batch([
      ...aboutUsers(environment_id, users),
      ...sessions.flatMap(({ id, user_id }) => {
        const origin = originOf(services, byUser(user_id), request_id)
        return endSession(environment_id, id, { reason: 'signed_out', origin }, now)
      }),
      ...(is_first ? [used] : []),
    ])
    if (!ended && is_first) return false
  }
}

/** RFC 7515 §3.1: the part before the first dot. */
function headerOf(token: string): object {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('utf8'))
    if (typeof header === 'object' && header !== null) return header
  } catch {
    // no JSON: refused below
  }
  throw refusal(reason`logout_token is not a JWT.`)
}

const refusal = (description: Reason) => new OAuthError('invalid_request', description)
const too_many = new OAuthError('temporarily_unavailable', 'Too many logout tokens came from this address.')
