/** Sign-out (RP-Initiated Logout 1.0): at once for a request whose id_token_hint names the session, after a question for any other. */
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { findClient } from '../../../domain/applications/store.ts'
import { openSignOut } from '../../../domain/providers/upstream-sign-outs.ts'
import { readQuery } from '../../../http/query.ts'
import { type SignOutView, signOutDonePage, signOutPage } from '../../../pages/sign-out.ts'
import type { Client } from '../../../protocol/client.ts'
import { judgeLogout, type LogoutHint, logoutClientId, type NoReturn, whyNoReturn } from '../../../protocol/logout.ts'
import { type RequestParameters, readParameters } from '../../../protocol/parameters.ts'
import { withQuery } from '../../../protocol/respond.ts'
import { accountUrl } from '../../account-url.ts'
import { readBrowser, sessionCookie } from '../../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { cookieName, cookiesOf, signedOutCookieOf, withCookies } from '../../cookies.ts'
import { isOfSibling } from '../../elsewhere.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { addressBelow, html, message, pageContext, tooLong } from '../../hosted-page.ts'
import { readIdTokenHint } from '../../id-token-hint.ts'
import { leadTo, readRefused, type StepPlace, showStep, withRefusedBefore } from '../../refused-form.ts'
import { signOutThrough } from './through-provider.ts'

export const logout: OidcEndpoint = async (services, call) => {
  // Browsers send no cookies with a cross-site POST, so the request is redirected to GET.
  if (call.method === 'POST') {
    const query = asQuery([call.query, call.form?.toString()].filter(Boolean).join('&'))
    return query === null ? tooLong(call) : redirect(`${call.issuer.url}/oauth/logout?${query}`)
  }

  const judged = await judge(services, call, call.query)
  const decided = decidedBefore(services, call, judged)
  if (decided) {
    const address = decided === 'sign_out' ? doneUrl(call, call.query) : null
    return done(call, judged, { decision: decided, url: judged.verdict.kind === 'ask' ? judged.verdict.link_to : null, address })
  }
  const { verdict, sessions, refusal } = judged
  const noted = (answer: Answer) => (refusal ? refused(answer, refusal) : answer)
  if (verdict.kind === 'show_error') return message(call, 'unusable_sign_out', verdict.error, verdict.error)
  if (verdict.kind === 'ask') {
    if (sessions.length === 0)
      return noted(done(call, judged, { decision: 'sign_out', url: verdict.link_to, address: doneUrl(call, call.query) }))
    return noted(ask(services, call, judged, { query: call.query, problem: null }))
  }
  const { session_ids } = verdict
  const ended = sessions.filter(({ id }) => session_ids.includes(id))
  const kept = sessions.filter((session) => !ended.includes(session))
  const { redirect_to } = verdict
  const answer =
    redirect_to === null
      ? done(call, judged, { decision: 'sign_out', url: null, address: kept.length > 0 ? null : doneUrl(call, call.query) })
      : redirect(redirect_to)
  const onward = { answer, to: redirect_to, query: redirect_to === null ? onwardQuery(judged) : '' }
  return noted(withCookies(await signOutThrough(services, call, ended, onward), [sessionCookie(call, kept)]))
}

/** Asks the person whether to sign out. */
function ask(
  services: OidcServices,
  call: OidcCall,
  { browser, client, parameters }: Judged,
  { query, problem }: { query: string; problem: SignOutView['problem'] },
): Answer {
  const { csrf, set_cookie } = formToken(services, call, browser)
  const [current] = browser.sessions
  const person = current ? { email: current.email, name: current.name } : null
  const fields = { csrf, request: query, application_name: client?.name ?? null, person }
  const address = logoutUrl(call, query)
  const page = (shown: Pick<SignOutView, 'problem'>) =>
    withCookies(html(signOutPage(context(call, parameters, address), { ...fields, ...shown })), set_cookie)
  return showStep(services, call, browser, { place: { name: 'sign-out', query, address }, view: { problem }, page })
}

/** The page after the sign-out form has an address beside that of the question. */
const donePlace = (call: OidcCall, query: string): StepPlace => ({
  name: 'signed-out',
  query,
  address: withRefusedBefore(logoutUrl(call, query), 'page'),
})

/** Returns the decision of the person on the previous page. A browser that has a session again is not signed out. */
function decidedBefore(services: OidcServices, call: OidcCall, { browser, sessions }: Judged): Done['decision'] | null {
  const kept = call.refused_before === 'page' ? readRefused(services, call, browser, donePlace(call, call.query)) : null
  if (kept?.decision === 'stay') return 'stay'
  return kept?.decision === 'sign_out' && sessions.length === 0 ? 'sign_out' : null
}

/** The sign-out form. It signs out every account of this browser. */
export const signOut: OidcEndpoint = async (services, call) => {
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return tooLong(call)
  const judged = await judge(services, call, query)
  const { browser, sessions } = judged
  const problem = formProblem(services, call, browser)
  if (problem) return refused(ask(services, call, judged, { query, problem }), formRefusals[problem])
  const leadToDone = (decision: Done['decision']) => leadTo(services, call, browser, { place: donePlace(call, query), view: { decision } })
  if (call.form?.get('decision') !== 'sign_out') return leadToDone('stay')
  const answer = leadToDone('sign_out')
  const through = await signOutThrough(services, call, sessions, { answer, to: null, query: onwardQuery(judged) })
  return withCookies(through, [sessionCookie(call, [])])
}

