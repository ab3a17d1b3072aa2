/** Sign-in at a provider: the redirect to it, and its callback. */
import { ProviderId } from '@ostiary/contract/ids.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { issuerOfProvider } from '../../../domain/providers/kinds.ts'
import type { AuthorizationHints } from '../../../domain/providers/profile.ts'
import { findUpstream, noteSuccess, type Upstream } from '../../../domain/providers/store.ts'
import { takeUpstreamSignIn, type UpstreamSignIn } from '../../../domain/providers/upstream-sign-ins.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { upstreamCookie, withCookies } from '../../cookies.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { message, sessionLost, tooLong } from '../../hosted-page.ts'
import { beginInteraction, continueInteraction, type Interaction } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { countFailedSignIn } from '../shared/failed-sign-in.ts'
import { showProviderProblem, showSignIn } from '../shared/screens.ts'
import { finishConnecting } from './connect.ts'
import { callbackOf, leadToProvider, not_allowed_there, noteUpstreamFailure, provider_changed } from './lead-to-provider.ts'
import { signInAs } from './upstream-account.ts'

export const federate: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { browser, query, request } = interaction
  const provider = await findUpstream(services.db, call.issuer.environment_id, call.form?.get('provider') ?? '')
  const problem = formProblem(services, call, browser)
  if (problem || browser.form_seed === null) {
    const kind = problem ?? 'no_cookies'
    return showSignIn(services, call, interaction, { email: '', problem: kind, refusal: formRefusals[kind], wait_seconds: null })
  }
  if (!provider) return refused(redirect(continueUrl(call, query)), provider_changed)
  try {
    const led = await leadToProvider(services, call, {
      provider,
      query,
      browser: browser.form_seed,
      connects: null,
      upstreams: browser.upstreams,
      hints: { login_hint: request.login_hint, prompt: promptOf(request) },
    })
    if ('answer' in led) return led.answer
    services.counters.count(call.issuer.environment_id, 'sign_in', `${provider.type}.limited`)
    const { limited, wait_seconds } = led
    return showSignIn(services, call, interaction, { email: '', problem: 'too_many', refusal: limited, wait_seconds })
  } catch (error) {
    return await unreachable(services, call, { provider, query }, error)
  }
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
  const { connects } = started
  const answer = connects
    ? await finishConnecting(services, call, browser, { ...started, connects })
    : await finish(services, call, browser, started)
  return started.slot === null ? answer : withCookies(answer, [upstreamCookie(call, started.slot, null)])
}

const unknown_state = reason`The state of the callback is unknown, was used before, or belongs to another browser or provider.`

async function finish(services: OidcServices, call: OidcCall, browser: Browser, started: UpstreamSignIn): Promise<Answer> {
  const { issuer } = call
  const { provider_id } = started
  call.subject.provider_id = provider_id
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
    if (noted) await services.db.of(issuer.environment_id).run(noted)
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
  const noted = await noteUpstreamFailure(services, call, provider, error)
  countFailedSignIn(services, call, provider.type)
  return showProviderProblem(call, { query }, provider, { problem: 'unreachable', ...noted })
}
