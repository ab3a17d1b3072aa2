/** Who may do what in which tenant. A tenant always has an owner: the statements that take one away are conditional on another. */
import { TenantId } from '@ostiary/contract/ids.ts'
import { Member, Role } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import { emailKey } from '../users/email.ts'

const Membership = z.object({ tenant_id: TenantId, slug: z.string(), name: z.string(), role: Role })
export type Membership = z.infer<typeof Membership>

export function findMemberships(db: Db, user_id: string): Promise<Membership[]> {
  return db.all(
    Membership,
    sql`select m.tenant_id, t.slug, t.name, m.role from members m join tenants t on t.id = m.tenant_id where m.user_id = ${user_id} order by m.tenant_id desc`,
  )
}

const MemberRow = Member.extend({ version: z.int() })
export type MemberRow = z.infer<typeof MemberRow>

const selected = (root_environment_id: string, condition: Statement) => sql`
  select * from (select m.user_id as id, m.user_id, m.tenant_id, u.email, u.name, m.role, u.last_sign_in_at, m.version, m.created_at, m.updated_at
                   from members m join users u on u.environment_id = ${root_environment_id} and u.id = m.user_id where ${condition}) listed where 1 = 1`

/** Where a member stands in the list: by when they came, which is not when their account was made. */
export const placeOf = ({ created_at, user_id }: Pick<z.infer<typeof Member>, 'created_at' | 'user_id'>) =>
  `${Date.parse(created_at)}.${user_id}`

export function listMembers(db: Db, root_environment_id: string, tenant_id: TenantId, last: string | null, limit: number) {
  const [at = '', user_id = ''] = last?.split('.') ?? []
  const came = new Date(Number(at))
  const rest = last === null ? sql`` : sql`and (created_at < ${came} or (created_at = ${came} and user_id < ${user_id}))`
  return db.all(
    Member,
    sql`${selected(root_environment_id, sql`m.tenant_id = ${tenant_id}`)} ${rest} order by created_at desc, user_id desc limit ${limit}`,
  )
}

const Account = Member.pick({ id: true, email: true, name: true, last_sign_in_at: true })

/** Whoever has an account already, to be made a member. */
export function findAccount(db: Db, root_environment_id: string, email: string) {
  return db.maybeOne(
    Account,
    sql`select id, email, name, last_sign_in_at from users where environment_id = ${root_environment_id} and email_key = ${emailKey(email)}`,
  )
}

export function findMember(db: Db, root_environment_id: string, tenant_id: TenantId, user_id: string): Promise<MemberRow | null> {
  return db.maybeOne(MemberRow, selected(root_environment_id, sql`m.tenant_id = ${tenant_id} and m.user_id = ${user_id}`))
}

/** A batch with this does not happen where the user is a member already. */
export function insertMember(tenant_id: TenantId, user_id: string, role: Role, now: Date): Statement {
  return guard(sql`insert into members (tenant_id, user_id, role, created_at, updated_at)
    values (${tenant_id}, ${user_id}, ${role}, ${now}, ${now}) on conflict (tenant_id, user_id) do nothing`)
}

/** Another owner stays. */
const anotherOwner = (member: MemberRow) =>
  sql`exists (select 1 from members o where o.tenant_id = ${member.tenant_id} and o.role = 'owner' and o.user_id <> ${member.user_id})`

export function updateRole(member: MemberRow, role: Role, now: Date): Statement {
  const keeps_owner = role === 'owner' || member.role !== 'owner' ? sql`1 = 1` : anotherOwner(member)
  return guard(sql`update members set role = ${role}, version = version + 1, updated_at = ${now}
    where tenant_id = ${member.tenant_id} and user_id = ${member.user_id} and version = ${member.version} and ${keeps_owner}`)
}

export function deleteMember(member: MemberRow): Statement {
  const keeps_owner = member.role === 'owner' ? anotherOwner(member) : sql`1 = 1`
  return guard(
    sql`delete from members where tenant_id = ${member.tenant_id} and user_id = ${member.user_id} and version = ${member.version} and ${keeps_owner}`,
  )
}
