/** What is told of somebody at a provider, and the two ways there. `upstream.ts` goes them, and is loaded by the first who does. */
import type { Deployment } from '../deployment.ts'
import type { Upstream } from './store.ts'

/** Who somebody is there. */
export interface UpstreamProfile {
  subject: string
  email: string | null
  email_verified: boolean
  name: string | null
  given_name: string | null
  family_name: string | null
  picture: string | null
}

/** What has to fit when they come back. */
export interface Departure {
  state: string
  nonce: string
  code_verifier: string
}

/** The provider cannot be used, or what it answered does not fit. The message is for the log. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed'
}

/** What the application asked for that is the provider's to do. */
export interface Wish {
  login_hint: string | undefined
  /** Whoever is signed in there already will not do: they sign in again, or at least say who they are. */
  prompt: 'login' | 'select_account' | undefined
}

export interface Upstreams {
  /** Where to send somebody, to come back to `redirect_uri`. */
  depart(provider: Upstream, departure: Departure & { redirect_uri: string }, wish: Wish): Promise<string>
  /** Who came back. `url` is the callback with all its parameters. */
  arrive(provider: Upstream, url: URL, departure: Departure): Promise<UpstreamProfile>
}

/** Loads the client of other servers when somebody first needs it: 20 MB that a service without providers need not carry. */
export function upstreamsWhenNeeded(deployment: Deployment): Upstreams {
  let loaded: Promise<Upstreams> | null = null
  const load = () => {
    loaded ??= import('./upstream.ts').then(({ createUpstreams }) => createUpstreams(deployment, deployment.outbound))
    return loaded
  }
  return {
    depart: async (...journey) => (await load()).depart(...journey),
    arrive: async (...journey) => (await load()).arrive(...journey),
  }
}
