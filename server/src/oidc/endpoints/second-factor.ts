/**
 * The second factor of a sign-in, and its enrolment where the person has none. Each form continues a half sign-in; without one of this
 * browser, for this request, the sign-in begins again.
 */
import type { SecondFactorView } from '../../pages/second-factor.ts'
import { reason } from '../../reason.ts'
import { refusal } from '../../refusal.ts'
import { countSecondFactor, giveBackSecondFactor, waitForSecondFactor } from '../../users/attempts.ts'
import { addTotp } from '../../users/second-factor-changes.ts'
import { findUser } from '../../users/store.ts'
import { stepOf, typedCode } from '../../users/totp.ts'
import { formProblem, formRefusals, readBrowser } from '../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../call.ts'
import { deviceOf } from '../device.ts'
import { beginInteraction, continueInteraction, type Interaction } from '../interaction/begin.ts'
import { continueUrl } from '../interaction/continue.ts'
import { acceptEnrolmentCode, sendEnrolmentCode } from '../interaction/enrolment-code.ts'
import { signInEvent } from '../interaction/establish-session.ts'
import { completeHalfSignIn, half_lost, readHalfSignIn, secondFactorUrl } from '../interaction/half-sign-in.ts'
import { showSignIn } from '../interaction/screens.ts'
import { offeredSecret, showEnrolment, showRecoveryCodes, showSecondFactor } from '../interaction/second-factor-screens.ts'
import { longest_code, second_factors, wrong_code } from '../interaction/second-factors.ts'
import { countTry, type HalfSignIn } from '../store/half-sign-ins.ts'

/** The page of the step that is due. It changes nothing, so it can be opened again. */
export const showSecondFactorPage: OidcEndpoint = async (services, call) => {
  const begun = await beginInteraction(services, call, call.query)
  if ('answer' in begun) return begun.answer
  const interaction = { query: call.query, ...begun, browser: await readBrowser(services, call) }
  const half = await readHalfSignIn(services, call, interaction)
  if (!half) return startAgain(call, interaction)
  call.subject.user_id = half.user_id
  if (half.enrols) return showEnrolment(services, call, interaction, half, { problem: null })
  return showSecondFactor(services, call, interaction, half, { using: 'code', problem: null, wait_seconds: null, refusal: null })
}

/** `use` shows the field of the other second factor; `code` or `recovery_code` is checked. */
export const secondFactor: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, false)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  const { form, issuer, now } = call
  const used = second_factors.find(({ field }) => form?.has(field))
  const using = form?.get('use') === 'recovery_code' || used?.field === 'recovery_code' ? 'recovery_code' : 'code'
  const show = (problem: SecondFactorView['problem'], why = wrong_code, wait: number | null = null) =>
    showSecondFactor(services, call, interaction, half, { using, problem, wait_seconds: wait, refusal: problem && why })
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return show(problem, formRefusals[problem])
  if (!used) return form?.has('use') ? show(null) : show('missing', missing_code)
  const sent = (form?.get(used.field) ?? '').trim()
  const of_passkey = used.field === 'credential'
  if (sent === '') return show(of_passkey ? 'passkey_failed' : 'missing', missing_code)

  const { environment_id, settings } = issuer
  const attempt = { environment_id, user_id: half.user_id, now }
  const counted = await services.db.batch([countTry(environment_id, half, now), countSecondFactor(attempt, settings.lockout)])
  if (!counted) {
    if (!(await readHalfSignIn(services, call, interaction))) return startAgain(call, interaction)
    services.tally.signInLimited(used.method)
    return show('locked', locked_out, await waitForSecondFactor(services.db, attempt))
  }
  const checked = sent.length > used.longest ? { refusal: wrong_code } : await used.check(services, call, half, sent)
  const refused_as = 'refusal' in checked ? checked.refusal : used.used_up
  if ('statements' in checked) {
    const { amr, statements } = checked
    const first = [giveBackSecondFactor(attempt), ...statements]
    const answer = await completeHalfSignIn(services, call, interaction, half, { method: used.method, amr, first })
    if (answer) return answer
  }

  services.counters.count(environment_id, 'sign_in', `${used.method}.failed`)
  const failed = signInEvent(services, call, {
    type: 'sign_in.failed',
    user_id: half.user_id,
    application_id: interaction.client?.client_id ?? null,
    data: { method: used.method, ip: call.ip, reason: refused_as.code },
  })
  await services.db.batch([failed.statement])
  call.subject.event_id = failed.id
  if (await readHalfSignIn(services, call, interaction)) return show(of_passkey ? 'passkey_failed' : 'wrong', refused_as)
  const { email } = half.signed_in
  return showSignIn(services, call, interaction, { email, problem: 'second_factor', refusal: refused_as, wait_seconds: null })
}