/** The return from a provider through which a sign-out led. Any other request is one for a sign-out. */
export const signedOut: OidcEndpoint = async (services, call) => {
  const { issuer, params, query } = call
  const returning = { provider_id: params.provider_id ?? '', state: new URLSearchParams(query).get('state') ?? '' }
  const sealed = cookiesOf(call).get(cookieName(call, 'signed_out')) ?? ''
  const onward = openSignOut(services, issuer.environment_id, sealed, returning)
  if (!onward) return redirect(`${issuer.url}/oauth/logout`)
  const used = [signedOutCookieOf(call, null)]
  if (onward.to !== null) return withCookies(redirect(onward.to), used)
  const judged = await judge(services, call, onward.query)
  const url = judged.verdict.kind === 'ask' ? judged.verdict.link_to : null
  const address = judged.sessions.length > 0 ? null : doneUrl(call, onward.query)
  return withCookies(done(call, judged, { decision: 'sign_out', url, address }), used)
}

/** Returns the parameters that the page after the sign-out needs. Leaves out the hint: it is large, and the person is signed out. */
function onwardQuery({ parameters: { values }, client }: Judged): string {
  const { post_logout_redirect_uri, state, ui_locales } = values
  const kept = { client_id: client?.client_id, post_logout_redirect_uri, state, ui_locales }
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) sent.set(name, value)
  return sent.toString()
}

type Judged = Awaited<ReturnType<typeof judge>>

async function judge(services: OidcServices, call: OidcCall, query: string) {
  const { issuer } = call
  const parameters = readParameters(readQuery(query))
  const hint = readIdTokenHint(issuer, parameters.values.id_token_hint)
  const client_id = logoutClientId(parameters, hint)
  const client = client_id === null ? null : await findClient(services.db, issuer.environment_id, client_id)
  const browser = await readBrowser(services, call)
  const sessions = [...browser.sessions, ...browser.expired]
  const judged = sessions.map((session) => ({
    session_id: session.id,
    user_id: session.user_id,
    sub: session.sub,
    user_created_at: session.user_created_at,
    is_expired: browser.expired.includes(session),
  }))
  call.subject.client_id = client?.client_id ?? null
  const is_elsewhere = hint === 'invalid' && (await isOfSibling(services.db, issuer, parameters.values.id_token_hint ?? ''))
  const why = whyNoReturn(parameters, hint, client)
  const no_return = why === 'invalid_hint' && is_elsewhere ? 'hint_elsewhere' : why
  return {
    parameters,
    no_return,
    client,
    browser,
    /** Those that a sign-out can end, the expired ones last. */
    sessions,
    verdict: judgeLogout(parameters, hint, client, judged),
    refusal: refusalOf(parameters, hint, client, no_return),
  }
}

/** Returns the refusal of a part of the request. The person signs out nevertheless. */
function refusalOf({ values }: RequestParameters, hint: LogoutHint, client: Client | null, no_return: NoReturn | null): Refusal | null {
  const of_hint = reason`id_token_hint is not an ID token of this issuer.`
  const of_sibling = reason`id_token_hint names the issuer of another environment of the project.`
  if (hint === 'invalid') return refusal('invalid_id_token_hint', no_return === 'hint_elsewhere' ? of_sibling : of_hint)
  if (hint && values.client_id !== undefined && values.client_id !== hint.aud)
    return refusal('invalid_id_token_hint', reason`id_token_hint was issued to another application than client_id names.`)
  if (no_return === null) return null
  const named = idIn(client?.client_id ?? '')
  const reasons = {
    no_client: reason`The request has neither id_token_hint nor client_id, so it names no application with return addresses.`,
    unknown_client: reason`The request names an application that the environment does not have.`,
    disabled_client: reason`The application ${named} is disabled, so its return addresses are not used.`,
    unregistered: reason`The application ${named} does not have the return address in its post_logout_redirect_uris.`,
    invalid_hint: of_hint,
    hint_elsewhere: of_sibling,
    other_client: of_hint,
  }
  return refusal('unregistered_post_logout_uri', reasons[no_return])
}

const logoutUrl = ({ issuer }: OidcCall, query: string) => `${issuer.url}/oauth/logout?${query}`
const doneUrl = ({ issuer }: OidcCall, query: string) => addressBelow(issuer, `/oauth/logout?${query}`)

interface Done {
  decision: 'sign_out' | 'stay'
  /** Where the page leads. */
  url: string | null
  /** Where the page can be opened again: no session is left, so nobody is asked. */
  address: string | null
}

function done(call: OidcCall, { parameters, client, no_return }: Judged, { decision, url, address }: Done): Answer {
  const application_name = client?.name ?? null
  const received = parameters.values.post_logout_redirect_uri ?? ''
  const view = {
    decision,
    back: url === null ? null : { url, application_name },
    sign_in_url: signInAgain(call, client),
    account_url: accountUrl(call),
    // RP-Initiated Logout 1.0 §3: only a registered address is used, and the page says why it is not.
    no_return: no_return && {
      why: no_return,
      application_name,
      received,
      registered: client && no_return === 'unregistered' ? client.post_logout_redirect_uris : null,
    },
    is_without_client: client === null,
  }
  return html(signOutDonePage(context(call, parameters, address), view))
}

/** OIDC Core §4: the address at which the application begins a sign-in, with this issuer; `null` where it registered none. */
function signInAgain({ issuer }: OidcCall, client: Client | null): string | null {
  if (!client || client.disabled || client.initiate_login_uri === null) return null
  return withQuery(client.initiate_login_uri, { iss: issuer.url })
}

const context = (call: OidcCall, { values }: RequestParameters, address: string | null = null) =>
  pageContext(call, values.ui_locales?.split(' '), address)
