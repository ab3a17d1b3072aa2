/** The pages of the account page about the address. */

import { sendsMail } from '../../../base/mail-settings.ts'
import { longest_email } from '../../../base/normalisation.ts'
import { type ChangeEmailView, type ConfirmEmailView, changeEmailPage, confirmEmailPage } from '../../../pages/account-address.ts'
import { findEmailChange } from '../../../users/email-changes.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formToken } from '../../form-token.ts'
import { accountContext, html } from '../../hosted-page.ts'
import { keptMailUrl } from '../../kept-mail.ts'
import type { OwnAccount } from './gate.ts'

/** Asks for the new address, or shows which ends have confirmed the change. */
export async function showChangeEmail(
  services: OidcServices,
  call: OidcCall,
  { browser, user }: OwnAccount,
  problem: ChangeEmailView['problem'],
): Promise<Answer> {
  if (!sendsMail(call.issuer.settings.email)) return redirect(accountUrl(call))
  const change = await findEmailChange(services.db, call.issuer.environment_id, user.id, call.now)
  const pending = change && {
    email: change.email,
    new_confirmed: change.new_confirmed_at !== null,
    old: user.email_verified ? (change.old_confirmed_at === null ? ('waits' as const) : ('confirmed' as const)) : ('not_needed' as const),
  }
  const typed = (call.form?.get('email') ?? '').slice(0, longest_email)
  const { csrf, set_cookie } = formToken(services, call, browser)
  const { id: user_id, email, email_verified } = user
  const view = { csrf, user_id, email, email_verified, typed, pending, inbox_url: keptMailUrl(services, call), problem }
  return withCookies(html(changeEmailPage(accountContext(call, { action: 'change-email', user: user.id }), view)), set_cookie)
}

/** The code that proves the present address. */
export function showConfirmEmail(
  services: OidcServices,
  call: OidcCall,
  { browser, user }: OwnAccount,
  problem: ConfirmEmailView['problem'],
): Answer {
  if (user.email_verified || !sendsMail(call.issuer.settings.email)) return redirect(accountUrl(call))
  const { csrf, set_cookie } = formToken(services, call, browser)
  return withCookies(
    html(
      confirmEmailPage(accountContext(call, { action: 'confirm-email', user: user.id }), {
        csrf,
        user_id: user.id,
        email: user.email,
        inbox_url: keptMailUrl(services, call),
        problem,
      }),
    ),
    set_cookie,
  )
}
