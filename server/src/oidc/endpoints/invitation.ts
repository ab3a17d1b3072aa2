/**
 * The page of an invitation. A person signs in or creates an account, sees who invites to what with which role and as whom, and accepts
 * by one press. Reading the page changes nothing, so a program that follows links in mails spends no invitation.
 */
import { describeChange } from '../../audit/entry.ts'
import { insertAuditEntry } from '../../audit/store.ts'
import { acceptInvitation as acceptance } from '../../members/invitations.ts'
import { findMember } from '../../members/store.ts'
import { acceptedPage, type InvitationView, invitationPage, memberPage } from '../../pages/invitation.ts'
import { formToken, isOwnForm, readBrowser, withCookies } from '../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect } from '../call.ts'
import { html, message, pageContext } from '../hosted-page.ts'
import type { SessionRow } from '../store/sessions.ts'
import { beginVisit } from '../visit.ts'
import { continueUrl, factsOf, showAccounts, showSignIn, showSignUp, type Visit, withPrompt } from './authorize.ts'
import { continueInteraction } from './sign-in.ts'

export const showInvitation: OidcEndpoint = async (parts, call) => {
  const begun = await beginVisit(parts, call, call.query)
  if ('answer' in begun) return begun.answer
  const visit: Visit = { query: call.query, ...begun, browser: await readBrowser(parts, call) }
  const { prompt } = visit.request
  const [session] = visit.browser.sessions
  if (prompt.includes('select_account') && session) return showAccounts(parts, call, visit)
  if (session && prompt.length === 0) return show(parts, call, visit, session, null)
  const may_create = visit.invitation.takes_accounts && call.issuer.settings.sign_in.password
  if (prompt.includes('login') || !may_create) return showSignIn(parts, call, visit, { email: '', problem: null, wait_seconds: null })
  const problems = { form: null, email: null, name: null, password: null }
  return showSignUp(parts, call, visit, { email: visit.invitation.email, name: '', problems, wait_seconds: null })
}

export const acceptInvitation: OidcEndpoint = async (parts, call) => {
  const visit = await continueInteraction(parts, call)
  if ('answer' in visit) return visit.answer
  if (!visit.invitation) return message(call, 'session_lost')
  const { invitation, browser, query } = visit
  // The account that the page named. In another window another account may have become the current one.
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  if (!session) return redirect(continueUrl(call, query))
  if (!isOwnForm(parts, call, browser)) return show(parts, call, visit, session, 'expired_form')
  if (call.form?.get('role') !== invitation.role) return show(parts, call, visit, session, 'changed')

  const { user_id } = session
  const { tenant_id } = invitation
  const by = { root_environment: parts.root_environment_id, token_hash: invitation.token_hash, user_id, session_id: session.id }
  const member = { id: user_id, tenant_id, email: session.email, role: invitation.role, invitation_id: invitation.id }
  const accepted = await parts.db.batch([
    ...acceptance(invitation, by, call.now),
    insertAuditEntry(
      tenant_id,
      {
        id: parts.newId('aud'),
        action: 'acceptInvitation',
        actor: { type: 'user', id: user_id },
        actor_label: session.email,
        request_id: call.request_id,
        ip: call.ip,
      },
      describeChange(null, member),
      call.now,
    ),
  ])
  if (accepted) return html(acceptedPage(pageContext(call), factsOf(visit)))
  // Another acceptance, an end or a change of the invitation was faster, or the session has ended.
  const begun = await beginVisit(parts, call, query)
  return 'answer' in begun ? begun.answer : show(parts, call, { ...visit, ...begun }, session, 'changed')
}

/** The question to the person of this session; or, where the person is a member already, that the role stays. */
async function show(
  parts: OidcServices,
  call: OidcCall,
  visit: Visit,
  session: SessionRow,
  problem: InvitationView['problem'],
): Promise<Answer> {
  const { browser, query, invitation } = visit
  const { csrf, set_cookie } = formToken(parts, call, browser)
  const member = await findMember(parts.db, parts.root_environment_id, invitation.tenant_id, session.user_id)
  const who = {
    person: { email: session.email, name: session.name },
    not_you_url: continueUrl(call, withPrompt(query, 'select_account')),
  }
  const page = member
    ? memberPage(pageContext(call), { ...factsOf(visit), ...who, role: member.role })
    : invitationPage(pageContext(call), { ...factsOf(visit), ...who, csrf, request: query, session_id: session.id, problem })
  return withCookies(html(page), set_cookie)
}
