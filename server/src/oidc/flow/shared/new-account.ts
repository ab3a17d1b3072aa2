/** The right to create an account: an environment with open sign-up, or an invitation, which allows a limited number. */
import { emailKey } from '../../../base/email.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import type { Statement } from '../../../db/db.ts'
import { takeAccount } from '../../../domain/members/invitations.ts'
import { takeFromSource } from '../../../domain/users/attempts.ts'
import type { FormMethod } from '../../../pages/sign-in.ts'
import { admitsDomain, letsSignUp } from '../../../protocol/sign-up.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import type { Interaction } from './begin.ts'

/** Whether people can get a code by mail and sign in with it. */
export const offersCodes = ({ issuer: { settings } }: Pick<OidcCall, 'issuer'>) => settings.sign_in.email_code && sendsMail(settings.email)

/** Whether people can reset a password. */
export const offersReset = ({ issuer: { settings } }: Pick<OidcCall, 'issuer'>) => settings.sign_in.password && sendsMail(settings.email)

/** The methods that the form of the sign-in page offers. */
export const offeredByForm = (call: Pick<OidcCall, 'issuer'>): Record<FormMethod, boolean> => ({
  password: call.issuer.settings.sign_in.password,
  email_code: offersCodes(call),
})

/**
 * Whether a person can create an account. Where sign-up is closed, an invitation to an organization allows one for its own address, which has to be
 * proved. `email` is `null` while the address is not known, and empty where it will not be proved.
 */
export function mayCreateAccount({ issuer }: OidcCall, { invitation, account }: Interaction, email: string | null): boolean {
  if (account !== null && account.user_id !== null) return false // only that account can continue
  const { email: mail } = issuer.settings
  if (invitation?.of === 'tenant') return invitation.takes_accounts
  if (letsSignUp(issuer.settings)) return true
  return invitation !== null && sendsMail(mail) && (email === null || emailKey(email) === invitation.email_key)
}

/** An invitation lets its own address in; one to a tenant any address. */
const isInvited = ({ invitation }: Pick<Interaction, 'invitation'>, email: string): boolean =>
  invitation?.of === 'tenant' || (invitation !== null && emailKey(email) === invitation.email_key)

/** Whether the domain of the address may sign up. An invited address may have any. */
export const admitsAddress = ({ issuer }: Pick<OidcCall, 'issuer'>, interaction: Pick<Interaction, 'invitation'>, email: string): boolean =>
  isInvited(interaction, email) || admitsDomain(issuer.settings.sign_up, email)

/** Whether an account that begins now waits for an approval. That of an invited address never does. */
export const waitsForApproval = (
  { issuer }: Pick<OidcCall, 'issuer'>,
  interaction: Pick<Interaction, 'invitation'>,
  email: string,
): boolean => issuer.settings.sign_up.mode === 'approval' && !isInvited(interaction, email)

/** The same for an address that a provider names, and may have verified. */
export const mayCreateAccountOf = (
  call: OidcCall,
  interaction: Interaction,
  { email, is_verified }: { email: string; is_verified: boolean },
) => mayCreateAccount(call, interaction, is_verified || interaction.invitation?.of !== 'organization' ? email : '')

/**
 * Counts a new account for its source, however it begins: a sign-up form, an emailed code, a provider. Returns `null` if it is allowed,
 * otherwise how many seconds to wait.
 */
export function takeNewAccount({ db }: OidcServices, { issuer: { environment_id }, ip, now }: OidcCall): Promise<number | null> {
  return takeFromSource(db, 'new_account', { environment_id, source: sourceOf(ip), now })
}

export const too_many_accounts = refusal('locked_out', reason`Too many accounts were created from the same address of the network.`)

/** For the batch that creates the account: uses up one account of the invitation to a tenant. One to an organization is for one address. */
export function useInvitation({ root_environment_id }: OidcServices, { now }: OidcCall, { invitation }: Interaction): Statement[] {
  return invitation?.of === 'tenant' ? takeAccount(root_environment_id, invitation, invitation.token_hash, now) : []
}
