/** The pages of the second factor and of its enrolment, built from a half sign-in. */
import type { Refusal } from '../../../base/refusal.ts'
import type { HalfSignIn } from '../../../domain/sessions/half-sign-ins.ts'
import { showOfferedTotp } from '../../../domain/users/second-factor-changes.ts'
import { countRecoveryCodes, findTotps, offeredTotp } from '../../../domain/users/second-factors.ts'
import { findUser } from '../../../domain/users/store.ts'
import { type EnrolFactorView, enrolFactorPage, enrolmentCodePage } from '../../../pages/enrolment.ts'
import type { Page } from '../../../pages/layout.ts'
import { type SecondFactorView, secondFactorPage } from '../../../pages/second-factor.ts'
import { acrOf } from '../../../protocol/claims.ts'
import { two_factors } from '../../../protocol/second-factor.ts'
import { attemptOf } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { keptMailUrl } from '../../kept-mail.ts'
import { type StepPlace, showStep } from '../../refused-form.ts'
import { rememberDays } from '../../trusted-browser.ts'
import { beginEnrolment } from '../passkey/passkey-enrolment.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { type ContinuedHalf, secondFactorUrl } from '../shared/half-sign-in.ts'
import { afterWait, cancelUrl, requesterName } from '../shared/screens.ts'
import { showOver } from './continue-half.ts'
import { beginPasskeyFactor } from './passkey-second-factor.ts'
import { waitingOf } from './second-factors.ts'

type SecondFactorStep = Pick<SecondFactorView, 'using' | 'problem' | 'wait_seconds'> & { trusts: boolean; refusal: Refusal | null }

export async function showSecondFactor(
  services: OidcServices,
  call: OidcCall,
  continued: ContinuedHalf,
  { refusal, ...view }: SecondFactorStep,
): Promise<Answer> {
  const { interaction, half } = continued
  const place = placeOf('second-factor', call, continued, view.using)
  const page = (shown: Omit<SecondFactorStep, 'refusal'>) => secondFactorAnswer(services, call, { interaction, half }, shown)
  const answer = await showStep(services, call, interaction.browser, { place, view, page })
  return refusal ? refused(answer, refusal) : answer
}

/** The place of a step of this attempt. */
const placeOf = (
  name: string,
  call: OidcCall,
  { interaction, half }: ContinuedHalf,
  using: SecondFactorView['using'] = 'code',
): StepPlace => ({
  name: `${name} ${attemptOf(half.secret_hash)}`,
  query: interaction.query,
  address: secondFactorUrl(call, interaction.query, half, using),
})

async function secondFactorAnswer(
  services: OidcServices,
  call: OidcCall,
  { interaction, half }: ContinuedHalf,
  { trusts, ...view }: Omit<SecondFactorStep, 'refusal'>,
): Promise<Answer> {
  const { query, request, browser } = interaction
  const days = rememberDays(call)
  const { csrf, set_cookie } = formToken(services, call, browser)
  const { environment_id } = call.issuer
  const options = await beginPasskeyFactor(services, call, waitingOf(half))
  // A session of two factors steps up to a passkey only.
  const takes_codes = options === null || acrOf(half.signed_in.amr) !== two_factors
  const page_url = secondFactorUrl(call, query, half, view.using)
  const page = secondFactorPage(pageContext(call, request.ui_locales, page_url), {
    page_url,
    application_name: requesterName(interaction),
    csrf,
    attempt: attemptOf(half.secret_hash),
    request: query,
    ...view,
    trust: days === 0 ? null : { days, is_ticked: trusts },
    has_app: takes_codes && (await findTotps(services.db, environment_id, half.user_id)).length > 0,
    has_recovery_codes: takes_codes && (await countRecoveryCodes(services.db, environment_id, half.user_id)) > 0,
    passkey: options === null ? null : { kind: 'get', options, able_cookie: null, removed: null },
    cancel_url: cancelUrl(call, interaction),
  })
  return afterWait(withCookies(html(page), set_cookie), view.wait_seconds)
}

