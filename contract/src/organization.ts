/** Organizations: customers of the product, inside one environment, and their members, who are users of it. */
import { z } from 'zod'
import { DataClaims } from './data-claims.ts'
import { ApplicationId, EnvironmentId, OrganizationId, OrganizationInvitationId, ProjectId, TenantId, UserId } from './ids.ts'
import { characters, Email, Name, PageQuery, Slug, Time, text, VisibleAscii } from './values.ts'

const place = { tenant_id: TenantId, project_id: ProjectId, environment_id: EnvironmentId }
const dates = { created_at: Time, updated_at: Time }

const OrganizationSlug = Slug.refine((slug) => slug !== 'none', 'This slug stands for no organization. Use another one.')

const external_id = VisibleAscii.nullable().describe(
  'The id of the organization in your own data, unique in the environment; `null` without one.',
)

const Data = z.record(z.string(), z.unknown())

const Metadata = Data.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value)).length <= 16_384,
  'Use at most 16 KiB of metadata, as JSON.',
).describe('Your own data, an object of at most 16 KiB. No token carries it.')

export const Organization = z.strictObject({
  id: OrganizationId,
  ...place,
  slug: Slug.describe('The name of the organization in URLs and requests, unique in the environment. It never changes.'),
  external_id,
  name: Name,
  metadata: Data.describe('Your own data, an object of at most 16 KiB. No token carries it.'),
  claims: Data.describe('Data for tokens that ask for it.'),
  disabled: z.boolean().describe('Whether the organization is switched off: nobody acts in it.'),
  member_count: z.int().describe('The number of its members. It is exact.'),
  ...dates,
})
export type Organization = z.infer<typeof Organization>

/** The most roles that a member is given. Those that every member has are not counted. */
const most_roles = 20

const roles = z
  .array(Slug)
  .max(most_roles, { abort: true })
  .describe(
    `The roles of the member, by slug: at most ${most_roles}, each once, of the kind \`organization\`. The list replaces the one before. Roles that every member has need not be in it.`,
  )
  .superRefine((slugs, context) => {
    slugs.forEach((slug, i) => {
      if (slugs.indexOf(slug) !== i) context.addIssue({ code: 'custom', path: [i], message: 'The list names this role twice.' })
    })
  })

export const NewOrganizationMember = z.strictObject({
  user_id: UserId.describe('The user, who is of the same environment.'),
  roles: roles.optional(),
})
export type NewOrganizationMember = z.infer<typeof NewOrganizationMember>

export const OrganizationMemberChange = z.strictObject({ roles: roles.nullable().optional() })

const most_members = 100

const members = z
  .array(NewOrganizationMember)
  .max(most_members, { abort: true })
  .describe(`The first members, at most ${most_members}, each user once.`)
  .superRefine((members, context) => {
    const earlier = new Set<string>()
    members.forEach(({ user_id }, i) => {
      if (earlier.has(user_id)) context.addIssue({ code: 'custom', path: [i, 'user_id'], message: 'The list names this user twice.' })
      earlier.add(user_id)
    })
  })

export const NewOrganization = z.strictObject({
  slug: OrganizationSlug.optional().describe(
    'Made from the name if it is absent. It must be unique, is never `none` and cannot be changed later.',
  ),
  external_id: external_id.optional(),
  name: Name,
  metadata: Metadata.optional(),
  claims: DataClaims.optional(),
  members: members.optional(),
})
export type NewOrganization = z.infer<typeof NewOrganization>

export const OrganizationChange = z.strictObject({
  external_id: external_id.optional(),
  name: Name.optional(),
  metadata: Metadata.nullable().optional().describe('Merged with what is stored: `null` takes a member out.'),
  claims: Data.nullable()
    .optional()
    .describe('Merged with what is stored: `null` takes a name out. The result has the bounds of a new object.'),
  disabled: z.boolean().nullable().optional().describe('Whether the organization is switched off: nobody acts in it.'),
})
export type OrganizationChange = z.infer<typeof OrganizationChange>

