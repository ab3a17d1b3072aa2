/**
 * Stores the members of organizations. A row counts while its user and its organization are there. `organization_members.roles` has the ids of
 * the given roles, which a token reads with the member; `organization_role_holders` has the same by role. Both are written in one batch.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { OrganizationMember, type UserOrganization } from '@ostiary/contract/organization.ts'
import { User } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import { type Db, guard, list, type OfEnvironment, requires, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { followRemovedMember } from '../sessions/endings.ts'
import { countMember, type MemberRef, uncountForUser, uncountMember } from './counts.ts'
import type { Part } from './store.ts'

const MemberRow = OrganizationMember.extend({ version: z.int() })
export type MemberRow = z.infer<typeof MemberRow>

const Listed = OrganizationMember.extend({ membership: z.int() })
export type ListedMember = z.infer<typeof Listed>

/** The slugs of the roles that the member `m` was given, as JSON in their order. A deleted role has none. */
const givenRoles = (environment_id: EnvironmentId): OfEnvironment => sql`case when m.roles = '[]' then '[]' else (
    select coalesce('["' || string_agg(g.slug, '","' order by g.slug) || '"]', '[]')
      from organization_role_holders h join roles g on ${sameEnvironment('g', 'h', environment_id)} and g.id = h.role_id
     where h.user_id = m.user_id and h.organization_id = m.organization_id and ${inEnvironment(environment_id, 'h')}) end`

const columns = (environment_id: EnvironmentId): OfEnvironment => sql`
  m.organization_id, m.user_id, e.tenant_id, e.project_id, m.environment_id, nullif(u.email, '') as email, u.name,
  ${givenRoles(environment_id)} as roles, m.last_used_at, m.membership, m.version, m.created_at, m.updated_at`
const from = (environment_id: EnvironmentId, members = sql`organization_members m`): OfEnvironment => sql`from ${members}
  join users u on ${sameEnvironment('u', 'm', environment_id)} and u.id = m.user_id
  join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id
  join environments e on e.id = m.environment_id`

/** Which members of an organization a list has. */
export interface Filter {
  organization_id: string
  /** The slug of a role that was given to them. */
  role: string | undefined
  /** The id of one user. */
  user_id?: string | undefined
}

/** The members of a list, `m`: where they are found, which they are, and the number by which they are in order. */
function among(environment_id: EnvironmentId, { organization_id, role, user_id }: Filter) {
  const of_user = user_id === undefined ? sql`` : sql`and m.user_id = ${user_id}`
  if (role === undefined)
    return {
      members: sql`organization_members m`,
      are: sql`m.organization_id = ${organization_id} and ${inEnvironment(environment_id, 'm')} ${of_user}`,
      number: sql`m.membership`,
    }
  return {
    members: sql`organization_role_holders h join organization_members m
      on ${sameEnvironment('m', 'h', environment_id)} and m.organization_id = h.organization_id and m.user_id = h.user_id`,
    are: sql`h.role_id = (select id from roles where environment_id = ${environment_id} and slug = ${role})
      and h.organization_id = ${organization_id} and ${inEnvironment(environment_id, 'h')} ${of_user}`,
    number: sql`h.membership`,
  }
}

const before = (number: Statement, last: string | null): Statement => (last === null ? sql`` : sql`and ${number} < ${Number(last)}`)

/** Reads members, the last added first. `last` is a number of a membership. */
export function listMembers(db: Db, environment_id: EnvironmentId, filter: Filter, { last, limit }: Part): Promise<ListedMember[]> {
  const { members, are, number } = among(environment_id, filter)
  return db
    .of(environment_id)
    .all(
      Listed,
      sql`select ${columns(environment_id)} ${from(environment_id, members)} where ${are} ${before(number, last)} order by ${number} desc limit ${limit}`,
    )
}

const MemberNames = User.pick({
  email: true,
  name: true,
  given_name: true,
  family_name: true,
  nickname: true,
  preferred_username: true,
  phone_number: true,
}).extend({ membership: z.int(), user_id: z.string() })
/** The texts by which a member can be found. */
export type MemberNames = z.infer<typeof MemberNames>

/** Finds the names of members, the last added first. */
export function findMemberNames(db: Db, environment_id: EnvironmentId, filter: Filter, { last, limit }: Part): Promise<MemberNames[]> {
  const { members, are, number } = among(environment_id, filter)
  return db.of(environment_id).all(
    MemberNames,
    sql`select m.membership, m.user_id, nullif(u.email, '') as email, u.name, u.given_name, u.family_name, u.nickname, u.preferred_username,
               u.phone_number
          from ${members} join users u on ${sameEnvironment('u', 'm', environment_id)} and u.id = m.user_id
         where ${are} ${before(number, last)} order by ${number} desc limit ${limit}`,
  )
}

/** Finds these members of an organization, the last added first. */
export async function findMembers(
  db: Db,
  environment_id: EnvironmentId,
  organization_id: string,
  user_ids: readonly string[],
): Promise<ListedMember[]> {
  if (user_ids.length === 0) return []
  return db.of(environment_id).all(
    Listed,
    sql`select ${columns(environment_id)} ${from(environment_id)}
         where m.organization_id = ${organization_id} and m.user_id in (${list(user_ids)}) and ${inEnvironment(environment_id, 'm')}
         order by m.membership desc`,
  )
}

