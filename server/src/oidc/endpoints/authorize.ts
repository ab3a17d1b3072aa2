/**
 * The authorization endpoint (OIDC Core §3.1.2). Nothing is kept between the steps of a sign-in: every page carries the
 * request as it came, and every step ends here again, where it is judged anew. So no step can be skipped, and an
 * address somebody else began leads nowhere.
 */
import { findClient } from '../../applications/store.ts'
import { newSecret } from '../../deployment.ts'
import { digestOf } from '../../digest.ts'
import { accountChooserPage } from '../../pages/account-chooser.ts'
import { consentPage } from '../../pages/consent.ts'
import { formPostPage } from '../../pages/form-post.ts'
import { redirectMismatchPage } from '../../pages/redirect-mismatch.ts'
import { type SignInView, signInPage } from '../../pages/sign-in.ts'
import { type SignUpView, signUpPage } from '../../pages/sign-up.ts'
import { findOfferedProviders } from '../../providers/store.ts'
import { type Audience, findAudiences } from '../../resource-servers/store.ts'
import { findPerson } from '../../users/store.ts'
import { type Browser, formToken, readBrowser, withCookies } from '../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect } from '../call.ts'
import { html, message, pageContext } from '../hosted-page.ts'
import { wasPressed, withPress } from '../press.ts'
import { type AuthorizationRequest, judgeAuthorizationRequest, type Verdict } from '../protocol/authorize.ts'
import type { Client } from '../protocol/client.ts'
import { consentLines } from '../protocol/consent.ts'
import { type NextStep, nextStep } from '../protocol/next-step.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { readParameters } from '../protocol/parameters.ts'
import { most_resources } from '../protocol/requested.ts'
import { authorizationResponse } from '../protocol/respond.ts'
import { includesScope, scopeNames } from '../protocol/scope.ts'
import { verifyJwt } from '../signing-keys.ts'
import { issueCode } from '../store/grants.ts'
import { findConsents } from '../store/sessions.ts'
import { isVisit, type LinkedInvitation } from '../visit.ts'

export const authorize: OidcEndpoint = async (parts, call) => {
  // By POST the cookies of a cross-site form are missing, so the same request is sent on as GET (RFC 6749 §3.1).
  if (call.method === 'POST') {
    const query = call.form && asQuery([call.query, call.form.toString()].filter(Boolean).join('&'))
    return query === null ? message(call, 'unusable_request') : redirect(continueUrl(call, query))
  }

  const [begun, browser] = await Promise.all([beginAuthorization(parts, call, call.query), readBrowser(parts, call)])
  if ('answer' in begun) return begun.answer
  const interaction = { query: call.query, ...begun, browser }
  return takeStep(parts, call, interaction, await judgeNextStep(parts, call, interaction))
}

/** What the pages of one sign-in need: it leads to a client, or to an invitation. */
export type Interaction = Authorization | Visit

/** A sign-in for a client, which continues at the authorization endpoint. */
export interface Authorization extends Begun {
  query: string
  browser: Browser
}

/** A sign-in for a hosted page of the issuer, an invitation, which continues at that page. */
export interface Visit {
  query: string
  browser: Browser
  request: Pick<AuthorizationRequest, 'prompt' | 'ui_locales' | 'login_hint' | 'id_token_hint' | 'max_age'>
  client: null
  invitation: LinkedInvitation
}

/** A request that may go on. */
interface Begun {
  request: AuthorizationRequest
  client: Client
  invitation: null
  /** The resource servers it is for, in its order. */
  audiences: readonly Audience[]
}

/** Where an interaction continues: the page of its invitation, or the authorization endpoint. */
export function continueUrl(call: OidcCall, query: string): string {
  return `${call.issuer.url}${isVisit(query) ? '/invitation' : '/oauth/authorize'}?${query}`
}

