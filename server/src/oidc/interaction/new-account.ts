/** The right to create an account: an environment with open sign-up, or an invitation, which allows a limited number. */
import type { Statement } from '../../db/db.ts'
import { takeAccount } from '../../members/invitations.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import type { Interaction } from './begin.ts'

export function mayCreateAccount({ issuer }: OidcCall, { invitation, account }: Interaction): boolean {
  if (account !== null && account.user_id !== null) return false // only that account can continue
  return invitation ? invitation.takes_accounts : issuer.settings.sign_up.mode === 'open'
}

/** For the batch that creates the account: uses up one account of the invitation. */
export function useInvitation({ root_environment_id }: OidcServices, { now }: OidcCall, { invitation }: Interaction): Statement[] {
  return invitation ? [takeAccount(root_environment_id, invitation, invitation.token_hash, now)] : []
}
