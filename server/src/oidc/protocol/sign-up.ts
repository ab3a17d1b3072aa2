// pure
import type { Settings } from '@ostiary/contract/settings.ts'
import { type EmailSettings, sendsMail } from '../../base/mail-settings.ts'

interface WaysToBegin {
  sign_in: Pick<Settings['sign_in'], 'password' | 'email_code' | 'passkey'>
  email: EmailSettings
}

/** Whether there is a page for signing up: with a password, or with an address that is proved and a way in without a password. */
export function asksForSignUp({ sign_in: { password, email_code, passkey }, email }: WaysToBegin): boolean {
  return password || (sendsMail(email) && (email_code || passkey))
}