/** The mailed code before the first enrolment, or a new one. */
export const enrolmentCode: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, true)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  const next = redirect(secondFactorUrl(call, interaction.query))
  if (!half.needs_code) return next
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showEnrolment(services, call, interaction, half, { problem, refusal: formRefusals[problem] })
  if (call.form?.has('resend')) {
    await sendEnrolmentCode(services, call, half)
    return next
  }
  const sent = codeOf(call)
  if (sent === '') return showEnrolment(services, call, interaction, half, { problem: 'missing', refusal: missing_code })
  if (await acceptEnrolmentCode(services, call, half, sent)) return next
  return showEnrolment(services, call, interaction, half, { problem: 'wrong', refusal: wrong_code })
}

/** Adds the app when its first code is right, ends the sign-in, and shows the recovery codes once. */
export const enrolTotp: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, true)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  const { issuer, now } = call
  const { environment_id, settings } = issuer
  if (half.needs_code) return refused(redirect(secondFactorUrl(call, interaction.query)), half_lost)
  if (!settings.mfa.totp) return startAgain(call, interaction)
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showEnrolment(services, call, interaction, half, { problem, refusal: formRefusals[problem] })
  const sent = codeOf(call)
  if (sent === '') return showEnrolment(services, call, interaction, half, { problem: 'missing', refusal: missing_code })
  // The person sees the secret, so there is nothing to guess and no limit.
  const secret = offeredSecret(services, call, half)
  const step = stepOf(secret, typedCode(sent), { last_step: 0, now })
  if (step === null) return showEnrolment(services, call, interaction, half, { problem: 'wrong', refusal: wrong_code })

  const user = await findUser(services.db, environment_id, half.user_id)
  if (!user) return startAgain(call, interaction)
  const asked = { request_id: call.request_id, device: deviceOf(call), now }
  const { statements, codes } = await addTotp(services, user, { secret, step }, 0, asked)
  const added = { method: 'totp', amr: ['otp'], first: statements }
  const ended = await completeHalfSignIn(services, call, interaction, half, added)
  return ended ? showRecoveryCodes(call, interaction, ended, codes ?? []) : startAgain(call, interaction)
}

/** The half sign-in that a form continues. One that waits for another step shows that step. */
async function continueHalf(
  services: OidcServices,
  call: OidcCall,
  enrols: boolean,
): Promise<{ interaction: Interaction; half: HalfSignIn } | { answer: Answer }> {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction
  const half = await readHalfSignIn(services, call, interaction)
  if (!half) return { answer: startAgain(call, interaction) }
  call.subject.user_id = half.user_id
  if (half.enrols !== enrols) return { answer: refused(redirect(secondFactorUrl(call, interaction.query)), half_lost) }
  return { interaction, half }
}

const startAgain = (call: OidcCall, { query }: Interaction): Answer => refused(redirect(continueUrl(call, query)), half_lost)

const codeOf = ({ form }: OidcCall): string => (form?.get('code') ?? '').slice(0, longest_code).trim()

const missing_code = refusal('wrong_code', reason`The form of the second factor holds no code, and no response of an authenticator.`)
const locked_out = refusal(
  'locked_out',
  reason`Too many second factors failed for this account. The settings of lockout say how many are allowed.`,
)
