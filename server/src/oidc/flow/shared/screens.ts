/** The pages that ask a person for something, built from an interaction. Each form contains the request and a form token. */
import { longest_redirect_uri } from '@ostiary/contract/objects/application.ts'
import { applicationUrl, callUrl, registerUrl } from '../../../base/dashboard-links.ts'
import { type Refusal, refusal, refusedValue } from '../../../base/refusal.ts'
import { findOfferedProviders } from '../../../domain/providers/store.ts'
import { accountChooserPage } from '../../../pages/account-chooser.ts'
import { type AskNameView, askNamePage } from '../../../pages/ask-name.ts'
import type { OfferFacts } from '../../../pages/organization-invitation.ts'
import { type ConnectionProblem, type ProviderProblemView, providerProblemPage } from '../../../pages/provider-problem.ts'
import { redirectMismatchPage } from '../../../pages/redirect-mismatch.ts'
import { type SignInView, signInPage } from '../../../pages/sign-in.ts'
import { type SignUpView, signUpPage } from '../../../pages/sign-up.ts'
import type { Cause, Verdict } from '../../../protocol/authorize.ts'
import type { Client } from '../../../protocol/client.ts'
import { OAuthError } from '../../../protocol/oauth-error.ts'
import type { RequestParameters } from '../../../protocol/parameters.ts'
import { redirectUriProblem } from '../../../protocol/redirect-uris.ts'
import { authorizationResponse } from '../../../protocol/respond.ts'
import { asksForSignUp } from '../../../protocol/sign-up.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { explainUnknownClient } from '../../elsewhere.ts'
import { formRefusals, formToken } from '../../form-token.ts'
import { addressOf, html, languagesOf, message, pageContext } from '../../hosted-page.ts'
import { type RefusedClient, shownName } from '../../metadata-client.ts'
import { readRefused, type StepPlace, showStep } from '../../refused-form.ts'
import type { Authorization, Interaction } from './begin.ts'
import { continueUrl, withPrompt } from './continue.ts'
import { mayCreateAccount, offeredByForm, offersReset } from './new-account.ts'
import { signInCeremony } from './passkey-ceremony.ts'
import { type InvitationVisit, isOffer, type OfferVisit } from './visit.ts'

/** Why a form is not accepted, whatever it asks for. */
export type FormRefused = keyof typeof formRefusals

export async function showSignIn(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { refusal, ...view }: SignInStep,
): Promise<Answer> {
  const place = placeOf('sign-in', call, interaction)
  const page = (shown: Omit<SignInStep, 'refusal'>) => signInAnswer(services, call, interaction, shown)
  const answer = await showStep(services, call, interaction.browser, { place, view, page })
  return refusal ? refused(answer, refusal) : answer
}

/** The place of a step at the address where the request goes on. */
export const placeOf = (name: string, call: OidcCall, { query }: Pick<Interaction, 'query'>): StepPlace => ({
  name,
  query,
  address: continueUrl(call, query),
})

/**
 * The page of the sign-in or sign-up that a form of this request was refused on. It comes before what the request would do by itself:
 * another tab may have signed in another person since.
 */
export async function showRefusedAgain(services: OidcServices, call: OidcCall, interaction: Interaction): Promise<Answer | null> {
  const { request, browser } = interaction
  if (request.prompt.includes('none')) return null
  const isKept = (name: string) => readRefused(services, call, browser, placeOf(name, call, interaction)) !== null
  if (isKept('sign-in')) return showSignIn(services, call, interaction, { email: '', problem: null, wait_seconds: null })
  if (!isKept('sign-up') || !mayCreateAccount(call, interaction, null)) return null
  return showSignUp(services, call, interaction, { email: '', name: '', problems: no_problems, refusal: null, wait_seconds: null })
}

