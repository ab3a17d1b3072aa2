/** Stores the members of a tenant and their roles. A tenant always has an owner: see `anotherOwner`. */
import { type EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { Member, Role } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { type Db, guard, list, requires, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'

const Membership = z.object({ tenant_id: TenantId, slug: z.string(), name: z.string(), role: Role })
export type Membership = z.infer<typeof Membership>

export function findMemberships(db: Db, user_id: string): Promise<Membership[]> {
  return db.all(
    Membership,
    sql`select m.tenant_id, t.slug, t.name, m.role from members m join tenants t on t.id = m.tenant_id
         where m.user_id = ${user_id} order by m.tenant_id desc`,
  )
}

export const MemberRow = Member.extend({ version: z.int() })
export type MemberRow = z.infer<typeof MemberRow>

const activeMembers = (root_environment_id: EnvironmentId, condition: Statement) => atCoordinator`
  select m.user_id as id, m.tenant_id, nullif(u.email, '') as email, m.role, 'active' as status, null as expires_at, m.user_id, u.name, u.email_verified,
         m.accepted_at, u.last_sign_in_at, m.version, m.created_at, m.updated_at
    from members m join users u on u.environment_id = ${root_environment_id} and u.id = m.user_id
   where ${condition}`

/** Returns the sort key of a member in the list: the time of joining or inviting, then the id. */
export const memberSortKey = ({ created_at, id }: Pick<z.infer<typeof Member>, 'created_at' | 'id'>) => `${Date.parse(created_at)}.${id}`

/** Returns one page of the members and of the rows that `pending` selects, newest first. `last` is the sort key of the previous row. */
export function listMembers(
  db: Db,
  { root_environment_id, tenant_id }: { root_environment_id: EnvironmentId; tenant_id: TenantId },
  pending: Statement,
  { last, limit }: { last: string | null; limit: number },
) {
  const [at = '', id = ''] = last?.split('.') ?? []
  const since = new Date(Number(at))
  const rest = last === null ? sql`` : sql`where created_at < ${since} or (created_at = ${since} and id < ${id})`
  return db.of(root_environment_id).all(
    Member,
    sql`select * from (${activeMembers(root_environment_id, sql`m.tenant_id = ${tenant_id}`)} union all ${pending}) listed ${rest}
         order by created_at desc, id desc limit ${limit}`,
  )
}

export function findMember(db: Db, root_environment_id: EnvironmentId, tenant_id: TenantId, user_id: string): Promise<MemberRow | null> {
  return db
    .of(root_environment_id)
    .maybeOne(MemberRow, activeMembers(root_environment_id, sql`m.tenant_id = ${tenant_id} and m.user_id = ${user_id}`))
}

const Count = z.object({ count: z.int() })

/** The owners and admins, counted to two. */
export async function countApprovers(db: Db, tenant_id: TenantId): Promise<number> {
  const row = await db.maybeOne(
    Count,
    sql`select count(*) as count from (
          select user_id from members where tenant_id = ${tenant_id} and role in ('owner', 'admin') limit 2) approvers`,
  )
  return row?.count ?? 0
}

/** Inserts the first owner in the batch that creates a tenant. Fails as a guard if the user is a member already. */
export function insertMember(tenant_id: TenantId, user_id: string, role: Role, now: Date): Statement {
  return guard(
    insertInto('members', { tenant_id, user_id, role, created_at: now, updated_at: now }, sql`on conflict (tenant_id, user_id) do nothing`),
  )
}

/**
 * The tenant has another owner. The condition reads rows of other members. That is safe because every batch that removes a member or
 * changes a role first writes the row of the tenant (`holdTenant`).
 */
const anotherOwner = (member: MemberRow) =>
  atCoordinator`exists (select 1 from members o where o.tenant_id = ${member.tenant_id} and o.role = 'owner' and o.user_id <> ${member.id})`

/** Changes the role of a member. Fails as a guard for the last owner. Put `holdTenant` first in the batch. */
export function updateRole(member: MemberRow, role: Role, now: Date): Statement {
  const keeps_owner = role === 'owner' || member.role !== 'owner' ? sql`1 = 1` : anotherOwner(member)
  return guard(atCoordinator`update members set role = ${role}, version = version + 1, updated_at = ${now}
    where tenant_id = ${member.tenant_id} and user_id = ${member.id} and version = ${member.version} and ${keeps_owner}`)
}

/** Removes a member. Fails as a guard for the last owner. Put `holdTenant` first in the batch. */
export function deleteMember(member: MemberRow): Statement {
  const keeps_owner = member.role === 'owner' ? anotherOwner(member) : sql`1 = 1`
  return guard(atCoordinator`delete from members
    where tenant_id = ${member.tenant_id} and user_id = ${member.id} and version = ${member.version} and ${keeps_owner}`)
}

const Owned = z.object({ name: z.string(), slug: z.string() })

const other_owner = atCoordinator`exists (select 1 from members o where o.tenant_id = m.tenant_id and o.role = 'owner' and o.user_id <> m.user_id)`

/** The tenants of which this user is the last owner. */
export const findSoleOwnerships = (db: Db, user_id: string) =>
  db.all(
    Owned,
    sql`select t.name, t.slug from members m join tenants t on t.id = m.tenant_id
         where m.user_id = ${user_id} and m.role = 'owner' and not ${other_owner} order by t.name`,
  )

/**
 * Removes all memberships of a user who is deleted. Fails as a guard if the user is the last owner of a tenant, or if these are not the tenants of
 * the user. Put `holdTenant` for each of them first in the batch, and then `holdUser`: every batch that adds a membership writes both.
 */
export function deleteMemberships(user_id: string, tenant_ids: readonly string[]): Statement[] {
  const as_many = requires(atCoordinator`(select count(*) from members where user_id = ${user_id}) = ${tenant_ids.length}`)
  if (tenant_ids.length === 0) return [as_many]
  return [
    as_many,
    requires(atCoordinator`not exists (select 1 from members m where m.user_id = ${user_id} and m.tenant_id not in (${list(tenant_ids)}))`),
    requires(atCoordinator`not exists (select 1 from members m where m.user_id = ${user_id} and m.role = 'owner' and not ${other_owner})`),
    atCoordinator`delete from members where user_id = ${user_id}`,
  ]
}
