/**
 * Stores the members of organizations. A row counts while its user and its organization are there. `organization_members.roles` has the ids of
 * the given roles, which a token reads with the member; `organization_role_holders` has the same by role. Both are written in one batch.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { OrganizationMember, type UserOrganization } from '@ostiary/contract/organization.ts'
import { z } from 'zod'
import { type Db, guard, identifiers, list, type OfEnvironment, requires, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, likelyInEnvironment, sameEnvironment, unindexed } from '../../db/environment.ts'
import { followRemovedMember } from '../sessions/endings.ts'
import { isFoundBy } from '../users/findable.ts'
import { findNamesOf, user_names } from '../users/store.ts'
import { countMember, type MemberRef, uncountForUser, uncountMember } from './counts.ts'
import type { Part } from './store.ts'

const MemberRow = OrganizationMember.extend({ version: z.int() })
export type MemberRow = z.infer<typeof MemberRow>

const Listed = OrganizationMember.extend({ membership: z.int() })
export type ListedMember = z.infer<typeof Listed>

/** The name of the rows of members: `m`, or `listed` where a list found its part first. */
type Alias = 'm' | 'listed'

/**
 * The slugs of the roles that a member was given, as JSON in their order. A deleted role has none. The holders are found by the user: by each role,
 * which PostgreSQL could prefer where it has statistics for some of the tables alone, they are all holders in the organization.
 */
const givenRoles = (environment_id: EnvironmentId, m: Statement): OfEnvironment => sql`case when ${m}.roles = '[]' then '[]' else (
    select coalesce('["' || string_agg(g.slug, '","' order by g.slug) || '"]', '[]')
      from organization_role_holders h join roles g on ${sameEnvironment('g', 'h', environment_id)} and g.id = ${unindexed('h', 'role_id')}
     where h.user_id = ${m}.user_id and h.organization_id = ${m}.organization_id and ${inEnvironment(environment_id, 'h')}) end`

function columns(environment_id: EnvironmentId, alias: Alias = 'm'): OfEnvironment {
  const m = identifiers(alias)
  return sql`
  ${m}.organization_id, ${m}.user_id, e.tenant_id, e.project_id, ${m}.environment_id, nullif(u.email, '') as email, u.name,
  ${givenRoles(environment_id, m)} as roles, ${m}.last_used_at, ${m}.membership, ${m}.version, ${m}.created_at, ${m}.updated_at`
}

function joined(environment_id: EnvironmentId, alias: Alias): OfEnvironment {
  const m = identifiers(alias)
  return sql`
  join users u on ${sameEnvironment('u', alias, environment_id)} and u.id = ${m}.user_id
  join organizations o on ${sameEnvironment('o', alias, environment_id)} and o.id = ${m}.organization_id
  join environments e on e.id = ${m}.environment_id`
}
const from = (environment_id: EnvironmentId): OfEnvironment => sql`from organization_members m ${joined(environment_id, 'm')}`

/**
 * A list finds its part first, in the order of an index, and joins the rest to it. In one step PostgreSQL reads and sorts all members of a large
 * organization. It does so too if it takes a condition for one that few rows meet, as it does with an equation of a computed value. So what has to be
 * there is an inequation, and the environment is `likelyInEnvironment`. The first page has a bound too: with it the index is better than another
 * one, even if PostgreSQL knows nothing of the tables yet.
 */
const [after_all, id_after_all] = [Number.MAX_SAFE_INTEGER, '~']

const isThere = (query: OfEnvironment): Statement => sql`coalesce((select 1 ${query}), 0) <> 0`

/** Which members of an organization a list has. */
export interface Filter {
  organization_id: string
  /** The slug of a role that was given to them. */
  role: string | undefined
  /** The id of one user. */
  user_id?: string | undefined
}

/** The members `l` of an organization from the place on where a part of a list begins. */
const fromLast = (environment_id: EnvironmentId, { organization_id, user_id }: Filter, { last }: Part): OfEnvironment => sql`
  ${likelyInEnvironment(environment_id, 'l')} and l.organization_id = ${organization_id}
    ${user_id === undefined ? sql`` : sql`and l.user_id = ${user_id}`} and l.membership < ${last === null ? after_all : Number(last)}`

const part = ({ limit }: Part): Statement => sql`order by l.membership desc limit ${limit}`

/** The rows of `l` that one part of a list has. */
const inPart = (environment_id: EnvironmentId, filter: Filter, of: Part): OfEnvironment => sql`${fromLast(environment_id, filter, of)}
    and ${isThere(sql`from users lu where lu.environment_id = ${environment_id} and lu.id = l.user_id`)} ${part(of)}`

