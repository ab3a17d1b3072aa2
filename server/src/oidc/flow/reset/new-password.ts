/** The page on which a person chooses a new password, behind the link of a reset. */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { type NewPasswordView, newPasswordPage } from '../../../pages/reset.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formRefusals, formToken, isFormRefused } from '../../form-token.ts'
import { too_busy } from '../../hashing.ts'
import { chosenLanguages, html, languagesOf, pageContext } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'

/** A mailed link. */
export const linkUrl = ({ issuer }: OidcCall, token: string): string => `${issuer.url}/link?token=${encodeURIComponent(token)}`

/** The page for the new password. It has an address of its own, which keeps the language of the page before. */
export function newPasswordUrl(call: OidcCall, token: string): string {
  const chosen = chosenLanguages(call).join(' ')
  return `${call.issuer.url}/new-password?${new URLSearchParams({ token, ...(chosen !== '' && { ui_locales: chosen }) })}`
}

/** The page that the link of a reset opens when its button is pressed. */
export async function showNewPassword(services: OidcServices, call: OidcCall, { token, email, problem }: NewPasswordStep): Promise<Answer> {
  const browser = await readBrowser(services, call)
  const place = { name: 'new-password', query: new URLSearchParams({ token }).toString(), address: newPasswordUrl(call, token) }
  const page = (shown: Pick<NewPasswordStep, 'problem'>) => newPasswordAnswer(services, call, browser, { token, email, ...shown })
  const answer = showStep(services, call, browser, { place, view: { problem }, page })
  if (problem === null) return answer
  if (problem === 'busy') return refused(answer, too_busy)
  return refused(answer, isFormRefused(problem) ? formRefusals[problem] : bad_password)
}

type NewPasswordStep = Pick<NewPasswordView, 'token' | 'email'> & { problem: Exclude<NewPasswordView['problem'], 'expired_form'> }

function newPasswordAnswer(services: OidcServices, call: OidcCall, browser: Browser, view: NewPasswordStep): Answer {
  const { csrf, set_cookie } = formToken(services, call, browser)
  const languages = call.form ? chosenLanguages(call) : languagesOf(call.query)
  const page_url = newPasswordUrl(call, view.token)
  const page = newPasswordPage(pageContext(call, languages, page_url), {
    page_url,
    csrf,
    ...view,
    password_rule: call.issuer.settings.password,
  })
  return withCookies(html(page), set_cookie)
}

const bad_password = refusal('validation_failed', reason`The new password breaks the rules of the environment.`)
