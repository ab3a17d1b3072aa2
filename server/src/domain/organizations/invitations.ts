/**
 * Stores the invitations of organizations and their links (decision 0180). `joining.ts` beside it has what their page does.
 *
 * The guards in this file read other rows: links and other invitations. That is safe because every batch that creates, changes or ends an
 * invitation first writes the row of its organization (`holdOrganization`), and one that adds a link the row of the address before it
 * (`holdAddress`). So each of these batches sees what the one before committed.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { OrganizationInvitation } from '@ostiary/contract/organization.ts'
import { z } from 'zod'
import type { Limits } from '../../base/config/limits.ts'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { type Db, guard, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, likelyInEnvironment, sameEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { accountOf } from '../users/attempts.ts'
import { holdAddress } from '../users/mailed-codes.ts'
import { holdOrganization } from './counts.ts'
import type { Part } from './store.ts'

/** An invitation as the API shows it, and what changes of it read. Its link is stored as a digest alone. */
const InvitationRow = OrganizationInvitation.omit({ roles: true, invitation_url: true, invited_by: true }).extend({
  role_ids: z.array(z.string()),
  inviter_type: OrganizationInvitation.shape.invited_by.shape.type,
  inviter_id: z.string().nullable(),
  inviter_membership: z.int().nullable(),
  is_mailed: z.boolean(),
  lifetime_seconds: z.int(),
  version: z.int(),
})
export type InvitationRow = z.infer<typeof InvitationRow>

/** `pending` and `per_day` count for the organization, `per_address` for the environment. */
export type InvitationLimits = Pick<
  Limits,
  'organization_invitations_pending' | 'organization_invitations_per_day' | 'organization_invitations_per_address'
>

/** How long the service recognises a link that no longer works, and shows an invitation that is over. */
export const over_kept_ms = 90 * day_ms
/** A link is created at most this long before it expires. */
const longest_ms = 30 * day_ms
export const link_kept_ms = longest_ms + over_kept_ms

const stands = (environment_id: EnvironmentId): OfEnvironment => sql`(i.inviter_membership is null or exists (
  select 1 from organization_members im join users iu on ${sameEnvironment('iu', 'im', environment_id)} and iu.id = im.user_id
   where im.environment_id = ${environment_id} and im.organization_id = i.organization_id and im.user_id = i.inviter_id
     and im.membership = i.inviter_membership and iu.blocked_at is null))`

/** It has not ended, has not expired, and the member who sent it is still that member. Whether they may give its roles is judged by `giving.ts`. */
const isPending = (environment_id: EnvironmentId, now: Date): OfEnvironment =>
  sql`i.ended_at is null and i.expires_at > ${now} and ${stands(environment_id)}`

const columns = (environment_id: EnvironmentId, now: Date): OfEnvironment => sql`
  i.id, i.organization_id, e.tenant_id, e.project_id, i.environment_id, i.email, i.roles as role_ids,
  case when i.ended_by = 'accepted' then 'accepted' when ${isPending(environment_id, now)} then 'pending' else 'ended' end as status,
  i.application_id, i.inviter_type, i.inviter_id, i.inviter_membership, i.is_mailed, i.lifetime_seconds, i.expires_at, i.user_id,
  i.version, i.created_at, i.updated_at`
const from = (environment_id: EnvironmentId): OfEnvironment => sql`from organization_invitations i
  join organizations o on ${sameEnvironment('o', 'i', environment_id)} and o.id = i.organization_id
  join environments e on e.id = i.environment_id`

/** Which invitations of an organization a list has. */
export interface Filter {
  organization_id: string
  status: OrganizationInvitation['status'] | undefined
}

/** A pending one whose inviter is a member may have ended, if the member may no longer give its roles. The caller judges that. */
function among(environment_id: EnvironmentId, { organization_id, status }: Filter, now: Date): OfEnvironment {
  const own = sql`i.organization_id = ${organization_id} and ${inEnvironment(environment_id, 'i')}`
  const pending = isPending(environment_id, now)
  switch (status) {
    case undefined:
      return own
    case 'accepted':
      return sql`${own} and i.ended_by = 'accepted'`
    case 'pending':
      return sql`${own} and ${pending}`
    case 'ended':
      return sql`${own} and coalesce(i.ended_by, '') <> 'accepted' and (i.inviter_membership is not null or not (${pending}))`
  }
}

