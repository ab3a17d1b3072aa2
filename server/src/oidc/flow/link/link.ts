/** The page to which every mailed link leads. A GET changes nothing, so a program that follows the links of a mail proves nothing. */
import { findOwner, verifyAddress } from '../../../domain/accounts/address-proof.ts'
import { canReset } from '../../../domain/accounts/reset.ts'
import { openLink, type Payload } from '../../../domain/users/code-mail.ts'
import { type CodeKind, type CodeRow, spendCode } from '../../../domain/users/mailed-codes.ts'
import { aboutUser } from '../../../domain/users/store.ts'
import { accountCreatedPage, changeConfirmedPage, type LinkView, linkPage, verifiedPage } from '../../../pages/reset.ts'
import { readBrowser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { chosenLanguages, html, languagesOf, pageContext } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import { cancelEmailChange, confirmEmailChange } from '../account/email-change.ts'
import { findOwnUser } from '../account/gate.ts'
import { createAccountByLink } from '../email-code/account-by-code.ts'
import { linkUrl, newPasswordUrl } from '../reset/new-password.ts'
import { linkEnded } from '../shared/link-ended.ts'
import { offersReset } from '../shared/new-account.ts'

/** The kinds of codes that have a link. */
const linked: Record<LinkView['kind'], true> = {
  sign_up: true,
  verify_email: true,
  reset_password: true,
  change_email: true,
  change_email_notice: true,
}
const isLinked = (kind: CodeKind): kind is LinkView['kind'] => Object.hasOwn(linked, kind)

/** In characters. A link has 43; a longer text is not a token, even where it is cut. */
const longest_token = 100

const viewOf = (token: string, kind: LinkView['kind'], { email, new_email }: Payload) => ({
  token,
  kind,
  email,
  new_email: new_email ?? '',
})

export const showLink: OidcEndpoint = async (services, call) => {
  const token = (new URLSearchParams(call.query).get('token') ?? '').slice(0, longest_token)
  const opened = await openLink(services, call.issuer.environment_id, token, call.now)
  if (!opened || !isLinked(opened.row.kind)) return linkEnded(call)
  call.subject.user_id = opened.row.user_id
  return showPage(services, call, { ...viewOf(token, opened.row.kind, opened.payload), problem: null })
}

export const useLink: OidcEndpoint = async (services, call) => {
  const token = (call.form?.get('token') ?? '').slice(0, longest_token)
  const opened = await openLink(services, call.issuer.environment_id, token, call.now)
  if (!opened || !isLinked(opened.row.kind)) return linkEnded(call)
  const { row, payload } = opened
  call.subject.user_id = row.user_id
  const problem = formProblem(services, call, await readBrowser(services, call))
  if (problem) return showPage(services, call, { ...viewOf(token, opened.row.kind, payload), problem })
  switch (opened.row.kind) {
    case 'sign_up':
      return createAccount(services, call, row, payload)
    case 'verify_email':
      return verify(services, call, row, payload)
    case 'reset_password':
      return openNewPassword(services, call, { token, row, payload })
    case 'change_email':
      return changeAddress(services, call, opened, 'new')
    case 'change_email_notice':
      return call.form?.get('decision') === 'cancel' ? keepAddress(services, call, row) : changeAddress(services, call, opened, 'old')
  }
}

async function createAccount(services: OidcServices, call: OidcCall, row: CodeRow, payload: Payload): Promise<Answer> {
  const sign_in_url = await createAccountByLink(services, call, row, payload)
  return sign_in_url === null ? linkEnded(call) : html(accountCreatedPage(pageContext(call), { email: payload.email, sign_in_url }))
}

/** A link that is open: its row, and the content of the row. */
interface Opened {
  row: CodeRow
  payload: Payload
}

/** Presses of both ends need no session, and sign nobody in. */
async function changeAddress(
  services: OidcServices,
  call: OidcCall,
  { row, payload: { new_email } }: Opened,
  end: 'new' | 'old',
): Promise<Answer> {
  const spent = spendCode(call.issuer.environment_id, row.id, { tried: false }, call.now)
  const confirmation = { end, new_email: new_email ?? '', spent, session: null }
  const confirmed = await confirmEmailChange(services, call, row.user_id ?? '', confirmation)
  return confirmed === 'failed' ? linkEnded(call) : html(changeConfirmedPage(pageContext(call), confirmed, new_email ?? ''))
}

async function keepAddress(services: OidcServices, call: OidcCall, row: CodeRow): Promise<Answer> {
  const user = await findOwnUser(services, call, row.user_id ?? '')
  const spent = [spendCode(call.issuer.environment_id, row.id, { tried: false }, call.now)]
  const kept = user && (await cancelEmailChange(services, call, user, { spent }))
  return kept ? html(changeConfirmedPage(pageContext(call), 'cancelled', user.email)) : linkEnded(call)
}

/** The link of a reset stays open until the new password is stored: a password that the rules refuse does not spend it. */
async function openNewPassword(
  services: OidcServices,
  call: OidcCall,
  { token, row, payload }: Opened & { token: string },
): Promise<Answer> {
  const owner = await findOwner(services.db, call.issuer.environment_id, payload.email)
  const opens = canReset(owner, row, payload) && offersReset(call)
  return opens ? redirect(newPasswordUrl(call, token)) : linkEnded(call)
}

async function verify(services: OidcServices, call: OidcCall, row: CodeRow, payload: Payload): Promise<Answer> {
  const { environment_id } = call.issuer
  const owner = await findOwner(services.db, environment_id, payload.email)
  if (owner?.id !== row.user_id || owner.blocked_at !== null) return linkEnded(call)
  const proof = { environment_id, request_id: call.request_id, now: call.now }
  const spent = spendCode(environment_id, row.id, { tried: false }, call.now)
  const done = await services.db
    .of(environment_id)
    .batch([aboutUser(environment_id, owner.id), spent, ...verifyAddress(services, proof, owner)])
  return done ? html(verifiedPage(pageContext(call, chosenLanguages(call)), owner.email)) : linkEnded(call)
}

async function showPage(
  services: OidcServices,
  call: OidcCall,
  view: Omit<LinkView, 'csrf' | 'problem'> & { problem: keyof typeof formRefusals | null },
): Promise<Answer> {
  const languages = call.form ? chosenLanguages(call) : languagesOf(call.query)
  const browser = await readBrowser(services, call)
  const { csrf, set_cookie } = formToken(services, call, browser)
  const address = linkUrl(call, view.token)
  const place = { name: 'link', query: new URLSearchParams({ token: view.token }).toString(), address }
  const { problem } = view
  const page = (shown: { problem: typeof problem }) =>
    withCookies(html(linkPage(pageContext(call, languages, address), { csrf, ...view, ...shown })), set_cookie)
  const answer = showStep(services, call, browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, formRefusals[problem])
}
