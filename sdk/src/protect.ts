/** The common parts of the middleware of all frameworks: the token of a request, and the refusal of one (RFC 6750). */
import { TokenError } from './token-error.ts'
import { type AccessToken, type VerifyOptions, verifyAccessToken } from './verify.ts'

/** `R` is the request of the framework; of Hono its context. */
export interface ProtectOptions<R> extends Omit<VerifyOptions, 'organization'> {
  /** The scopes that the token must have, as `required_scopes`. */
  scopes?: readonly string[] | undefined
  /**
   * The organization that the request is about: its id, a function that reads the id from the request, or `any`, as of `verifyAccessToken`. A
   * request for which the function finds no id is refused.
   */
  organization?: string | ((request: R) => FoundId | Promise<FoundId>) | undefined
}

/** A parameter of a path can be a list in some frameworks. That is not an id. */
type FoundId = string | readonly string[] | null | undefined

export interface Refusal {
  status: 401 | 403 | 503
  headers: Record<string, string>
  body: { error: string; error_description: string }
}

/** Returns the claims of a request's token, or the refusal to answer with. Other errors are thrown. */
export async function admit<R>(
  authorization: string | undefined,
  request: R,
  options: ProtectOptions<R>,
): Promise<{ token: AccessToken } | { refusal: Refusal }> {
  // RFC 6750 §2: in the header only. A token in an address ends in logs.
  const [, token] = /^Bearer +([^ ]+)$/i.exec(authorization ?? '') ?? []
  const { scopes = [], organization: asked, ...others } = options
  const required_scopes = [...new Set([...(others.required_scopes ?? []), ...scopes])]
  if (token === undefined) return { refusal: refusalFor(null, required_scopes) }
  try {
    const organization = await organizationOf(asked, request)
    return { token: await verifyAccessToken(token, { ...others, required_scopes, organization }) }
  } catch (error) {
    if (error instanceof TokenError) return { refusal: refusalFor(error, required_scopes) }
    throw error
  }
}

async function organizationOf<R>(asked: ProtectOptions<R>['organization'], request: R): Promise<string | undefined> {
  if (typeof asked !== 'function') return asked
  const found = await asked(request)
  // The word would accept every organization, and requests are written by strangers.
  if (typeof found === 'string' && found !== '' && found !== 'any') return found
  throw new TokenError('wrong_organization', 'The request names no organization.')
}

/** RFC 6750 §3.1: a request without a token gets no error code. */
function refusalFor(error: TokenError | null, required_scopes: readonly string[]): Refusal {
  if (error === null)
    return refusal(401, 'unauthorized', 'Send an access token as "Authorization: Bearer".', { 'www-authenticate': 'Bearer' })
  if (error.status === 503) return refusal(503, 'temporarily_unavailable', 'The token cannot be verified now.', { 'retry-after': '30' })
  const code = error.status === 403 ? error.code : 'invalid_token'
  const scope = error.code === 'insufficient_scope' ? `, scope="${required_scopes.join(' ')}"` : ''
  return refusal(error.status, code, error.message, {
    'www-authenticate': `Bearer error="${code}", error_description="${error.message}"${scope}`,
  })
}

const refusal = (status: Refusal['status'], error: string, error_description: string, headers: Record<string, string>): Refusal => ({
  status,
  headers: { ...headers, 'cache-control': 'no-store' },
  body: { error, error_description },
})
