/** Tenants, their members, projects and environments. A tenant has projects, and a project has environments. */
import { z } from 'zod'
import { EnvironmentId, InvitationId, ProjectId, TenantId, UserId } from './ids.ts'
import { IssuerOrigin } from './issuer-origin.ts'
import { Kept, most_keeps } from './kept.ts'
import { Email, Name, Slug, Time } from './values.ts'

export const EnvironmentType = z.enum(['test', 'live'])
export type EnvironmentType = z.infer<typeof EnvironmentType>

export const Tenant = z.strictObject({ id: TenantId, slug: Slug, name: Name, created_at: Time, updated_at: Time })

export const NewTenant = z.strictObject({ slug: Slug, name: Name })
export const TenantChange = z.strictObject({ name: Name.optional() })

/** In ascending order: each role includes the permissions of the earlier ones. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const
export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>

/**
 * A member of a tenant, or a pending invitation. An active member has the id and the email of the user. The email of an invitation is
 * only a label: the membership belongs to the user who accepts it.
 */
export const Member = z.strictObject({
  id: z.union([UserId, InvitationId]),
  tenant_id: TenantId,
  email: Email.nullable().describe(
    'The email of the member; `null` where another person verified it as theirs. In an invitation it is only a label: the membership belongs to the account that accepts.',
  ),
  role: Role.describe('The role. Each includes the permissions of the earlier ones: viewer, developer, admin, owner.'),
  status: z.enum(['pending', 'active']).describe('`pending` is an invitation, `active` a member.'),
  /** The expiry of the link of a pending invitation; `null` while it has no link, until it is resent. */
  expires_at: Time.nullable().describe('The expiry of the link of a pending invitation; `null` while it has no link.'),
  user_id: UserId.nullable().describe('The user of the root tenant; `null` for a pending invitation.'),
  name: z.string().nullable(),
  email_verified: z.boolean().nullable().describe('Whether the account has verified its email; `null` for a pending invitation.'),
  accepted_at: Time.nullable().describe('When the invitation was accepted.'),
  last_sign_in_at: Time.nullable().describe('When the member last signed in; `null` if never.'),
  created_at: Time,
  updated_at: Time,
})
export const NewMember = z.strictObject({ email: Email, role: Role })
export const MemberChange = z.strictObject({ role: Role.optional() })
/** `invitation_url` is `null` where the service mails it. Otherwise it is returned once, and the administrator sends it to the person. */
export const Invitation = Member.extend({
  invitation_url: z
    .string()
    .nullable()
    .describe(
      'The link to send to the person, returned once; `null` in a repeat with the same Idempotency-Key, and where the service mails it.',
    ),
})

export const Me = z.strictObject({
  user_id: UserId,
  email: Email.describe(
    'The email of the member. In an invitation it is only a label: the membership belongs to the account that accepts.',
  ),
  name: z.string().nullable(),
  root_tenant_id: TenantId.describe('The tenant that holds the accounts of all administrators.'),
  memberships: z
    .array(z.strictObject({ tenant_id: TenantId, slug: Slug, name: Name, role: Role }))
    .describe('The tenants of the administrator, with the role in each.'),
})

/** The kind and the parents of an object in one of the caller's tenants. */
export const Located = z.strictObject({
  object: z.string().describe('The kind of the object, such as `application`.'),
  id: z.string().describe('The id that was looked up.'),
  parent_id: z.string().nullable().describe('The webhook of a message, the user of a session; `null` for any other object.'),
  tenant_id: TenantId,
  project_id: ProjectId.nullable(),
  environment_id: EnvironmentId.nullable(),
  environment_type: EnvironmentType.nullable().describe('The type of the environment; `null` outside an environment.'),
})

/** How promotions of a project are made. */
export const ProjectPromotion = z.strictObject({
  require_approval: z
    .boolean()
    .describe('Whether a plan to a Live environment needs the approval of an owner or admin who did not plan it. Edits by hand need none.'),
})

/** The age that the sign-in of an administrator may have for calls that need a fresh one, where a project names no other. */
export const fresh_sign_in_seconds = 600
/** The least that a project can ask for. */
export const shortest_fresh_sign_in_seconds = 60

