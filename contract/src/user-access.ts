/** The scopes of resource servers that a user may have now, and the roles that give them. */
import { z } from 'zod'
import { OrganizationId } from './ids.ts'
import { Slug } from './values.ts'

const Permissions = z.strictObject({
  resource_server: Slug.describe('The slug of the resource server.'),
  identifier: z.string().describe('The identifier of the resource server: `aud` of its tokens.'),
  require_roles: z.boolean().describe('Whether the resource server gives a scope only to a person whose roles give it.'),
  scopes: z
    .array(
      z.strictObject({
        name: z.string().describe('The name of the scope.'),
        by: z.array(Slug).describe('The roles of the user that give the scope, in order of slug.'),
      }),
    )
    .describe('The scopes that a token could have now: all of them where the resource server requires no roles.'),
})

export const UserAccessQuery = z.object({
  organization_id: OrganizationId.optional().describe('The organization that the user acts for. Without it the roles of the user count.'),
})

export const UserAccess = z.strictObject({
  organization_id: z.string().nullable().describe('The organization that the answer is about; `null` for the user without one.'),
  is_member: z.boolean().nullable().describe('Whether the user is a member of the organization; `null` without one.'),
  roles: z
    .array(Slug)
    .describe(
      'The roles that count, in order of slug: those that were given, and those that every user or member has. A blocked user has none, and no permissions; so has a user who is not a member of the organization, and one that is unknown or disabled.',
    ),
  permissions: z.array(Permissions).describe('Every resource server of the environment, in order of slug.'),
})
export type UserAccess = z.infer<typeof UserAccess>
