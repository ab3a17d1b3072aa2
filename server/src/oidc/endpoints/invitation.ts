/** The link of an invitation: sets the first password of somebody new. The link is spent by setting it, not by opening it. */
import { newSecret } from '../../deployment.ts'
import { digestOf } from '../../keys/format.ts'
import { acceptInvitation, findInvitation } from '../../members/invitations.ts'
import { type InvitationView, invitationDonePage, invitationPage } from '../../pages/invitation.ts'
import { judgePassword } from '../../users/password-rules.ts'
import { formToken, isOwnForm, readBrowser, withCookies } from '../browser.ts'
import type { Answer, OidcCall, OidcEndpoint, OidcParts } from '../call.ts'
import { html, message, pageContext } from '../hosted-page.ts'

export const showInvitation: OidcEndpoint = (parts, call) => show(parts, call, new URLSearchParams(call.query).get('token') ?? '', null)

export const invitation: OidcEndpoint = async (parts, call) => {
  const { db, passwords } = parts
  const { issuer, now, signal } = call
  const { environment_id } = issuer
  const token = call.form?.get('token') ?? ''
  const password = call.form?.get('password') ?? ''
  const invited = await findInvitation(db, environment_id, digestOf(token), now)
  if (!invited) return message(call, 'session_lost')
  if (!isOwnForm(parts, call, await readBrowser(parts, call))) return show(parts, call, token, 'expired_form')
  const problem = password === '' ? 'missing' : await judgePassword(db, environment_id, password, invited)
  if (problem) return show(parts, call, token, problem)

  const password_hash = await passwords.hash(password, { environment_id, signal })
  const accepted = await acceptInvitation(db, environment_id, digestOf(token), newSecret(parts), password_hash, now)
  return accepted ? html(invitationDonePage(pageContext(call), invited)) : message(call, 'session_lost')
}

async function show(parts: OidcParts, call: OidcCall, token: string, problem: InvitationView['problem']): Promise<Answer> {
  const invited = await findInvitation(parts.db, call.issuer.environment_id, digestOf(token), call.now)
  if (!invited) return message(call, 'session_lost')
  const { csrf, set_cookie } = formToken(parts, call, await readBrowser(parts, call))
  const view = { csrf, token, email: invited.email, password_rule: call.issuer.settings.password, problem }
  return withCookies(html(invitationPage(pageContext(call), view)), set_cookie)
}
