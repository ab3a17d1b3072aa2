/** The outcome of a change of a role before it is made: the scopes that people gain and lose by it, and how many people. */
import { z } from 'zod'
import { Permission } from './objects/role.ts'
import { Slug } from './values.ts'

/** More people are not counted: 1,000 stands for 1,000 or more. */
export const most_counted = 1_000

const Effect = z.strictObject({
  resource_server: Slug.describe('The slug of a resource server that requires roles.'),
  scope: z.string().describe('The name of its scope.'),
  change: z.enum(['gained', 'lost']).describe('Whether people gain the scope or lose it.'),
  users: z
    .int()
    .max(most_counted)
    .nullable()
    .describe(
      'How many users, counted to 1,000; `null` for every user who has no other role that gives it, since everyone has or had the role. 0 for a role of members.',
    ),
  members: z
    .int()
    .max(most_counted)
    .nullable()
    .describe(
      'How many members of organizations, counted to 1,000; `null` for every member who has no other role that gives it. 0 for a role of users.',
    ),
})

export const RolePreview = z.strictObject({
  users: z
    .int()
    .max(most_counted)
    .describe('How many users were given the role, counted to 1,000. Blocked users are not counted. 0 for a role of members.'),
  members: z
    .int()
    .max(most_counted)
    .describe(
      'How many members of organizations were given the role, counted to 1,000: a user in two organizations is two members. Blocked users and members of disabled organizations are not counted. 0 for a role of users.',
    ),
  effects: z
    .array(Effect)
    .describe(
      'The scopes that people gain or lose, in order of resource server and name. A scope that another role gives is not lost, and where a resource server requires no roles nobody gains or loses anything. Of more than 20,000 holders the newest are counted.',
    ),
  without_effect: z
    .array(Permission)
    .describe(
      'The part of the stored permissions that gives nothing now: the resource server or the scope is gone, or was made again later under the old name.',
    ),
})
export type RolePreview = z.infer<typeof RolePreview>
