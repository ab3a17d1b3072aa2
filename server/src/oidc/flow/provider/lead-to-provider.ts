/** The way to a provider, for a sign-in and for a connection on the account page, and what a failure there leaves behind. */
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { newSecret } from '../../../deployment/deployment.ts'
import { issuerOfProvider } from '../../../domain/providers/kinds.ts'
import { type AuthorizationHints, UpstreamFailed } from '../../../domain/providers/profile.ts'
import { noteFailure, type Upstream } from '../../../domain/providers/store.ts'
import {
  openUpstreamCookie,
  sealUpstreamSignIn,
  storeUpstreamSignIn,
  type UpstreamSignIn,
} from '../../../domain/providers/upstream-sign-ins.ts'
import { takeFromSource } from '../../../domain/users/attempts.ts'
import type { Reason } from '../../../pages/message.ts'
import type { Browser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { upstreamCookie, withCookies } from '../../cookies.ts'

export const callbackOf = (call: OidcCall, provider_id: string) => `${call.issuer.url}/oauth/callback/${provider_id}`

/** An attempt that a browser begins. `browser` is the seed of its form tokens. */
export interface Leaving extends Pick<UpstreamSignIn, 'query' | 'browser' | 'connects'> {
  provider: Upstream
  upstreams: Browser['upstreams']
  hints: AuthorizationHints
}

/** Redirects to the provider, unless a limit is reached. Throws `UpstreamFailed` where the provider cannot be reached. */
export async function leadToProvider(
  services: OidcServices,
  call: OidcCall,
  { provider, upstreams, hints, ...started }: Leaving,
): Promise<{ answer: Answer } | { limited: Refusal; wait_seconds: number }> {
  const { environment_id } = call.issuer
  const source = sourceOf(call.ip)
  const wait_seconds = await takeFromSource(services.db, 'provider', { environment_id, source, now: call.now })
  if (wait_seconds !== null) return { limited: too_many, wait_seconds }
  const secrets = { state: newSecret(services), nonce: newSecret(services), code_verifier: newSecret(services) }
  const redirect_uri = callbackOf(call, provider.id)
  const answer = redirect(await services.upstreams.authorizationUrl(provider, { ...secrets, redirect_uri }, hints))
  const pending = { ...secrets, ...started, provider_id: provider.id, issuer: issuerOfProvider(provider) }
  const set_cookie = cookieOf(services, call, upstreams, pending)
  if (set_cookie !== null) return { answer: withCookies(answer, [set_cookie]) }
  const stored = await storeUpstreamSignIn(services, environment_id, pending, source)
  return stored ? { answer } : { limited: no_room, wait_seconds: 60 }
}

/** The cookie of an attempt, in a slot whose attempt has ended; `null` where it is too large, or the browser waits for as many already. */
function cookieOf(services: OidcServices, call: OidcCall, upstreams: Browser['upstreams'], pending: UpstreamSignIn): string | null {
  const { environment_id } = call.issuer
  const isFree = (sealed: string | null) =>
    sealed === null || openUpstreamCookie(services, environment_id, sealed, pending.browser) === null
  const slot = upstreams.findIndex(isFree)
  const sealed = slot < 0 ? null : sealUpstreamSignIn(services, environment_id, pending)
  return sealed === null ? null : upstreamCookie(call, slot, sealed)
}

/** Logs a failure at a provider, and notes it where the provider caused it. Throws every other error again. */
export async function noteUpstreamFailure(
  services: OidcServices,
  call: OidcCall,
  provider: Upstream,
  error: unknown,
): Promise<{ refusal: Refusal; reason: Reason }> {
  if (!(error instanceof UpstreamFailed)) throw error
  const { cause, detail, by_browser } = error.failure
  services.log.warn(
    'A sign-in at a provider failed.',
    { request_id: call.request_id, environment_id: call.issuer.environment_id, provider_id: provider.id },
    error,
  )
  // A browser can bring an answer of its own: what it can cause says nothing about the provider.
  if (!by_browser) await services.db.of(call.issuer.environment_id).run(noteFailure(provider, error.failure, call.now))
  return {
    refusal: refusal('provider_unreachable', reason`The sign-in at the provider ${idIn(provider.id)} failed (${cause}). ${detail}`),
    reason: { error: 'provider_unreachable', detail: `${cause}: ${detail}` },
  }
}

const no_room = refusal('locked_out', reason`The environment stores as many sign-ins at providers as it can.`)
const too_many = refusal('locked_out', reason`Too many sign-ins at a provider began from the same address of the network.`)
export const provider_changed = refusal(
  'provider_unreachable',
  reason`The provider was deleted, switched off or changed its issuer during the sign-in.`,
)
export const not_allowed_there = refusal('access_denied', reason`The person did not allow the sign-in at the provider.`)
