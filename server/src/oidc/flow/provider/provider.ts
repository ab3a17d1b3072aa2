/** Sign-in at a provider: the redirect to it, and its callback. */
import { ProviderId } from '@ostiary/contract/ids.ts'
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { newSecret } from '../../../deployment/deployment.ts'
import { issuerOfProvider } from '../../../providers/kinds.ts'
import { type AuthorizationHints, UpstreamFailed } from '../../../providers/profile.ts'
import { findUpstream, noteFailure, noteSuccess, type Upstream } from '../../../providers/store.ts'
import {
  openUpstreamCookie,
  sealUpstreamSignIn,
  storeUpstreamSignIn,
  takeUpstreamSignIn,
  type UpstreamSignIn,
} from '../../../providers/upstream-sign-ins.ts'
import { takeFromSource } from '../../../users/attempts.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { upstreamCookie, withCookies } from '../../cookies.ts'
import { foreign_form, isOwnForm, no_cookies } from '../../form-token.ts'
import { message, sessionLost, tooLong } from '../../hosted-page.ts'
import { beginInteraction, continueInteraction, type Interaction } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { countFailedSignIn } from '../shared/failed-sign-in.ts'
import { showProviderProblem, showSignIn } from '../shared/screens.ts'
import { signInAs } from './upstream-account.ts'

const callbackOf = (call: OidcCall, provider_id: string) => `${call.issuer.url}/oauth/callback/${provider_id}`

export const federate: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { browser, query, request } = interaction
  const provider = await findUpstream(services.db, call.issuer.environment_id, call.form?.get('provider') ?? '')
  if (browser.form_seed === null)
    return showSignIn(services, call, interaction, { email: '', problem: 'no_cookies', refusal: no_cookies, wait_seconds: null })
  if (!isOwnForm(services, call, browser)) return refused(redirect(continueUrl(call, query)), foreign_form)
  if (!provider) return refused(redirect(continueUrl(call, query)), provider_changed)

  const { environment_id } = call.issuer
  const source = sourceOf(call.ip)
  const wait_seconds = await takeFromSource(services.db, 'provider', { environment_id, source, now: call.now })
  const limited = (refusal: Refusal, seconds: number) => {
    services.counters.count(environment_id, 'sign_in', `${provider.type}.limited`)
    return showSignIn(services, call, interaction, { email: '', problem: 'too_many', refusal, wait_seconds: seconds })
  }
  if (wait_seconds !== null) return limited(too_many, wait_seconds)

  const secrets = { state: newSecret(services), nonce: newSecret(services), code_verifier: newSecret(services) }
  try {
    const prompt = { login_hint: request.login_hint, prompt: promptOf(request) }
    const redirect_uri = callbackOf(call, provider.id)
    const location = await services.upstreams.authorizationUrl(provider, { ...secrets, redirect_uri }, prompt)
    const pending = { ...secrets, provider_id: provider.id, issuer: issuerOfProvider(provider), query, browser: browser.form_seed }
    const set_cookie = cookieOf(services, call, browser, pending)
    if (set_cookie !== null) return withCookies(redirect(location), [set_cookie])
    const stored = await storeUpstreamSignIn(services, environment_id, pending, source)
    return stored ? redirect(location) : await limited(no_room, 60)
  } catch (error) {
    return await unreachable(services, call, { provider, query }, error)
  }
}

/** The cookie of an attempt, in a slot whose attempt has ended; `null` where it is too large, or the browser waits for as many already. */
function cookieOf(services: OidcServices, call: OidcCall, { upstreams }: Browser, pending: UpstreamSignIn): string | null {
  const { environment_id } = call.issuer
  const isFree = (sealed: string | null) =>
    sealed === null || openUpstreamCookie(services, environment_id, sealed, pending.browser) === null
  const slot = upstreams.findIndex(isFree)
  const sealed = slot < 0 ? null : sealUpstreamSignIn(services, environment_id, pending)
  return sealed === null ? null : upstreamCookie(call, slot, sealed)
}