export const OrganizationQuery = PageQuery.extend({
  slug: Slug.optional().describe('Return only the organization with this slug.'),
  external_id: VisibleAscii.optional().describe('Return only the organization with this external id.'),
  query: text(200)
    .register(characters, { allowed: 'any' })
    .optional()
    .describe('Words that each occur in the name, the slug or the external id, in any case. An empty text counts as none.'),
})

const member = {
  organization_id: OrganizationId,
  user_id: UserId.describe('The user, whose id is also that of the member.'),
  ...place,
  email: z.string().nullable().describe('The email of the user; `null` without one.'),
  name: z.string().nullable().describe('The full name of the user; `null` without one.'),
  roles: z
    .array(Slug)
    .describe('The roles that were given to the member, by slug and in order of slug. Roles that every member has are not among them.'),
  last_used_at: Time.nullable().describe('When the user last acted in the organization; `null` if never.'),
}

export const OrganizationMember = z.strictObject({ ...member, ...dates })
export type OrganizationMember = z.infer<typeof OrganizationMember>

export const OrganizationMemberQuery = PageQuery.extend({
  role: Slug.optional().describe(
    'The slug of a role: only members to whom it was given. A role that every member has finds nobody by that.',
  ),
  query: text(200)
    .register(characters, { allowed: 'any' })
    .optional()
    .describe(
      'Words that each occur in a word of the email, a name, the phone number or the id of the user, in any case; a word of one or two characters begins it. Or the whole id of a user.',
    ),
})

/** A membership, as one reads it by the user. */
export const UserOrganization = z.strictObject({
  ...member,
  organization: z
    .strictObject({
      id: OrganizationId,
      slug: Slug.describe('The slug of the organization.'),
      name: Name.describe('The name of the organization.'),
      disabled: z.boolean().describe('Whether the organization is switched off.'),
    })
    .describe('The organization.'),
  ...dates,
})
export type UserOrganization = z.infer<typeof UserOrganization>

const invitation_statuses = ['pending', 'accepted', 'ended'] as const

export const NewOrganizationInvitation = z.strictObject({
  email: Email.describe('The address that is invited. Whether an account has it makes no difference.'),
  roles: roles.optional(),
  application_id: ApplicationId.optional().describe(
    'The application to whose `initiate_login_uri` the person is sent afterwards. Without it they see their account page.',
  ),
  expires_in_seconds: z
    .int()
    .min(3_600)
    .max(2_592_000)
    .optional()
    .describe('For how long the link is valid. 604,800, which is 7 days, if it is absent.'),
  send_email: z
    .boolean()
    .optional()
    .describe('Whether the link is mailed. With `false` nothing is mailed, and `invitation_url` is returned once. `true` if it is absent.'),
})
export type NewOrganizationInvitation = z.infer<typeof NewOrganizationInvitation>

export const OrganizationInvitation = z.strictObject({
  id: OrganizationInvitationId,
  organization_id: OrganizationId,
  ...place,
  email: z.string().describe('The address that is invited.'),
  roles: z.array(Slug).describe('The roles that the person gets, by slug and in order of slug. Deleted roles are left out.'),
  status: z
    .enum(invitation_statuses)
    .describe(
      '`ended` is one that was deleted, declined or replaced, that expired, or whose inviter left, is blocked or may no longer give its roles.',
    ),
  application_id: z.string().nullable().describe('The application that the person is sent to afterwards; `null` without one.'),
  invited_by: z
    .strictObject({ type: z.enum(['user', 'api_key', 'system']), id: z.string().nullable() })
    .describe('Who invited, as the actor of an event: a key of the backend, an administrator, or a member of the organization.'),
  invitation_url: z
    .string()
    .nullable()
    .describe('The link, shown only once, where the service does not mail it. Otherwise `null`. It proves nothing by itself.'),
  expires_at: Time.describe('When the link ends.'),
  user_id: UserId.nullable().describe('The user who accepted; `null` if none has.'),
  ...dates,
})
export type OrganizationInvitation = z.infer<typeof OrganizationInvitation>

export const OrganizationInvitationQuery = PageQuery.extend({
  status: z.enum(invitation_statuses).optional().describe('Return only invitations with this status.'),
})
