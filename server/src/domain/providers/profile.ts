/** The interface of sign-ins at a provider. `upstream.ts` implements it and is loaded by the first sign-in. */
import type { ProviderCause } from '@ostiary/contract/objects/provider.ts'
import type { Reason } from '../../base/reason.ts'
import type { Deployment } from '../../deployment/deployment.ts'
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
  /** The user name, as it was sent; `null` where none was sent. */
  preferred_username: string | null
  /** The session there (`sid`); `null` where the provider names none. */
  sid: string | null
  /** Of at most 4 kB, for `id_token_hint`. */
  id_token: string | null
}

/** The secrets of one authorization request, which its callback must match. */
export interface UpstreamSecrets {
  state: string
  nonce: string
  code_verifier: string
}

/** Where a sign-in at a provider, or its check, failed. */
export interface UpstreamFailure {
  cause: ProviderCause
  detail: Reason
  /** The browser can have caused it, by an answer of its own. It says nothing about the provider. */
  by_browser?: boolean
  /** A check reads the same, so it can disprove the failure. It tries neither the client nor the tokens. */
  is_checked?: boolean
}

/** The provider is unavailable, or its response is invalid. The cause of the error is for the log. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed'
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure, options?: ErrorOptions) {
    super(failure.detail, options)
    this.failure = failure
  }
}

/** Parameters of the application's authorization request that are passed on to the provider. */
export interface AuthorizationHints {
  login_hint: string | undefined
  /** An existing session at the provider is not enough: the person must sign in again or choose an account. */
  prompt: 'login' | 'select_account' | undefined
}

/** RP-Initiated Logout 1.0 §2. */
export interface SignOutRequest {
  post_logout_redirect_uri: string
  state: string
  id_token_hint: string | null
}

/** A JWT that the provider signed. */
export interface VerifiedToken {
  claims: Readonly<Record<string, unknown>>
  /** As its metadata names it. */
  issuer: string
}

export interface Upstreams {
  /** Returns the URL of the provider's authorization request. */
  authorizationUrl(provider: Upstream, request: UpstreamSecrets & { redirect_uri: string }, hints: AuthorizationHints): Promise<string>
  /** Returns the profile of the person who signed in. `url` is the callback with all its parameters. */
  handleCallback(provider: Upstream, url: URL, expected: UpstreamSecrets): Promise<UpstreamProfile>
  /** The URL that signs the person out at the provider; `null` where it has none. @throws UpstreamFailed, within two seconds */
  signOutUrl(provider: Upstream, request: SignOutRequest): Promise<string | null>
  /** The claims of a JWT that a key of the provider signed with one of these algorithms; `null` otherwise. @throws UpstreamFailed */
  verifyToken(provider: Upstream, token: string, algorithms: readonly string[]): Promise<VerifiedToken | null>
  /** Reads the metadata and the keys, past the cache. @throws UpstreamFailed */
  check(provider: Upstream): Promise<void>
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
    signOutUrl: async (...parameters) => (await load()).signOutUrl(...parameters),
    verifyToken: async (...parameters) => (await load()).verifyToken(...parameters),
    check: async (...parameters) => (await load()).check(...parameters),
  }
}