/** Reads invitations, newest first. */
export const listInvitations = (
  db: Db,
  environment_id: EnvironmentId,
  filter: Filter,
  { last, limit, now }: Part & { now: Date },
): Promise<InvitationRow[]> =>
  db.of(environment_id).all(
    InvitationRow,
    sql`select ${columns(environment_id, now)} ${from(environment_id)}
         where ${among(environment_id, filter, now)} ${last === null ? sql`` : sql`and i.id < ${last}`} order by i.id desc limit ${limit}`,
  )

interface InvitationRef {
  organization_id: string
  id: string
}

export const findInvitation = (
  db: Db,
  environment_id: EnvironmentId,
  { organization_id, id }: InvitationRef,
  now: Date,
): Promise<InvitationRow | null> =>
  db.of(environment_id).maybeOne(
    InvitationRow,
    sql`select ${columns(environment_id, now)} ${from(environment_id)}
         where i.environment_id = ${environment_id} and i.id = ${id} and i.organization_id = ${organization_id}`,
  )

/** Finds the invitation to an address that the next one replaces. It may have expired. */
export const findOpenTo = (
  db: Db,
  environment_id: EnvironmentId,
  { organization_id, email }: { organization_id: string; email: string },
  now: Date,
): Promise<InvitationRow | null> =>
  db.of(environment_id).maybeOne(
    InvitationRow,
    sql`select ${columns(environment_id, now)} ${from(environment_id)}
         where i.email_key = ${emailKey(email)} and i.organization_id = ${organization_id} and ${inEnvironment(environment_id, 'i')}
           and i.ended_at is null`,
  )

/**
 * Finds the pending invitations to an address, newest first. With `inEnvironment`, whose mark is that of a join after its value is known, PostgreSQL
 * would read all organizations of the environment first while it has statistics for members alone.
 */
export const findInvitationsTo = (db: Db, environment_id: EnvironmentId, email: string, now: Date): Promise<InvitationRow[]> =>
  db.of(environment_id).all(
    InvitationRow,
    sql`select ${columns(environment_id, now)} ${from(environment_id)}
         where i.email_key = ${emailKey(email)} and ${likelyInEnvironment(environment_id, 'i')} and o.disabled = 0
           and ${isPending(environment_id, now)}
         order by i.id desc limit ${most_shown}`,
  )

/** As many invitations as the account page shows. */
const most_shown = 20

/** A link to create. */
export interface NewLink {
  token_hash: string
  expires_at: Date
}

type NewInvitation = Pick<
  InvitationRow,
  | 'id'
  | 'environment_id'
  | 'organization_id'
  | 'email'
  | 'role_ids'
  | 'application_id'
  | 'inviter_type'
  | 'inviter_id'
  | 'inviter_membership'
  | 'is_mailed'
  | 'lifetime_seconds'
>

/**
 * Creates an invitation and ends `replaced`, the one to the same address. A guard fails if the organization is gone, another invitation to the
 * address is there, or a limit is reached.
 */
export function insertInvitation(
  invitation: NewInvitation,
  { replaced, link, limits, now }: { replaced: InvitationRow | null; link: NewLink; limits: InvitationLimits; now: Date },
): Statement[] {
  const { id, environment_id, organization_id, email, role_ids, application_id } = invitation
  const { inviter_type, inviter_id, inviter_membership, is_mailed, lifetime_seconds } = invitation
  const email_key = emailKey(email)
  return [
    holdAddress(environment_id, accountOf(email), now),
    holdOrganization(invitation),
    ...(replaced ? [endRow(replaced, 'replaced', now)] : []),
    guard(sql`insert into organization_invitations
        (environment_id, id, organization_id, email, email_key, roles, application_id, inviter_type, inviter_id, inviter_membership, is_mailed,
         lifetime_seconds, token_hash, expires_at, created_at, updated_at)
      select o.environment_id, ${id}, o.id, ${email}, ${email_key}, ${role_ids}, ${application_id}, ${inviter_type}, ${inviter_id},
             ${inviter_membership}, ${is_mailed}, ${lifetime_seconds}, ${link.token_hash}, ${link.expires_at}, ${now}, ${now}
        from organizations o
       where o.environment_id = ${environment_id} and o.id = ${organization_id}
         and not exists (select 1 from organization_invitations i
                          where i.email_key = ${email_key} and i.organization_id = ${organization_id} and ${inEnvironment(environment_id, 'i')}
                            and i.ended_at is null)
         and ${pendingIn(environment_id, organization_id, now)} < ${limits.organization_invitations_pending}
         and ${linksLeft(environment_id, { organization_id, email_key }, limits, now)}`),
    insertLink(invitation, link, now),
  ]
}

