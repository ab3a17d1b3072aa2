/** The options of an application, and the session that its code gets. */

export interface SessionOptions {
  /** The issuer of the environment, exactly. */
  issuer: string
  client_id: string
  /** The secret of a web application. Keep it on the server. */
  client_secret: string
  /** The public address of the application, such as `https://app.example.com`. Register `{base_url}{path}/callback` as its redirect URI. */
  base_url: string
  /**
   * At least 32 random characters, which encrypt the cookies. Of a list the first encrypts and all decrypt, so that it can be replaced. A cookie
   * belongs to its issuer and client as well: one of staging opens nothing in production, although both have the same secret.
   */
  secret: string | readonly string[]
  /** Where the handlers are. The default is `/auth`. */
  path?: string | undefined
  /** The default is `openid profile email offline_access`. Without `offline_access` the session ends with its access token. */
  scope?: string | undefined
  /** The API that the access token is for: the identifier of a resource server. */
  resource?: string | undefined
  /** Where sign-out ends: a path of the application. Register `{base_url}{after_sign_out}`. The default is `/`. */
  after_sign_out?: string | undefined
  /** How long a session lasts without a new sign-in, in seconds. The default is 604,800: seven days. */
  max_age_seconds?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Replaces the clock, for tests. */
  now?: (() => Date) | undefined
}

/** The claims of the ID token. Identify a user by `sub`: an email can change. `GET /v1/auth/users?sub=` finds the record. */
export interface SessionUser {
  sub: string
  email?: string | undefined
  name?: string | undefined
  [claim: string]: unknown
}

export interface Session {
  user: SessionUser
  /** The id of the organization that the person acts in; `null` for none. It never changes: another one is a new sign-in. */
  org_id: string | null
  /** For calls to an API. It stays on the server. */
  access_token: string
  /** When the access token expires. */
  expires_at: Date
}

/**
 * bad_options         the options cannot work
 * issuer_unavailable  the issuer does not answer, or not as a provider; try again
 * sign_in_refused     the issuer refused the code, or its answer does not belong to this sign-in
 * cookie_too_large    the session does not fit into a cookie
 */
export type SessionErrorCode = 'bad_options' | 'issuer_unavailable' | 'sign_in_refused' | 'cookie_too_large'

export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
