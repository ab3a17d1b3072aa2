/** The entry `@ostiary/sdk/verify`: verifies access tokens in a resource server, without a call for each token. */
import { decode, parseObject } from './base64url.ts'
import type { Algorithm, KeySet } from './key-set.ts'
import { platform } from './runtime.ts'
import { TokenError } from './token-error.ts'

export { type Algorithm, createKeySet, type KeySet, type KeySetOptions } from './key-set.ts'
export { TokenError, type TokenErrorCode } from './token-error.ts'

/** The claims of an access token (RFC 9068 §2.2). */
export interface AccessToken {
  iss: string
  sub: string
  aud: string | string[]
  client_id: string
  scope: string
  exp: number
  iat: number
  jti: string
  [claim: string]: unknown
}

export interface VerifyOptions {
  /** Made once with `createKeySet`, so that its keys are cached. */
  keys: KeySet
  /** The issuer of the environment, exactly. */
  issuer: string
  /** The identifier of this resource server. */
  audience: string
  /** The algorithms that are accepted, whatever the token says. The service signs with RS256, the default. */
  algorithms?: readonly Algorithm[] | undefined
  /** The scopes that the token must have. */
  required_scopes?: readonly string[] | undefined
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
  const { keys, issuer, audience, algorithms = ['RS256'], required_scopes = [], clock_tolerance_seconds = 5, now = platform.now } = options
  // Without these checks a forgotten option would accept tokens of any issuer or audience.
  for (const [name, value] of Object.entries({ issuer, audience }))
    if (typeof value !== 'string' || value === '') throw new TypeError(`verifyAccessToken needs ${name}.`)
  if (!(clock_tolerance_seconds >= 0 && clock_tolerance_seconds <= 300)) throw new TypeError('clock_tolerance_seconds is 0 to 300.')

  if (typeof token !== 'string' || token.length > longest_token) throw new TokenError('malformed', 'The token is not a JWT.')
  const parts = token.split('.')
  const [head = '', payload = '', signature = ''] = parts
  const header = parseObject(head)
  const claims = parseObject(payload)
  const signature_bytes = decode(signature)
  if (parts.length !== 3 || !header || !claims || !signature_bytes) throw new TokenError('malformed', 'The token is not a JWT.')

  const { typ, alg, kid, crit } = header
  if (typeof typ !== 'string' || !/^(application\/)?at\+jwt$/i.test(typ))
    throw new TokenError('wrong_type', 'The token is not an access token.')
  const algorithm = algorithms.find((allowed) => allowed === alg)
  if (algorithm === undefined) throw new TokenError('wrong_algorithm', 'The algorithm of the token is not accepted.')
  if (crit !== undefined) throw new TokenError('malformed', 'The token has a critical extension.') // RFC 7515 §4.1.11
  if (typeof kid !== 'string' || kid === '') throw new TokenError('unknown_key', 'The token names no key.')

  const signed = new TextEncoder().encode(`${head}.${payload}`)
  const is_signed = await keys.verify(kid, algorithm, signed, signature_bytes)
  if (is_signed === null) throw new TokenError('unknown_key', 'The issuer has no key with the kid of the token.')
  if (!is_signed) throw new TokenError('bad_signature', 'The signature does not verify.')

  const judged = judgeClaims(claims, issuer, audience, now().getTime() / 1000, clock_tolerance_seconds)
  const granted = new Set(judged.scope.split(' '))
  if (!required_scopes.every((scope) => granted.has(scope))) throw new TokenError('insufficient_scope', 'The token lacks a scope.')
  return judged
}

/** Checks the claims of a signed token (RFC 9068 §2.2, §4). */
function judgeClaims(claims: Record<string, unknown>, issuer: string, audience: string, seconds: number, tolerance: number): AccessToken {
  const { iss, aud, exp, nbf, iat, sub, client_id, jti, scope = '' } = claims
  if (iss !== issuer) throw new TokenError('wrong_issuer', 'The token is of another issuer.')
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (!audiences.every((one) => typeof one === 'string')) throw new TokenError('malformed', 'The audience of the token is not text.')
  if (!audiences.includes(audience)) throw new TokenError('wrong_audience', 'The token is for another audience.')
  const are_times = [exp, iat, nbf ?? iat].every((time) => typeof time === 'number' && Number.isFinite(time))
  const are_texts = [sub, client_id, jti, scope].every((text) => typeof text === 'string')
  if (!are_times || !are_texts) throw new TokenError('malformed', 'The token lacks a claim of RFC 9068, or has one of another type.')
  if (Number(exp) <= seconds - tolerance) throw new TokenError('expired', 'The token has expired.')
  if (Number(nbf ?? iat) > seconds + tolerance) throw new TokenError('not_yet_valid', 'The token is not valid yet.')
  return { ...claims, scope } as AccessToken // as: every member is checked above
}