const FreshSignIn = {
  test_seconds: z
    .int()
    .min(600)
    .max(3_600)
    .describe('The age in seconds that the sign-in may have for calls in Test environments, 600 to 3600. The default is 600.'),
  live_seconds: z
    .int()
    .min(shortest_fresh_sign_in_seconds)
    .max(600)
    .describe(
      'The age in seconds that the sign-in may have for calls in Live environments and for those of the project itself, 60 to 600. The default is 600.',
    ),
}

/** How old the sign-in of an administrator may be for calls of the project that need a fresh one. */
export const ProjectFreshSignIn = z.strictObject(FreshSignIn)
export type ProjectFreshSignIn = z.infer<typeof ProjectFreshSignIn>

export const default_fresh_sign_in: ProjectFreshSignIn = {
  test_seconds: fresh_sign_in_seconds,
  live_seconds: fresh_sign_in_seconds,
}

export const Project = z.strictObject({
  id: ProjectId,
  tenant_id: TenantId,
  slug: Slug,
  name: Name,
  promotion: ProjectPromotion.describe('How promotions of the project are made.'),
  fresh_sign_in: ProjectFreshSignIn.describe('How old the sign-in of an administrator may be for calls that need a fresh one.'),
  created_at: Time,
  updated_at: Time,
})
export const ProjectChange = z.strictObject({
  name: Name.optional(),
  promotion: ProjectPromotion.partial()
    .optional()
    .describe('How promotions are made. Only an administrator with the role admin changes it, and an approval needs two owners or admins.'),
  fresh_sign_in: z
    .strictObject({
      test_seconds: FreshSignIn.test_seconds.nullable().optional(),
      live_seconds: FreshSignIn.live_seconds.nullable().optional(),
    })
    .nullable()
    .optional()
    .describe(
      'How old the sign-in of an administrator may be for calls that need a fresh one; `null` puts a default back. Only an administrator with the role admin changes it.',
    ),
})

export const Environment = z.strictObject({
  id: EnvironmentId,
  tenant_id: TenantId,
  project_id: ProjectId,
  slug: Slug,
  name: Name,
  type: EnvironmentType,
  issuer: z.string().meta({ format: 'uri' }).describe('The issuer URL of the environment. It never changes.'),
  config_version: z
    .int()
    .min(1)
    .describe(
      'Rises with every change of the configuration: settings, applications, resource servers, providers and webhooks. A rotation of a secret leaves it.',
    ),
  keeps: z
    .array(Kept)
    .max(most_keeps)
    .describe('Fields and objects that are meant to differ from other environments: promotions leave them alone.'),
  created_at: Time,
  updated_at: Time,
})
export const NewEnvironment = z.strictObject({
  slug: Slug,
  name: Name,
  type: EnvironmentType,
  issuer: IssuerOrigin.nullish().describe(
    'An https origin of its own for the issuer, on a host that the operator of the service admits for the tenant. It can never be changed or used again. Absent or null: an address below that of the service.',
  ),
})
/** A project begins with one Test and one Live environment. */
export const NewProject = z.strictObject({
  slug: Slug,
  name: Name,
  environments: z
    .array(NewEnvironment)
    .min(1)
    .max(100)
    .optional()
    .describe('The first environments, in the order of the list. Absent: one with the slug test, one with the slug live.'),
})
export const ProjectWithEnvironments = Project.extend({
  environments: z.array(Environment).describe('The first environments, as the list of environments shows them.'),
})
export const EnvironmentChange = z.strictObject({
  name: Name.optional(),
  keeps: z
    .array(Kept)
    .max(most_keeps)
    .nullable()
    .optional()
    .describe(
      'Fields and objects that are meant to differ from other environments, at most 200. In Live an administrator needs the role admin.',
    ),
})

export type Tenant = z.infer<typeof Tenant>
export type Project = z.infer<typeof Project>
export type ProjectChange = z.infer<typeof ProjectChange>
export type NewProject = z.infer<typeof NewProject>
export type Environment = z.infer<typeof Environment>
export type NewEnvironment = z.infer<typeof NewEnvironment>
