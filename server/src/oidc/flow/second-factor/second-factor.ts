/**
 * The second factor of a sign-in; its enrolment, where the person has none, is in `enrolment.ts`. Each form continues a half sign-in;
 * without one of this browser, for this request, the page says that the attempt is over.
 */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { withoutEnds } from '../../../base/typed.ts'
import { countFactorTry } from '../../../domain/sessions/half-sign-ins.ts'
import { countSecondFactor, giveBackSecondFactor, waitForSecondFactor } from '../../../domain/users/attempts.ts'
import type { SecondFactorView } from '../../../pages/second-factor.ts'
import { attemptOf, readBrowser } from '../../browser.ts'
import { type OidcEndpoint, redirect } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { rememberDays, trustBrowser } from '../../trusted-browser.ts'
import { openStep } from '../shared/begin.ts'
import { recordFailedSignIn } from '../shared/failed-sign-in.ts'
import { completeHalfSignIn, readHalfSignIn, readSecondFactorQuery, secondFactorUrl } from '../shared/half-sign-in.ts'
import { showSignIn } from '../shared/screens.ts'
import { continueHalf, showOver } from './continue-half.ts'
import { restore, showRestoring } from './restore.ts'
import { showEnrolment, showSecondFactor } from './second-factor-screens.ts'
import { missing_code, sentFactor, wrong_code } from './second-factors.ts'

/** The page of the step that is due. It changes nothing, so it can be opened again. */
export const showSecondFactorPage: OidcEndpoint = async (services, call) => {
  const { attempt, using, query } = readSecondFactorQuery(call.query)
  const begun = await openStep(services, call, query)
  if ('answer' in begun) return begun.answer
  const interaction = { query, ...begun, browser: await readBrowser(services, call) }
  const half = await readHalfSignIn(services, call, interaction, attempt ?? '')
  if (!half) return showOver(services, call, interaction, attempt ?? '')
  call.subject.user_id = half.user_id
  if (half.signed_in.restores) return showRestoring(services, call, { interaction, half }, null)
  if (half.enrols) return showEnrolment(services, call, { interaction, half }, { problem: null })
  return showSecondFactor(services, call, { interaction, half }, { using, trusts: false, problem: null, wait_seconds: null, refusal: null })
}

/** `use` shows the field of the other second factor; `code` or `recovery_code` is checked. */
export const secondFactor: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, false)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  if (half.signed_in.restores) return restore(services, call, continued)
  const { form, issuer, now } = call
  const of_half = attemptOf(half.secret_hash)
  const used = sentFactor(form)
  const using = form?.get('use') === 'recovery_code' || used?.field === 'recovery_code' ? 'recovery_code' : 'code'
  const trusts = form?.get('trust_browser') === '1'
  const show = (problem: SecondFactorView['problem'], why = wrong_code, wait: number | null = null) =>
    showSecondFactor(services, call, continued, { using, trusts, problem, wait_seconds: wait, refusal: problem && why })
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return show(problem, formRefusals[problem])
  if (!used) return form?.has('use') ? redirect(secondFactorUrl(call, interaction.query, half, using)) : show('missing', missing_code)
  const sent = withoutEnds(form?.get(used.field) ?? '')
  const of_passkey = used.field === 'credential'
  if (sent === '') return show(of_passkey ? 'passkey_failed' : 'missing', missing_code)

  const { environment_id, settings } = issuer
  const attempt = { environment_id, user_id: half.user_id, now }
  const counted = await services.db
    .of(environment_id)
    .batch([countFactorTry(environment_id, half, now), countSecondFactor(attempt, settings.lockout)])
  if (!counted) {
    if (!(await readHalfSignIn(services, call, interaction, of_half))) return showOver(services, call, interaction, of_half)
    services.counters.count(environment_id, 'sign_in', `${used.method}.limited`)
    return show('locked', locked_out, await waitForSecondFactor(services.db, attempt))
  }
  const checked = sent.length > used.longest ? { refusal: wrong_code } : await used.check(services, call, half, sent)
  const refused_as = 'refusal' in checked ? checked.refusal : used.used_up
  if ('statements' in checked) {
    const { amr, statements } = checked
    // A recovery code may be used by another person who found it.
    const may_trust = trusts && used.method !== 'recovery_code' && rememberDays(call) > 0
    const trust = may_trust ? trustBrowser(services, call, half.user_id) : { statements: [], set_cookie: [] }
    const first = [giveBackSecondFactor(attempt), ...statements, ...trust.statements]
    const answer = await completeHalfSignIn(services, call, continued, { method: used.method, amr, first })
    if (answer) return withCookies(answer, trust.set_cookie)
  }

  const { method } = used
  await recordFailedSignIn(services, call, interaction, { method, user_id: half.user_id, refusal: refused_as })
  if (await readHalfSignIn(services, call, interaction, of_half)) return show(of_passkey ? 'passkey_failed' : 'wrong', refused_as)
  const { email } = half.signed_in
  return showSignIn(services, call, interaction, { email, problem: 'second_factor', refusal: refused_as, wait_seconds: null })
}

const locked_out = refusal(
  'locked_out',
  reason`Too many second factors failed for this account. The settings of lockout say how many are allowed.`,
)
