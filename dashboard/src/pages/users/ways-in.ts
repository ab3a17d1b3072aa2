/** Whether a person can sign in now, by which methods, and if not, why. */
import type { Provider, Settings, SignInMethod, User } from '@ostiary/sdk'

export interface Verdict {
  can: boolean
  text: string
}

export function judgeWaysIn(user: User, methods: SignInMethod[], settings: Settings, providers: Provider[]): Verdict {
  if (user.blocked_at) return { can: false, text: 'Cannot sign in: blocked. Unblock the user to let the person in again.' }
  const has = (type: SignInMethod['type']) => methods.some((method) => method.type === type)
  const linked = methods.flatMap(({ provider_id }) => providers.find(({ id }) => id === provider_id) ?? [])
  const { sign_in, email, mfa } = settings
  // Each way: its name, whether the person has what it needs, and whether the environment offers it.
  const ways: [name: string, is_theirs: boolean, is_offered: boolean][] = [
    ['password', has('password'), sign_in.password],
    ['passkey', has('passkey'), sign_in.passkey],
    ['emailed code', user.email !== null && sign_in.email_code, email.delivery !== 'none'],
    ...linked.map(({ display_name, enabled }): [string, boolean, boolean] => [display_name, true, enabled]),
  ]
  const open = ways.filter(([, is_theirs, is_offered]) => is_theirs && is_offered).map(([name]) => name)
  if (open.length > 0) {
    const asks =
      mfa.mode === 'required' && !has('totp') && !has('passkey') ? ' The next sign-in asks for a second factor to be set up.' : ''
    return { can: true, text: `Can sign in by ${open.join(', ')}.${asks}` }
  }
  const closed = ways.filter(([, is_theirs, is_offered]) => is_theirs && !is_offered).map(([name]) => name)
  if (closed.length > 0) return { can: false, text: `Cannot sign in: has ${closed.join(', ')}, which this environment does not offer now.` }
  return {
    can: false,
    text:
      sign_in.password && user.email
        ? 'Has no sign-in method yet. “Forgot password” on the sign-in page sets one.'
        : 'Cannot sign in: has no sign-in method.',
  }
}
