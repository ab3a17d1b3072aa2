/**
 * The end of a first factor: every way to sign in calls `finishSignIn` after its check. It begins the session, or where a second factor
 * is missing a half sign-in (`half-sign-in.ts`). A person whose account is not approved gets neither, but a page that says
 * so, and one whose account is closed is asked whether it comes back.
 */
import { findUsersWithSecondFactor } from '../../../domain/users/second-factors.ts'
import { account_actions } from '../../../pages/account-actions.ts'
import { acrOf } from '../../../protocol/claims.ts'
import { withNameAsked } from '../../../protocol/next-step.ts'
import { isStrong, missingAfterFirstFactor } from '../../../protocol/second-factor.ts'
import { asksForEveryFactor } from '../../../protocol/trusted-browser.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { trustedBrowserOf } from '../../trusted-browser.ts'
import type { Interaction } from './begin.ts'
import { establishSession, type SignedIn } from './establish-session.ts'
import { askToRestore, beginHalfSignIn } from './half-sign-in.ts'
import { beginWaiting, stopUnapproved } from './unapproved.ts'

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
  const acr = acrOf(amr)
  const judge = async () => {
    const [enrolled, trusted] = await Promise.all([
      findUsersWithSecondFactor(services.db, environment_id, [user_id]),
      mayRestOnTrust(begun, signed_in) ? trustedBrowserOf(services, call, user_id) : null,
    ])
    const has_second_factor = enrolled.has(user_id) && !loses_factors
    const missing = missingAfterFirstFactor(acr, { mode: settings.mfa.mode, has_second_factor, is_trusted: trusted !== null })
    return { missing, trusted_browser_id: has_second_factor && !isStrong(acr) ? trusted : null }
  }
  if (signed_in.waits) return beginWaiting(services, call, interaction, signed_in)
  const judged = await judge()
  if (judged.missing === 'nothing') {
    const answer = await establishSession(services, call, interaction, { ...signed_in, trusted_browser_id: judged.trusted_browser_id })
    if (answer) return answer
  }
  // The person may have enrolled a second factor in the meantime, or the trusted browser was removed.
  const { missing } = judged.missing === 'nothing' ? await judge() : judged
  const unapproved = await stopUnapproved(services, call, interaction, signed_in)
  if (unapproved) return unapproved
  if (missing === 'nothing') return askToRestore(services, call, interaction, signed_in)
  return beginHalfSignIn(services, call, interaction, { ...signed_in, enrols: missing === 'enrol' })
}

/**
 * Whether a trusted browser may stand for the second factor in this sign-in. It never does for a sensitive change: an action of the account
 * page, and an identity that is linked with the session.
 */
function mayRestOnTrust({ request, account }: Interaction, { links }: SignedIn): boolean {
  const action = account?.action ?? null
  const is_sensitive = action !== null && account_actions[action].is_sensitive
  return !is_sensitive && links === undefined && !asksForEveryFactor(request)
}
