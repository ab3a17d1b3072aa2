// pure
/** The error of the OAuth and OpenID Connect endpoints. */
import { type OAuthErrorName, oauthErrors } from '@ostiary/contract/oidc.ts'
import type { Remedy } from '@ostiary/contract/refused-call.ts'
import type { Explained, Reason } from '../base/reason.ts'
import type { RefusedValue } from '../base/refusal.ts'

/** RFC 6749 §4.1.2.1 and §5.2, OIDC Core §3.1.2.6, RFC 6750 §3.1, RFC 8707 §2. */
export type OAuthErrorCode = OAuthErrorName

interface Options {
  cause?: unknown
  used_header?: boolean
  reason?: Reason
  remedy?: Remedy | null
  refused?: RefusedValue | null
}

/**
 * An error with a code of the protocol. The message is for developers; no client may depend on its wording.
 *
 * `used_header` says that the client authenticated by the Authorization header, so that the 401 must carry
 * `WWW-Authenticate: Basic` (RFC 6749 §5.2).
 *
 * `reason` and `remedy` are for the developers of the tenant only. A message without values is its own reason; see `reason.ts`.
 */
export class OAuthError<const Description extends string = string> extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly reason: Reason
  readonly remedy: Remedy | null
  readonly used_header: boolean
  /** The value of the request that is refused, for the record of the call. */
  readonly refused: RefusedValue | null

  constructor(code: OAuthErrorCode, description: Description, ...explained: Explained<Description, Options>) {
    const [options = {}]: [options?: Options] = explained
    super(printable(description), 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.reason = options.reason ?? (description as string as Reason) // as: a description without a reason of its own has no values
    this.remedy = options.remedy ?? null
    this.used_header = options.used_header ?? false
    this.refused = options.refused ?? null
  }

  get status() {
    return oauthErrors[this.code].status
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
