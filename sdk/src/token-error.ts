/** The error of a token that is not accepted. */

/**
 * malformed           not a JWT, or one without a required claim
 * wrong_type          not an access token, such as an ID token
 * wrong_algorithm     signed with an algorithm that the options do not list
 * unknown_key         the issuer publishes no such key
 * bad_signature       changed, or not signed by the issuer
 * wrong_issuer        wrong_audience        expired        not_yet_valid
 * insufficient_scope  valid, but without a required scope
 * wrong_organization  valid, but of another organization, or of one where none is accepted
 * inactive            the service no longer accepts it (`live`)
 * keys_unavailable    the keys of the issuer cannot be read; the token may be valid
 * service_unavailable the service cannot be asked (`live`); the token may be valid
 */
export type TokenErrorCode =
  | 'malformed'
  | 'wrong_type'
  | 'wrong_algorithm'
  | 'unknown_key'
  | 'bad_signature'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  | 'not_yet_valid'
  | 'insufficient_scope'
  | 'wrong_organization'
  | 'inactive'
  | 'keys_unavailable'
  | 'service_unavailable'

const statuses: { readonly [Code in TokenErrorCode]?: 403 | 503 } = {
  insufficient_scope: 403,
  wrong_organization: 403,
  keys_unavailable: 503,
  service_unavailable: 503,
}

export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode
  /** The status for the caller of a resource server: 401, 403 for a token that may not do this, 503 where it cannot be judged. */
  readonly status: 401 | 403 | 503

  constructor(code: TokenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = statuses[code] ?? 401
  }
}
