// pure

import type { SignUpName } from '@ostiary/contract/settings.ts'
import { type Reason, reason } from '../base/reason.ts'
import type { AuthorizationRequest } from './authorize.ts'
import type { Client } from './client.ts'
import { OAuthError } from './oauth-error.ts'
import type { Membership, OrganizationChoice } from './organization.ts'
import { scopeNames } from './scope.ts'
import { type Factors, missingForRequest } from './second-factor.ts'
import { asksForEveryFactor } from './trusted-browser.ts'

/** The browser that sent the request. Its sessions are active: not ended, not expired, and of users who are not blocked. */
export interface Situation {
  /** The current one first. `consented_to` is the consent of its user for this client, in the words of `consentWords`. */
  sessions: readonly BrowserSession[]
  /** The user of a verified id_token_hint: `nobody` where no session is of that user, `null` without a hint. */
  hinted_user_id: string | null
  sign_up_open: boolean
  mfa: Pick<Factors, 'mode' | 'can_enrol'>
  /** The setting `sign_up.name`. */
  names: SignUpName
  now: Date
}

/** No user has this id. */
export const nobody = ''

interface BrowserSession {
  session_id: string
  user_id: string
  auth_time: Date
  acr: string
  has_second_factor: boolean
  /** A passkey that the person can use now. */
  has_passkey: boolean
  /** Whether the trusted browser of the session counts; `null` where the session does not rest on one. */
  trust: boolean | null
  has_name: boolean
  consented_to: readonly string[]
  /** The person of the session pressed a button for this request. */
  pressed: boolean
  /** The organization that the person acts for. */
  organization: OrganizationChoice
  /** Why the roles of the person leave nothing of the request; `null` where they leave something. */
  no_access: Reason | null
}

export type NextStep =
  /** The code depends on the consent `consented_to`; `null` where the client needs none. */
  | { kind: 'issue'; session_id: string; consented_to: readonly string[] | null; organization: Membership | null }
  /** `user_id`: only a sign-in of this user answers the request. */
  | { kind: 'sign_in'; user_id: string | null }
  | { kind: 'sign_up' }
  | { kind: 'select_account' }
  /** The session keeps its id and time, and gets a higher level. */
  | { kind: 'second_factor'; session_id: string }
  /** The person has no name, and is asked for one. */
  | { kind: 'profile'; session_id: string }
  /** The person chooses the organization that they act for. */
  | { kind: 'select_organization'; session_id: string }
  /** The roles of the person leave nothing of the request, or the person is not a member of the organization that it needs. */
  | { kind: 'no_access'; session_id: string; code: NoAccess['code']; why: Reason }
  | { kind: 'consent'; session_id: string }
  /** The person presses a button for this request, and consents to nothing by it. */
  | { kind: 'press'; session_id: string }
  | { kind: 'refuse'; error: OAuthError }

interface NoAccess {
  code: 'no_access' | 'not_a_member'
  why: Reason
}

/** The client. `needs_press`: an existing session alone yields no code. */
export type RequestingClient = Pick<Client, 'consent'> & {
  needs_press: boolean
  /** Earlier consent is not enough: the person is asked about each request. */
  asks_each_time?: boolean
}

/**
 * The step that a request needs before a code may be issued. It is judged again after each step, without the prompts that the step
 * satisfied (see `withoutSatisfied`), until it is `issue` or `refuse`.
 *
 * OIDC Core §3.1.2.1: prompt; max_age; id_token_hint names the only user whose session answers the request
 * We choose: a request that went on with a session ends in no other one, even where another tab signed in meanwhile (`withSession`)
 * OIDC Core §3.1.2.3: without a usable session the person signs in; with prompt=none no page is shown
 * OIDC Core §5.5.1.1: acr_values asks for a level, and `mfa.mode` may require one: an existing session is stepped up
 * RFC 6749 §4.1.2.1: access_denied where the person has no role that the application or one of the scopes needs (decision 0176). We choose: the
 *                    person, signed in at the level of the request, learns it on a page first, and is asked for nothing else
 * We choose: the person chooses an organization before their roles are judged, since those of the member count (decision 0178); where another
 *            account of the browser is a member of the organization of the request, the person can choose that one
 * We choose: where a name is required, a person without one enters it before the consent, which shows it (decision 0116)
 * OIDC Core §3.1.2.4: the person is asked for consent unless it covers all of the scope, at each resource
 * RFC 8252 §8.6: a client without proof of identity gets no code without an interaction, even with earlier consent
 * Initiating User Registration 1.0 §4.1: prompt=create opens sign-up. We choose: sign-in where sign-up is closed
 */
