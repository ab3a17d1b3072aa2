/**
 * Authentication of clients by signed assertion, `private_key_jwt` (OIDC Core §9, RFC 7523 §2.2): the signature with the
 * client's own keys, and that each assertion counts once. What it must say is judged in `protocol/client-assertion.ts`.
 */
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { sql } from '../db/db.ts'
import { digestOf } from '../digest.ts'
import type { OidcCall, OidcServices } from './call.ts'
import type { Client } from './protocol/client.ts'
import { assertionAlgorithms, checkAssertionClaims, checkAssertionHeader, longest_assertion } from './protocol/client-assertion.ts'
import { OAuthError } from './protocol/oauth-error.ts'

/** Returns where the assertion proves that this client is asking; throws `invalid_client` otherwise. */
export async function verifyAssertion(services: OidcServices, { issuer, now }: OidcCall, client: Client, assertion: string): Promise<void> {
  if (assertion.length > longest_assertion) throw refusal(`client_assertion is longer than ${longest_assertion} characters.`)
  checkAssertionHeader(headerOf(assertion))
  const claims = claimsOf(await verifySignature(services, issuer, client, assertion))
  const expected = { client_id: client.client_id, issuer: issuer.url, token_endpoint: `${issuer.url}/v1/oauth/token` }
  const { jti, expires_at } = checkAssertionClaims(claims, expected, now)

  // RFC 7523 §3 point 7. The database decides: of parallel requests with one assertion one goes on.
  const stored = await services.db.run(sql`insert into used_assertions (environment_id, client_id, jti_hash, expires_at)
    values (${issuer.environment_id}, ${client.client_id}, ${digestOf(jti)}, ${expires_at}) on conflict (environment_id, client_id, jti_hash) do nothing`)
  if (stored !== 1) throw refusal('client_assertion was used before. Make a new one, with a jti of its own, for each request.')
}

async function verifySignature(
  { client_keys }: OidcServices,
  issuer: OidcCall['issuer'],
  client: Client,
  assertion: string,
): Promise<Uint8Array> {
  const { client_id, jwks, jwks_uri } = client
  if (jwks) {
    const payload = await verifyWith(createLocalJWKSet(jwks as JSONWebKeySet), assertion) // as: jose judges each key when it is used
    if (payload) return payload
  } else if (jwks_uri !== null) {
    const place = { environment_id: issuer.environment_id, client_id, jwks_uri, https_only: issuer.type === 'live' }
    const keys = await client_keys.find(place)
    if (!keys) throw refusal('The keys of the application cannot be read from its jwks_uri.')
    const payload = await verifyWith(keys, assertion)
    if (payload) return payload
    // The client may have begun to use a key that it has published since.
    const fresh = await client_keys.findAgain(place)
    const second = fresh && (await verifyWith(fresh, assertion))
    if (second) return second
  }
  throw refusal('client_assertion is not signed with a key of the application.')
}

/** The payload, where one of these keys signed it; `null` otherwise. Keys that cannot be used count as absent. */
async function verifyWith(keys: LocalJWKSet, assertion: string): Promise<Uint8Array | null> {
  const options = { algorithms: assertionAlgorithms }
  try {
    return (await compactVerify(assertion, keys, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return null
    for await (const key of error) {
      const verified = await compactVerify(assertion, key, options).catch(() => null)
      if (verified) return verified.payload
    }
    return null
  }
}

function headerOf(assertion: string) {
  try {
    return decodeProtectedHeader(assertion)
  } catch {
    throw refusal('client_assertion is no JWT.')
  }
}

function claimsOf(payload: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown> // as: just checked
  } catch {
    // no JSON: refused like any payload that is no set of claims
  }
  throw refusal('The payload of client_assertion is no JSON object.')
}

const refusal = (why: string) => new OAuthError('invalid_client', why)
