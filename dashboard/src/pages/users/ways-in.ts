/** Whether a person can sign in now, by which methods, and if not, why. And which mails help. */
import type { Provider, Settings, SignInMethod, User } from '@ostiary/sdk'

export interface Verdict {
  can: boolean
  text: string
}

type Way = [name: string, is_theirs: boolean, is_offered: boolean]

export function judgeWaysIn(user: User, methods: SignInMethod[], settings: Settings, providers: Provider[]): Verdict {
  if (user.blocked_at) return { can: false, text: 'Cannot sign in: blocked. Unblock the user to let the person in again.' }
  if (user.deletes_at)
    return { can: false, text: 'Deleted, but not erased yet: the person restores the account by signing in, or you restore it here.' }
  if (user.approval?.state === 'waiting') return { can: false, text: 'Cannot sign in yet: the account waits for an approval.' }
  if (user.approval?.state === 'refused') return { can: false, text: 'Cannot sign in: the account was refused.' }
  const has = (type: SignInMethod['type']) => methods.some((method) => method.type === type)
  const linked = methods.flatMap(({ provider_id }) => providers.find(({ id }) => id === provider_id) ?? [])
  const { sign_in, email, mfa } = settings
  // Each way: its name, whether the person has what it needs, and whether the environment offers it.
  const own: Record<Exclude<keyof Settings['sign_in'], 'passkey_shared_host'>, Way> = {
    password: ['password', has('password'), sign_in.password],
    passkey: ['passkey', has('passkey'), sign_in.passkey],
    email_code: ['emailed code', user.email !== null && sign_in.email_code, email.delivery !== 'none'],
  }
  const ways = [...Object.values(own), ...linked.map(({ display_name, enabled }): Way => [display_name, true, enabled])]
  const open = ways.filter(([, is_theirs, is_offered]) => is_theirs && is_offered).map(([name]) => name)
  if (open.length > 0) {
    const asks =
      mfa.mode === 'required' && !has('totp') && !has('passkey') ? ' The next sign-in asks for a second factor to be set up.' : ''
    return { can: true, text: `Can sign in by ${open.join(', ')}.${asks}` }
  }
  const closed = ways.filter(([, is_theirs, is_offered]) => is_theirs && !is_offered).map(([name]) => name)
  if (closed.length > 0) return { can: false, text: `Cannot sign in: has ${closed.join(', ')}, which this environment does not offer now.` }
  const way_out = user.email ? ' Set a password, or offer emailed codes or a provider.' : ''
  return { can: false, text: `Cannot sign in: has no sign-in method.${way_out}` }
}

/** How a new user can begin, the best way first. An invitation leads to a password. */
export type Beginning = 'invitation' | 'password' | 'neither'

export function beginningsIn({ sign_in, email }: Pick<Settings, 'sign_in' | 'email'>): Beginning[] {
  if (!sign_in.password) return ['neither']
  return email.delivery === 'none' ? ['password', 'neither'] : ['invitation', 'password', 'neither']
}

/**
 * The mails that the service sends to a user on request. A password that can be used is replaced by a mailed link. Without one the link
 * sets the first password, as long as the email is not verified.
 */
export function mailsFor({ email, email_verified, has_password, blocked_at }: User, { sign_in }: Settings) {
  const can_get_mail = email !== null && blocked_at === null
  const can_get_link = can_get_mail && sign_in.password
  return {
    reset: can_get_link && has_password,
    invitation: can_get_link && !has_password && !email_verified,
    verification: can_get_mail && !email_verified,
  }
}
