/** Sessions, and the result of token validation. */
import { z } from 'zod'
import { ApplicationId, EnvironmentId, SessionId, UserId } from './ids.ts'
import { characters, Time } from './values.ts'

export const Session = z.strictObject({
  id: SessionId,
  user_id: UserId,
  created_at: Time,
  last_seen_at: Time,
  expires_at: Time,
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  amr: z.array(z.string()),
  applications: z.array(ApplicationId),
})
export type Session = z.infer<typeof Session>

/** Accepts any string. One that cannot be a token is answered as inactive with the reason `malformed`. */
export const TokenToValidate = z.strictObject({ token: z.string().min(1).register(characters, { allowed: 'any' }) })

export const inactiveReasons = [
  'malformed',
  'unknown',
  'expired',
  'revoked',
  'session_ended',
  'user_blocked',
  'environment_mismatch',
] as const

/** The members of RFC 7662 §2.2 with the session and the environment, or the reason why the token is inactive. */
export const TokenVerdict = z.discriminatedUnion('active', [
  z.strictObject({
    active: z.literal(true),
    iss: z.string(),
    sub: UserId,
    aud: z.union([z.string(), z.array(z.string())]),
    client_id: ApplicationId,
    scope: z.string(),
    token_type: z.literal('Bearer'),
    exp: z.int(),
    iat: z.int(),
    nbf: z.int(),
    jti: z.string(),
    sid: SessionId,
    auth_time: z.int(),
    environment_id: EnvironmentId,
  }),
  z.strictObject({ active: z.literal(false), reason: z.enum(inactiveReasons) }),
])
export type TokenVerdict = z.infer<typeof TokenVerdict>
