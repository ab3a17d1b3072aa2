/**
 * Client authentication by a signed assertion, `private_key_jwt` (OIDC Core §9, RFC 7523 §2.2): verifies the signature with the keys of
 * the client, and accepts each assertion once. `protocol/client-assertion.ts` judges its header and claims.
 */
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { digestOf } from '../base/digest.ts'
import { type Reason, reason } from '../base/reason.ts'
import { isRecord } from '../base/record.ts'
import { sql } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'
import { type Client, sentIdOf } from '../protocol/client.ts'
import { assertionAlgorithms, checkAssertionClaims, checkAssertionHeader, longest_assertion } from '../protocol/client-assertion.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import type { OidcCall, OidcServices } from './call.ts'

/** @throws OAuthError `invalid_client` where the assertion does not prove the identity of this client */
export async function verifyAssertion(services: OidcServices, { issuer, now }: OidcCall, client: Client, assertion: string): Promise<void> {
  if (assertion.length > longest_assertion) throw refusal(reason`client_assertion is longer than ${longest_assertion} characters.`)
  checkAssertionHeader(headerOf(assertion))
  const claims = claimsOf(await verifySignature(services, issuer, client, assertion))
  const expected = { client_id: sentIdOf(client), issuer: issuer.url, token_endpoint: `${issuer.url}/v1/oauth/token` }
  const { jti, expires_at } = checkAssertionClaims(claims, expected, now)

  // RFC 7523 §3 point 7: of parallel requests with one assertion, the database lets one proceed.
  const stored = await services.db
    .of(issuer.environment_id)
    .run(
      insertInto(
        'used_assertions',
        { environment_id: issuer.environment_id, client_id: client.client_id, jti_hash: digestOf(jti), expires_at },
        sql`on conflict (environment_id, client_id, jti_hash) do nothing`,
      ),
    )
  if (stored !== 1) throw refusal(reason`client_assertion was used before. Make a new one with a new jti for each request.`)
}

async function verifySignature(
  { client_keys }: OidcServices,
  issuer: OidcCall['issuer'],
  client: Client,
  assertion: string,
): Promise<Uint8Array> {
  const { client_id, jwks, jwks_uri } = client
  if (jwks) {
    const payload = await verifyWith(createLocalJWKSet(jwks as JSONWebKeySet), assertion) // as: jose checks each key when it uses it
    if (payload) return payload
  } else if (jwks_uri !== null) {
    const owner = {
      environment_id: issuer.environment_id,
      client_id,
      jwks_uri,
      https_only: issuer.type === 'live' || client.metadata !== undefined,
    }
    const keys = await client_keys.find(owner)
    if (!keys) throw refusal(reason`The keys of the application cannot be read from its jwks_uri.`)
    const payload = await verifyWith(keys, assertion)
    if (payload) return payload
    // The client may have published a new key after the last read.
    const fresh = await client_keys.findFresh(owner)
    const verified = fresh && (await verifyWith(fresh, assertion))
    if (verified) return verified
  }
  throw refusal(reason`client_assertion is not signed with a key of the application.`)
}

/** The payload where one of these keys signed it; `null` otherwise. An unusable key is ignored. */
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
    throw refusal(reason`client_assertion is not a JWT.`)
  }
}

function claimsOf(payload: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    if (isRecord(value)) return value
  } catch {
    // not JSON: refused below, like any payload that is not an object
  }
  throw refusal(reason`The payload of client_assertion is not a JSON object.`)
}

const refusal = (description: Reason) => new OAuthError('invalid_client', description)
