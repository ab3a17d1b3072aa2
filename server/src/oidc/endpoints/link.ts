/** The page to which every mailed link leads. A GET changes nothing, so a program that follows the links of a mail proves nothing. */
import { type LinkView, linkPage, verifiedPage } from '../../pages/reset.ts'
import { findOwner, verifyAddress } from '../../users/address-proof.ts'
import { openLink, type Payload } from '../../users/code-mail.ts'
import { type CodeRow, spendCode } from '../../users/mailed-codes.ts'
import { canReset } from '../../users/reset.ts'
import { formProblem, formRefusals, formToken, readBrowser, withCookies } from '../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, refused } from '../call.ts'
import { chosenLanguages, html, languagesOf, pageContext } from '../hosted-page.ts'
import { linkEnded } from '../interaction/link-ended.ts'
import { linkUrl, showNewPassword } from '../interaction/new-password.ts'

export const showLink: OidcEndpoint = async (services, call) => {
  const token = (new URLSearchParams(call.query).get('token') ?? '').slice(0, 100)
  const opened = await openLink(services, call.issuer.environment_id, token, call.now)
  if (opened?.row.kind !== 'verify_email' && opened?.row.kind !== 'reset_password') return linkEnded(call)
  call.subject.user_id = opened.row.user_id
  return showPage(services, call, { token, kind: opened.row.kind, email: opened.payload.email, problem: null })
}

export const useLink: OidcEndpoint = async (services, call) => {
  const token = (call.form?.get('token') ?? '').slice(0, 100)
  const opened = await openLink(services, call.issuer.environment_id, token, call.now)
  if (opened?.row.kind !== 'verify_email' && opened?.row.kind !== 'reset_password') return linkEnded(call)
  const { row, payload } = opened
  call.subject.user_id = row.user_id
  const problem = formProblem(services, call, await readBrowser(services, call))
  if (problem) return showPage(services, call, { token, kind: opened.row.kind, email: payload.email, problem })
  return row.kind === 'verify_email' ? verify(services, call, row, payload) : openNewPassword(services, call, token, row, payload)
}

/** The link of a reset stays open until the new password is stored: a password that the rules refuse does not spend it. */
async function openNewPassword(services: OidcServices, call: OidcCall, token: string, row: CodeRow, payload: Payload): Promise<Answer> {
  const owner = await findOwner(services.db, call.issuer.environment_id, payload.email)
  return canReset(owner, row, payload) ? showNewPassword(services, call, { token, email: owner.email, problem: null }) : linkEnded(call)
}

async function verify(services: OidcServices, call: OidcCall, row: CodeRow, payload: Payload): Promise<Answer> {
  const { environment_id } = call.issuer
  const owner = await findOwner(services.db, environment_id, payload.email)
  if (owner?.id !== row.user_id || owner.blocked_at !== null) return linkEnded(call)
  const proof = { environment_id, request_id: call.request_id, now: call.now }
  const spent = spendCode(environment_id, row.id, { tried: false }, call.now)
  const done = await services.db.batch([spent, ...verifyAddress(services, proof, owner)])
  return done ? html(verifiedPage(pageContext(call, chosenLanguages(call)), owner.email)) : linkEnded(call)
}

async function showPage(services: OidcServices, call: OidcCall, view: Omit<LinkView, 'csrf'>): Promise<Answer> {
  const languages = call.form ? chosenLanguages(call) : languagesOf(call.query)
  const { csrf, set_cookie } = formToken(services, call, await readBrowser(services, call))
  const answer = withCookies(html(linkPage(pageContext(call, languages, linkUrl(call, view.token)), { csrf, ...view })), set_cookie)
  return view.problem === null ? answer : refused(answer, formRefusals[view.problem])
}
