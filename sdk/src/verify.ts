/** The entry `@ostiary/sdk/verify`: verifies access tokens in a resource server, without a call for each token. */
import { base64url, decodeJwt, decodeProtectedHeader, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { Algorithm, KeySet } from './key-set.ts'
import { askService, isOpaque, type LiveOptions } from './live.ts'
import { platform } from './runtime.ts'
import { hasScopes } from './scopes.ts'
import { TokenError, type TokenErrorCode } from './token-error.ts'

export { type Algorithm, createKeySet, type KeySet, type KeySetOptions } from './key-set.ts'
export type { LiveOptions } from './live.ts'
export { TokenError, type TokenErrorCode } from './token-error.ts'

/** The claims of an access token (RFC 9068 §2.2). */
export interface AccessToken {
  iss: string
  /** The person, also in your own data: it never changes. */
  sub: string
  /** The id of the user, which calls about the user take; only with `live`. It is `sub`, unless another one was given. */
  user_id?: string
  aud: string | string[]
  client_id: string
  scope: string
  exp: number
  iat: number
  jti: string
  /** The organization of the grant; absent or `null` without one. */
  org_id?: string | null
  [claim: string]: unknown
}

export interface VerifyOptions {
  /** Made once with `createKeySet`, so that its keys are cached. */
  keys: KeySet
  /** The issuer of the environment, exactly. */
  issuer: string
  /** The identifier of this resource server. */
  audience: string
  /**
   * The algorithms that are accepted, whatever the token says. The service signs with RS256, the default, and with ES256 for a resource server
   * whose `access_token_signing_alg` says so.
   */
  algorithms?: readonly Algorithm[] | undefined
  /** The scopes that the token must have. */
  required_scopes?: readonly string[] | undefined
  /**
   * The id of the organization that the token must be of. With `any` every organization is accepted, and none: compare `org_id` of the claims
   * yourself. Without this option a token of an organization is refused, so that a forgotten check lets nobody in.
   */
  organization?: string | undefined
  /**
   * Asks the service at each call. A token that was ended is then refused at once, the scope that it has now counts, and opaque tokens are
   * accepted too. Without an answer the token is refused with `service_unavailable`.
   */
  live?: LiveOptions | undefined
  /** How far the clocks may differ, in seconds, 0 to 300. The default is 5. */
  clock_tolerance_seconds?: number | undefined
  /** Replaces the clock, for tests. */
  now?: (() => Date) | undefined
}

const longest_token = 16_384

/**
 * Verifies an access token and returns its claims. Throws a `TokenError`.
 *
 * RFC 9068 §4: the type is at+jwt, issuer and audience are ours, the signature verifies, the token has not expired
 * RFC 8725 §3.1: the algorithm is one of the options; keys and addresses of keys in the header are ignored
 */
export async function verifyAccessToken(token: string, options: VerifyOptions): Promise<AccessToken> {
  const { issuer, audience, required_scopes = [], organization, live, clock_tolerance_seconds = 5 } = options
  // Without these checks a forgotten option would accept tokens of any issuer, audience or organization.
  for (const [name, value] of Object.entries({ issuer, audience, ...(organization === undefined ? {} : { organization }) }))
    if (typeof value !== 'string' || value === '') throw new TypeError(`verifyAccessToken needs ${name}.`)
  if (!(clock_tolerance_seconds >= 0 && clock_tolerance_seconds <= 300)) throw new TypeError('clock_tolerance_seconds is 0 to 300.')

  const claims = live ? await liveClaims(token, { ...options, live }) : await claimsOfJwt(token, options)
  const { org_id = null } = claims
  if (organization !== 'any' && org_id !== (organization ?? null))
    throw new TokenError('wrong_organization', 'The token is of another organization.')
  if (!hasScopes(claims.scope, required_scopes)) throw new TokenError('insufficient_scope', 'The token lacks a scope.')
  return claims
}

async function claimsOfJwt(token: string, options: VerifyOptions): Promise<AccessToken> {
  const { keys, issuer, audience, algorithms = ['RS256'], clock_tolerance_seconds = 5, now = platform.now } = options
  if (!/^(application\/)?at\+jwt$/i.test(typeOf(token))) throw new TokenError('wrong_type', 'The token is not an access token.')
  const verified = await jwtVerify(token, (header) => keyOf(header, keys), {
    issuer,
    audience,
    algorithms: [...algorithms],
    requiredClaims: ['exp'],
    clockTolerance: clock_tolerance_seconds,
    currentDate: now(),
  }).catch((error: unknown) => {
    throw error instanceof errors.JOSEError ? refusalFor(error) : error
  })
  return judgeClaims(verified.payload, latestIn(options))
}

/**
 * The claims as the service answers them now. A JWT is verified first, so that what nobody signed causes no call; nobody but the service can
 * read an opaque token.
 */
async function liveClaims(token: string, options: VerifyOptions & { live: LiveOptions }): Promise<AccessToken> {
  const { issuer, audience, live } = options
  if (token.length > longest_token) throw new TokenError('malformed', 'The token is too long to be one.')
  const own = isOpaque(token) ? null : await claimsOfJwt(token, options)
  const { scope = '', ...answer } = await askService(token, issuer, live)
  if (answer.iss !== issuer) throw new TokenError('wrong_issuer', 'The token is of another issuer.')
  if (![answer.aud].flat().includes(audience)) throw new TokenError('wrong_audience', 'The token is for another audience.')
  return judgeClaims({ ...fixedClaims(own), ...answer, scope } as JWTPayload, latestIn(options)) // as: its members are checked there
}

/**
 * The claims that a token keeps for its whole life, and that the service does not answer. Roles under a name that the tenant chose, and data of a user or an
 * organization, can be out of date in the token: the answer has them as `roles` and `claims`.
 */
const fixedClaims = (own: AccessToken | null) => (own === null ? {} : { acr: own.acr, grant_id: own.grant_id })

/** The last second at which a token can have been issued. */
const latestIn = ({ clock_tolerance_seconds = 5, now = platform.now }: VerifyOptions) => now().getTime() / 1000 + clock_tolerance_seconds

/**
 * The type that a JWT states; empty if it states none. Throws unless the token is a JWT whose parts have the only spelling of their bytes,
 * so that nobody can write an accepted token in a second way.
 */
function typeOf(token: string): string {
  try {
    const is_canonical =
      token.length <= longest_token && token.split('.').every((part) => base64url.encode(base64url.decode(part)) === part)
    if (is_canonical && decodeJwt(token)) {
      const { typ } = decodeProtectedHeader(token)
      return typeof typ === 'string' ? typ : ''
    }
  } catch {} // refused with the others
  throw new TokenError('malformed', 'The token is not a JWT.')
}

async function keyOf({ kid, alg }: JWTHeaderParameters, keys: KeySet) {
  if (typeof kid !== 'string' || kid === '') throw new TokenError('unknown_key', 'The token names no key.')
  const key = await keys.find(kid, alg)
  if (!key) throw new TokenError('unknown_key', 'The issuer has no key with the kid of the token.')
  return key
}

// biome-ignore format: this table is read by column
const refusals: Record<string, [TokenErrorCode, string]> = {
  [errors.JOSEAlgNotAllowed.code]:              ['wrong_algorithm', 'The algorithm of the token is not accepted.'],
  [errors.JOSENotSupported.code]:               ['malformed',       'The token has a critical extension.'], // RFC 7515 §4.1.11
  [errors.JWSSignatureVerificationFailed.code]: ['bad_signature',   'The signature does not verify.'],
  [errors.JWTExpired.code]:                     ['expired',         'The token has expired.'],
  'iss check_failed':                           ['wrong_issuer',    'The token is of another issuer.'],
  'iss missing':                                ['wrong_issuer',    'The token is of another issuer.'],
  'aud check_failed':                           ['wrong_audience',  'The token is for another audience.'],
  'nbf check_failed':                           ['not_yet_valid',   'The token is not valid yet.'],
}

/** Maps an error of jose to an error for the caller. Its own text can contain parts of the token, which do not belong in a header. */
function refusalFor(error: errors.JOSEError): TokenError {
  const reason = error instanceof errors.JWTClaimValidationFailed ? `${error.claim} ${error.reason}` : error.code
  const [code, message] = refusals[reason] ?? ['malformed', 'The token has a header or a claim that is not accepted.']
  return new TokenError(code, message, { cause: error })
}

/** Checks what RFC 9068 §2.2 requires in addition to RFC 7519. `latest` is the last second at which a token can have been issued. */
function judgeClaims(claims: JWTPayload, latest: number): AccessToken {
  const { aud, exp, nbf, iat, sub, client_id, jti, scope = '', org_id = null } = claims
  const are_times = [exp, iat].every(Number.isFinite)
  const are_texts = [sub, client_id, jti, scope, ...[aud].flat()].every((text) => typeof text === 'string')
  const is_of_one = org_id === null || typeof org_id === 'string'
  if (!are_times || !are_texts || !is_of_one)
    throw new TokenError('malformed', 'The token lacks a claim of RFC 9068, or has one of another type.')
  if (nbf === undefined && Number(iat) > latest) throw new TokenError('not_yet_valid', 'The token is not valid yet.')
  return { ...claims, scope } as AccessToken // as: every member is checked above
}
