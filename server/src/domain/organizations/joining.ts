/**
 * Finds an invitation to an organization by its link, for its page, and accepts it. The guards read the organization, the inviter and the
 * invitation after `countMember`, which holds the organization. Roles, applications and users are not held (`giving.ts`).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, requires, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import { countForUser, holdOrganization } from './counts.ts'
import { type Judged, judgeInviter, type MemberRole, type MemberRolesNow, presentOf, stillJudged } from './giving.ts'
import { addMember } from './members.ts'

const Offer = z.object({
  id: z.string(),
  organization_id: z.string(),
  organization_name: z.string(),
  email: z.string(),
  email_key: z.string(),
  role_ids: z.array(z.string()),
  application_id: z.string().nullable(),
  inviter_id: z.string().nullable(),
  inviter_membership: z.int().nullable(),
  inviter_email: z.string().nullable(),
  inviter_name: z.string().nullable(),
  is_newest_link: z.boolean(),
  /** The organization is enabled, and the inviter is there and not blocked. */
  stands: z.boolean(),
  expires_at: z.date(),
  ended_by: z.string().nullable(),
  version: z.int(),
})

/** Why a link no longer works. `withdrawn`: deleted or declined, or its inviter may no longer give its roles. `ended`: too long ago to know. */
type EndOfOffer = 'used' | 'expired' | 'replaced' | 'withdrawn' | 'ended'

/** An open invitation to an organization, as its page shows it. */
export interface OpenOffer
  extends Pick<
    z.infer<typeof Offer>,
    'id' | 'organization_id' | 'organization_name' | 'email' | 'email_key' | 'application_id' | 'version'
  > {
  environment_id: EnvironmentId
  /** Those that are left, in order of name. */
  roles: readonly MemberRole[]
  /** The member who invites; `null` where a backend or an administrator does. */
  inviter: { email: string; name: string | null } | null
  /** The same for guards. */
  judged: Judged | null
}

const columns = (environment_id: EnvironmentId, is_newest: Statement) => sql`
  i.id, i.organization_id, o.name as organization_name, i.email, i.email_key, i.roles as role_ids, i.application_id, i.inviter_id,
  i.inviter_membership, nullif(iu.email, '') as inviter_email, iu.name as inviter_name, i.expires_at, i.ended_by, i.version,
  case when ${is_newest} then 1 else 0 end as is_newest_link,
  case when o.disabled = 0 and (i.inviter_membership is null or (iu.id is not null and iu.blocked_at is null)) then 1 else 0 end as stands
  from organization_invitations i
  join organizations o on ${sameEnvironment('o', 'i', environment_id)} and o.id = i.organization_id
  left join users iu on iu.environment_id = ${environment_id} and iu.id = i.inviter_id and i.inviter_membership is not null`

const Link = z.object({ organization_id: z.string(), invitation_id: z.string() })

/** The sources of an invitation. */
interface Reading {
  db: Db
  memberRoles: MemberRolesNow
}

/** Finds the invitation of a link. `unknown` is a link that the service never created, another word why it no longer works. */
export async function findOfferByLink(
  reading: Reading,
  environment_id: EnvironmentId,
  token_hash: string,
  now: Date,
): Promise<OpenOffer | EndOfOffer | 'unknown'> {
  const of = reading.db.of(environment_id)
  const link = await of.maybeOne(
    Link,
    sql`select organization_id, invitation_id from organization_invitation_links
         where environment_id = ${environment_id} and token_hash = ${token_hash}`,
  )
  if (!link) return 'unknown'
  const row = await of.maybeOne(
    Offer,
    sql`select ${columns(environment_id, sql`i.token_hash = ${token_hash}`)}
         where i.environment_id = ${environment_id} and i.id = ${link.invitation_id}`,
  )
  if (!row) return 'ended'
  const opened = isOpen(row, now) ? await judgedOffer(reading, environment_id, row) : null
  return opened ?? endOf(row, now)
}

