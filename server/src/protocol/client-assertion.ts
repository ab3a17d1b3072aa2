// pure
/** The header and claims of a client assertion (`private_key_jwt`). `../oidc/client-assertion.ts` checks its signature and single use. */
import { hour_ms } from '../base/durations.ts'
import { type Reason, reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'

/** RFC 8725 §3.1, §3.2: the server chooses the algorithms. All are asymmetric, so only the client can sign. Discovery lists them. */
export const assertionAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** The tolerated difference between the clock of a client and that of this service. */
const skew_ms = 30_000
/** An assertion with a longer lifetime is refused, because its id is stored until it expires. */
const longest_life_ms = hour_ms
export const longest_assertion = 10_000

/**
 * Checks that this type of JWT may authenticate a client.
 *
 * @throws OAuthError `invalid_client`
 *
 * RFC 8725 §3.11:               an explicit type separates the JWTs that one key signs (DPoP proofs, request objects …)
 * draft-ietf-oauth-rfc7523bis:  the type is client-authentication+jwt; older clients send JWT, or none
 * RFC 7515 §4.1.11:             an extension that is not understood must not be ignored
 */
export function checkAssertionHeader({ alg, typ, crit }: { alg?: unknown; typ?: unknown; crit?: unknown }): void {
  if (!assertionAlgorithms.some((known) => known === alg))
    throw refusalWith(
      `client_assertion must be signed with one of ${assertionAlgorithms.join(', ')}.`,
      reason`client_assertion is signed with another algorithm than discovery lists.`,
    )
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  if (type !== undefined && type !== 'jwt' && type !== 'client-authentication+jwt')
    throw refusal(reason`client_assertion has a type (typ) that is not client-authentication+jwt.`)
  if (crit !== undefined) throw refusal(reason`client_assertion has critical headers (crit) that are not understood.`)
}

export interface AssertionExpectation {
  client_id: string
  issuer: string
  token_endpoint: string
}

/**
 * Judges the claims of an assertion with a valid signature. Returns its id and the time until which the id must be stored.
 *
 * OIDC Core §9, RFC 7523 §3: iss, sub, aud, exp and jti; iss and sub are the client_id; exp in the future; iat and nbf not
 * draft-ietf-oauth-rfc7523bis: aud is the issuer only, because another server in the audience could replay the assertion
 * We choose: the URL of the token endpoint too, as in OIDC Core §9, and an array that names no other server (0011-outbound.md)
 */
export function checkAssertionClaims(
  claims: Record<string, unknown>,
  { client_id, issuer, token_endpoint }: AssertionExpectation,
  now: Date,
): { jti: string; expires_at: Date } {
  const { iss, sub, aud, exp, iat, nbf, jti } = claims
  if (iss !== client_id || sub !== client_id) throw refusal(reason`iss and sub of client_assertion must both be the client_id.`)

  const audience = Array.isArray(aud) ? aud : [aud]
  if (audience.length === 0 || audience.some((value) => value !== issuer && value !== token_endpoint))
    throw refusalWith(
      `aud of client_assertion must be ${issuer} and nothing else.`,
      reason`aud of client_assertion is not the issuer alone.`,
    )

  const expires_ms = instant(exp, 'exp')
  if (expires_ms === null) throw refusal(reason`client_assertion lacks exp.`)
  if (expires_ms + skew_ms <= now.getTime()) throw refusal(reason`client_assertion has expired.`)
  if (expires_ms - skew_ms > now.getTime() + longest_life_ms)
    throw refusal(reason`exp of client_assertion must be within an hour from now.`)
  for (const [name, value] of [
    ['iat', iat],
    ['nbf', nbf],
  ] as const) {
    const from_ms = instant(value, name)
    if (from_ms !== null && from_ms - skew_ms > now.getTime())
      throw refusal(reason`${name} of client_assertion lies in the future. Check the clock of the client.`)
  }
  if (typeof jti !== 'string' || jti === '') throw refusal(reason`client_assertion lacks jti.`)
  return { jti, expires_at: new Date(Math.ceil(expires_ms) + skew_ms) }
}

/** RFC 7519 §2: a NumericDate is a number of seconds, with or without a fraction. */
function instant(value: unknown, name: 'exp' | 'iat' | 'nbf'): number | null {
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refusal(reason`${name} of client_assertion must be a number of seconds.`)
  return value * 1000
}

const refusal = (description: Reason) => new OAuthError('invalid_client', description)
const refusalWith = (description: string, why: Reason) => new OAuthError('invalid_client', description, { reason: why })
