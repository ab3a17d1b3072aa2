/** The common parts of the middleware of all frameworks: the token of a request, and the refusal of one (RFC 6750). */
import { TokenError } from './token-error.ts'
import { type AccessToken, type VerifyOptions, verifyAccessToken } from './verify.ts'

export interface Refusal {
  status: 401 | 403 | 503
  headers: Record<string, string>
  body: { error: string; error_description: string }
}

/** Returns the claims of a request's token, or the refusal to answer with. Other errors are thrown. */
export async function admit(
  authorization: string | undefined,
  options: VerifyOptions,
): Promise<{ token: AccessToken } | { refusal: Refusal }> {
  // RFC 6750 §2: in the header only. A token in an address ends in logs.
  const [, token] = /^Bearer +([^ ]+)$/i.exec(authorization ?? '') ?? []
  if (token === undefined) return { refusal: refusalFor(null, options) }
  try {
    return { token: await verifyAccessToken(token, options) }
  } catch (error) {
    if (error instanceof TokenError) return { refusal: refusalFor(error, options) }
    throw error
  }
}

/** RFC 6750 §3.1: a request without a token gets no error code. */
function refusalFor(error: TokenError | null, { required_scopes = [] }: VerifyOptions): Refusal {
  if (error === null)
    return refusal(401, 'unauthorized', 'Send an access token as "Authorization: Bearer".', { 'www-authenticate': 'Bearer' })
  if (error.status === 503) return refusal(503, 'temporarily_unavailable', 'The token cannot be verified now.', { 'retry-after': '30' })
  const code = error.status === 403 ? 'insufficient_scope' : 'invalid_token'
  const scope = error.status === 403 ? `, scope="${required_scopes.join(' ')}"` : ''
  return refusal(error.status, code, error.message, {
    'www-authenticate': `Bearer error="${code}", error_description="${error.message}"${scope}`,
  })
}

const refusal = (status: Refusal['status'], error: string, error_description: string, headers: Record<string, string>): Refusal => ({
  status,
  headers: { ...headers, 'cache-control': 'no-store' },
  body: { error, error_description },
})
