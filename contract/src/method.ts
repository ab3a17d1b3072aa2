/** How a user can sign in, and which applications a user has signed in to. */
import { z } from 'zod'
import { ClientRef, GrantId, MethodId, OrganizationId, ProviderId, SessionId } from './ids.ts'
import { password_algorithms } from './password-algorithms.ts'
import { method_kinds } from './sign-in-methods.ts'
import { Time } from './values.ts'

export const SignInMethod = z.strictObject({
  id: MethodId.describe('The id of the method.'),
  type: z.enum(method_kinds).describe('The kind of method.'),
  name: z.string().nullable().describe('The name that the person or the provider gave it; null for a kind without names.'),
  provider_id: ProviderId.nullable().describe('The identity provider; null for other kinds.'),
  codes_left: z.int().nullable().describe('How many recovery codes are unused; null for other kinds.'),
  algorithm: z
    .enum(password_algorithms)
    .nullable()
    .describe(
      'How the password is hashed: `argon2id`, or as it came from another system, until a sign-in with it makes it `argon2id`; null for other kinds.',
    ),
  created_at: Time.describe('When the user got the method; for a password, when it was set last.'),
  last_used_at: Time.nullable().describe('When a sign-in used the method last; null if none did.'),
})
export type SignInMethod = z.infer<typeof SignInMethod>

export const Grant = z.strictObject({
  id: GrantId.describe('The id of the grant.'),
  application_id: ClientRef.describe('The application or the metadata client that has the tokens.'),
  session_id: SessionId.describe('The session that the grant began in, which may have ended.'),
  scope: z.string().describe('The granted scopes, separated by spaces.'),
  resource: z.array(z.string()).describe('The identifiers of the requested resource servers.'),
  organization_id: OrganizationId.nullable().describe('The organization that the person acts for; `null`: none.'),
  created_at: Time.describe('When the application got the authorization code.'),
  expires_at: Time.describe('The time after which no token of the grant can be valid.'),
  last_used_at: Time.nullable().describe('When the application got tokens last; null if it never did.'),
})
export type Grant = z.infer<typeof Grant>

export const GrantQuery = z.object({
  organization_id: OrganizationId.optional().describe('Only the grants for this organization.'),
})
