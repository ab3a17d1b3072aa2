/** The page on which a person chooses a new password, behind the link of a reset. */

import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { type NewPasswordView, newPasswordPage } from '../../../pages/reset.ts'
import { readBrowser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formRefusals, formToken, isFormRefused } from '../../form-token.ts'
import { too_busy } from '../../hashing.ts'
import { chosenLanguages, html, languagesOf, pageContext } from '../../hosted-page.ts'

/** A mailed link. */
export const linkUrl = ({ issuer }: OidcCall, token: string): string => `${issuer.url}/link?token=${encodeURIComponent(token)}`

/** The page for the new password. It has an address of its own, which keeps the language of the page before. */
export function newPasswordUrl(call: OidcCall, token: string): string {
  const chosen = chosenLanguages(call).join(' ')
  return `${call.issuer.url}/new-password?${new URLSearchParams({ token, ...(chosen !== '' && { ui_locales: chosen }) })}`
}

/** The page that the link of a reset opens when its button is pressed. */
export async function showNewPassword(
  services: OidcServices,
  call: OidcCall,
  view: Pick<NewPasswordView, 'token' | 'email'> & { problem: Exclude<NewPasswordView['problem'], 'expired_form'> },
): Promise<Answer> {
  const { csrf, set_cookie } = formToken(services, call, await readBrowser(services, call))
  const languages = call.form ? chosenLanguages(call) : languagesOf(call.query)
  const page_url = newPasswordUrl(call, view.token)
  const page = newPasswordPage(pageContext(call, languages, page_url), {
    page_url,
    csrf,
    ...view,
    password_rule: call.issuer.settings.password,
  })
  const answer = withCookies(html(page), set_cookie)
  const { problem } = view
  if (problem === null) return answer
  if (problem === 'busy') return refused(answer, too_busy)
  return refused(answer, isFormRefused(problem) ? formRefusals[problem] : bad_password)
}

const bad_password = refusal('validation_failed', reason`The new password breaks the rules of the environment.`)
