/**
 * The entry `@ostiary/sdk/react`: who is signed in, for components in a browser. The handlers of `@ostiary/sdk/sessions/…` answer it; no
 * token reaches the page. React is passed in, so that this package needs no version of it:
 *
 *   export const useSession = createUseSession({ useSyncExternalStore })
 */
import type { SessionUser } from './sessions/options.ts'

export type { SessionUser } from './sessions/options.ts'

export interface UseSession {
  /** `null` for a visitor, and while it is not known yet. */
  user: SessionUser | null
  signedIn: boolean
  isLoading: boolean
  /**
   * Goes to the sign-in, and comes back to this page or to another path of the application. `organization` is the id or the slug of the one to
   * act in, or `none`. One that differs from that of the session is a switch.
   */
  signIn: (return_to?: string, choice?: { organization?: string | undefined }) => void
  /** Ends the session here and at the issuer. */
  signOut: () => void
}

interface Options {
  /** The hook of React 18 or later. */
  useSyncExternalStore: <T>(subscribe: (changed: () => void) => () => void, get: () => T, getOnServer: () => T) => T
  /** Where the handlers are. The default is `/auth`. */
  path?: string | undefined
}

/** The parts of a browser that this uses. */
interface Page {
  location: { pathname: string; search: string; assign(url: string): void }
  document: {
    createElement(name: 'form'): { method: string; action: string; submit(): void }
    body: { append(node: unknown): void }
  }
  addEventListener(name: 'focus', listener: () => void): void
  removeEventListener(name: 'focus', listener: () => void): void
}
const page = globalThis as unknown as Page // as: the hook runs in a browser; on the server nothing of it is used

/** Makes the hook. All components share one state, which is read again when the window gets the focus. */
export function createUseSession({ useSyncExternalStore, path = '/auth' }: Options): () => UseSession {
  const actions = {
    signIn: (return_to = page.location.pathname + page.location.search, { organization }: { organization?: string | undefined } = {}) => {
      const asked = new URLSearchParams({ return_to, ...(organization === undefined ? {} : { organization }) })
      page.location.assign(`${path}/sign-in?${asked}`)
    },
    signOut: () => {
      const form = Object.assign(page.document.createElement('form'), { method: 'post', action: `${path}/sign-out` })
      page.document.body.append(form)
      form.submit()
    },
  }
  const stateOf = (user: SessionUser | null, isLoading: boolean): UseSession => ({ user, signedIn: user !== null, isLoading, ...actions })
  const unknown = stateOf(null, true)
  const listeners = new Set<() => void>()
  let state = unknown

  function set(user: SessionUser | null): void {
    if (!state.isLoading && JSON.stringify(user) === JSON.stringify(state.user)) return
    state = stateOf(user, false)
    for (const changed of listeners) changed()
  }

  async function read(): Promise<void> {
    try {
      const response = await fetch(`${path}/session`, { headers: { accept: 'application/json' }, cache: 'no-store' })
      if (!response.ok) return
      const { user } = (await response.json()) as { user: SessionUser | null } // as: the answer of the handlers
      set(user)
    } catch {} // Without a connection the page keeps what it knows.
  }
  const readAgain = () => void read()

  function subscribe(changed: () => void): () => void {
    if (listeners.size === 0) {
      page.addEventListener('focus', readAgain)
      readAgain()
    }
    listeners.add(changed)
    return () => {
      listeners.delete(changed)
      if (listeners.size === 0) page.removeEventListener('focus', readAgain)
    }
  }

  return () =>
    useSyncExternalStore(
      subscribe,
      () => state,
      () => unknown,
    )
}
