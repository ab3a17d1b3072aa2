/**
 * The interaction of a person with the hosted pages: everything between an authorization request and its code. The service stores no
 * state between the steps, except for a sign-in that waits for its second factor (`half-sign-in.ts`). Each page
 * has the request in a form field, `request`, and each step judges the request again.
 * So no step can be skipped, and a request that another person began gives no access.
 *
 *     route                          endpoint          calls
 *     GET  /oauth/authorize          authorize         beginAuthorization, judgeNextStep, takeStep: a page, or the answer to the client
 *     POST /sign-in                  signIn            continueInteraction, checkPassword, finishSignIn; or sendCode
 *     GET  /code                     showCodePage      openStep, showCode: a page
 *     POST /code                     enterCode         continueInteraction, checkCode or resendCode, finishSignIn
 *     POST /sign-up                  signUp            continueInteraction, sendCode; without mail finishSignIn
 *     GET  /second-factor            showSecondFactorPage  openStep, readHalfSignIn: a page
 *     POST /second-factor            secondFactor      continueInteraction, readHalfSignIn, completeHalfSignIn
 *     POST /enrolment-code           enrolmentCode     the same, then acceptEnrolmentCode
 *     POST /enrol-totp               enrolTotp         the same, then completeHalfSignIn; redirects to the recovery codes
 *     POST /enrol-passkey            enrolPasskey      the same
 *     GET  /recovery-codes           showRecoveryCodes  the codes, until they are confirmed
 *     POST /recovery-codes           confirmRecoveryCodes  continues the request
 *     GET  /forgot-password          showForgotPassword  openStep: a page
 *     POST /forgot-password          forgotPassword    continueInteraction: mails a link
 *     GET  /link                     showLink          the page of a mailed link, which needs no interaction
 *     POST /link                     useLink           verifyAddress, or the page for a new password
 *     GET  /new-password             showNewPasswordPage  a page
 *     POST /new-password             newPassword       resetPassword; signs nobody in
 *     POST /passkey                  signInByPasskey   continueInteraction, checkPasskey, finishSignIn
 *     POST /offer-passkey            offerPasskey      continueInteraction, finishEnrolment
 *     POST /select-account           selectAccount     continueInteraction, endSessions
 *     POST /select-organization      selectOrganization  continueInteraction
 *     POST /profile                  saveProfile       continueInteraction: stores a name
 *     POST /consent                  consent           continueInteraction; answerClient where the person refuses
 *     POST /federate                 federate          continueInteraction, then redirects to the provider
 *     GET  /oauth/callback/{id}      callback          beginInteraction, signInAs, finishSignIn
 *     GET  /invitation               showInvitation    beginVisit: a page
 *     POST /invitation               acceptInvitation  continueInteraction
 *     GET  /invitation-code          showInvitationCode  the code that proves the address of an invitation to an organization
 *     POST /invitation-code          enterInvitationCode  continueInteraction, then the member
 *     GET  /account                  showAccount       accountVisit: a page; the forms of the page are in `oidc/account`
 *     GET  /oauth/logout             logout            endSessions
 *     POST /sign-out                 signOut           endSessions
 *
 * `oidc/repeat.ts` wraps the POST of each: a button pressed twice ends as if pressed once.
 *
 * A step that succeeds redirects to `continueUrl`: the authorization endpoint, the page of the invitation or the account page.
 *
 * The files call each other in one direction:
 *
 *     endpoints                         → begin, dispatch, check-password, check-passkey, email-code, upstream-account, end-sessions
 *     begin                             → visit, screens, answer-client
 *     dispatch                          → screens, decision-screens, offer-passkey, issue-code, answer-client, half-sign-in
 *     decision-screens                  → screens, access
 *     check-password, check-passkey, email-code, upstream-account  → finish-sign-in, screens
 *     screens, check-passkey, offer-passkey  → passkey-ceremony, passkey-enrolment
 *     finish-sign-in                    → half-sign-in, establish-session
 *     second-factor-screens             → second-factors, passkey-second-factor, passkey-enrolment → passkey-ceremony
 *     second-factor-screens             → continue-half → half-sign-in → enrolment-code, establish-session
 *     all of these                      → continue → press, visit
 */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { type Audience, findAudiences, findOwnedScopes } from '../../../domain/resource-servers/store.ts'
import { copyOf, readQuery } from '../../../http/query.ts'
import { type AuthorizationRequest, judgeAuthorizationRequest } from '../../../protocol/authorize.ts'
import { type Client, sentIdOf } from '../../../protocol/client.ts'
import { OAuthError } from '../../../protocol/oauth-error.ts'
import { readParameters } from '../../../protocol/parameters.ts'
import { remedyOf } from '../../../protocol/remedy.ts'
import { findResource, most_resources, most_unknown_scopes, spellingsOf, unknownScopes } from '../../../protocol/requested.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { formIncomplete, message, tooLong } from '../../hosted-page.ts'
import { readIdTokenHint } from '../../id-token-hint.ts'
import { findRequestedClient } from '../../metadata-client.ts'
import { answerClient } from './answer-client.ts'
import { explainTarget } from './explain-target.ts'
import { showRefusedClient, showRequestError } from './screens.ts'
import { type AccountVisit, beginVisit, type InvitationVisit, type OfferVisit, type Visit, visitOf } from './visit.ts'

