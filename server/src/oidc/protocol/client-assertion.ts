// pure
/** What a client assertion must say (`private_key_jwt`). Its signature, and that it is used once, are for `../client-assertion.ts`. */
import { OAuthError } from './oauth-error.ts'

/** RFC 8725 §3.1, §3.2: the algorithms are ours to choose. All asymmetric: nobody but the client can have signed. Discovery tells of the same list. */
export const assertionAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** How far the clock of a client may be from ours. */
const skew_ms = 30_000
/** An assertion that lives longer is refused: until it expires its id has to be remembered. */
const longest_life_ms = 3_600_000
export const longest_assertion = 10_000

/**
 * Is this a kind of JWT that may authenticate a client?
 *
 * RFC 8725 §3.11:               an explicit type keeps kinds of JWT apart that one key signs (DPoP proofs, request objects …)
 * draft-ietf-oauth-rfc7523bis:  the type is client-authentication+jwt; older clients send JWT, or none
 * RFC 7515 §4.1.11:             an extension that is not understood must not be ignored
 */
export function checkAssertionHeader({ alg, typ, crit }: { alg?: unknown; typ?: unknown; crit?: unknown }): void {
  if (!assertionAlgorithms.some((known) => known === alg))
    throw refusal(`client_assertion must be signed with one of ${assertionAlgorithms.join(', ')}.`)
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  if (type !== undefined && type !== 'jwt' && type !== 'client-authentication+jwt')
    throw refusal('client_assertion has a type (typ) that is not client-authentication+jwt.')
  if (crit !== undefined) throw refusal('client_assertion has critical headers (crit) that are not understood.')
}

export interface AssertionExpectation {
  client_id: string
  issuer: string
  token_endpoint: string
}

/**
 * Judges the claims of an assertion whose signature is the client's. Returns what single use is enforced by.
 *
 * OIDC Core §9, RFC 7523 §3: iss, sub, aud, exp and jti; iss and sub are the client_id; exp in the future; iat and nbf not
 * draft-ietf-oauth-rfc7523bis: aud is the issuer and nothing else, since an assertion that is also meant for another server
 *                              can be replayed by it
 * We choose: the token endpoint's URL too, as OIDC Core §9 had it, and an array as long as it names nobody but us (0011-outbound.md)
 */
export function checkAssertionClaims(
  claims: Record<string, unknown>,
  { client_id, issuer, token_endpoint }: AssertionExpectation,
  now: Date,
): { jti: string; expires_at: Date } {
  const { iss, sub, aud, exp, iat, nbf, jti } = claims
  if (iss !== client_id || sub !== client_id) throw refusal('iss and sub of client_assertion must both be the client_id.')

  const audience = Array.isArray(aud) ? aud : [aud]
  if (audience.length === 0 || audience.some((value) => value !== issuer && value !== token_endpoint))
    throw refusal(`aud of client_assertion must be ${issuer} and nothing else.`)

  const expires_ms = instant(exp, 'exp')
  if (expires_ms === null) throw refusal('client_assertion lacks exp.')
  if (expires_ms + skew_ms <= now.getTime()) throw refusal('client_assertion has expired.')
  if (expires_ms - skew_ms > now.getTime() + longest_life_ms) throw refusal('exp of client_assertion must be within an hour from now.')
  for (const [name, value] of Object.entries({ iat, nbf })) {
    const begin_ms = instant(value, name)
    if (begin_ms !== null && begin_ms - skew_ms > now.getTime())
      throw refusal(`${name} of client_assertion lies in the future. Check the clock of the client.`)
  }
  if (typeof jti !== 'string' || jti === '') throw refusal('client_assertion lacks jti.')
  return { jti, expires_at: new Date(Math.ceil(expires_ms) + skew_ms) }
}

/** RFC 7519 §2: a NumericDate is a number of seconds, with or without a fraction. */
function instant(value: unknown, name: string): number | null {
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refusal(`${name} of client_assertion must be a number of seconds.`)
  return value * 1000
}

const refusal = (why: string) => new OAuthError('invalid_client', why)
