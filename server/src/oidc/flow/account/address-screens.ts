/** The pages of the account page about the address. */
import { sendsMail } from '../../../base/mail-settings.ts'
import { longest_email } from '../../../base/normalisation.ts'
import { findEmailChange } from '../../../domain/users/email-changes.ts'
import { type ChangeEmailView, type ConfirmEmailView, changeEmailPage, confirmEmailPage } from '../../../pages/account-address.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, typedOf } from '../../call.ts'
import { keptMailUrl } from '../../kept-mail.ts'
import { withForm } from './account-form.ts'
import type { OwnAccount } from './gate.ts'

/** Asks for the new address, or shows which ends have confirmed the change. */
export async function showChangeEmail(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  problem: ChangeEmailView['problem'],
): Promise<Answer> {
  const { user } = own
  if (!sendsMail(call.issuer.settings.email)) return redirect(accountUrl(call))
  const change = await findEmailChange(services.db, call.issuer.environment_id, user.id, call.now)
  const pending = change && {
    email: change.email,
    new_confirmed: change.new_confirmed_at !== null,
    old: user.email_verified ? (change.old_confirmed_at === null ? ('waits' as const) : ('confirmed' as const)) : ('not_needed' as const),
  }
  const typed = typedOf(call, 'email', longest_email).slice(0, longest_email)
  const { email, email_verified } = user
  const fields = { email, email_verified, pending, inbox_url: keptMailUrl(services, call) }
  return withForm(services, call, { ...own, action: 'change-email', view: { typed, problem } }, (context, form, shown) =>
    changeEmailPage(context, { ...form, ...fields, ...shown }),
  )
}

/** The code that proves the present address. */
export function showConfirmEmail(services: OidcServices, call: OidcCall, own: OwnAccount, problem: ConfirmEmailView['problem']): Answer {
  const { user } = own
  if (user.email_verified || !sendsMail(call.issuer.settings.email)) return redirect(accountUrl(call))
  const fields = { email: user.email, inbox_url: keptMailUrl(services, call) }
  return withForm(services, call, { ...own, action: 'confirm-email', view: { problem } }, (context, form, shown) =>
    confirmEmailPage(context, { ...form, ...fields, ...shown }),
  )
}
