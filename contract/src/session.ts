/** Sessions and tokens as a backend sees them. */
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

/** A token of any size and any characters: what cannot be one is `malformed`. */
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

/** RFC 7662 §2.2 members, with what they hang on; or why the token is worth nothing. */
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
