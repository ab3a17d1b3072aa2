/**
 * The page of an invitation to an organization. The link proves nothing: the person has proved the invited address, or proves it now by a code
 * that is mailed to it (`invitation-code.ts`). A GET changes nothing.
 */
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import type { Statement } from '../../../db/db.ts'
import { findOwner, isProven } from '../../../domain/accounts/address-proof.ts'
import type { OpenOffer } from '../../../domain/organizations/joining.ts'
import { findMember } from '../../../domain/organizations/members.ts'
import { holdSession, type SessionRow } from '../../../domain/sessions/sessions.ts'
import { holdProvenOwner } from '../../../domain/users/store.ts'
import { type OfferView, offerDeclinedPage, offerMemberPage, offerPage } from '../../../pages/organization-invitation.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { html, pageContext, sessionEnded } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { afterJoining, againOf, decline, join } from '../shared/join-organization.ts'
import { offersCodes } from '../shared/new-account.ts'
import { offerFactsOf } from '../shared/screens.ts'
import type { OfferVisit } from '../shared/visit.ts'
import { sendInvitationCode } from './send-invitation-code.ts'

/** A visit with the account that the page names; `null` where nobody is signed in. */
type OfferOf = OfferVisit & { session: SessionRow | null }
type Problem = keyof typeof problems

/** Whether the account of a session has proved the invited address. */
async function hasProved({ db }: OidcServices, { environment_id, email }: OpenOffer, { user_id }: SessionRow): Promise<boolean> {
  const owner = await findOwner(db, environment_id, email)
  return owner?.id === user_id && isProven(owner)
}

export async function showOffer(services: OidcServices, call: OidcCall, visit: OfferOf, problem: Problem | null): Promise<Answer> {
  const place = { name: 'invitation', query: visit.query, address: continueUrl(call, visit.query) }
  const page = (shown: { problem: Problem | null }) => offerAnswer(services, call, visit, shown.problem)
  const answer = await showStep(services, call, visit.browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, problems[problem])
}

async function offerAnswer(services: OidcServices, call: OidcCall, visit: OfferOf, problem: Problem | null): Promise<Answer> {
  const { browser, query, invitation, session } = visit
  const facts = offerFactsOf(visit)
  const context = pageContext(call, visit.request.ui_locales, continueUrl(call, query))
  const other_account_url = continueUrl(call, withPrompt(query, session === null ? 'login' : 'select_account'))
  const member = session && (await findMember(services.db, { ...invitation, user_id: session.user_id }))
  if (session && member) {
    const { email, name } = session
    const way_on = await afterJoining(services, call, invitation)
    return html(offerMemberPage(context, { ...facts, person: { email, name }, other_account_url, way_on }))
  }
  const { csrf, set_cookie } = formToken(services, call, browser)
  const reader = session && {
    session_id: session.id,
    person: { email: session.email, name: session.name },
    has_proved: await hasProved(services, invitation, session),
  }
  return withCookies(html(offerPage(context, { ...facts, csrf, request: query, reader, other_account_url, problem })), set_cookie)
}

const problems = {
  ...formRefusals,
  changed: refusal('not_found', reason`The invitation changed while the person read the page, so it was not accepted.`),
  full: refusal('locked_out', reason`The organization, or the user, is at the limit of memberships.`),
} satisfies Partial<Record<NonNullable<OfferView['problem']>, Refusal>>

/** The form of the page: accept, or decline. */
export async function answerOffer(services: OidcServices, call: OidcCall, visit: OfferVisit): Promise<Answer> {
  const { browser, query, invitation } = visit
  const session_id = call.form?.get('session') ?? null
  // The account that the page named: another window may have changed the current one.
  const session = session_id === null ? null : browser.sessions.find(({ id }) => id === session_id)
  if (session === undefined) return sessionEnded(call, continueUrl(call, query))
  const problem = formProblem(services, call, browser)
  if (problem) return showOffer(services, call, { ...visit, session }, problem)
  const has_proved = session !== null && (await hasProved(services, invitation, session))
  if (call.form?.get('action') === 'decline')
    return has_proved ? declineAs(services, call, { ...visit, session }) : showOffer(services, call, { ...visit, session }, 'changed')
  if (has_proved)
    return acceptAs(services, call, { ...visit, session }, [holdProvenOwner(invitation.environment_id, session.user_id, invitation.email)])
  if (session === null && !offersCodes(call)) return redirect(continueUrl(call, withPrompt(query, 'login')))
  return sendInvitationCode(services, call, { ...visit, session })
}

/**
 * Makes the account of this session a member. `proof` are the first statements of each try, which fail where the address is not proved. They hold the
 * user.
 */
export async function acceptAs(
  services: OidcServices,
  call: OidcCall,
  visit: OfferVisit & { session: SessionRow },
  proof: readonly Statement[],
): Promise<Answer> {
  const { session } = visit
  const first = [...proof.slice(0, 1), holdSession(call.issuer.environment_id, session, call.now), ...proof.slice(1)]
  const { offer, over } = await join(services, call, {
    offer: visit.invitation,
    user_id: session.user_id,
    first,
    again: againOf(services, call, visit),
  })
  if (over === 'joined') return redirect(await afterJoining(services, call, offer))
  return typeof over === 'string' ? showOffer(services, call, { ...visit, invitation: offer }, over) : over
}

async function declineAs(services: OidcServices, call: OidcCall, visit: OfferOf): Promise<Answer> {
  const { invitation, session, request, query } = visit
  if (session === null || !(await decline(services, call, invitation, session))) return showOffer(services, call, visit, 'changed')
  const context = pageContext(call, request.ui_locales, continueUrl(call, query))
  return html(offerDeclinedPage(context, { ...offerFactsOf(visit), way_on: accountUrl(call) }))
}