/** OIDC Core §3.1.2.1: a request for a new sign-in is also one at the provider, so that an existing session there does not answer it. */
function promptOf({ prompt, max_age }: Interaction['request']): AuthorizationHints['prompt'] {
  if (prompt.includes('login') || max_age !== undefined) return 'login'
  return prompt.includes('select_account') ? 'select_account' : undefined
}

export const callback: OidcEndpoint = async (services, call) => {
  const provider_id = call.params.provider_id ?? ''
  // Browsers send no cookies with a cross-site POST, so the answer is redirected to GET.
  if (call.method === 'POST') {
    const query = asQuery(call.form?.toString() ?? '')
    return query === null ? tooLong(call) : redirect(`${callbackOf(call, encodeURIComponent(provider_id))}?${query}`)
  }

  const { issuer } = call
  const search = new URLSearchParams(call.query)
  const browser = await readBrowser(services, call)
  if (!ProviderId.safeParse(provider_id).success) return sessionLost(call, reason`The address of the callback names no provider.`)
  const returning = { provider_id, state: search.get('state') ?? '' }
  const started = await takeUpstreamSignIn(services, issuer.environment_id, returning, browser)
  if (!started)
    return browser.form_seed === null
      ? sessionLost(call, unknown_state)
      : message(call, 'callback_over', refusal('form_expired', unknown_state))
  const answer = await finish(services, call, browser, started)
  return started.slot === null ? answer : withCookies(answer, [upstreamCookie(call, started.slot, null)])
}

const unknown_state = reason`The state of the callback is unknown, was used before, or belongs to another browser or provider.`

async function finish(services: OidcServices, call: OidcCall, browser: Browser, started: UpstreamSignIn): Promise<Answer> {
  const { issuer } = call
  const { provider_id } = started
  const search = new URLSearchParams(call.query)
  const begun = await beginInteraction(services, call, started.query)
  if ('answer' in begun) return begun.answer
  const interaction = { query: started.query, ...begun, browser }
  const provider = await findUpstream(services.db, issuer.environment_id, provider_id)
  // The provider may have changed in the meantime, and an answer of one issuer is not valid for another (RFC 9700 §4.4).
  const is_same = provider !== null && issuerOfProvider(provider) === started.issuer
  if (!is_same) return refused(redirect(continueUrl(call, started.query)), provider_changed)
  if (search.get('error') === 'access_denied') return refused(redirect(continueUrl(call, started.query)), not_allowed_there)
  try {
    const url = new URL(`${callbackOf(call, provider_id)}?${call.query}`)
    const profile = await services.upstreams.handleCallback(provider, url, started)
    const noted = noteSuccess(provider, call.now)
    if (noted) await services.db.run(noted)
    return await signInAs(services, call, interaction, { provider, profile })
  } catch (error) {
    return await unreachable(services, call, { provider, query: started.query }, error)
  }
}

async function unreachable(
  services: OidcServices,
  call: OidcCall,
  { provider, query }: { provider: Upstream; query: string },
  error: unknown,
): Promise<Answer> {
  if (!(error instanceof UpstreamFailed)) throw error
  const { cause, detail, by_browser } = error.failure
  services.log.warn(
    'A sign-in at a provider failed.',
    { request_id: call.request_id, environment_id: call.issuer.environment_id, provider_id: provider.id },
    error,
  )
  countFailedSignIn(services, call, provider.type)
  // A browser can bring an answer of its own: what it can cause says nothing about the provider.
  if (!by_browser) await services.db.run(noteFailure(provider, error.failure, call.now))
  const why = reason`The sign-in at the provider ${idIn(provider.id)} failed (${cause}). ${detail}`
  return showProviderProblem(call, { query }, provider, {
    problem: 'unreachable',
    refusal: refusal('provider_unreachable', why),
    reason: { error: 'provider_unreachable', detail: `${cause}: ${detail}` },
  })
}

const no_room = refusal('locked_out', reason`The environment stores as many sign-ins at providers as it can.`)
const too_many = refusal('locked_out', reason`Too many sign-ins at a provider began from the same address of the network.`)
const provider_changed = refusal(
  'provider_unreachable',
  reason`The provider was deleted, switched off or changed its issuer during the sign-in.`,
)
const not_allowed_there = refusal('access_denied', reason`The person did not allow the sign-in at the provider.`)