/** Back to the request after a step that the person of this session finished; `query` is what is left of the request. */
export function continueRequest(
  parts: OidcServices,
  call: OidcCall,
  { client }: Pick<Interaction, 'client'>,
  query: string,
  session_id: string,
): string {
  return continueUrl(call, needsPress(parts, client) ? withPress(parts, call, query, session_id) : query)
}

/** We choose: the pre-registered client of command lines only. What a tenant's own native clients need, their `consent` says. */
const needsPress = ({ command_line_client_id }: OidcServices, client: Client | null) => client?.client_id === command_line_client_id

/** Judges the request. What is not to proceed is answered here. */
export async function beginAuthorization({ db }: OidcServices, call: OidcCall, query: string): Promise<Begun | { answer: Answer }> {
  const { issuer } = call
  const parameters = readParameters(new URLSearchParams(query))
  const [client, audiences] = await Promise.all([
    findClient(db, issuer.environment_id, parameters.values.client_id ?? ''),
    findAudiences(db, issuer.environment_id, (parameters.lists.resource ?? []).slice(0, most_resources)),
  ])
  const resources = audiences.map(({ identifier, scopes }) => ({ identifier, scopes: scopes.map(({ name }) => name) }))
  const verdict = judgeAuthorizationRequest(parameters, client, { disabled_scopes: issuer.settings.scopes.disabled, resources })
  if (verdict.kind === 'tell_the_person') return { answer: tellThePerson(call, verdict, client, parameters.values.redirect_uri) }
  if (verdict.kind === 'send_back' || !client) return { answer: sendBack(call, client, verdict as Extract<Verdict, { kind: 'send_back' }>) } // as: without a client the verdict is told, not sent
  if (hintedUser(call, verdict.request.id_token_hint) === 'invalid') {
    return {
      answer: sendBack(call, client, {
        ...verdict.request,
        error: new OAuthError('invalid_request', 'id_token_hint is no ID token of this issuer.'),
      }),
    }
  }
  const { request } = verdict
  return {
    request,
    client,
    invitation: null,
    audiences: request.resource.flatMap((identifier) => audiences.find((one) => one.identifier === identifier) ?? []),
  }
}

function tellThePerson(
  call: OidcCall,
  verdict: Extract<Verdict, { kind: 'tell_the_person' }>,
  client: Client | null,
  received: string | undefined,
): Answer {
  if (verdict.reason === 'redirect_uri_mismatch' && client && received !== undefined) {
    const view = {
      application_name: client.name,
      client_id: client.client_id,
      received,
      registered: client.redirect_uris,
      request_id: call.request_id,
      at: call.now,
    }
    return html(
      redirectMismatchPage(pageContext(call), { ...view, register_url: null, application_url: null, error_url: null, account_url: null }),
    )
  }
  return message(call, verdict.reason.startsWith('redirect_uri') ? 'unregistered_address' : 'unknown_app', verdict.error)
}

/** Answers the client: a code or an error, where and how it asked for it. */
export function sendBack(
  call: OidcCall,
  client: Client | null,
  to:
    | (Pick<AuthorizationRequest, 'redirect_uri' | 'response_mode' | 'state'> & { error: OAuthError })
    | (AuthorizationRequest & { code: string }),
): Answer {
  const answer = authorizationResponse(to, call.issuer.url, 'error' in to ? to.error : { code: to.code })
  if (answer.kind === 'redirect') return redirect(answer.location)
  return html(
    formPostPage(pageContext(call), { application_name: client?.name ?? null, redirect_uri: answer.action, parameters: answer.fields }),
  )
}

