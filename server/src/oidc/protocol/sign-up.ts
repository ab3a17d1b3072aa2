// pure
import type { Settings } from '@ostiary/contract/settings.ts'
import { type SwitchedMethod, switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import { type EmailSettings, sendsMail } from '../../base/mail-settings.ts'

/** Whether an account can begin with the method only after its address is proved by mail. */
const needs_mail: Record<SwitchedMethod, boolean> = { password: false, email_code: true, passkey: true }

interface WaysToBegin {
  sign_in: Pick<Settings['sign_in'], SwitchedMethod>
  email: EmailSettings
}

/** Whether there is a page for signing up: with a password, or with an address that is proved and a way in without a password. */
export function asksForSignUp({ sign_in, email }: WaysToBegin): boolean {
  return switched_methods.some((method) => sign_in[method] && (!needs_mail[method] || sendsMail(email)))
}
