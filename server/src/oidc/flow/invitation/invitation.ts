/**
 * The page of an invitation. One to an organization has its own (`organization.ts`); the rest of this file is about one to a tenant. A person signs in or creates an account, reads who invites them to which tenant with which role, and
 * accepts with one button. A new account whose address is not proved gets an emailed code first, and then the page again. A GET changes nothing, so a program that follows the links of an email does not accept.
 */
import { tenantUrl } from '../../../base/dashboard-links.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { describeChange } from '../../../domain/audit/entry.ts'
import { insertAuditEntry } from '../../../domain/audit/store.ts'
import { byUser } from '../../../domain/events/origin.ts'
import { acceptInvitation as acceptance, isUnproven } from '../../../domain/members/invitations.ts'
import { findMember } from '../../../domain/members/store.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { holdTenant } from '../../../domain/tenancy/store.ts'
import { aboutUser } from '../../../domain/users/store.ts'
import { acceptedPage, type InvitationView, invitationPage, memberPage } from '../../../pages/invitation.ts'
import { asksForSignUp } from '../../../protocol/sign-up.ts'
import { readBrowser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { formIncomplete, html, pageContext, sessionEnded } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import { sendCode } from '../email-code/send-code.ts'
import { continueInteraction } from '../shared/begin.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { mayCreateAccount, offersCodes } from '../shared/new-account.ts'
import { factsOf, no_problems, showAccounts, showRefusedAgain, showSignIn, showSignUp } from '../shared/screens.ts'
import { beginInvitation, type InvitationVisit, isOffer } from '../shared/visit.ts'
import { answerOffer, showOffer } from './organization.ts'

export const showInvitation: OidcEndpoint = async (services, call) => {
  const begun = await beginInvitation(services, call, call.query)
  if ('answer' in begun) return begun.answer
  const visit = { query: call.query, ...begun, browser: await readBrowser(services, call) }
  const again = await showRefusedAgain(services, call, visit)
  if (again) return again
  const { prompt, of_session } = visit.request
  const session = visit.browser.sessions.find(({ id }) => of_session === undefined || id === of_session)
  if (prompt.includes('select_account') && session) return showAccounts(services, call, visit, null)
  if (isOffer(visit)) {
    if (prompt.length === 0 && (session || offersCodes(call)))
      return showOffer(services, call, { ...visit, session: session ?? null }, null)
  } else if (session && prompt.length === 0) return show(services, call, { ...visit, session }, null)
  const may_create = mayCreateAccount(call, visit, null) && asksForSignUp(call.issuer.settings)
  if (prompt.includes('login') || !may_create) return showSignIn(services, call, visit, { email: '', problem: null, wait_seconds: null })
  return showSignUp(services, call, visit, {
    email: visit.invitation.email,
    name: '',
    problems: no_problems,
    refusal: null,
    wait_seconds: null,
  })
}

export const acceptInvitation: OidcEndpoint = async (services, call) => {
  const visit = await continueInteraction(services, call)
  if ('answer' in visit) return visit.answer
  if (!visit.invitation) return formIncomplete(call, reason`The form of an invitation holds the request of a client.`)
  if (isOffer(visit)) return answerOffer(services, call, visit)
  const { invitation, browser, query } = visit
  // The account that the page named: another window may have changed the current account.
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  if (!session) return sessionEnded(call, continueUrl(call, query))
  const problem = formProblem(services, call, browser)
  if (problem) return show(services, call, { ...visit, session }, problem)
  if (call.form?.get('role') !== invitation.role) return show(services, call, { ...visit, session }, 'changed')

  const { user_id } = session
  const { tenant_id } = invitation
  const root_environment = services.root_environment_id
  const needs_proof = sendsMail(call.issuer.settings.email)
  const by = { root_environment, token_hash: invitation.token_hash, user_id, session_id: session.id, needs_proof }
  const member = { id: user_id, tenant_id, email: session.email, role: invitation.role, invitation_id: invitation.id }
  const accepted = await services.db.of(call.issuer.environment_id).batch([
    holdTenant(tenant_id),
    aboutUser(call.issuer.environment_id, user_id), // for the session
    ...acceptance(invitation, by, call.now),
    insertAuditEntry(
      tenant_id,
      {
        id: services.newId('aud'),
        action: 'acceptInvitation',
        actor: byUser(user_id),
        actor_label: session.email,
        request_id: call.request_id,
        ip: call.ip,
      },
      describeChange(null, member),
      call.now,
    ),
  ])
  if (accepted) return html(acceptedPage(pageContext(call, visit.request.ui_locales), { ...factsOf(visit), ...wayOn(services, visit) }))
  // In the meantime the invitation was accepted, changed or ended, or the session ended; or the address is not proved.
  const begun = await beginInvitation(services, call, query)
  if ('answer' in begun) return begun.answer
  if (isOffer(begun)) return formIncomplete(call, reason`The link is one to an organization.`)
  if (needs_proof && (await isUnproven(services.db, root_environment, user_id)))
    return sendCode(services, call, visit, { kind: 'sign_in', email: session.email })
  return show(services, call, { ...visit, ...begun, session }, 'changed')
}

type SignedInVisit = InvitationVisit & { session: SessionRow }
type Problem = keyof typeof problems

/** Asks the person of this session; where the user is a member already, says that the role stays. */
async function show(services: OidcServices, call: OidcCall, visit: SignedInVisit, problem: Problem | null): Promise<Answer> {
  const place = { name: 'invitation', query: visit.query, address: continueUrl(call, visit.query) }
  const page = (shown: { problem: typeof problem }) => invitationAnswer(services, call, visit, shown.problem)
  const answer = await showStep(services, call, visit.browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, problems[problem])
}

async function invitationAnswer(services: OidcServices, call: OidcCall, visit: SignedInVisit, problem: Problem | null): Promise<Answer> {
  const { browser, query, invitation, session } = visit
  const { csrf, set_cookie } = formToken(services, call, browser)
  const member = await findMember(services.db, services.root_environment_id, invitation.tenant_id, session.user_id)
  const reader = {
    person: { email: session.email, name: session.name },
    not_you_url: continueUrl(call, withPrompt(query, 'select_account')),
  }
  const context = pageContext(call, visit.request.ui_locales, continueUrl(call, query))
  const page = member
    ? memberPage(context, { ...factsOf(visit), ...reader, ...wayOn(services, visit), role: member.role })
    : invitationPage(context, { ...factsOf(visit), ...reader, csrf, request: query, session_id: session.id, problem })
  return withCookies(html(page), set_cookie)
}

const wayOn = ({ config }: OidcServices, { invitation }: InvitationVisit) => ({
  dashboard_url: tenantUrl(config.base_url, invitation.tenant_slug),
})

const problems = {
  ...formRefusals,
  changed: refusal('not_found', reason`The invitation or its role changed while the person read the page, so it was not accepted.`),
} satisfies Partial<Record<NonNullable<InvitationView['problem']>, Refusal>>