async function judgeNextStep(parts: OidcServices, call: OidcCall, { query, request, client, browser }: Authorization): Promise<NextStep> {
  const { issuer, now } = call
  const needs_press = needsPress(parts, client)
  const user_ids = browser.sessions.map((session) => session.user_id)
  const consents =
    client.consent === 'skip'
      ? new Map<string, string[]>()
      : await findConsents(parts.db, issuer.environment_id, client.client_id, user_ids)
  return nextStep(
    request,
    { consent: client.consent, needs_press },
    {
      sessions: browser.sessions.map((session) => ({
        session_id: session.id,
        user_id: session.user_id,
        auth_time: session.auth_time,
        consented_to: consents.get(session.user_id) ?? [],
        pressed: needs_press && wasPressed(parts, call, query, session.id),
      })),
      hinted_user_id: hintedUser(call, request.id_token_hint),
      sign_up_open: issuer.settings.sign_up.mode === 'open' && issuer.settings.sign_in.password,
      now,
    },
  )
}

/** OIDC Core §3.1.2.1: an ID token of ours, whatever its age, names the person the client means. */
export function hintedUser({ issuer }: OidcCall, id_token_hint: string | undefined): string | 'invalid' | null {
  if (id_token_hint === undefined) return null
  const claims = verifyJwt(issuer.keys, 'JWT', id_token_hint)
  return claims?.iss === issuer.url && typeof claims.sub === 'string' ? claims.sub : 'invalid'
}

async function takeStep(parts: OidcServices, call: OidcCall, interaction: Authorization, step: NextStep): Promise<Answer> {
  const { request, client } = interaction
  switch (step.kind) {
    case 'refuse':
      return sendBack(call, client, { ...request, error: step.error })
    case 'issue':
      return issue(parts, call, interaction, step.session_id)
    case 'sign_in':
      return showSignIn(parts, call, interaction, { email: request.login_hint ?? '', problem: null, wait_seconds: null })
    case 'sign_up':
      return showSignUp(parts, call, interaction, {
        email: request.login_hint ?? '',
        name: '',
        problems: { form: null, email: null, name: null, password: null },
        wait_seconds: null,
      })
    case 'select_account':
      return showAccounts(parts, call, interaction)
    case 'consent':
      return showConsent(parts, call, interaction, step.session_id)
  }
}

async function issue(
  parts: OidcServices,
  call: OidcCall,
  { request, client, browser, query }: Authorization,
  session_id: string,
): Promise<Answer> {
  const { issuer, now } = call
  const { tokens, sessions } = issuer.settings
  const session = browser.sessions.find((candidate) => candidate.id === session_id)
  if (!session) return redirect(continueUrl(call, query))
  const code = newSecret(parts)
  const offline = includesScope(request.scope, 'offline_access')
  const longest_seconds =
    tokens.authorization_code_ttl_seconds + (offline ? tokens.refresh_token_absolute_ttl_seconds : tokens.access_token_ttl_seconds)
  const issued = await issueCode(
    parts.db,
    issuer.environment_id,
    session,
    parts.newId('grt'),
    {
      code_hash: digestOf(code),
      client_id: client.client_id,
      redirect_uri: request.redirect_uri,
      scope: request.scope,
      resource: request.resource,
      nonce: request.nonce ?? null,
      code_challenge: request.code_challenge ?? null,
      expires_at: after(now, tokens.authorization_code_ttl_seconds),
      grant_expires_at: later(after(now, longest_seconds), session.absolute_expires_at), // a session knows its applications by their grants
      session_expires_at: earlier(after(now, sessions.idle_ttl_seconds), session.absolute_expires_at),
    },
    now,
  )
  // The session ended between reading and writing, or somebody signed in anew with it: begin again with what there is now.
  return issued ? sendBack(call, client, { ...request, code }) : redirect(continueUrl(call, query))
}

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
const earlier = (a: Date, b: Date) => (a < b ? a : b)
const later = (a: Date, b: Date) => (a > b ? a : b)