/** Replaces the link of a pending invitation. A guard fails if the invitation changed or ended, or a limit is reached. */
export function replaceLink(current: InvitationRow, link: NewLink, limits: InvitationLimits, now: Date): Statement[] {
  const { id, environment_id, organization_id, email, version } = current
  const email_key = emailKey(email)
  return [
    holdAddress(environment_id, accountOf(email), now),
    holdOrganization(current),
    guard(sql`update organization_invitations
        set token_hash = ${link.token_hash}, expires_at = ${link.expires_at}, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${id} and version = ${version} and ended_at is null
        and ${linksLeft(environment_id, { organization_id, email_key }, limits, now)}`),
    insertLink(current, link, now),
  ]
}

/** Why an invitation ended, in the words of its event. */
export type EndedBy = 'deleted' | 'declined' | 'replaced'

/** Ends an invitation. A guard fails if it changed, or ended. */
export const endInvitation = (current: InvitationRow, by: EndedBy, now: Date): Statement[] => [
  holdOrganization(current),
  endRow(current, by, now),
]

const endRow = ({ environment_id, id, version }: InvitationRow, by: EndedBy, now: Date): Statement =>
  guard(sql`update organization_invitations set ended_at = ${now}, ended_by = ${by}, version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version} and ended_at is null`)

const insertLink = (
  { environment_id, organization_id, id, email }: Pick<NewInvitation, 'environment_id' | 'organization_id' | 'id' | 'email'>,
  { token_hash }: NewLink,
  now: Date,
): Statement =>
  insertInto('organization_invitation_links', {
    environment_id,
    token_hash,
    organization_id,
    invitation_id: id,
    email_key: emailKey(email),
    created_at: now,
  })

const pendingIn = (environment_id: EnvironmentId, organization_id: string, now: Date): OfEnvironment => sql`(
  select count(*) from organization_invitations p
   where p.organization_id = ${organization_id} and ${inEnvironment(environment_id, 'p')} and p.ended_at is null and p.expires_at > ${now})`

const dayBefore = (now: Date) => new Date(now.getTime() - day_ms)

const linksOf = (environment_id: EnvironmentId, organization_id: string, now: Date): OfEnvironment => sql`(
  select count(*) from organization_invitation_links l
   where l.organization_id = ${organization_id} and l.created_at > ${dayBefore(now)} and ${inEnvironment(environment_id, 'l')})`

const linksTo = (environment_id: EnvironmentId, email_key: string, now: Date): OfEnvironment => sql`(
  select count(*) from organization_invitation_links a
   where a.email_key = ${email_key} and a.created_at > ${dayBefore(now)} and ${inEnvironment(environment_id, 'a')})`

const linksLeft = (
  environment_id: EnvironmentId,
  { organization_id, email_key }: { organization_id: string; email_key: string },
  limits: InvitationLimits,
  now: Date,
): OfEnvironment => sql`${linksOf(environment_id, organization_id, now)} < ${limits.organization_invitations_per_day}
  and ${linksTo(environment_id, email_key, now)} < ${limits.organization_invitations_per_address}`

const Counted = z.object({ pending: z.int(), links: z.int(), links_to_address: z.int() })

/** Finds the limit that refused a batch; `null` where none does now. */
export async function findReached(
  db: Db,
  { environment_id, organization_id, email }: Pick<NewInvitation, 'environment_id' | 'organization_id' | 'email'>,
  { is_new, limits, now }: { is_new: boolean; limits: InvitationLimits; now: Date },
): Promise<keyof InvitationLimits | null> {
  const counted = await db.of(environment_id).maybeOne(
    Counted,
    sql`select ${pendingIn(environment_id, organization_id, now)} as pending, ${linksOf(environment_id, organization_id, now)} as links,
               ${linksTo(environment_id, emailKey(email), now)} as links_to_address
          from organizations o where o.environment_id = ${environment_id} and o.id = ${organization_id}`,
  )
  if (!counted) return null
  if (is_new && counted.pending >= limits.organization_invitations_pending) return 'organization_invitations_pending'
  if (counted.links >= limits.organization_invitations_per_day) return 'organization_invitations_per_day'
  if (counted.links_to_address >= limits.organization_invitations_per_address) return 'organization_invitations_per_address'
  return null
}