const Held = z.object({ user_id: z.string(), membership: z.int() })
export type Held = z.infer<typeof Held>

type OfRole = Filter & { role: string }

const roleOf = (environment_id: EnvironmentId, slug: string): OfEnvironment =>
  sql`(select id from roles where environment_id = ${environment_id} and slug = ${slug})`

/** Finds the members to whom a role was given. The list reads them by their ids: PostgreSQL joins them in a poor order. */
const findHolders = (db: Db, environment_id: EnvironmentId, filter: OfRole, of: Part): Promise<Held[]> =>
  db.of(environment_id).all(
    Held,
    sql`select l.user_id, l.membership from organization_role_holders l
         where l.role_id = ${roleOf(environment_id, filter.role)}
           and ${inPart(environment_id, filter, of)}`,
  )

const most_tries = 3

/** Lists the holders of a role. One who is gone by then would end the list, so all of them are read again. */
async function listHolders(db: Db, environment_id: EnvironmentId, filter: OfRole, of: Part): Promise<ListedMember[]> {
  for (let tries = 1; ; tries++) {
    const holders = await findHolders(db, environment_id, filter, of)
    const ids = holders.map(({ user_id }) => user_id)
    const rows = await findMembers(db, environment_id, filter.organization_id, ids)
    if (rows.length === holders.length || tries === most_tries) return rows
  }
}

/** Reads members, the last added first. `last` is a number of a membership. */
export function listMembers(db: Db, environment_id: EnvironmentId, filter: Filter, of: Part): Promise<ListedMember[]> {
  const { role } = filter
  if (role !== undefined) return listHolders(db, environment_id, { ...filter, role }, of)
  return db.of(environment_id).all(
    Listed,
    sql`select ${columns(environment_id, 'listed')} from (select l.* from organization_members l where ${inPart(environment_id, filter, of)}) listed
        ${joined(environment_id, 'listed')} order by listed.membership desc`,
  )
}

const MemberNames = Held.extend({ names: z.string() })
/** The texts by which a member can be found. */
export type MemberNames = z.infer<typeof MemberNames>

/** Finds the names of members, the last added first. A member whose user is gone has none, and so is not found. */
export async function findMemberNames(db: Db, environment_id: EnvironmentId, filter: Filter, of: Part): Promise<MemberNames[]> {
  const { role } = filter
  if (role !== undefined) {
    const holders = await findHolders(db, environment_id, { ...filter, role }, of)
    const users = await findNamesOf(
      db,
      environment_id,
      holders.map(({ user_id }) => user_id),
    )
    return holders.map((holder, i) => ({ ...holder, names: users[i]?.names ?? '' }))
  }
  return db.of(environment_id).all(
    MemberNames,
    sql`select listed.membership, listed.user_id, ${user_names} as names
          from (select l.* from organization_members l where ${fromLast(environment_id, filter, of)} ${part(of)}) listed
          left join users u on ${sameEnvironment('u', 'listed', environment_id)} and u.id = listed.user_id
         order by listed.membership desc`,
  )
}

/** Finds the members among some users, the last added first. They are found by the user, for the reason of `findMembers`. */
export async function findMembersAmong(
  db: Db,
  environment_id: EnvironmentId,
  { user_ids, organization_id, role }: Filter & { user_ids: readonly string[] },
  { last, limit }: Part,
): Promise<Held[]> {
  if (user_ids.length === 0) return []
  const has_role =
    role === undefined
      ? sql``
      : sql`and ${isThere(sql`from organization_role_holders h where h.role_id = ${roleOf(environment_id, role)}
              and h.organization_id = m.organization_id and h.membership = m.membership and ${inEnvironment(environment_id, 'h')}`)}`
  return db.of(environment_id).all(
    Held,
    sql`select m.user_id, m.membership from users u
          join organization_members m on ${sameEnvironment('m', 'u', environment_id)} and m.user_id = u.id
            and m.organization_id between ${organization_id} || substr(u.id, 1, 0) and ${organization_id} || substr(u.id, 1, 0)
         where u.environment_id = ${environment_id} and u.id in (${list([...user_ids].sort())}) ${has_role}
           and m.membership + 0 < ${last === null ? after_all : Number(last)} order by m.membership + 0 desc limit ${limit}`,
  )
}

