/** Access tokens that clients and APIs send back. Every endpoint that takes one reads and validates it here. */
import { z } from 'zod'
import { digestOf } from '../base/digest.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { findLiveGrant, type GrantRow } from '../domain/sessions/grants.ts'
import { findOpaqueToken } from '../domain/sessions/opaque-tokens.ts'
import type { Issuer } from './issuer.ts'
import { verifyJwt } from './jwt.ts'

const Claims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  client_id: z.string(),
  scope: z.string().default(''), // of a token without a scope
  exp: z.number(),
  iat: z.number(),
  jti: z.string(),
  auth_time: z.number(),
  acr: z.string(),
  sid: z.string(),
  grant_id: z.string(),
})
export type AccessTokenClaims = z.infer<typeof Claims>

/** Every opaque access token begins with this; no JWT does. */
export const opaque_prefix = 'svc_at_'

/** The claims of an access token that this issuer made, expired or not; `null` for any other text, such as an ID token (RFC 9068 §4). */
export async function readAccessToken({ db }: Pick<Deployment, 'db'>, issuer: Issuer, token: string): Promise<AccessTokenClaims | null> {
  const claims = token.startsWith(opaque_prefix)
    ? await findOpaqueToken(db, issuer.environment_id, digestOf(token))
    : verifyJwt(issuer.access_token_keys, 'at+jwt', token)
  const parsed = claims && parsedOf(claims)
  return parsed?.iss === issuer.url ? parsed : null
}

const parsed_before = new WeakMap<object, AccessTokenClaims | null>()

/** Parses the claims of a JWT once: `verifyJwt` returns the same object for the same JWT. */
function parsedOf(claims: Readonly<Record<string, unknown>>): AccessTokenClaims | null {
  let parsed = parsed_before.get(claims)
  if (parsed === undefined) {
    parsed = Claims.safeParse(claims).data ?? null
    parsed_before.set(claims, parsed)
  }
  return parsed
}

/** Validates an access token. Returns its claims and grant; `null` where it is unknown, expired or revoked. */
export async function useAccessToken(
  deployment: Pick<Deployment, 'db'>,
  issuer: Issuer,
  token: string,
  now: Date,
): Promise<{ claims: AccessTokenClaims; grant: GrantRow } | null> {
  const claims = await readAccessToken(deployment, issuer, token)
  if (!claims || claims.exp * 1000 <= now.getTime()) return null
  const grant = await findLiveGrant(deployment.db, issuer.environment_id, claims.grant_id, claims.jti)
  return grant && { claims, grant }
}
