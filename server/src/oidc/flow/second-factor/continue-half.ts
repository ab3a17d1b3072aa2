/** How the forms of the second factor and of its enrolment begin: each continues a half sign-in, or the sign-in begins again. */

import type { HalfSignIn } from '../../../sessions/half-sign-ins.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { continueInteraction, type Interaction } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { half_lost, readHalfSignIn, secondFactorUrl } from '../shared/half-sign-in.ts'

export interface Continued {
  interaction: Interaction
  half: HalfSignIn
}

/** The half sign-in that a form continues. One that waits for another step shows that step. */
export async function continueHalf(services: OidcServices, call: OidcCall, enrols: boolean): Promise<Continued | { answer: Answer }> {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction
  const half = await readHalfSignIn(services, call, interaction)
  if (!half) return { answer: startAgain(call, interaction) }
  call.subject.user_id = half.user_id
  if (half.enrols !== enrols) return { answer: refused(redirect(secondFactorUrl(call, interaction.query)), half_lost) }
  return { interaction, half }
}

export const startAgain = (call: OidcCall, { query }: Pick<Interaction, 'query'>): Answer =>
  refused(redirect(continueUrl(call, query)), half_lost)
