/**
 * The enrolment of the second factor that a sign-in needs: the mailed code before it, then the app or the passkey. Each form continues a
 * half sign-in, which ends with the enrolment; the batch has a guard that the person still has no second factor.
 */
import { sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import type { Refusal } from '../../../base/refusal.ts'
import { addTotp, noticeMail } from '../../../domain/users/second-factor-changes.ts'
import { hasNoSecondFactor } from '../../../domain/users/second-factors.ts'
import { findUser, holdUser } from '../../../domain/users/store.ts'
import { matchingStep, typedCode } from '../../../domain/users/totp.ts'
import { attemptOf } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, redirect, refused, typedOf } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { type EnrolmentProblem, judgeEnrolment, whyNotStored } from '../passkey/passkey-enrolment.ts'
import { acceptEnrolmentCode, sendEnrolmentCode } from '../shared/enrolment-code.ts'
import { type ContinuedHalf, completeHalfSignIn, half_lost, secondFactorUrl } from '../shared/half-sign-in.ts'
import { relyingPartyOf } from '../shared/passkey-ceremony.ts'
import { keepShownCodes, redirectToCodes } from '../shared/shown-codes.ts'
import { continueHalf, showOver } from './continue-half.ts'
import { offeredSecret, showEnrolment } from './second-factor-screens.ts'
import { longest_code, missing_code, waitingOf, wrong_code } from './second-factors.ts'

/** The forms of the enrolment have the query of the step, so that the page that answers a wrong value can be opened again. */
export const openStepAgain: OidcEndpoint = async (_, call) => redirect(`${call.issuer.url}/second-factor?${call.query}`)

/** The mailed code before the enrolment, or a new one. */
export const enrolmentCode: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, true)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  const next = redirect(secondFactorUrl(call, interaction.query, half))
  if (!half.needs_code) return next
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showEnrolment(services, call, continued, { problem, refusal: formRefusals[problem] })
  if (call.form?.has('resend')) {
    await sendEnrolmentCode(services, call, interaction, half)
    return next
  }
  const sent = codeOf(call)
  if (sent === '') return showEnrolment(services, call, continued, { problem: 'missing', refusal: missing_code })
  if (await acceptEnrolmentCode(services, call, half, sent)) return next
  return showEnrolment(services, call, continued, { problem: 'wrong', refusal: wrong_code })
}

/** Adds the app when its first code is right, ends the sign-in, and leads to the recovery codes. */
export const enrolTotp: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, true)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  const over = () => showOver(services, call, interaction, attemptOf(half.secret_hash))
  const { issuer, now } = call
  const { environment_id, settings } = issuer
  if (half.needs_code) return codeFirst(call, continued)
  if (!settings.mfa.totp) return over()
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showEnrolment(services, call, continued, { problem, refusal: formRefusals[problem] })
  const sent = codeOf(call)
  if (sent === '') return showEnrolment(services, call, continued, { problem: 'missing', refusal: missing_code })
  // The person sees the secret, so there is nothing to guess and no limit.
  const secret = offeredSecret(services, call, half)
  const step = matchingStep(secret, typedCode(sent), { last_step: 0, now })
  if (step === null) return showEnrolment(services, call, continued, { problem: 'wrong', refusal: wrong_code })

  const user = await findUser(services.db, environment_id, half.user_id)
  if (!user) return over()
  const asked = { request_id: call.request_id, device: deviceOf(call), now }
  const { statements, codes } = await addTotp(services, user, { secret, step, before: 0 }, asked)
  const shown = keepShownCodes(services, call, interaction.browser, { user_id: half.user_id, codes })
  const added = { method: 'totp', amr: sign_in_methods.totp.amr, first: [...stillFirst(call, continued), ...statements, ...shown] }
  const ended = await completeHalfSignIn(services, call, continued, added)
  return ended ? redirectToCodes(call, half.user_id, ended) : over()
}

/** Adds the passkey of the posted response, whose ceremony verified the person, and ends the sign-in. */
export const enrolPasskey: OidcEndpoint = async (services, call) => {
  const continued = await continueHalf(services, call, true)
  if ('answer' in continued) return continued.answer
  const { interaction, half } = continued
  const over = () => showOver(services, call, interaction, attemptOf(half.secret_hash))
  if (half.needs_code) return codeFirst(call, continued)
  if (!relyingPartyOf(call)) return over()
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showEnrolment(services, call, continued, { problem, refusal: formRefusals[problem] })
  const show = ({ problem, refusal }: { problem: EnrolmentProblem; refusal: Refusal }) =>
    showEnrolment(services, call, continued, { problem: passkey_problems[problem], refusal })
  const enrolling = { id: waitingOf(half).waiting, user_id: half.user_id }
  const judged = await judgeEnrolment(services, call, enrolling, call.form?.get('credential') ?? '')
  if ('problem' in judged) return show(judged)

  const user = await findUser(services.db, call.issuer.environment_id, half.user_id)
  if (!user) return over()
  const [hold, first] = stillFirst(call, continued)
  const mail = await noticeMail(services, user, judged.notice, { request_id: call.request_id, now: call.now })
  const added = { method: 'passkey', amr: judged.amr, first: [hold, ...judged.statements([first]), ...mail] }
  const ended = await completeHalfSignIn(services, call, continued, added)
  if (ended) return ended
  const why = await whyNotStored(services, call, half.user_id, judged)
  return why.problem === 'known' ? show(why) : over()
}

const passkey_problems = {
  expired: 'passkey_expired',
  refused: 'passkey_refused',
  known: 'passkey_known',
  too_many: 'passkey_refused',
  limited: 'passkey_refused',
} as const satisfies Record<EnrolmentProblem, string>

/** Another sign-in of the person may have enrolled a second factor since this one was read. */
function stillFirst(call: OidcCall, { half: { user_id } }: ContinuedHalf) {
  const { environment_id } = call.issuer
  return [holdUser(environment_id, user_id), hasNoSecondFactor(environment_id, user_id)] as const
}

const codeFirst = (call: OidcCall, { interaction, half }: ContinuedHalf): Answer =>
  refused(redirect(secondFactorUrl(call, interaction.query, half)), half_lost)

const codeOf = (call: OidcCall): string => typedOf(call, 'code', longest_code)