export async function showSignIn(
  parts: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  view: Pick<SignInView, 'email' | 'problem' | 'wait_seconds'>,
): Promise<Answer> {
  const { query, request, browser, invitation } = interaction
  const { settings } = call.issuer
  const { csrf, set_cookie } = formToken(parts, call, browser)
  const page = signInPage(pageContext(call, request.ui_locales), {
    application_name: nameOf(interaction),
    csrf,
    request: query,
    ...view,
    methods: { password: settings.sign_in.password },
    providers: await findOfferedProviders(parts.db, call.issuer.environment_id),
    sign_up_url:
      (invitation ? invitation.takes_accounts : settings.sign_up.mode === 'open') && settings.sign_in.password
        ? continueUrl(call, withPrompt(query, 'create'))
        : null,
    other_accounts_url: browser.sessions.length > 0 ? continueUrl(call, withPrompt(query, 'select_account')) : null,
    cancel_url: cancelUrl(call, interaction),
  })
  return afterWait(withCookies(html(page), set_cookie), view.wait_seconds)
}

export function showSignUp(
  parts: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  view: Pick<SignUpView, 'email' | 'name' | 'problems' | 'wait_seconds'>,
): Answer {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(parts, call, browser)
  const page = signUpPage(pageContext(call, request.ui_locales), {
    application_name: nameOf(interaction),
    invitation: interaction.invitation && factsOf(interaction),
    csrf,
    request: query,
    ...view,
    password_rule: call.issuer.settings.password,
    sign_in_url: continueUrl(call, withPrompt(query, 'login')),
  })
  return afterWait(withCookies(html(page), set_cookie), view.wait_seconds)
}

/** RFC 9110 §10.2.3: says when to try again, where a limit was reached. */
function afterWait(answer: Answer, wait_seconds: number | null): Answer {
  return wait_seconds === null ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(wait_seconds) } }
}

export function showAccounts(parts: OidcServices, call: OidcCall, interaction: Interaction): Answer {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(parts, call, browser)
  const page = accountChooserPage(pageContext(call, request.ui_locales), {
    application_name: nameOf(interaction),
    csrf,
    request: query,
    accounts: browser.sessions.map(({ id, email, name }) => ({ session_id: id, email, name })),
    another_url: continueUrl(call, withPrompt(query, 'login')),
  })
  return withCookies(html(page), set_cookie)
}

/** What the person continues to: the application, or the tenant that invites. */
const nameOf = ({ client, invitation }: Interaction) => client?.name ?? invitation?.tenant_name ?? null

export const factsOf = ({ invitation: { tenant_name, role, inviter } }: Visit) => ({ tenant_name, role, inviter })

/** The way back to the client without signing in; none where there is no client or a redirect cannot answer it. */
function cancelUrl(call: OidcCall, { client, request }: Interaction): string | null {
  if (!client) return null
  const cancelled = authorizationResponse(request, call.issuer.url, new OAuthError('access_denied', 'The person did not sign in.'))
  return cancelled.kind === 'redirect' ? cancelled.location : null
}

async function showConsent(
  parts: OidcServices,
  call: OidcCall,
  { query, request, client, browser, audiences }: Authorization,
  session_id: string,
): Promise<Answer> {
  const session = browser.sessions.find((candidate) => candidate.id === session_id)
  const person = session && (await findPerson(parts.db, call.issuer.environment_id, session.user_id))
  if (!person) return redirect(continueUrl(call, query))
  const { csrf, set_cookie } = formToken(parts, call, browser)
  const page = consentPage(pageContext(call, request.ui_locales), {
    csrf,
    request: query,
    session_id,
    application: { name: client.name, logo_url: client.logo_uri },
    redirect_uri: request.redirect_uri,
    not_you_url: continueUrl(call, withPrompt(query, 'select_account')),
    person,
    scopes: consentLines(request.scope, audiences),
  })
  return withCookies(html(page), set_cookie)
}

/** The same request, asking for another step first. What the client wants done anyway, a new sign-in or consent, stays. */
export function withPrompt(query: string, prompt: 'login' | 'create' | 'select_account'): string {
  const search = new URLSearchParams(query)
  const wanted = scopeNames(search.get('prompt') ?? '').filter((word) => word === 'login' || word === 'consent')
  search.set('prompt', [...new Set([prompt, ...wanted])].join(' '))
  return search.toString()
}
