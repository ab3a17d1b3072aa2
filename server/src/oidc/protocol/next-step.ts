// pure
import type { AuthorizationRequest } from './authorize.ts'
import type { Client } from './client.ts'
import { OAuthError } from './oauth-error.ts'
import { scopeNames } from './scope.ts'

/** What is known of the browser that asks. Only sessions that may be used: not ended, not expired, of people who are not blocked. */
export interface Situation {
  /** The current one first. `consented_to` is what its person has allowed this client, in the words of `consentWords`. */
  sessions: readonly BrowserSession[]
  /** Whom a verified id_token_hint names. */
  hinted_user_id: string | null
  sign_up_open: boolean
  now: Date
}

interface BrowserSession {
  session_id: string
  user_id: string
  auth_time: Date
  consented_to: readonly string[]
  /** Its person pressed a button for this request. */
  pressed: boolean
}

export type NextStep =
  | { kind: 'issue'; session_id: string }
  /** `user_id`: only this person's sign-in can answer the request. */
  | { kind: 'sign_in'; user_id: string | null }
  | { kind: 'sign_up' }
  | { kind: 'select_account' }
  | { kind: 'consent'; session_id: string }
  | { kind: 'refuse'; error: OAuthError }

/** What the decision needs of the client. `needs_press`: an existing session alone yields no code. */
export type AskingClient = Pick<Client, 'consent'> & { needs_press: boolean }

/**
 * What has to happen next before a code may be issued. Asked again after every step, on the request without what
 * the step has satisfied (see `withoutSatisfied`), until it says `issue` or `refuse`.
 *
 * OIDC Core §3.1.2.1: prompt; max_age; id_token_hint names the only person whose session will do
 * OIDC Core §3.1.2.3: without a usable session the person signs in; with prompt=none nothing is ever shown
 * OIDC Core §3.1.2.4: consent is asked unless it was given for all of the scope, at each of its resources
 * RFC 8252 §8.6: a client whose identity nothing assures gets no code without an interaction, whatever was consented to before
 * Initiating User Registration 1.0 §4.1: prompt=create opens sign-up. We choose: sign-in, where sign-up is closed
 */
export function nextStep(request: AuthorizationRequest, client: AskingClient, situation: Situation): NextStep {
  const { hinted_user_id, now } = situation
  const asks = (prompt: AuthorizationRequest['prompt'][number]) => request.prompt.includes(prompt)
  const session = situation.sessions.find(({ user_id }) => hinted_user_id === null || user_id === hinted_user_id)
  const consented =
    session !== undefined && (client.consent === 'skip' || request.consent_to.every((word) => session.consented_to.includes(word)))

  if (asks('none')) {
    if (!session || isTooOld(session, request, now)) return refuse('login_required', 'The person has to sign in.')
    if (client.needs_press) return refuse('interaction_required', 'This client gets no code without an action of the person.')
    if (!consented) return refuse('consent_required', 'The person has not consented to all of the scope.')
    return { kind: 'issue', session_id: session.session_id }
  }

  const sign_in: NextStep = { kind: 'sign_in', user_id: hinted_user_id }
  if (asks('create') && hinted_user_id === null) return situation.sign_up_open ? { kind: 'sign_up' } : sign_in
  if (!session) return sign_in
  if (asks('select_account') && hinted_user_id === null) return { kind: 'select_account' }
  if (asks('login') || asks('create') || isTooOld(session, request, now)) return sign_in
  if (asks('consent') || !consented || (client.needs_press && !session.pressed)) return { kind: 'consent', session_id: session.session_id }
  return { kind: 'issue', session_id: session.session_id }
}

/**
 * The query of the same request without what a finished step has answered, so that nobody is asked twice.
 * An id_token_hint stays: it says who, not what to do. Where a sign-in step named a person, only this person's
 * sign-in finishes it: somebody else's must not take away a prompt=login. And where a new sign-in was asked for, the
 * request remembers since when (`now`, the auth_time of that sign-in), or else one could then choose another, older session.
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

const satisfiedBy = {
  sign_in: ['login', 'create', 'select_account'],
  sign_up: ['login', 'create', 'select_account'],
  select_account: ['select_account'],
  consent: ['consent'],
}

/**
 * OIDC Core §3.1.2.1: more than max_age has passed since the sign-in. 0 asks for a new one, however fresh the last.
 * Once a new sign-in was made for a request, an older session of somebody else will not do either.
 */
function isTooOld({ auth_time }: BrowserSession, { max_age, signed_in_since }: AuthorizationRequest, now: Date): boolean {
  if (signed_in_since !== undefined && auth_time < signed_in_since) return true
  if (max_age === undefined) return false
  return max_age === 0 || now.getTime() - auth_time.getTime() > max_age * 1_000
}

const refuse = (code: 'login_required' | 'interaction_required' | 'consent_required', why: string): NextStep => ({
  kind: 'refuse',
  error: new OAuthError(code, why),
})
