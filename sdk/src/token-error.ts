/** The error of a token that is not accepted. */

/**
 * malformed           not a JWT, or one without a required claim
 * wrong_type          not an access token, such as an ID token
 * wrong_algorithm     signed with an algorithm that the options do not list
 * unknown_key         the issuer publishes no such key
 * bad_signature       changed, or not signed by the issuer
 * wrong_issuer        wrong_audience        expired        not_yet_valid
 * insufficient_scope  valid, but without a required scope
 * keys_unavailable    the keys of the issuer cannot be read; the token may be valid
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
  | 'keys_unavailable'

export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode
  /** The status for the caller of a resource server: 401, 403 without a scope, 503 without keys. */
  readonly status: 401 | 403 | 503

  constructor(code: TokenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = code === 'insufficient_scope' ? 403 : code === 'keys_unavailable' ? 503 : 401
  }
}
