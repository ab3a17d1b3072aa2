/** Sessions, and the result of token validation. */
import { z } from 'zod'
import { ClientRef, EnvironmentId, OrganizationId, SessionId, UserId } from './ids.ts'
import { first_factors } from './sign-in-methods.ts'
import { characters, Slug, Time } from './values.ts'

export const Session = z.strictObject({
  id: SessionId,
  user_id: UserId,
  created_at: Time,
  last_seen_at: Time.describe('When the session was last used.'),
  expires_at: Time.describe(
    'When the session stops signing the user in if it is not used, or at its absolute limit. Its tokens may be valid for longer.',
  ),
  ip: z.string().nullable().describe('The address from which the user signed in.'),
  user_agent: z.string().nullable().describe('The User-Agent of the browser that signed in.'),
  method: z
    .enum(first_factors)
    .nullable()
    .describe(
      'The method that the sign-in began with. `amr` cannot tell an emailed code from the code of an app. `null` where it is unknown.',
    ),
  amr: z.array(z.string()).describe('The methods of the sign-in (RFC 8176), such as `pwd`.'),
  applications: z.array(ClientRef).describe('The ids of the applications and metadata clients that have tokens of this session.'),
})
export type Session = z.infer<typeof Session>

/** Accepts any string. One that cannot be a token is answered as inactive with the reason `malformed`. */
export const TokenToValidate = z.strictObject({
  token: z.string().min(1).register(characters, { allowed: 'any' }).describe('The access token. Any other string is answered as inactive.'),
})

/** Why an access token is inactive, with what to do. Each reason is also the code of a refused call, and has a page as errors have. */
// biome-ignore format: this table is read by column
export const inactiveExplanations = {
  malformed:            'The text is not a token of any kind. Send the access token unchanged, without the word Bearer before it.',
  unknown:              'The token is of another project, was changed, is an ID token, or is an opaque token that is long expired. Send the access token that the token endpoint returned.',
  expired:              'The access token has expired. Get a new one by the refresh token or a new sign-in.',
  revoked:              'The access token, its grant or its application was revoked or disabled. Start a new sign-in.',
  session_ended:        'The session in which the token was issued has ended. Start a new sign-in.',
  user_blocked:         'The user is blocked or deleted. Unblock the user, or refuse the call.',
  not_allowed:          'The user has none of the roles in `allowed_roles` of the application, or the application or a resource server requires an organization and the token has none. Refuse the call; with the role the same token is active again.',
  environment_mismatch: 'The token is of another environment of the same project: a token of Test is sent to Live, or the other way round. Use the key of the environment whose issuer the token names, or send people to the issuer of this one.',
} as const

type InactiveReason = keyof typeof inactiveExplanations
export const inactiveReasons = Object.keys(inactiveExplanations) as [InactiveReason, ...InactiveReason[]] // as: the keys of the table

/** The members of RFC 7662 §2.2 with the session and the environment, or the reason why the token is inactive. */
export const TokenVerdict = z.discriminatedUnion('active', [
  z.strictObject({
    active: z.literal(true).describe('Whether the token is valid now.'),
    iss: z.string().describe('The issuer.'),
    sub: z.string().describe('The `sub` of the user, as the token has it.'),
    user_id: UserId.describe('The id of the user, which routes take.'),
    aud: z
      .union([z.string(), z.array(z.string())])
      .describe('The audience: the issuer as a string, or a list of the resource servers and the issuer.'),
    client_id: z.string().describe('The client that got the token: the id of the application, or the URL of a metadata client.'),
    scope: z
      .string()
      .optional()
      .describe('The scopes, separated by spaces: those of the token that the roles give now. Absent where they give none of them.'),
    org_id: OrganizationId.nullable().describe('The organization of the token; `null` without one.'),
    roles: z
      .array(Slug)
      .describe(
        'The slugs of the roles that count now, in order: those of the member of the organization, or without one those of the user.',
      ),
    claims: z
      .record(z.string(), z.unknown())
      .describe(
        'The `claims` of the user and of the organization of the token, as they are now; where both have a name, that of the organization counts.',
      ),
    token_type: z.literal('Bearer').describe('Always `Bearer`.'),
    exp: z.int().describe('When the token expires, in seconds since 1970.'),
    iat: z.int().describe('When the token was issued, in seconds since 1970.'),
    nbf: z.int().describe('When the token becomes valid, in seconds since 1970.'),
    jti: z.string().describe('The id of the token.'),
    sid: SessionId.describe('The id of the session.'),
    auth_time: z.int().describe('When the user signed in, in seconds since 1970.'),
    environment_id: EnvironmentId,
  }),
  z.strictObject({
    active: z.literal(false).describe('The token is not valid.'),
    reason: z.enum(inactiveReasons).describe('Why the token is inactive.'),
  }),
])
export type TokenVerdict = z.infer<typeof TokenVerdict>
