/**
 * The page that asks for the code of an invitation to an organization. A right code proves the invited address. A person who is signed in joins with
 * that account; one who is not gets the account of the address, or a new one, and joins with it.
 */
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import type { Statement } from '../../../db/db.ts'
import { findOwner, isProven, verifyAddress } from '../../../domain/accounts/address-proof.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { giveBackToSource, takeFromSource } from '../../../domain/users/attempts.ts'
import { tryCode } from '../../../domain/users/code-mail.ts'
import { type CodeRow, spendCode } from '../../../domain/users/mailed-codes.ts'
import { aboutUser, holdUser } from '../../../domain/users/store.ts'
import { copyOf } from '../../../http/query.ts'
import { type OfferCodeView, offerCodePage } from '../../../pages/organization-invitation.ts'
import { readBrowser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { formIncomplete, html, pageContext, sessionEnded } from '../../hosted-page.ts'
import { keptMailUrl } from '../../kept-mail.ts'
import { showStep } from '../../refused-form.ts'
import { readStepQuery } from '../../step-token.ts'
import { accountOfProof, by_code } from '../email-code/account-by-code.ts'
import { continueInteraction, openStep } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import type { SignedIn } from '../shared/establish-session.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import { joinAfterSignIn } from '../shared/join-organization.ts'
import { offersCodes, takeNewAccount, too_many_accounts } from '../shared/new-account.ts'
import { afterWait, offerFactsOf } from '../shared/screens.ts'
import { isOffer, type OfferVisit } from '../shared/visit.ts'
import { acceptAs } from './organization.ts'
import { findInvitationCode, invitationCodeUrl, sendInvitationCode } from './send-invitation-code.ts'

/** As long as a code lives. */
const longest_ms = 600_000

/** Loading the page sends nothing, and spends nothing. */
export const showInvitationCode: OidcEndpoint = async (services, call) => {
  const { step, query, browser } = readStepQuery(services, call, await readBrowser(services, call))
  const begun = await openStep(services, call, query)
  if ('answer' in begun) return begun.answer
  const visit = { query, ...begun, browser }
  if (!isOffer(visit)) return formIncomplete(call, of_other_page)
  if (step?.page !== 'code' || call.now.getTime() >= step.at + longest_ms) return redirect(invitationUrlOf(call, visit))
  return showInvitationCodePage(services, call, visit, { problem: null })
}

const of_other_page = reason`The page of the code holds the request of another page.`

const invitationUrlOf = (call: OidcCall, { query }: OfferVisit): string => {
  const search = copyOf(query)
  search.delete('of_session')
  return continueUrl(call, search.toString())
}

export const enterInvitationCode: OidcEndpoint = async (services, call) => {
  const visit = await continueInteraction(services, call)
  if ('answer' in visit) return visit.answer
  if (!isOffer(visit)) return formIncomplete(call, of_other_page)
  const { of_session } = visit.request
  const session = of_session === undefined ? null : visit.browser.sessions.find(({ id }) => id === of_session)
  if (session === undefined) return sessionEnded(call, invitationUrlOf(call, visit))
  const problem = formProblem(services, call, visit.browser)
  if (problem) return showInvitationCodePage(services, call, visit, { problem, refusal: formRefusals[problem] })
  if (call.form?.get('action') === 'resend') return sendInvitationCode(services, call, { ...visit, session })
  return checkInvitationCode(services, call, { ...visit, session })
}

type Shown = Pick<OfferCodeView, 'problem'> & { wait_seconds?: number | null; refusal?: Refusal }

function showInvitationCodePage(services: OidcServices, call: OidcCall, visit: OfferVisit, { refusal, ...view }: Shown): Answer {
  const { step, query: without_step } = readStepQuery(services, call, visit.browser)
  const is_here = step !== null && without_step === visit.query
  const address = is_here ? `${call.issuer.url}/invitation-code?${call.query}` : invitationCodeUrl(services, call, visit, visit.query)
  const place = { name: 'invitation-code', query: visit.query, address }
  const page = (shown: Omit<Shown, 'refusal'>) => codeAnswer(services, call, visit, { ...shown, page_url: address })
  const answer = showStep(services, call, visit.browser, { place, view, page })
  return refusal ? refused(answer, refusal) : answer
}

function codeAnswer(
  services: OidcServices,
  call: OidcCall,
  visit: OfferVisit,
  { wait_seconds = null, page_url, problem }: Omit<Shown, 'refusal'> & { page_url: string },
): Answer {
  const { csrf, set_cookie } = formToken(services, call, visit.browser)
  const page = offerCodePage(pageContext(call, visit.request.ui_locales, page_url), {
    ...offerFactsOf(visit),
    page_url,
    csrf,
    request: visit.query,
    problem,
    wait_seconds,
    inbox_url: keptMailUrl(services, call),
    back_url: invitationUrlOf(call, visit),
  })
  return afterWait(withCookies(html(page), set_cookie), wait_seconds)
}

type OfferOf = OfferVisit & { session: SessionRow | null }

/** Wrong codes are counted for the address, and so for the invitation over all browsers, as those of emailed codes are. */
async function checkInvitationCode(services: OidcServices, call: OidcCall, visit: OfferOf): Promise<Answer> {
  const { environment_id } = call.issuer
  const { session } = visit
  const attempt = { environment_id, source: sourceOf(call.ip), now: call.now }
  const wait_seconds = await takeFromSource(services.db, 'email_code', attempt)
  if (wait_seconds !== null) return showInvitationCodePage(services, call, visit, { problem: 'too_many', wait_seconds, refusal: too_many })
  const row = await findInvitationCode(services, call, visit)
  const is_right = await tryCode(services, environment_id, { row, typed: call.form?.get('code') ?? '' }, call.now)
  if (row && is_right) {
    const spent = [giveBackToSource('email_code', attempt), spendCode(environment_id, row.id, { tried: true }, call.now)]
    const answer = session
      ? await joinSignedIn(services, call, { ...visit, session }, spent)
      : await signInAndJoin(services, call, visit, spent)
    if (answer) return answer
  }
  return showInvitationCodePage(services, call, visit, { problem: 'wrong', refusal: whyRefused(row, is_right) })
}

const too_many = refusal('locked_out', reason`Too many emailed codes were wrong from the same address of the network.`)

/** For the tenant only: the page is the same in all these cases. */
function whyRefused(row: CodeRow | null, is_right: boolean): Refusal {
  if (!row) return refusal('wrong_code', reason`This browser has no pending code for the invitation.`)
  if (is_right)
    return refusal('wrong_code', reason`The code is right, but the account is blocked or changed, or nobody signs in by codes here.`)
  return refusal('wrong_code', reason`The code of the invitation is wrong, has expired or was tried too often.`)
}

/** An account that has the invited address and did not prove it has proved it now, in its own session. */
async function joinSignedIn(
  services: OidcServices,
  call: OidcCall,
  visit: OfferVisit & { session: SessionRow },
  spent: readonly Statement[],
): Promise<Answer> {
  const { environment_id } = call.issuer
  const { user_id } = visit.session
  const owner = await findOwner(services.db, environment_id, visit.invitation.email)
  const proof = { environment_id, request_id: call.request_id, now: call.now }
  const verified = owner?.id === user_id ? verifyAddress(services, proof, owner) : []
  return acceptAs(services, call, visit, [holdUser(environment_id, user_id), ...spent, ...verified])
}

/**
 * Signs in to the account of the address, or makes it, and joins. A second factor that is missing comes first, and then the page of the invitation
 * again, as where the invitation changed meanwhile.
 */
async function signInAndJoin(
  services: OidcServices,
  call: OidcCall,
  visit: OfferVisit,
  spent: readonly Statement[],
): Promise<Answer | null> {
  const { environment_id } = call.issuer
  const { email } = visit.invitation
  if (!offersCodes(call)) return null
  const owner = await findOwner(services.db, environment_id, email)
  let signed_in: SignedIn
  if (isProven(owner)) {
    if (owner.blocked_at !== null) return null
    const first = [aboutUser(environment_id, owner.id), ...spent]
    signed_in = { ...by_code, user_id: owner.id, email: owner.email, password_hash: owner.password_hash, step: 'sign_in', first }
  } else {
    const wait_seconds = await takeNewAccount(services, call)
    if (wait_seconds !== null)
      return showInvitationCodePage(services, call, visit, { problem: 'too_many', wait_seconds, refusal: too_many_accounts })
    const made = await accountOfProof(services, call, visit, {
      email: owner?.email ?? email,
      name: null,
      password_hash: null,
      first: spent,
    })
    if (!made) return null
    signed_in = { ...made.signed_up, first: made.statements }
  }
  call.subject.user_id = signed_in.user_id
  const answer = await finishSignIn(services, call, visit, signed_in)
  return answer && joinAfterSignIn(services, call, visit, { user_id: signed_in.user_id, answer })
}
