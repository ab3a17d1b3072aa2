/**
 * Signing in at a provider: leaving for it, and coming back. Accounts are joined only by an address that both sides have
 * verified, only where the provider is allowed to, and never silently: whoever it does not fit is told to sign in here.
 */
import { ProviderId, type UserId } from '@ostiary/contract/ids.ts'
import { Email } from '@ostiary/contract/values.ts'
import { newSecret } from '../../deployment.ts'
import { normalised } from '../../normalisation.ts'
import { type ProviderProblemView, providerProblemPage } from '../../pages/provider-problem.ts'
import { issuerOf } from '../../providers/kinds.ts'
import { type AuthorizationHints, UpstreamFailed, type UpstreamProfile } from '../../providers/profile.ts'
import { findIdentity, findUpstream, insertIdentity, type Upstream } from '../../providers/store.ts'
import { storeUpstreamSignIn, takeUpstreamSignIn } from '../../providers/upstream-sign-ins.ts'
import { findCredential, findUser, insertUser } from '../../users/store.ts'
import { isOwnForm, readBrowser } from '../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect } from '../call.ts'
import { establishSession, signInEvent } from '../establish-session.ts'
import { html, message, pageContext } from '../hosted-page.ts'
import { continueUrl, type Interaction } from './authorize.ts'
import { beginInteraction, continueInteraction, forAccount } from './sign-in.ts'

const callbackOf = (call: OidcCall, provider_id: string) => `${call.issuer.url}/oauth/callback/${provider_id}`

export const federate: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  const { browser, query, request } = interaction
  const provider = await findUpstream(parts.db, call.issuer.environment_id, call.form?.get('provider') ?? '')
  if (!provider || browser.form_seed === null || !isOwnForm(parts, call, browser)) return redirect(continueUrl(call, query))

  const departure = { state: newSecret(parts), nonce: newSecret(parts), code_verifier: newSecret(parts) }
  try {
    const wish = { login_hint: request.login_hint, prompt: promptOf(request) }
    const redirect_uri = callbackOf(call, provider.id)
    const location = await parts.upstreams.authorizationUrl(provider, { ...departure, redirect_uri }, wish)
    const left = { provider_id: provider.id, issuer: issuerOf(provider), query, browser: browser.form_seed }
    await storeUpstreamSignIn(parts, call.issuer.environment_id, { ...departure, ...left })
    return redirect(location)
  } catch (error) {
    return unreachable(parts, call, provider, query, error)
  }
}

/** OIDC Core §3.1.2.1: an application that wants a new sign-in wants one at the provider, not the session that somebody has there. */
function promptOf({ prompt, max_age }: Interaction['request']): AuthorizationHints['prompt'] {
  if (prompt.includes('login') || max_age !== undefined) return 'login'
  return prompt.includes('select_account') ? 'select_account' : undefined
}

export const callback: OidcEndpoint = async (parts, call) => {
  const provider_id = call.params.provider_id ?? ''
  // By a cross-site POST the cookies are missing, so the same answer is sent on as GET.
  if (call.method === 'POST') {
    const query = asQuery(call.form?.toString() ?? '')
    return query === null ? message(call, 'unusable_request') : redirect(`${callbackOf(call, encodeURIComponent(provider_id))}?${query}`)
  }

  const { issuer } = call
  const search = new URLSearchParams(call.query)
  const browser = await readBrowser(parts, call)
  if (!ProviderId.safeParse(provider_id).success) return message(call, 'session_lost')
  const journey = await takeUpstreamSignIn(parts, issuer.environment_id, provider_id, search.get('state') ?? '', browser.form_seed)
  if (!journey) return message(call, 'session_lost')
  const begun = await beginInteraction(parts, call, journey.query)
  if ('answer' in begun) return begun.answer
  const interaction = { query: journey.query, ...begun, browser }
  const provider = await findUpstream(parts.db, issuer.environment_id, provider_id)
  // An answer of one issuer is not for another: the provider may have changed meanwhile (RFC 9700 §4.4).
  const is_same = provider !== null && issuerOf(provider) === journey.issuer
  if (!is_same || search.get('error') === 'access_denied') return redirect(continueUrl(call, journey.query))
  try {
    const url = new URL(`${callbackOf(call, provider_id)}?${call.query}`)
    const profile = await parts.upstreams.handleCallback(provider, url, journey)
    return await signInAs(parts, call, interaction, provider, profile)
  } catch (error) {
    return unreachable(parts, call, provider, journey.query, error)
  }
}

function unreachable(parts: OidcServices, call: OidcCall, provider: Upstream, query: string, error: unknown): Answer {
  if (!(error instanceof UpstreamFailed)) throw error
  parts.log.warn(
    'A sign-in at a provider failed.',
    { request_id: call.request_id, environment_id: call.issuer.environment_id, provider_id: provider.id },
    error,
  )
  parts.counters.count(call.issuer.environment_id, 'sign_in', `${provider.type}.failed`)
  return problem(call, provider, query, 'unreachable', null)
}

function problem(call: OidcCall, provider: Upstream, query: string, kind: ProviderProblemView['problem'], email: string | null): Answer {
  return html(
    providerProblemPage(pageContext(call), {
      problem: kind,
      provider_name: provider.display_name,
      email,
      back_url: continueUrl(call, query),
      request_id: call.request_id,
    }),
  )
}

async function signInAs(
  parts: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  provider: Upstream,
  profile: UpstreamProfile,
): Promise<Answer> {
  const { db } = parts
  const { environment_id } = call.issuer
  const signed_in = { step: 'sign_in' as const, method: provider.type, amr: [] }
  const refuse = (kind: ProviderProblemView['problem']) => problem(call, provider, interaction.query, kind, profile.email)

  const identity = { provider_id: provider.id, issuer: issuerOf(provider), subject: profile.subject }
  const known = await findIdentity(db, environment_id, identity)
  if (known) return (await establishSession(parts, call, interaction, { ...signed_in, ...known }, [])) ?? refuse('blocked')

  if (profile.email === null || !Email.safeParse(profile.email).success) return refuse('no_email')
  const email = normalised(profile.email)
  const existing = await findCredential(db, environment_id, email)
  if (existing) {
    const may_link =
      provider.link_by_verified_email &&
      profile.email_verified &&
      (await findUser(db, environment_id, existing.id))?.email_verified === true
    if (!may_link) return refuse('account_exists')
    const linked = { ...signed_in, user_id: existing.id, email, password_hash: existing.password_hash }
    const link = insertIdentity(environment_id, identity, existing.id, call.now)
    return (await establishSession(parts, call, interaction, linked, [link])) ?? refuse('blocked')
  }

  const { invitation } = interaction
  if (invitation ? !invitation.takes_accounts : call.issuer.settings.sign_up.mode !== 'open') return refuse('sign_up_closed')
  const id = parts.newId('usr') as UserId // as: newId gives exactly this
  const { name, given_name, family_name, picture, email_verified } = profile
  const signed_up = { ...signed_in, step: 'sign_up' as const, user_id: id, email, password_hash: null }
  const created = await establishSession(parts, call, interaction, signed_up, [
    ...forAccount(parts, call, interaction),
    insertUser(environment_id, id, { email, email_verified, name, given_name, family_name, picture }, null, call.now),
    insertIdentity(environment_id, identity, id, call.now),
    signInEvent(parts, call, { type: 'user.created', user_id: id, data: { email, method: provider.type } }),
  ])
  return created ?? refuse('account_exists')
}