export function nextStep(request: AuthorizationRequest, client: RequestingClient, situation: Situation): NextStep {
  const { hinted_user_id, now } = situation
  const { of_session } = request
  const has = (prompt: AuthorizationRequest['prompt'][number]) => request.prompt.includes(prompt)
  const session = situation.sessions
    .filter(({ user_id }) => hinted_user_id === null || user_id === hinted_user_id)
    .find(({ session_id }) => of_session === undefined || session_id === of_session)
  const missing = session === undefined ? 'nothing' : missingFor(request, session, situation)
  const consented = session !== undefined && !needsConsent(request, client, session.consented_to)

  if (has('none')) {
    if (!session || isTooOld(session, request, now)) return refuse('login_required', reason`The person has to sign in.`)
    if (missing !== 'nothing') return refuse('interaction_required', reason`The person has to use a second factor.`)
    if (session.organization.kind === 'open')
      return refuse('interaction_required', reason`The person has to choose an organization, or none.`)
    const none = noAccessOf(request, session)
    if (none !== null) return { kind: 'refuse', error: noAccess(none.why) }
    if (situation.names === 'required' && !session.has_name) return refuse('interaction_required', reason`The person has to enter a name.`)
    if (client.needs_press) return refuse('interaction_required', reason`This client gets no code without an action of the person.`)
    if (client.asks_each_time) return refuse('interaction_required', reason`The person is asked about each request of this client.`)
    if (!consented) return refuse('consent_required', reason`The person has not consented to all of the scope.`)
    return issueFor(session, client)
  }

  const sign_in: NextStep = { kind: 'sign_in', user_id: hinted_user_id }
  if (has('create') && hinted_user_id === null) return situation.sign_up_open ? { kind: 'sign_up' } : sign_in
  if (!session) return sign_in
  if (has('select_account') && hinted_user_id === null) return { kind: 'select_account' }
  if (has('login') || has('create') || isTooOld(session, request, now)) return sign_in
  if (missing !== 'nothing') return { kind: 'second_factor', session_id: session.session_id }
  if (session.organization.kind === 'open') return { kind: 'select_organization', session_id: session.session_id }
  const is_open_to_others = request.organization !== undefined && of_session === undefined && hinted_user_id === null
  if (session.organization.kind === 'missing' && is_open_to_others && isOpenToAnother(situation)) return { kind: 'select_account' }
  const none = noAccessOf(request, session)
  if (none !== null) return { kind: 'no_access', session_id: session.session_id, ...none }
  if (!session.has_name && (situation.names === 'required' || (situation.names === 'optional' && request.asks_name)))
    return { kind: 'profile', session_id: session.session_id }
  if (has('consent') || !consented || (client.asks_each_time && !session.pressed))
    return { kind: 'consent', session_id: session.session_id }
  if (client.needs_press && !session.pressed) return { kind: 'press', session_id: session.session_id }
  return issueFor(session, client)
}

/** We choose: a trusted browser stands for the second factor, but not where a request asks for a fresh sign-in or a level (decision 0192). */
function missingFor(request: AuthorizationRequest, session: BrowserSession, { mfa }: Situation) {
  const trust = session.trust && !asksForEveryFactor(request)
  return missingForRequest(session.acr, request.acr_values, { ...mfa, ...session, trust })
}

