/** The client of the management API, and the memory of what it answered. */
import { type Client, createClient, type Me, OstiaryError } from '@ostiary/sdk'
import { QueryClient } from '@tanstack/react-query'

const options = {
  base_url: '/dashboard/api',
  credentials: 'same-origin',
  headers: { 'x-ostiary-dashboard': '1' },
  max_wait_ms: 2_000, // the page counts down a longer one, instead of waiting without a word
} as const

/** The client without a tenant: for the administrator's own routes. */
export const api = createClient(options)

/** Who is signed in; `null` for nobody. The API would refuse the call of a stranger, which browsers report as an error. */
export async function readMe({ signal }: { signal?: AbortSignal }): Promise<Me | null> {
  const answer = await fetch('/dashboard/session', { credentials: 'same-origin', signal: signal ?? null })
  if (answer.status === 204) return null
  return answer.ok ? answer.json() : api.me(signal ? { signal } : {})
}

/** The client of a tenant and, for users and sessions, of an environment. */
export const clientOf = (tenant_id: string, environment_id?: string): Client => createClient({ ...options, tenant_id, environment_id })

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false, // the client repeats what can be repeated
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      networkMode: 'always', // without a network a call fails at once and says so, instead of waiting unseen
    },
    mutations: { networkMode: 'always' },
  },
})

/** Whether a call failed because the session is over or the sign-in is too old. */
export const needsSignIn = (error: unknown): error is OstiaryError =>
  error instanceof OstiaryError && (error.status === 401 || error.code === 'reauthentication_required')

interface SignInOptions {
  /** How old the sign-in may be, in seconds; `null` for any session. */
  max_age?: number | null
  /** The email of the person, who then types only the password. */
  login_hint?: string | undefined
}

/** The address of a sign-in that comes back to `path` of the dashboard. */
export function signInAddress(path: string, { max_age = null, login_hint }: SignInOptions = {}): string {
  const query = new URLSearchParams({ return_to: path })
  if (max_age !== null) query.set('max_age', String(max_age))
  if (login_hint !== undefined) query.set('login_hint', login_hint)
  return `/dashboard/sign-in?${query}`
}

/** Ends the session. A person who stays signed in must know it, so everything but a success is an error. */
export async function signOut(): Promise<void> {
  const request = { method: 'POST', credentials: options.credentials, headers: options.headers }
  const answer = await fetch('/dashboard/sign-out', request).catch(() => null)
  if (answer === null) throw new Error('The service cannot be reached. Check the connection, then try again.')
  if (!answer.ok) throw new Error('The service did not end the session. Try again, or load the page again first.')
}

/** Leaves for the sign-in page and comes back to the same view. */
export function leaveToSignIn(): void {
  location.assign(signInAddress(location.pathname + location.search))
}