export const findMember = (db: Db, { environment_id, organization_id, user_id }: MemberRef): Promise<MemberRow | null> =>
  db.of(environment_id).maybeOne(
    MemberRow,
    sql`select ${columns(environment_id)} ${from(environment_id)}
         where m.environment_id = ${environment_id} and m.organization_id = ${organization_id} and m.user_id = ${user_id}`,
  )

const OfUser = OrganizationMember.extend({ slug: z.string(), organization_name: z.string(), disabled: z.boolean() })

/** Reads the memberships of a user, the newest organization first. */
export async function listOrganizationsOf(
  db: Db,
  environment_id: EnvironmentId,
  user_id: string,
  { last, limit }: Part,
): Promise<UserOrganization[]> {
  const rows = await db.of(environment_id).all(
    OfUser,
    sql`select ${columns(environment_id)}, o.slug, o.name as organization_name, o.disabled ${from(environment_id)}
         where m.user_id = ${user_id} and ${inEnvironment(environment_id, 'm')} ${last === null ? sql`` : sql`and m.organization_id < ${last}`}
         order by m.organization_id desc limit ${limit}`,
  )
  return rows.map(({ slug, organization_name: name, disabled, ...member }) => ({
    ...member,
    organization: { id: member.organization_id, slug, name, disabled },
  }))
}

const Membership = z.object({ organization_id: z.string(), name: z.string(), role_ids: z.array(z.string()), disabled: z.boolean() })
type Membership = z.infer<typeof Membership>

/** Finds the memberships of a user in organizations that are not disabled, the newest organization first. */
export async function listMembershipsOf(db: Db, environment_id: EnvironmentId, user_id: string, limit: number): Promise<Membership[]> {
  const rows = await db.of(environment_id).all(
    Membership,
    sql`select m.organization_id, o.name, m.roles as role_ids, o.disabled ${from(environment_id)}
         where m.user_id = ${user_id} and ${inEnvironment(environment_id, 'm')} order by m.organization_id desc limit ${limit}`,
  )
  return rows.filter(({ disabled }) => !disabled)
}

const Given = z.object({ roles: z.array(z.string()) })

/** The ids of the roles that a member was given, with those of deleted roles. */
export async function findRoleIds(db: Db, { environment_id, organization_id, user_id }: MemberRef): Promise<string[]> {
  const row = await db.of(environment_id).maybeOne(
    Given,
    sql`select roles from organization_members
         where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${user_id}`,
  )
  return row?.roles ?? []
}

/**
 * Adds a member with these roles. Put it after `countForUser` and, where the batch makes the organization, after its insert. Fails as a guard if
 * the organization is gone or full, or the user is a member. A role that is deleted meanwhile leaves its id, which no other role gets.
 */
export function addMember(member: MemberRef, role_ids: readonly string[], { most, now }: { most: number; now: Date }): Statement[] {
  const { environment_id, organization_id, user_id } = member
  return [
    countMember(member, most),
    requires(sql`not exists (select 1 from organization_members
      where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${user_id})`),
    sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
        select environment_id, id, ${user_id}, memberships, ${[...role_ids]}, ${now}, ${now}
          from organizations where environment_id = ${environment_id} and id = ${organization_id}`,
    ...holdRoles(member, role_ids),
  ]
}

/** Gives a member these roles, and takes all others. Put it after a hold of the user and of the organization. */
export function setMemberRoles(member: MemberRow, role_ids: readonly string[], now: Date): Statement[] {
  const { environment_id, organization_id, user_id, version } = member
  return [
    guard(sql`update organization_members set roles = ${[...role_ids]}, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${user_id} and version = ${version}`),
    forgetRoles(member),
    ...holdRoles(member, role_ids),
  ]
}

/** Removes a member, whose membership never comes back. Its grants and consents are not valid from then on, and their rows follow. */
export function removeMember(member: MemberRow, now: Date): Statement[] {
  const { environment_id, organization_id, user_id, version } = member
  return [
    uncountForUser(member),
    followRemovedMember(environment_id, member, now),
    uncountMember(member),
    guard(sql`delete from organization_members
      where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${user_id} and version = ${version}`),
    forgetRoles(member),
  ]
}

const forgetRoles = ({ environment_id, organization_id, user_id }: MemberRef): Statement =>
  sql`delete from organization_role_holders
       where user_id = ${user_id} and organization_id = ${organization_id} and ${inEnvironment(environment_id)}`

/** The rows by which the holders of these roles are found. */
const holdRoles = ({ environment_id, organization_id, user_id }: MemberRef, role_ids: readonly string[]): Statement[] =>
  role_ids.length === 0
    ? []
    : [
        sql`insert into organization_role_holders (environment_id, role_id, organization_id, membership, user_id)
            select m.environment_id, r.id, m.organization_id, m.membership, m.user_id
              from organization_members m join roles r on r.id in (${list(role_ids)}) and ${inEnvironment(environment_id, 'r')}
             where m.environment_id = ${environment_id} and m.organization_id = ${organization_id} and m.user_id = ${user_id}`,
      ]
