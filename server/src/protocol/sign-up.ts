// pure
import { isInDomains } from '@ostiary/contract/domain-pattern.ts'
import type { Settings, SignUpName } from '@ostiary/contract/settings.ts'
import { type SwitchedMethod, switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import { UserChange } from '@ostiary/contract/user.ts'
import { withoutUnseen } from '@ostiary/contract/visible.ts'
import { type EmailSettings, sendsMail } from '../base/mail-settings.ts'

/** Whether an account can begin with the method only after its address is proved by mail. */
const needs_mail: Record<SwitchedMethod, boolean> = { password: false, email_code: true, passkey: true }

type SignUp = Settings['sign_up']

/** Whether people create accounts themselves, even if these wait for an approval. */
export const letsSignUp = ({ sign_up }: { sign_up: Pick<SignUp, 'mode'> }): boolean => sign_up.mode !== 'closed'

/** Whether the domain of an address may sign up. A blocked domain stays blocked where it is allowed too. */
export const admitsDomain = (
  { allowed_domains, blocked_domains }: Pick<SignUp, 'allowed_domains' | 'blocked_domains'>,
  email: string,
): boolean => !isInDomains(email, blocked_domains) && (allowed_domains.length === 0 || isInDomains(email, allowed_domains))

interface WaysToBegin {
  sign_in: Pick<Settings['sign_in'], SwitchedMethod>
  email: EmailSettings
}

/** Whether there is a page for signing up: with a password, or with an address that is proved and a way in without a password. */
export function asksForSignUp({ sign_in, email }: WaysToBegin): boolean {
  return switched_methods.some((method) => sign_in[method] && (!needs_mail[method] || sendsMail(email)))
}

/** In characters, of which each can take two UTF-16 code units. Where no name is asked for, the API alone has a bound. */
export const longestName = (asked: SignUpName): number => (asked === 'off' ? 200 : 100)

/** Returns the problem with a typed name. It must obey the rule of the API, and if sign-up asks for it, be short. */
export function nameProblem(name: string, asked: SignUpName): 'missing' | 'not_allowed' | null {
  if (name === '') return asked === 'required' ? 'missing' : null
  if (!UserChange.shape.name.safeParse(name).success) return 'not_allowed'
  if (asked === 'off') return null
  return [...name].length <= longestName(asked) ? null : 'not_allowed'
}

/** Whether a person has a name that can be seen. */
export const hasName = (name: string | null): boolean => name !== null && withoutUnseen(name) !== ''