async function signInAnswer(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { removed_passkey = null, ...view }: Omit<SignInStep, 'refusal'>,
): Promise<Answer> {
  const { query, request, browser } = interaction
  const { environment_id } = call.issuer
  const { csrf, set_cookie } = formToken(services, call, browser)
  const page = signInPage(pageContext(call, request.ui_locales, continueUrl(call, query)), {
    application_name: requesterName(interaction),
    account: accountPlace(interaction),
    csrf,
    request: query,
    ...view,
    methods: offeredByForm(call),
    last_used: browser.last_used,
    forgot_url: offersReset(call) ? `${call.issuer.url}/forgot-password?${query}` : null,
    passkey: signInCeremony(services, call, csrf, removed_passkey),
    providers: await findOfferedProviders(services.db, environment_id),
    sign_up_url:
      mayCreateAccount(call, interaction, null) && asksForSignUp(call.issuer.settings)
        ? continueUrl(call, withPrompt(query, 'create'))
        : null,
    other_accounts_url:
      browser.sessions.length > 0 && accountPlace(interaction) !== 'change' ? continueUrl(call, withPrompt(query, 'select_account')) : null,
    cancel_url: cancelUrl(call, interaction),
  })
  return afterWait(withCookies(html(page), set_cookie), view.wait_seconds)
}

/** The sign-in page. A page with a problem is a refusal. `removed_passkey`: the person tried a passkey that this environment removed. */
type SignInStep = Pick<SignInView, 'email' | 'wait_seconds'> & { removed_passkey?: string | null } & (
    | { problem: null; refusal?: undefined }
    | { problem: NonNullable<SignInView['problem']>; refusal: Refusal }
  )

export function showSignUp(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { refusal, ...view }: SignUpStep & { refusal: Refusal | null },
): Answer {
  const place = placeOf('sign-up', call, interaction)
  const page = (shown: SignUpStep) => signUpAnswer(services, call, interaction, shown)
  const answer = showStep(services, call, interaction.browser, { place, view, page })
  return refusal ? refused(answer, refusal) : answer
}

type SignUpStep = Pick<SignUpView, 'email' | 'name' | 'problems' | 'wait_seconds'>

function signUpAnswer(services: OidcServices, call: OidcCall, interaction: Interaction, view: SignUpStep): Answer {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(services, call, browser)
  const page = signUpPage(pageContext(call, request.ui_locales, continueUrl(call, query)), {
    application_name: requesterName(interaction),
    invitation: isOffer(interaction) ? offerFactsOf(interaction) : interaction.invitation && factsOf(interaction),
    csrf,
    request: query,
    ...view,
    asks_for_name: call.issuer.settings.sign_up.name,
    password_rule: call.issuer.settings.sign_in.password ? call.issuer.settings.password : null,
    sign_in_url: continueUrl(call, withPrompt(query, 'login')),
  })
  return afterWait(withCookies(html(page), set_cookie), view.wait_seconds)
}

export const no_problems: SignUpView['problems'] = { form: null, email: null, name: null, password: null }

/** RFC 9110 §10.2.3: Retry-After, where a limit was reached. */
export function afterWait(answer: Answer, wait_seconds: number | null): Answer {
  return wait_seconds === null ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(wait_seconds) } }
}

export function showAccounts(services: OidcServices, call: OidcCall, interaction: Interaction, problem: FormRefused | null): Answer {
  const place = placeOf('select-account', call, interaction)
  const page = (shown: { problem: FormRefused | null }) => accountsAnswer(services, call, interaction, shown.problem)
  const answer = showStep(services, call, interaction.browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, formRefusals[problem])
}

function accountsAnswer(services: OidcServices, call: OidcCall, interaction: Interaction, problem: FormRefused | null): Answer {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(services, call, browser)
  const page = accountChooserPage(pageContext(call, request.ui_locales, continueUrl(call, query)), {
    application_name: requesterName(interaction),
    csrf,
    request: query,
    accounts: browser.sessions.map(({ id, email, name }) => ({ session_id: id, email, name })),
    another_url: continueUrl(call, withPrompt(query, 'login')),
    problem,
  })
  return withCookies(html(page), set_cookie)
}