/** Reports whether a request asks for more than the person consented to before. `prompt=consent` asks in any case. */
export const needsConsent = (
  request: Pick<AuthorizationRequest, 'consent_to'>,
  client: Pick<Client, 'consent'>,
  consented_to: readonly string[],
) => client.consent !== 'skip' && !request.consent_to.every((word) => consented_to.includes(word))

/** Another account of the browser is a member of the organization that the request needs. */
const isOpenToAnother = ({ sessions }: Situation): boolean => sessions.some(({ organization }) => organization.kind === 'one')

/** Unknown, disabled and foreign organizations have one reason, since the developers of an application could ask for those of others. */
function noAccessOf({ organization }: AuthorizationRequest, session: BrowserSession): NoAccess | null {
  if (session.organization.kind !== 'missing') return session.no_access && { code: 'no_access', why: session.no_access }
  const why =
    organization === undefined
      ? reason`The person is a member of no organization that is enabled, and the request needs one.`
      : reason`The person is not a member of the organization of the request, or it is unknown or disabled.`
  return { code: 'not_a_member', why }
}

const issueFor = ({ session_id, consented_to, organization }: BrowserSession, client: RequestingClient): NextStep => ({
  kind: 'issue',
  session_id,
  consented_to: client.consent === 'skip' ? null : consented_to,
  organization: organization.kind === 'one' ? organization.membership : null,
})

/**
 * The query of the request without the prompts that a finished step satisfied, so that no step repeats. An id_token_hint stays, because
 * it names a user and asks for no step. Where a sign-in step named a user, the caller uses this only for a sign-in of that user:
 * another one must not remove prompt=login. Where the request asked for a new sign-in, the query keeps its time (`now`, which is the
 * auth_time), so that the person cannot select an older session afterwards.
 */
export function withoutSatisfied(query: string, step: 'sign_in' | 'sign_up' | 'select_account' | 'consent', now: Date): string {
  const search = new URLSearchParams(query)
  const prompts = scopeNames(search.get('prompt') ?? '')
  const left = prompts.filter((prompt) => !satisfiedBy[step].includes(prompt))

  if (left.length > 0) search.set('prompt', left.join(' '))
  else search.delete('prompt')
  if (step === 'sign_in' || step === 'sign_up') {
    if (prompts.includes('login') || search.has('max_age')) search.set('signed_in_since', `${now.getTime()}`)
    search.delete('max_age')
  }
  return search.toString()
}

/** The request of a person whose new account nobody asked for a name: where it is optional, a step asks once. */
export function withNameAsked(query: string): string {
  const search = new URLSearchParams(query)
  search.set('ask_name', '1')
  return search.toString()
}

/** The request after that step. */
export function withoutNameAsked(query: string): string {
  const search = new URLSearchParams(query)
  search.delete('ask_name')
  return search.toString()
}

/** The request after a step of this session: it goes on with no other. */
export function withSession(query: string, session_id: string): string {
  const search = new URLSearchParams(query)
  search.set('of_session', session_id)
  return search.toString()
}

const satisfiedBy = {
  sign_in: ['login', 'create', 'select_account'],
  sign_up: ['login', 'create', 'select_account'],
  select_account: ['select_account'],
  consent: ['consent'],
}

/**
 * OIDC Core §3.1.2.1: reports whether more than max_age has passed since the sign-in; 0 always asks for a new one. After a new sign-in for
 * a request, an older session of another user is too old as well.
 */
function isTooOld({ auth_time }: BrowserSession, { max_age, signed_in_since }: AuthorizationRequest, now: Date): boolean {
  if (signed_in_since !== undefined && auth_time < signed_in_since) return true
  if (max_age === undefined) return false
  return max_age === 0 || now.getTime() - auth_time.getTime() > max_age * 1_000
}

/** The error for the client. Only the developers of the tenant read which role or scope is missing. */
const noAccess = (why: Reason) => new OAuthError('access_denied', 'The person has no access.', { reason: why })

const refuse = (code: 'login_required' | 'interaction_required' | 'consent_required', description: Reason): NextStep => ({
  kind: 'refuse',
  error: new OAuthError(code, description),
})
