// pure
/** The error of the OAuth and OpenID Connect endpoints. */
import type { Explained, Reason } from '../../reason.ts'

/** RFC 6749 §4.1.2.1 and §5.2, OIDC Core §3.1.2.6, RFC 6750 §3.1, RFC 8707 §2, Unmet Authentication Requirements §3. */
const statusOf = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  login_required: 400,
  interaction_required: 400,
  consent_required: 400,
  account_selection_required: 400,
  unmet_authentication_requirements: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
  invalid_token: 401,
  insufficient_scope: 403,
} as const

export type OAuthErrorCode = keyof typeof statusOf

interface Options {
  cause?: unknown
  used_header?: boolean
  reason?: Reason
}

/**
 * An error with a code of the protocol. The message is for developers; no client may depend on its wording.
 *
 * `used_header` says that the client authenticated by the Authorization header, so that the 401 must carry
 * `WWW-Authenticate: Basic` (RFC 6749 §5.2).
 *
 * `reason` is for the developers of the tenant only. A message without values is its own reason; see `reason.ts`.
 */
export class OAuthError<const Description extends string = string> extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly reason: Reason
  readonly used_header: boolean

  constructor(code: OAuthErrorCode, description: Description, ...explained: Explained<Description, Options>) {
    const [options = {}]: [options?: Options] = explained
    super(printable(description), 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.reason = options.reason ?? (description as string as Reason) // as: a description without a reason of its own has no values
    this.used_header = options.used_header ?? false
  }

  get status() {
    return statusOf[this.code]
  }

  toJSON() {
    return { error: this.code, error_description: this.message }
  }
}

/** RFC 6749 §5.2: error_description is ASCII without quotation mark and backslash. It may quote the request, so it is cut to 500 characters. */
function printable(description: string): string {
  return description
    .slice(0, 500)
    .replaceAll('"', "'")
    .replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/gu, '?')
}