/** Asks the person of this session for a name. A page with a problem is a refusal. */
export function showProfile(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  { session_id, refusal, ...view }: ProfileStep,
): Answer {
  const place = placeOf('profile', call, interaction)
  const page = (shown: Pick<AskNameView, 'name' | 'problem'>) => profileAnswer(services, call, interaction, { session_id, ...shown })
  const answer = showStep(services, call, interaction.browser, { place, view, page })
  return refusal ? refused(answer, refusal) : answer
}

function profileAnswer(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  { session_id, ...view }: Pick<AskNameView, 'session_id' | 'name' | 'problem'>,
): Answer {
  const { query, request, client, browser } = interaction
  const session = browser.sessions.find((candidate) => candidate.id === session_id)
  if (!session) return redirect(continueUrl(call, query))
  const { csrf, set_cookie } = formToken(services, call, browser)
  const page = askNamePage(pageContext(call, request.ui_locales, continueUrl(call, query)), {
    application_name: shownName(client),
    csrf,
    request: query,
    session_id,
    person: session,
    ...view,
    may_skip: call.issuer.settings.sign_up.name !== 'required',
    not_you_url: continueUrl(call, withPrompt(query, 'select_account')),
    cancel_url: cancelUrl(call, interaction),
  })
  return withCookies(html(page), set_cookie)
}

type ProfileStep = Pick<AskNameView, 'session_id' | 'name'> &
  ({ problem: null; refusal?: undefined } | { problem: NonNullable<AskNameView['problem']>; refusal: Refusal })

/** Shows why an authorization request cannot be answered to its client. `values` are the parameters of the request. */
export async function showRequestError(
  { db, config }: OidcServices,
  call: OidcCall,
  { cause, error }: Extract<Verdict, { kind: 'show_error' }>,
  { client, values }: { client: Client | null; values: RequestParameters['values'] },
): Promise<Answer> {
  const { client_id, redirect_uri } = values
  if (cause === 'client_unknown') {
    const explained = await explainUnknownClient(db, call.issuer, error, client_id)
    return message(call, 'unknown_app', { code: code_of[cause], reason: explained.reason }, explained)
  }
  const sent = cause === 'redirect_uri_mismatch' && redirect_uri !== undefined ? refusedValue('redirect_uri', redirect_uri) : null
  const refusal = { code: code_of[cause], reason: error.reason, refused: sent }
  if (cause === 'client_disabled') return message(call, 'app_disabled', refusal, error)
  if (cause !== 'redirect_uri_mismatch' || !client || client.metadata || redirect_uri === undefined)
    return message(call, cause.startsWith('redirect_uri') ? 'unregistered_address' : 'unknown_app', refusal, error)
  const { base_url } = config
  const { application_type } = client
  const { type: environment_type } = call.issuer
  const can_register =
    redirect_uri.length <= longest_redirect_uri &&
    redirectUriProblem(redirect_uri, { application_type, environment_type, base_url }) === null
  const page = html(
    redirectMismatchPage(pageContext(call, undefined, addressOf(call)), {
      application_name: client.name,
      client_id: client.client_id,
      received: redirect_uri,
      registered: client.redirect_uris,
      request_id: call.request_id,
      at: call.now,
      register_url: can_register ? registerUrl(base_url, client.client_id, redirect_uri) : null,
      application_url: applicationUrl(base_url, client.client_id),
      error_url: `${base_url}/docs/errors/${code_of[cause]}`,
      call_url: callUrl(base_url, call.request_id),
      account_url: accountUrl(call),
    }),
  )
  return refused(page, refusal)
}

/** Shows why a metadata client is not admitted. Nothing of its document is shown, and no address of it is called. */
export function showRefusedClient(call: OidcCall, { code, why, retry_after_s }: RefusedClient): Answer {
  const answer = message(call, code, refusal(code, why))
  return retry_after_s === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(retry_after_s) } }
}

