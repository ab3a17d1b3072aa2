/** How the forms of the second factor and of its enrolment begin: each continues a half sign-in, or says that it is over. */
import { digestOf } from '../../../base/digest.ts'
import { findTypedEmail } from '../../../domain/sessions/half-sign-ins.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { continueInteraction, type Interaction } from '../shared/begin.ts'
import { type ContinuedHalf, half_lost, readHalfSignIn, secondFactorUrl } from '../shared/half-sign-in.ts'
import { showSignIn } from '../shared/screens.ts'

/** The half sign-in that a form continues. One that waits for another step shows that step. */
export async function continueHalf(services: OidcServices, call: OidcCall, enrols: boolean): Promise<ContinuedHalf | { answer: Answer }> {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction
  const attempt = (call.form?.get('attempt') ?? '').slice(0, longest_attempt)
  const half = await readHalfSignIn(services, call, interaction, attempt)
  if (!half) return { answer: await showOver(services, call, interaction, attempt) }
  call.subject.user_id = half.user_id
  if (half.enrols !== enrols) return { answer: refused(redirect(secondFactorUrl(call, interaction.query, half)), half_lost) }
  return { interaction, half }
}

const longest_attempt = 100

/**
 * Says that the attempt is over, and begins another one with the address that was typed. It never continues with another account that this
 * browser is signed in to meanwhile.
 */
export async function showOver(services: OidcServices, call: OidcCall, interaction: Interaction, attempt: string): Promise<Answer> {
  const secret = interaction.browser.halves.get(attempt)
  const typed = secret === undefined ? null : await findTypedEmail(services.db, call.issuer.environment_id, digestOf(secret))
  return showSignIn(services, call, interaction, {
    email: typed ?? '',
    problem: 'attempt_over',
    refusal: half_lost,
    wait_seconds: null,
  })
}
