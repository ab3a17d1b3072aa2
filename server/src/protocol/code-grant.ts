// pure
import { sha256 } from '../base/digest.ts'
import { type Reason, reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'

interface IssuedCode {
  client_id: string
  redirect_uri: string
  /** Null where the application may leave PKCE out and did. */
  code_challenge: string | null
  expires_at: Date
}

interface CodeRequest {
  redirect_uri: string | undefined
  code_verifier: string | undefined
}

/**
 * Checks that this client may redeem this code now. The look-up decides the environment of a code, and the database its single use (see
 * `redeemCode`).
 *
 * @throws OAuthError
 *
 * RFC 6749 §4.1.3: the code was issued to this client, and redirect_uri is identical; every authorization request names one, so a
 *                  token request without it lacks a required parameter (§5.2)
 * RFC 7636 §4.1:   code_verifier is 43 to 128 unreserved characters
 * RFC 7636 §4.6:   S256(code_verifier) equals the stored code_challenge
 * RFC 9700 §4.8.2: a verifier for a code without challenge means that an attacker removed the challenge
 */
export function checkCodeRedemption(code: IssuedCode, client_id: string, request: CodeRequest, now: Date): void {
  const refuse = (description: Reason) => {
    throw new OAuthError('invalid_grant', description)
  }

  if (request.redirect_uri === undefined) throw new OAuthError('invalid_request', 'redirect_uri is missing.')
  if (code.client_id !== client_id) refuse(reason`The code was issued to another client.`)
  if (code.expires_at <= now) refuse(reason`The code has expired.`)
  if (code.redirect_uri !== request.redirect_uri) refuse(reason`redirect_uri differs from the authorization request.`)

  const { code_verifier } = request
  if (code.code_challenge === null) {
    if (code_verifier !== undefined) refuse(reason`code_verifier was sent, but the authorization request had no code_challenge.`)
  } else if (code_verifier === undefined) {
    refuse(reason`code_verifier is missing.`)
  } else {
    if (!/^[A-Za-z0-9._~-]{43,128}$/.test(code_verifier)) refuse(reason`code_verifier is not 43 to 128 characters of A-Z a-z 0-9 - . _ ~.`)
    if (s256(code_verifier) !== code.code_challenge) refuse(reason`code_verifier does not match code_challenge.`)
  }
}

/** RFC 7636 §4.2 */
const s256 = (code_verifier: string) => sha256(code_verifier, 'base64url')