const code_of: Record<Cause, Refusal['code']> = {
  client_id_missing: 'unknown_client',
  client_id_repeated: 'unknown_client',
  client_unknown: 'unknown_client',
  client_disabled: 'application_disabled',
  redirect_uri_missing: 'invalid_redirect_uri',
  redirect_uri_repeated: 'invalid_redirect_uri',
  redirect_uri_mismatch: 'invalid_redirect_uri',
}

/** Shows why a sign-in at a provider failed. `email` is the address that the provider sent; `reason` is shown in Test only. */
export function showProviderProblem(
  call: OidcCall,
  { query }: Pick<Interaction, 'query'>,
  provider: { display_name: string },
  {
    problem,
    refusal,
    email = null,
    reason = null,
  }: { problem: ProviderProblemView['problem']; refusal: Refusal } & Partial<Pick<ProviderProblemView, 'email' | 'reason'>>,
): Answer {
  const page = html(
    providerProblemPage(pageContext(call, languagesOf(query), continueUrl(call, query)), {
      problem,
      provider_name: provider.display_name,
      email,
      back_url: continueUrl(call, query),
      request_id: call.request_id,
      reason,
    }),
  )
  const again = { page: 'provider', view: againOf(call, provider, { problem, email, reason }), address: continueUrl(call, query) } as const
  return { ...refused(page, refusal), again }
}

const againOf = (
  call: OidcCall,
  { display_name }: { display_name: string },
  view: Pick<ProviderProblemView, 'problem' | 'email' | 'reason'>,
) => ({
  ...view,
  provider_name: display_name,
  request_id: call.request_id,
})

/** Shows why a provider was not connected to the account of a person. `back_url` is the page with the button. */
export function showConnectionProblem(
  call: OidcCall,
  { provider, back_url }: { provider: { display_name: string }; back_url: string },
  { problem, refusal, reason = null }: { problem: ConnectionProblem; refusal: Refusal; reason?: ProviderProblemView['reason'] },
): Answer {
  const page = providerProblemPage(pageContext(call, undefined, back_url), {
    problem,
    provider_name: provider.display_name,
    email: null,
    back_url,
    request_id: call.request_id,
    reason,
  })
  const again = { page: 'provider', view: againOf(call, provider, { problem, email: null, reason }), address: back_url } as const
  return { ...refused(html(page), refusal), again }
}

/** The name of the application or inviting tenant that the person continues to. */
export const requesterName = ({ client, invitation }: Interaction) =>
  (client && shownName(client)) ?? (invitation?.of === 'organization' ? invitation.organization_name : invitation?.tenant_name) ?? null

/** Whether the sign-in leads to the account page, or to a change there that only one account can make. */
function accountPlace({ account }: Interaction): SignInView['account'] {
  if (account === null) return null
  return account.user_id === null ? 'page' : 'change'
}

/** The facts of an invitation that its pages show. */
export const factsOf = ({ invitation: { tenant_name, role, inviter } }: InvitationVisit) => ({ tenant_name, role, inviter })

/** The same of an invitation to an organization. */
export const offerFactsOf = ({ invitation: { organization_name, roles, inviter, email } }: OfferVisit): OfferFacts => ({
  organization_name,
  roles: roles.map(({ name }) => name),
  inviter,
  email,
})

/** The address that returns to the client without a sign-in; `null` where there is no client, or no redirect can answer it. */
export function cancelUrl(call: OidcCall, interaction: Interaction): string | null {
  const { client, request } = interaction
  if (accountPlace(interaction) === 'change') return accountUrl(call)
  if (!client) return null
  const cancelled = authorizationResponse(request, call.issuer.url, new OAuthError('access_denied', 'The person did not sign in.'))
  return cancelled.kind === 'redirect' ? cancelled.location : null
}