/** Finds members whom all words find among the next `looked_at` ones. `goes_on_after` is the last of these, where there are more. */
export async function findMembersAmongNext(
  db: Db,
  environment_id: EnvironmentId,
  { words, ...filter }: Filter & { words: readonly string[] },
  { last, limit, looked_at }: Part & { looked_at: number },
): Promise<{ found: Held[]; goes_on_after: number | undefined }> {
  const { role } = filter
  const rows =
    role === undefined
      ? sql`organization_members l where`
      : sql`organization_role_holders l where l.role_id = ${roleOf(environment_id, role)} and`
  const next = sql`(select l.user_id, l.environment_id, l.membership from ${rows}
    ${fromLast(environment_id, filter, { last, limit })} ${part({ last, limit: looked_at })}) listed`
  const found = await db.of(environment_id).all(
    Held,
    sql`select listed.user_id, listed.membership from ${next} where ${isFoundBy(db.engine, environment_id, sql`listed.user_id`, words)}
         order by listed.membership desc limit ${limit}`,
  )
  const [end] = await db.of(environment_id).all(Next, sql`select count(*) as count, min(listed.membership) as last from ${next}`)
  return { found, goes_on_after: end?.count === looked_at ? (end.last ?? undefined) : undefined }
}
const Next = z.object({ count: z.int(), last: z.int().nullable() })

/**
 * Finds these members of an organization, the last added first. PostgreSQL takes an organization for one of average size, and would read all members of
 * a large one for each that is wanted. For a range of organizations, here of one, it takes the index that begins with the user.
 */
export async function findMembers(
  db: Db,
  environment_id: EnvironmentId,
  organization_id: string,
  user_ids: readonly string[],
): Promise<ListedMember[]> {
  if (user_ids.length === 0) return []
  return db.of(environment_id).all(
    Listed,
    sql`select ${columns(environment_id)}
          from users u
          join organization_members m on ${sameEnvironment('m', 'u', environment_id)} and m.user_id = u.id
            and m.organization_id between ${organization_id} || substr(u.id, 1, 0) and ${organization_id} || substr(u.id, 1, 0)
          join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = ${unindexed('m', 'organization_id')}
          join environments e on e.id = m.environment_id
         where u.environment_id = ${environment_id} and u.id in (${list([...user_ids].sort())})
         order by m.membership + 0 desc`, // an order that no index has
  )
}

export const findMember = (db: Db, { environment_id, organization_id, user_id }: MemberRef): Promise<MemberRow | null> =>
  db.of(environment_id).maybeOne(
    MemberRow,
    sql`select ${columns(environment_id)} ${from(environment_id)}
         where m.environment_id = ${environment_id} and m.organization_id = ${organization_id} and m.user_id = ${user_id}`,
  )

const OfUser = OrganizationMember.extend({ slug: z.string(), organization_name: z.string(), disabled: z.boolean() })

/** The rows of one part of the memberships of a user, `listed`. */
const partOfUser = (
  environment_id: EnvironmentId,
  user_id: string,
  { last, limit, are = sql`` }: Part & { are?: Statement },
): OfEnvironment => sql`(
    select l.* from organization_members l
     where ${likelyInEnvironment(environment_id, 'l')} and l.user_id = ${user_id} and l.organization_id < ${last ?? id_after_all}
       and ${isThere(sql`from organizations lo where lo.environment_id = ${environment_id} and lo.id = l.organization_id ${are}`)}
     order by l.organization_id desc limit ${limit}) listed`

/** Reads the memberships of a user, the newest organization first. */
export async function listOrganizationsOf(db: Db, environment_id: EnvironmentId, user_id: string, of: Part): Promise<UserOrganization[]> {
  const rows = await db.of(environment_id).all(
    OfUser,
    sql`select ${columns(environment_id, 'listed')}, o.slug, o.name as organization_name, o.disabled
          from ${partOfUser(environment_id, user_id, of)} ${joined(environment_id, 'listed')} order by listed.organization_id desc`,
  )
  return rows.map(({ slug, organization_name: name, disabled, ...member }) => ({
    ...member,
    organization: { id: member.organization_id, slug, name, disabled },
  }))
}

const Membership = z.object({ organization_id: z.string(), name: z.string(), role_ids: z.array(z.string()) })
type Membership = z.infer<typeof Membership>

/** Finds the memberships of a user in organizations that are not disabled, the newest organization first. */
export const listMembershipsOf = (db: Db, environment_id: EnvironmentId, user_id: string, of: Part): Promise<Membership[]> =>
  db.of(environment_id).all(
    Membership,
    sql`select listed.organization_id, o.name, listed.roles as role_ids
          from ${partOfUser(environment_id, user_id, { ...of, are: sql`and lo.disabled = 0` })}
          join organizations o on ${sameEnvironment('o', 'listed', environment_id)} and o.id = listed.organization_id
         order by listed.organization_id desc`,
  )

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
