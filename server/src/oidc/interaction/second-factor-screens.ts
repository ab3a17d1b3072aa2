/** The pages of the second factor and of its enrolment, built from a half sign-in. */
import { enrolmentCodePage, enrolTotpPage, recoveryCodesPage } from '../../pages/enrolment.ts'
import { type SecondFactorView, secondFactorPage } from '../../pages/second-factor.ts'
import type { Refusal } from '../../refusal.ts'
import { showOfferedTotp } from '../../users/second-factor-changes.ts'
import { countRecoveryCodes, findTotps, offeredTotp } from '../../users/second-factors.ts'
import { formToken, withCookies } from '../browser.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../call.ts'
import { html, pageContext } from '../hosted-page.ts'
import { acrOf } from '../protocol/claims.ts'
import { two_factors } from '../protocol/second-factor.ts'
import type { HalfSignIn } from '../store/half-sign-ins.ts'
import type { Interaction } from './begin.ts'
import { beginPasskeyFactor } from './passkey-second-factor.ts'
import { afterWait, cancelUrl, nameOf } from './screens.ts'
import { waitingOf } from './second-factors.ts'

type SecondFactorStep = Pick<SecondFactorView, 'using' | 'problem' | 'wait_seconds'> & { refusal: Refusal | null }

export async function showSecondFactor(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  half: HalfSignIn,
  { refusal, ...view }: SecondFactorStep,
): Promise<Answer> {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(services, call, browser)
  const { environment_id } = call.issuer
  const options = await beginPasskeyFactor(services, call, waitingOf(half))
  // A session of two factors steps up to a passkey only.
  const takes_codes = options === null || acrOf(half.signed_in.amr) !== two_factors
  const page = secondFactorPage(pageContext(call, request.ui_locales), {
    application_name: nameOf(interaction),
    csrf,
    request: query,
    ...view,
    has_app: takes_codes && (await findTotps(services.db, environment_id, half.user_id)).length > 0,
    has_recovery_codes: takes_codes && (await countRecoveryCodes(services.db, environment_id, half.user_id)) > 0,
    passkey: options === null ? null : { kind: 'get', options, able_cookie: null, removed: null },
    cancel_url: cancelUrl(call, interaction),
  })
  const answer = afterWait(withCookies(html(page), set_cookie), view.wait_seconds)
  return refusal ? refused(answer, refusal) : answer
}

/** The secret of the app that this half sign-in offers. */
export const offeredSecret = (services: OidcServices, { issuer }: OidcCall, { user_id, secret_hash }: HalfSignIn): Buffer =>
  offeredTotp(services, issuer.environment_id, user_id, secret_hash)

/** The step of the enrolment that is due: the mailed code, then the app. */
export function showEnrolment(
  services: OidcServices,
  call: OidcCall,
  { query, request, browser }: Interaction,
  half: HalfSignIn,
  shown: { problem: null } | { problem: 'wrong' | 'missing' | 'expired_form' | 'no_cookies'; refusal: Refusal },
): Answer {
  const { csrf, set_cookie } = formToken(services, call, browser)
  const context = pageContext(call, request.ui_locales)
  const view = { csrf, request: query, problem: shown.problem }
  const { email } = half.signed_in
  const page = half.needs_code
    ? enrolmentCodePage(context, { ...view, email })
    : enrolTotpPage(context, {
        ...view,
        ...showOfferedTotp(call.issuer.display_name, email, offeredSecret(services, call, half)),
      })
  const answer = withCookies(html(page), set_cookie)
  return shown.problem === null ? answer : refused(answer, shown.refusal)
}

/** Shows the new codes in place of the redirect that ends the sign-in. */
export function showRecoveryCodes(call: OidcCall, { request }: Interaction, ended: Answer, codes: readonly string[]): Answer {
  const page = recoveryCodesPage(pageContext(call, request.ui_locales), { codes, continue_url: String(ended.headers.location) })
  return withCookies(html(page), [ended.headers['set-cookie'] ?? []].flat())
}
