/** The end of a first factor: every way to sign in calls `finishSignIn` after its check. */
import type { Statement } from '../../db/db.ts'
import type { Answer, OidcCall, OidcServices } from '../call.ts'
import type { Interaction } from './begin.ts'
import { establishSession, type SignedIn } from './establish-session.ts'

/** Begins the session in one batch with `first`. `null` means what it means for `establishSession`. */
export function finishSignIn(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  signed_in: SignedIn,
  first: readonly Statement[],
): Promise<Answer | null> {
  return establishSession(services, call, interaction, signed_in, first)
}
