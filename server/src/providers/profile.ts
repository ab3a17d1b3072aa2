/** The interface of sign-ins at a provider. `upstream.ts` implements it and is loaded by the first sign-in. */
import type { Deployment } from '../deployment/deployment.ts'
import type { Upstream } from './store.ts'

/** A person as a provider describes them. */
export interface UpstreamProfile {
  subject: string
  /** `null` unless the provider sent, byte for byte, an address that a user can have. */
  email: string | null
  email_verified: boolean
  name: string | null
  given_name: string | null
  family_name: string | null
  picture: string | null
}

/** The secrets of one authorization request, which its callback must match. */
export interface UpstreamSecrets {
  state: string
  nonce: string
  code_verifier: string
}

/** The provider is unavailable, or its response is invalid. The message is for the log. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed'
}

/** Parameters of the application's authorization request that are passed on to the provider. */
export interface AuthorizationHints {
  login_hint: string | undefined
  /** An existing session at the provider is not enough: the person must sign in again or choose an account. */
  prompt: 'login' | 'select_account' | undefined
}

export interface Upstreams {
  /** Returns the URL of the provider's authorization request. */
  authorizationUrl(provider: Upstream, request: UpstreamSecrets & { redirect_uri: string }, hints: AuthorizationHints): Promise<string>
  /** Returns the profile of the person who signed in. `url` is the callback with all its parameters. */
  handleCallback(provider: Upstream, url: URL, expected: UpstreamSecrets): Promise<UpstreamProfile>
}

/** Loads `upstream.ts` at the first sign-in: it takes 20 MB that a service without providers saves. */
export function upstreamsWhenNeeded(deployment: Deployment): Upstreams {
  let loaded: Promise<Upstreams> | null = null
  const load = () => {
    loaded ??= import('./upstream.ts').then(({ createUpstreams }) => createUpstreams(deployment, deployment.outbound))
    return loaded
  }
  return {
    authorizationUrl: async (...parameters) => (await load()).authorizationUrl(...parameters),
    handleCallback: async (...parameters) => (await load()).handleCallback(...parameters),
  }
}
