/**
 * Stores the invitations of a tenant and their links. Accepting an invitation is the only way to join a tenant.
 *
 * The guards in this file read other rows: members, links and other invitations. That is safe because every batch that creates,
 * changes, ends or accepts an invitation, removes a member or changes a role first writes the row of the tenant (`holdTenant`). So each
 * of these batches sees what the previous one committed. Two guards also read users and sessions; see `inviterStands` and
 * `acceptInvitation`.
 */
import { type EnvironmentId, InvitationId, type TenantId } from '@ostiary/contract/ids.ts'
import { Role } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import type { Limits } from '../../base/config/limits.ts'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { type Db, guard, requires, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { sessionStands } from '../sessions/standing.ts'
import { holdTenant } from '../tenancy/store.ts'
import { MemberRow } from './store.ts'

/** An invitation has an email, unlike a member without one. */
export const PendingRow = MemberRow.extend({ email: z.string() })
export type PendingRow = z.infer<typeof PendingRow>

/** `per_day` and `per_address` count the links of the last 24 hours, including resent ones. */
export type InvitationLimits = Pick<Limits, 'invitations_pending' | 'invitations_per_day' | 'invitations_per_address'>

const invitation_ms = 7 * day_ms
/** How long the service recognises a link that no longer works. */
export const link_kept_ms = 90 * day_ms
/** How many accounts one link can create. Sign-up is otherwise closed. */
const most_accounts = 5

export const invitationExpiry = (now: Date) => new Date(now.getTime() + invitation_ms)

/** A link to create. */
export interface NewLink {
  token_hash: string
  expires_at: Date
}

/** `null` is the system: `ostiary recover`. */
type Inviter = string | null

/** The inviter is a member who may grant this role. An owner may grant every role, an admin every role below owner. */
const mayGrant = (tenant_id: Statement, inviter_id: Statement, role: Statement) => sql`exists (
  select 1 from members g
   where g.tenant_id = ${tenant_id} and g.user_id = ${inviter_id} and (g.role = 'owner' or (g.role = 'admin' and ${role} <> 'owner')))`

const memberMayGrant = (tenant_id: TenantId, user_id: string, role: Role) =>
  mayGrant(sql`${tenant_id}`, sql`${user_id}`, sql`cast(${role} as text)`)

const isPending = (now: Date) => sql`ended_at is null and (expires_at is null or expires_at > ${now})`

/** Selects pending invitations with the columns of a member, for `listMembers`. */
export const pendingAsMember = (tenant_id: TenantId, now: Date) => sql`
  select id, tenant_id, email, role, 'pending' as status, expires_at, null as user_id, null as name, null as email_verified,
         null as accepted_at, null as last_sign_in_at, version, created_at, updated_at
    from invitations where tenant_id = ${tenant_id} and ${isPending(now)}`

export async function findPendingInvitation(db: Db, tenant_id: TenantId, id: string, now: Date): Promise<PendingRow | null> {
  if (!InvitationId.safeParse(id).success) return null
  return db.maybeOne(PendingRow, sql`select * from (${pendingAsMember(tenant_id, now)}) pending where id = ${id}`)
}

export interface NewInvitation {
  tenant_id: TenantId
  id: string
  email: string
  role: Role
  inviter_id: Inviter
}

/**
 * Creates an invitation and ends the pending one to the same email, unless the inviter may not grant the role of that one. The guard
 * fails if the inviter may not grant the role or a limit is reached; `findStanding` says why. The system has no limits.
 */
export function insertInvitation(invitation: NewInvitation, link: NewLink, limits: InvitationLimits, now: Date): Statement[] {
  const { tenant_id, id, email, role, inviter_id } = invitation
  const email_key = emailKey(email)
  const may_replace = inviter_id === null ? sql`1 = 1` : mayGrant(sql`invitations.tenant_id`, sql`${inviter_id}`, sql`invitations.role`)
  const may_invite =
    inviter_id === null
      ? sql`1 = 1`
      : sql`${memberMayGrant(tenant_id, inviter_id, role)} and ${pendingIn(tenant_id, now)} < ${limits.invitations_pending}
         and ${linksLeft(tenant_id, email_key, limits, now)}`
  return [
    holdTenant(tenant_id),
    atCoordinator`update invitations set ended_at = ${now}, ended_by = 'replaced', version = version + 1, updated_at = ${now}
         where tenant_id = ${tenant_id} and email_key = ${email_key} and ended_at is null
           and (${may_replace} or not (${isPending(now)}))`,
    guard(atCoordinator`insert into invitations (tenant_id, id, email, email_key, role, inviter_id, token_hash, expires_at, created_at, updated_at)
      select t.id, ${id}, ${email}, ${email_key}, ${role}, ${inviter_id}, ${link.token_hash}, ${link.expires_at}, ${now}, ${now}
        from tenants t where t.id = ${tenant_id} and ${may_invite}
         and not exists (
           select 1 from invitations o where o.tenant_id = ${tenant_id} and o.email_key = ${email_key} and o.ended_at is null)`),
    insertLink(tenant_id, id, link, now),
  ]
}

/** Replaces the link. The member who resends knows the new link, so this member becomes the inviter. */
export function replaceLink(
  current: PendingRow,
  { inviter_id, ...link }: NewLink & { inviter_id: string },
  limits: InvitationLimits,
  now: Date,
): Statement[] {
  const { tenant_id, id, email, role, version } = current
  return [
    holdTenant(tenant_id),
    guard(atCoordinator`update invitations
        set inviter_id = ${inviter_id}, token_hash = ${link.token_hash}, expires_at = ${link.expires_at}, accounts = 0,
            version = version + 1, updated_at = ${now}
      where tenant_id = ${tenant_id} and id = ${id} and version = ${version} and ${isPending(now)}
        and ${memberMayGrant(tenant_id, inviter_id, role)} and ${linksLeft(tenant_id, emailKey(email), limits, now)}`),
    insertLink(tenant_id, id, link, now),
  ]
}

/** The inviter may grant this role, so the link may stay. The system may grant every role. */
const inviterMayGrant = (role: Role) =>
  sql`(inviter_id is null or ${mayGrant(sql`invitations.tenant_id`, sql`invitations.inviter_id`, sql`cast(${role} as text)`)})`

const KeepsLink = z.object({ keeps_link: z.boolean() })

/** Whether the link of an invitation stays when its role changes. */
export async function keepsLink(db: Db, { tenant_id, id }: MemberRow, role: Role): Promise<boolean> {
  const row = await db.maybeOne(
    KeepsLink,
    sql`select case when ${inviterMayGrant(role)} then 1 else 0 end as keeps_link from invitations
         where tenant_id = ${tenant_id} and id = ${id}`,
  )
  return row?.keeps_link ?? false
}

/**
 * Changes the role of a pending invitation. If its inviter may not grant the new role, the link ends, because the inviter may know
 * it, and the member who changed the role becomes the inviter. Resending creates a new link. The guard fails if `keeps_link`, which
 * `keepsLink` read, has changed.
 */
export function changeInvitedRole(
  current: MemberRow,
  { role, changed_by, keeps_link }: { role: Role; changed_by: string; keeps_link: boolean },
  now: Date,
): Statement[] {
  const ended_link = keeps_link ? sql`` : sql`, inviter_id = ${changed_by}, token_hash = null, expires_at = null`
  return [
    holdTenant(current.tenant_id),
    guard(atCoordinator`update invitations set role = ${role}, version = version + 1, updated_at = ${now}${ended_link}
      where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version} and ${isPending(now)}
        and ${keeps_link ? sql`` : sql`not `}${inviterMayGrant(role)} and ${memberMayGrant(current.tenant_id, changed_by, role)}`),
  ]
}

export function endInvitation(current: MemberRow, now: Date): Statement[] {
  return [
    holdTenant(current.tenant_id),
    guard(atCoordinator`update invitations set ended_at = ${now}, ended_by = 'deleted', version = version + 1, updated_at = ${now}
      where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version} and ${isPending(now)}`),
  ]
}

/** Ends the invitations whose role this inviter may no longer grant. Put it after the change of the member, in the same batch. */
export function endInvitationsOf(tenant_id: TenantId, inviter_id: string, now: Date): Statement {
  return atCoordinator`update invitations set ended_at = ${now}, ended_by = 'inviter', version = version + 1, updated_at = ${now}
    where tenant_id = ${tenant_id} and inviter_id = ${inviter_id} and ended_at is null
      and not ${mayGrant(sql`invitations.tenant_id`, sql`invitations.inviter_id`, sql`invitations.role`)}`
}

function insertLink(tenant_id: TenantId, id: string, { token_hash }: NewLink, now: Date): Statement {
  return atCoordinator`insert into invitation_links (token_hash, tenant_id, invitation_id, email_key, created_at)
    select token_hash, tenant_id, id, email_key, ${now}
      from invitations where tenant_id = ${tenant_id} and id = ${id} and token_hash = ${token_hash}`
}

const pendingIn = (tenant_id: TenantId, now: Date) => sql`(
  select count(*) from invitations p
   where p.tenant_id = ${tenant_id} and p.ended_at is null and (p.expires_at is null or p.expires_at > ${now}))`

const linksSince = (tenant_id: TenantId, now: Date) =>
  sql`select count(*) from invitation_links l where l.tenant_id = ${tenant_id} and l.created_at > ${new Date(now.getTime() - day_ms)}`

const linksLeft = (tenant_id: TenantId, email_key: string, limits: InvitationLimits, now: Date) =>
  sql`(${linksSince(tenant_id, now)}) < ${limits.invitations_per_day}
    and (${linksSince(tenant_id, now)} and l.email_key = ${email_key}) < ${limits.invitations_per_address}`

const Standing = z.object({
  may_give: z.boolean(),
  may_replace: z.boolean(),
  pending: z.int(),
  links: z.int(),
  links_to_address: z.int(),
})

/** Finds the facts on which `insertInvitation` and `replaceLink` decide, so that the API can say why it refuses. */
export function findStanding(db: Db, { tenant_id, email, role, inviter_id }: Omit<NewInvitation, 'id'>, now: Date) {
  const email_key = emailKey(email)
  const above = sql`select 1 from invitations i where i.tenant_id = ${tenant_id} and i.email_key = ${email_key} and i.ended_at is null
    and not ${mayGrant(sql`i.tenant_id`, sql`${inviter_id}`, sql`i.role`)}`
  return db.maybeOne(
    Standing,
    sql`select case when ${memberMayGrant(tenant_id, inviter_id ?? '', role)} then 1 else 0 end as may_give,
               case when exists (${above}) then 0 else 1 end as may_replace, ${pendingIn(tenant_id, now)} as pending,
               (${linksSince(tenant_id, now)}) as links,
               (${linksSince(tenant_id, now)} and l.email_key = ${email_key}) as links_to_address
          from tenants where id = ${tenant_id}`,
  )
}

const Linked = z.object({
  id: z.string().nullable(),
  tenant_id: z.custom<TenantId>(),
  tenant_name: z.string().nullable(),
  tenant_slug: z.string().nullable(),
  email: z.string().nullable(),
  role: Role.nullable(),
  inviter_email: z.string().nullable(),
  inviter_name: z.string().nullable(),
  is_open: z.boolean(),
  takes_accounts: z.boolean(),
  inviter_id: z.string().nullable(),
  expires_at: z.date().nullable(),
  ended_by: z.string().nullable(),
  has_newer_link: z.boolean(),
})

/** Why a link no longer works. `withdrawn`: deleted, or its inviter may no longer grant the role. `ended`: too long ago to know. */
export type EndOfLink = 'used' | 'expired' | 'replaced' | 'withdrawn' | 'ended'

/** An invitation as its page shows it. `inviter` is `null` for an invitation of the system. */
export interface OpenInvitation {
  id: string
  tenant_id: TenantId
  tenant_name: string
  tenant_slug: string
  email: string
  role: Role
  inviter: { email: string; name: string | null } | null
  inviter_id: string | null
  /** The link can create another account. */
  takes_accounts: boolean
}

/** Finds the invitation of a link. `unknown` is a link that the service never created, another word why it no longer works. */
export async function findByLink(
  db: Db,
  root_environment: EnvironmentId,
  token_hash: string,
  now: Date,
): Promise<OpenInvitation | EndOfLink | 'unknown'> {
  const row = await db.of(root_environment).maybeOne(
    Linked,
    atCoordinator`select i.id, l.tenant_id, t.name as tenant_name, t.slug as tenant_slug, i.email, i.role, u.email as inviter_email, u.name as inviter_name,
               i.inviter_id, i.expires_at, i.ended_by, case when i.token_hash <> l.token_hash then 1 else 0 end as has_newer_link,
               case when i.accounts < ${most_accounts} then 1 else 0 end as takes_accounts,
               case when i.ended_at is null and ${mayStillInvite(sql`i`)} and (i.inviter_id is null or (u.id is not null and u.blocked_at is null))
                     and i.token_hash = l.token_hash then 1 else 0 end as is_open
          from invitation_links l
          left join invitations i on i.tenant_id = l.tenant_id and i.id = l.invitation_id
          left join tenants t on t.id = i.tenant_id
          left join users u on u.environment_id = ${root_environment} and u.id = i.inviter_id
         where l.token_hash = ${token_hash}`,
  )
  if (!row) return 'unknown'
  const { id, tenant_id, tenant_name, tenant_slug, email, role, inviter_id, expires_at, takes_accounts } = row
  const is_open = row.is_open && expires_at !== null && expires_at > now
  if (!is_open || id === null || tenant_name === null || tenant_slug === null || email === null || role === null) return endOf(row, now)
  const inviter = row.inviter_email === null ? null : { email: row.inviter_email, name: row.inviter_name }
  return { id, tenant_id, tenant_name, tenant_slug, email, role, inviter, inviter_id, takes_accounts }
}

function endOf({ id, ended_by, expires_at, has_newer_link }: z.infer<typeof Linked>, now: Date): EndOfLink {
  if (id === null) return 'ended'
  if (ended_by === 'accepted') return 'used'
  if (ended_by === 'replaced' || (ended_by === null && has_newer_link)) return 'replaced'
  if (ended_by !== null) return 'withdrawn'
  if (expires_at !== null && expires_at <= now) return 'expired'
  return 'withdrawn'
}

/** The inviter may still grant the role. */
const mayStillInvite = (row: Statement) =>
  sql`(${row}.inviter_id is null or ${mayGrant(sql`${row}.tenant_id`, sql`${row}.inviter_id`, sql`${row}.role`)})`

/**
 * Fails as a guard if the inviter was deleted or is blocked.
 *
 * Blocking a user does not write the tenant's row, so a guard may read an inviter as unblocked whom another batch blocks at the same
 * moment. That is safe: the result is the same as when the acceptance came first, and blocking never ends a membership.
 */
const inviterStands = (root_environment: EnvironmentId, { inviter_id }: OpenInvitation): Statement[] =>
  inviter_id === null
    ? []
    : [
        requires(
          sql`exists (select 1 from users b where b.environment_id = ${root_environment} and b.id = ${inviter_id} and b.blocked_at is null)`,
        ),
      ]

/** The invitation is open, this is its current link, and it has the inviter that was read. */
const isOpen = ({ inviter_id }: OpenInvitation, token_hash: string, now: Date) =>
  sql`invitations.token_hash = ${token_hash} and invitations.expires_at > ${now} and invitations.ended_at is null
    and coalesce(invitations.inviter_id, '') = ${inviter_id ?? ''} and ${mayStillInvite(sql`invitations`)}`

/** Counts an account that a link creates. Fails as a guard if the link is not open or has created its last account. */
export function takeAccount(root_environment: EnvironmentId, invitation: OpenInvitation, token_hash: string, now: Date): Statement[] {
  return [
    guard(atCoordinator`update invitations set accounts = accounts + 1
      where tenant_id = ${invitation.tenant_id} and id = ${invitation.id} and accounts < ${most_accounts} and ${isOpen(invitation, token_hash, now)}`),
    ...inviterStands(root_environment, invitation),
  ]
}

export interface Acceptance {
  root_environment: EnvironmentId
  token_hash: string
  user_id: string
  session_id: string
  /** The root environment sends mail, so a new account proves its address before it accepts its first invitation. */
  needs_proof: boolean
}

/**
 * The account has proved its address, the system created it, or it is a member by an invitation: it accepted that before the root
 * environment had mail. A tenant that the account created itself does not count, since any account may create one.
 */
const isProven = (root_environment: EnvironmentId, user_id: string) => atCoordinator`(
  exists (select 1 from users p where p.environment_id = ${root_environment} and p.id = ${user_id} and (p.email_verified = 1 or p.self_registered = 0))
  or exists (
    select 1 from members o join tenants t on t.id = o.tenant_id
     where o.user_id = ${user_id} and (o.accepted_at is not null or t.created_by is null or t.created_by <> ${user_id})))`

/** Reports whether the account has to prove its address before it accepts, where the root environment sends mail. */
export async function isUnproven(db: Db, root_environment: EnvironmentId, user_id: string): Promise<boolean> {
  const unproven = sql`select u.id from users u where u.environment_id = ${root_environment} and u.id = ${user_id}
    and not ${isProven(root_environment, user_id)}`
  return (await db.of(root_environment).maybeOne(z.object({ id: z.string() }), unproven)) !== null
}

/**
 * Makes the user of this session a member and ends the invitation, after a write of the tenant and one of the user. A guard fails if the
 * link is not open, the session has ended, the address is not proved where it has to be, or the user is a member already.
 *
 * Ending a session does not write the tenant's row, so a session that another batch ends at the same moment may still be accepted. That is
 * safe: the result is the same as when the acceptance came first, and ending a session never ends a membership.
 */
export function acceptInvitation(invitation: OpenInvitation, by: Acceptance, now: Date): Statement[] {
  const { tenant_id, id, role } = invitation
  const { root_environment, token_hash, user_id, session_id, needs_proof } = by
  return [
    ...inviterStands(root_environment, invitation),
    requires(sql`exists (
      select 1 from sessions s where s.environment_id = ${root_environment} and s.id = ${session_id} and s.user_id = ${user_id}
         and ${sessionStands(root_environment, sql`s`)} and s.expires_at > ${now})`),
    ...(needs_proof ? [requires(isProven(root_environment, user_id))] : []),
    guard(atCoordinator`update invitations
        set ended_at = ${now}, ended_by = 'accepted', accepted_by = ${user_id}, version = version + 1, updated_at = ${now}
      where tenant_id = ${tenant_id} and id = ${id} and role = ${role} and ${isOpen(invitation, token_hash, now)}
        and not exists (select 1 from members m where m.tenant_id = ${tenant_id} and m.user_id = ${user_id})`),
    insertInto('members', { tenant_id, user_id, role, accepted_at: now, created_at: now, updated_at: now }),
  ]
}
