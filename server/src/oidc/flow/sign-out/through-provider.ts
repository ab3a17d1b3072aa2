/**
 * Signs a person out, and leads the browser through the provider at which the session began, where the provider is set so (RP-Initiated
 * Logout 1.0, with this service as the client). The sessions here end first, whatever the provider does.
 */
import { newSecret } from '../../../deployment/deployment.ts'
import { sealed_columns } from '../../../deployment/secrets/sealed-columns.ts'
import { UpstreamFailed } from '../../../domain/providers/profile.ts'
import { findUpstreamSession, type UpstreamSessionRow } from '../../../domain/providers/store.ts'
import { type Onward, sealSignOut } from '../../../domain/providers/upstream-sign-outs.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { signedOutCookieOf, withCookies } from '../../cookies.ts'
import { endSessions } from './end-sessions.ts'

/**
 * Ends these sessions. Returns the redirect to the provider of the first one that began at one with a sign-out, or `answer` where none did,
 * where the provider has no end_session_endpoint, or where its metadata does not come within two seconds.
 */
export async function signOutThrough(
  services: OidcServices,
  call: OidcCall,
  sessions: readonly Pick<SessionRow, 'id' | 'user_id'>[],
  { answer, ...onward }: Onward & { answer: Answer },
): Promise<Answer> {
  const began = await findUpstreamSession(
    services.db,
    call.issuer.environment_id,
    sessions.map(({ id }) => id),
  )
  await endSessions(services, call, sessions)
  return (began && (await throughProvider(services, call, began, onward))) ?? answer
}

async function throughProvider(services: OidcServices, call: OidcCall, began: UpstreamSessionRow, onward: Onward): Promise<Answer | null> {
  const { provider } = began
  const { environment_id, url } = call.issuer
  const state = newSecret(services)
  const sealed = sealSignOut(services, environment_id, { provider_id: provider.id, state, ...onward })
  if (sealed === null) return null
  const request = {
    post_logout_redirect_uri: `${url}/oauth/signed-out/${provider.id}`,
    state,
    id_token_hint: hintOf(services, environment_id, began),
  }
  try {
    const location = await services.upstreams.signOutUrl(provider, request)
    return location === null ? null : withCookies(redirect(location), [signedOutCookieOf(call, sealed)])
  } catch (error) {
    if (!(error instanceof UpstreamFailed)) throw error
    const about = { request_id: call.request_id, environment_id, provider_id: provider.id }
    services.log.warn('A sign-out does not lead through its provider.', about, error)
    return null
  }
}

function hintOf({ secrets }: OidcServices, environment_id: string, { session_id, id_token }: UpstreamSessionRow): string | null {
  try {
    return id_token === null ? null : secrets.unseal(id_token, sealed_columns.sessions.associatedData(environment_id, session_id))
  } catch {
    return null // sealed under a master key that is gone: the provider may ask instead
  }
}