/** A sign-in in progress, for a client, for an invitation or for the account page. */
export type Interaction = Authorization | Visit

/** A sign-in for a client. It continues at the authorization endpoint. */
export interface Authorization extends BegunAuthorization {
  query: string
  browser: Browser
}

/** An authorization request that may proceed. */
interface BegunAuthorization {
  request: AuthorizationRequest
  client: Client
  invitation: null
  account: null
  /** The resource servers of the request, in the order of its `resource` parameters. */
  audiences: readonly Audience[]
}

type Begun<V> = Omit<V, 'query' | 'browser'>
type BegunVisit = Begun<InvitationVisit> | Begun<OfferVisit> | Begun<AccountVisit>

/** Reads the request from the form of a hosted page and judges it again. */
export async function continueInteraction(services: OidcServices, call: OidcCall): Promise<Interaction | { answer: Answer }> {
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return { answer: tooLong(call) }
  if (query === '') return { answer: formIncomplete(call, reason`The form holds no request.`) }
  const begun = await beginInteraction(services, call, query)
  return 'answer' in begun ? begun : { query, ...begun, browser: await readBrowser(services, call) }
}

export function beginInteraction(
  services: OidcServices,
  call: OidcCall,
  query: string,
): BegunVisit | Promise<BegunAuthorization | BegunVisit | { answer: Answer }> {
  return visitOf(query) === null ? beginAuthorization(services, call, query) : beginVisit(services, call, query)
}

/**
 * Reads the request from the address of a page that waits. An address without any request was typed or shortened: no application sent the
 * person there.
 */
export function openStep(services: OidcServices, call: OidcCall, query: string): ReturnType<typeof beginInteraction> | { answer: Answer } {
  const search = copyOf(query)
  search.delete('ui_locales')
  return search.size === 0 ? { answer: message(call, 'no_attempt', no_attempt) } : beginInteraction(services, call, query)
}

const no_attempt = refusal('form_expired', reason`The address of the page holds no request.`)

/** Judges an authorization request. Returns the answer of a request that may not proceed. */
export async function beginAuthorization(
  services: OidcServices,
  call: OidcCall,
  query: string,
): Promise<BegunAuthorization | { answer: Answer }> {
  const { db } = services
  const { issuer } = call
  const { openid_optional } = issuer.settings.oauth
  const parameters = readParameters(readQuery(query))
  const sent = (parameters.lists.resource ?? []).slice(0, most_resources)
  const spellings = new Set(sent.flatMap((identifier) => spellingsOf(identifier, openid_optional)))
  const [found, known] = await Promise.all([
    findRequestedClient(services, call, parameters.values),
    findAudiences(db, issuer.environment_id, [...spellings]),
  ])
  if ('refused' in found) {
    call.subject.client_id = parameters.values.client_id ?? null
    return { answer: showRefusedClient(call, found.refused) }
  }
  const { client } = found
  const audiences = [...new Set(sent.flatMap((identifier) => findResource(identifier, known, openid_optional) ?? []))]
  call.subject.client_id = client === null ? null : sentIdOf(client)
  const resources = audiences.map(({ identifier, scopes, roles_claim, data_claims, organizations, allow_metadata_clients }) => ({
    identifier,
    scopes: scopes.map(({ name }) => name),
    roles_claim,
    data_claims,
    organizations,
    allow_metadata_clients,
  }))
  const unknown = client ? unknownScopes(parameters.values.scope, client, resources) : []
  const elsewhere = await findOwnedScopes(db, issuer.environment_id, unknown.slice(0, most_unknown_scopes))
  const policy = {
    disabled_scopes: issuer.settings.scopes.disabled,
    resources,
    openid_optional,
    scopes_elsewhere: unknown.length > most_unknown_scopes ? undefined : elsewhere.map(({ name }) => name),
  }
  const verdict = judgeAuthorizationRequest(parameters, client, policy)
  if (verdict.kind === 'show_error')
    return { answer: await showRequestError(services, call, verdict, { client, values: parameters.values }) }
  if (verdict.kind === 'return_error') {
    const error = await explainTarget(services, call, { elsewhere, resources, parameters }, verdict.error)
    const answer = answerClient(call, verdict.client, { ...verdict, error })
    const remedy = verdict.client.metadata ? null : remedyOf(parameters, verdict.client, policy)
    return { answer: refused(answer, { code: error.code, reason: error.reason, refused: error.refused, remedy }) }
  }
  const { request } = verdict
  if (readIdTokenHint(issuer, request.id_token_hint) === 'invalid') {
    const error = new OAuthError('invalid_request', 'id_token_hint is not an ID token of this issuer.')
    return { answer: answerClient(call, verdict.client, { ...request, error }) }
  }
  return {
    request,
    client: verdict.client,
    invitation: null,
    account: null,
    audiences: request.resource.flatMap((identifier) => audiences.find((one) => one.identifier === identifier) ?? []),
  }
}
