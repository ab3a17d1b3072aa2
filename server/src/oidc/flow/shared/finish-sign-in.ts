/**
 * The end of a first factor: every way to sign in calls `finishSignIn` after its check. It begins the session, or where a second factor
 * is missing a half sign-in (`half-sign-in.ts`).
 */
import { findUsersWithSecondFactor } from '../../../domain/users/second-factors.ts'
import { acrOf } from '../../../protocol/claims.ts'
import { withNameAsked } from '../../../protocol/next-step.ts'
import { missingAfterFirstFactor } from '../../../protocol/second-factor.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import type { Interaction } from './begin.ts'
import { establishSession, type SignedIn } from './establish-session.ts'
import { beginHalfSignIn } from './half-sign-in.ts'

/**
 * Continues after the first factor, in one batch with the other changes of the sign-in. Returns `null` and changes
 * nothing where the account was blocked or its password changed while the sign-in was checked.
 */
export async function finishSignIn(
  services: OidcServices,
  call: OidcCall,
  begun: Interaction,
  signed_in: SignedIn,
): Promise<Answer | null> {
  const { environment_id, settings } = call.issuer
  const interaction = signed_in.asks_name && begun.client ? { ...begun, query: withNameAsked(begun.query) } : begun
  const { user_id, amr, loses_factors = false } = signed_in
  const judge = async () => {
    const enrolled = await findUsersWithSecondFactor(services.db, environment_id, [user_id])
    const has_second_factor = enrolled.has(user_id) && !loses_factors
    return missingAfterFirstFactor(acrOf(amr), { mode: settings.mfa.mode, has_second_factor })
  }
  let missing = await judge()
  if (missing === 'nothing') {
    const answer = await establishSession(services, call, interaction, signed_in)
    if (answer) return answer
    missing = await judge() // the person may have enrolled a second factor in the meantime
    if (missing === 'nothing') return null
  }
  return beginHalfSignIn(services, call, interaction, { ...signed_in, enrols: missing === 'enrol' })
}