/** The secret of the app that this half sign-in offers. */
export const offeredSecret = (services: OidcServices, { issuer }: OidcCall, { user_id, secret_hash }: HalfSignIn): Buffer =>
  offeredTotp(services, issuer.environment_id, user_id, secret_hash)

type EnrolmentStep = { problem: null } | { problem: NonNullable<EnrolFactorView['problem']>; refusal: Refusal }

/** The step of the enrolment that is due: the mailed code, then the app or the passkey. */
export async function showEnrolment(
  services: OidcServices,
  call: OidcCall,
  continued: ContinuedHalf,
  step: EnrolmentStep,
): Promise<Answer> {
  const place = placeOf('enrolment', call, continued)
  const page = (shown: Pick<EnrolmentStep, 'problem'>) => enrolmentAnswer(services, call, continued, shown)
  const answer = await showStep(services, call, continued.interaction.browser, { place, view: { problem: step.problem }, page })
  return step.problem === null ? answer : refused(answer, step.refusal)
}

async function enrolmentAnswer(
  services: OidcServices,
  call: OidcCall,
  { interaction, half }: ContinuedHalf,
  shown: Pick<EnrolmentStep, 'problem'>,
): Promise<Answer> {
  const { query, browser } = interaction
  const { csrf, set_cookie } = formToken(services, call, browser)
  const show = half.needs_code ? codeStep : factorStep
  const page = await show(
    services,
    call,
    { interaction, half },
    {
      step_query: new URL(secondFactorUrl(call, query, half)).search,
      csrf,
      request: query,
      attempt: attemptOf(half.secret_hash),
      problem: shown.problem,
      application_name: requesterName(interaction),
      again_url: continueUrl(call, withPrompt(query, 'login')),
      cancel_url: cancelUrl(call, interaction),
    },
  )
  if (page === null) return showOver(services, call, interaction, attemptOf(half.secret_hash))
  return withCookies(html(page), set_cookie)
}

type FactorStep = (
  services: OidcServices,
  call: OidcCall,
  continued: ContinuedHalf,
  view: Omit<EnrolFactorView, 'app' | 'passkey'>,
) => Promise<Page | null>

const codeStep: FactorStep = async (services, call, { interaction: { query, request }, half }, { problem, ...view }) =>
  enrolmentCodePage(pageContext(call, request.ui_locales, secondFactorUrl(call, query, half)), {
    ...view,
    problem: isOfPasskey(problem) ? 'expired_form' : problem,
    email: half.signed_in.email,
    inbox_url: keptMailUrl(services, call),
  })

/** `null`: the settings changed, and there is nothing left to enrol. */
const factorStep: FactorStep = async (services, call, { interaction, half }, view) => {
  const { query, request } = interaction
  const { email } = half.signed_in
  const options = await beginFactorEnrolment(services, call, half)
  const { issuer } = call
  const app = issuer.settings.mfa.totp ? showOfferedTotp(issuer.display_name, email, offeredSecret(services, call, half)) : null
  if (app === null && options === null) return null
  return enrolFactorPage(pageContext(call, request.ui_locales, secondFactorUrl(call, query, half)), {
    ...view,
    app,
    passkey: options === null ? null : { kind: 'create', options, able_cookie: null, removed: null },
  })
}

async function beginFactorEnrolment(services: OidcServices, call: OidcCall, half: HalfSignIn): Promise<string | null> {
  const { user_id, waiting } = waitingOf(half)
  const user = await findUser(services.db, call.issuer.environment_id, user_id)
  return user && beginEnrolment(services, call, { id: waiting, user_id, email: half.signed_in.email, name: user.name })
}

const isOfPasskey = (problem: EnrolFactorView['problem']): problem is PasskeyProblem =>
  problem === 'passkey_expired' || problem === 'passkey_refused' || problem === 'passkey_known'

type PasskeyProblem = Extract<EnrolFactorView['problem'], `passkey_${string}`>