const isOpen = ({ ended_by, expires_at, is_newest_link, stands }: z.infer<typeof Offer>, now: Date): boolean =>
  ended_by === null && expires_at > now && is_newest_link && stands

/** Finds an open invitation by its id, for an account that has proved its address. */
export async function findOffer(
  reading: Reading,
  environment_id: EnvironmentId,
  { id, email_key }: { id: string; email_key: string },
  now: Date,
): Promise<OpenOffer | null> {
  const row = await reading.db
    .of(environment_id)
    .maybeOne(Offer, sql`select ${columns(environment_id, sql`1 = 1`)} where i.environment_id = ${environment_id} and i.id = ${id}`)
  return row && isOpen(row, now) && row.email_key === email_key ? judgedOffer(reading, environment_id, row) : null
}

/** Judges the inviter again. `null` where they may no longer give the roles. */
async function judgedOffer(
  { db, memberRoles }: Reading,
  environment_id: EnvironmentId,
  row: z.infer<typeof Offer>,
): Promise<OpenOffer | null> {
  const { id, organization_id, organization_name, email, email_key, application_id, version } = row
  const { role_ids, inviter_email, inviter_name, inviter_membership } = row
  const roles = await memberRoles()
  const judged = inviter_membership === null ? null : await judgeInviter(db, { ...row, environment_id }, { roles, role_ids })
  if (inviter_membership !== null && judged === null) return null
  const inviter = inviter_email === null ? null : { email: inviter_email, name: inviter_name }
  const given = presentOf(roles, role_ids).sort((a, b) => (a.name < b.name ? -1 : 1))
  const shown = { id, organization_id, organization_name, email, email_key, application_id, version }
  return { ...shown, environment_id, roles: given, inviter, judged }
}

function endOf({ ended_by, expires_at, is_newest_link }: z.infer<typeof Offer>, now: Date): EndOfOffer {
  if (ended_by === 'accepted') return 'used'
  if (ended_by === 'replaced') return 'replaced'
  if (ended_by !== null) return 'withdrawn'
  if (!is_newest_link) return 'replaced'
  return expires_at <= now ? 'expired' : 'withdrawn'
}

interface Limits {
  organizations_per_user: number
  members_per_organization: number
}

/**
 * Makes a user a member and ends the invitation. A guard fails if the invitation ended or has another link, the organization is disabled, gone or
 * full, the user is a member already, or the inviter may no longer give the roles.
 */
export function acceptOffer(
  offer: OpenOffer,
  { user_id, token_hash, limits, now }: { user_id: string; token_hash: string | null; limits: Limits; now: Date },
): Statement[] {
  const { environment_id, organization_id, id, version, roles, judged } = offer
  const member = { environment_id, organization_id, user_id }
  const of_link = token_hash === null ? sql`` : sql`and token_hash = ${token_hash}`
  return [
    countForUser(member, limits.organizations_per_user),
    ...addMember(
      member,
      roles.map((role) => role.id),
      { most: limits.members_per_organization, now },
    ),
    requires(
      sql`exists (select 1 from organizations where environment_id = ${environment_id} and id = ${organization_id} and disabled = 0)`,
    ),
    ...(judged ? stillJudged(judged) : []),
    guard(sql`update organization_invitations
        set ended_at = ${now}, ended_by = 'accepted', user_id = ${user_id}, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${id} and version = ${version} and ended_at is null and expires_at > ${now} ${of_link}`),
  ]
}

/** Ends an invitation that its person declines. A guard fails if it changed. */
export const declineOffer = (offer: OpenOffer, now: Date): Statement[] => [holdOrganization(offer), endOffer(offer, now)]

const endOffer = ({ environment_id, id, version }: OpenOffer, now: Date): Statement =>
  guard(sql`update organization_invitations set ended_at = ${now}, ended_by = 'declined', version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version} and ended_at is null`)
