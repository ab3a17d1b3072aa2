/**
 * How many organizations, members and administrators there are. The counters are columns of rows that the batches hold anyway, and the statement
 * that raises one is the guard of its limit. A row of a member whose user or organization is gone is counted until the worker of endings
 * deletes it; what is shown, and what is refused, leaves it out (decision 0177).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'

/** A member by its key. */
export interface MemberRef {
  readonly environment_id: EnvironmentId
  readonly organization_id: string
  readonly user_id: string
}

/** Fails as a guard if the environment has `most` organizations. */
export const takePlace = (environment_id: EnvironmentId, most: number): Statement[] => [
  insertInto('organization_counts', { environment_id, organizations: 0 }, sql`on conflict (environment_id) do nothing`),
  guard(sql`update organization_counts set organizations = organizations + 1
    where environment_id = ${environment_id} and organizations < ${most}`),
]

/** Counts one more organization of a user, and holds the user. Fails as a guard if the user is deleted, or a member of `most`. */
export const countForUser = ({ environment_id, user_id }: Omit<MemberRef, 'organization_id'>, most: number): Statement =>
  guard(sql`update users set organization_count = organization_count + 1
    where environment_id = ${environment_id} and id = ${user_id} and organization_count < ${most}`)

/** The same for one less. */
export const uncountForUser = ({ environment_id, user_id }: MemberRef): Statement =>
  guard(sql`update users set organization_count = organization_count - 1 where environment_id = ${environment_id} and id = ${user_id}`)

/** Counts one more member, and holds the organization. Fails as a guard if it is deleted, or has `most`. */
export const countMember = ({ environment_id, organization_id }: MemberRef, most: number): Statement =>
  guard(sql`update organizations set member_count = member_count + 1, memberships = memberships + 1
    where environment_id = ${environment_id} and id = ${organization_id} and member_count < ${most}`)

export const uncountMember = ({ environment_id, organization_id }: MemberRef): Statement =>
  guard(sql`update organizations set member_count = member_count - 1 where environment_id = ${environment_id} and id = ${organization_id}`)

/** The batch waits for others about the same organization. Fails as a guard if it is deleted. */
export const holdOrganization = ({ environment_id, organization_id }: Omit<MemberRef, 'user_id'>): Statement =>
  guard(sql`update organizations set updated_at = updated_at where environment_id = ${environment_id} and id = ${organization_id}`)

/** Users who are deleted and whose rows still follow, `gone`, where they have a row in the organization with this id. */
const goneFrom = (environment_id: EnvironmentId, organization_id: Statement): OfEnvironment => sql`
  from endings gone where gone.environment_id = ${environment_id} and gone.kind = 'erased_user' and coalesce((
    select 1 from organization_members m
     where m.environment_id = ${environment_id} and m.organization_id = ${organization_id} and m.user_id = gone.subject), 0) = 1`

/** The members of the organization `o` whose rows still follow their users. */
export const goneMembers = (environment_id: EnvironmentId): OfEnvironment => sql`(select count(*) ${goneFrom(environment_id, sql`o.id`)})`

const rows_at_once = 200
const Id = z.object({ id: z.string() })

/** Deletes these rows. Fails as a guard where one of them is gone, so that no row is counted twice. */
const deleteRows = (environment_id: EnvironmentId, of: Statement, which: Statement, count: number): Statement[] => [
  guard(sql`delete from organization_members where environment_id = ${environment_id} and ${of} and ${which}`, count),
  sql`delete from organization_role_holders where ${of} and ${which} and ${inEnvironment(environment_id)}`,
]

/**
 * Deletes rows of a user whose organizations are gone, before a batch that the limit of the user refused is tried again. False where there was
 * none.
 */
export async function settleUser(db: Db, environment_id: EnvironmentId, user_id: string): Promise<boolean> {
  const rows = await db.of(environment_id).all(
    Id,
    sql`select m.organization_id as id from organization_members m
         where m.user_id = ${user_id} and ${inEnvironment(environment_id, 'm')}
           and coalesce((select 1 from organizations o where o.environment_id = ${environment_id} and o.id = m.organization_id), 0) = 0
         limit ${rows_at_once}`,
  )
  if (rows.length === 0) return false
  await db.of(environment_id).batch([
    guard(sql`update users set organization_count = organization_count - ${rows.length}
      where environment_id = ${environment_id} and id = ${user_id}`),
    ...deleteRows(environment_id, sql`user_id = ${user_id}`, sql`organization_id in (${list(idsOf(rows))})`, rows.length),
  ])
  return true
}

/** The same for rows of an organization whose users are gone. */
export async function settleOrganization(db: Db, environment_id: EnvironmentId, organization_id: string): Promise<boolean> {
  const rows = await db
    .of(environment_id)
    .all(Id, sql`select gone.subject as id ${goneFrom(environment_id, sql`${organization_id}`)} limit ${rows_at_once}`)
  if (rows.length === 0) return false
  await db.of(environment_id).batch([
    guard(sql`update organizations set member_count = member_count - ${rows.length}
      where environment_id = ${environment_id} and id = ${organization_id}`),
    ...deleteRows(environment_id, sql`organization_id = ${organization_id}`, sql`user_id in (${list(idsOf(rows))})`, rows.length),
  ])
  return true
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort()

const Counted = z.object({ is_full: z.boolean() })

const isFull = async (db: Db, environment_id: EnvironmentId, query: OfEnvironment): Promise<boolean> =>
  (await db.of(environment_id).maybeOne(Counted, query))?.is_full ?? false

/** Whether the user is a member of `most` organizations, by the counter. */
export const isUserFull = (db: Db, environment_id: EnvironmentId, user_id: string, most: number): Promise<boolean> =>
  isFull(
    db,
    environment_id,
    sql`select case when organization_count >= ${most} then 1 else 0 end as is_full from users
         where environment_id = ${environment_id} and id = ${user_id}`,
  )

export const isOrganizationFull = (db: Db, environment_id: EnvironmentId, organization_id: string, most: number): Promise<boolean> =>
  isFull(
    db,
    environment_id,
    sql`select case when member_count >= ${most} then 1 else 0 end as is_full from organizations
         where environment_id = ${environment_id} and id = ${organization_id}`,
  )

export const isEnvironmentFull = async (db: Db, environment_id: EnvironmentId, most: number): Promise<boolean> =>
  most === 0 ||
  isFull(
    db,
    environment_id,
    sql`select case when organizations >= ${most} then 1 else 0 end as is_full from organization_counts where environment_id = ${environment_id}`,
  )

const Existing = z.object({ organizations: z.int() })

export async function hasOrganizations(db: Db, environment_id: EnvironmentId): Promise<boolean> {
  const row = await db
    .of(environment_id)
    .maybeOne(Existing, sql`select organizations from organization_counts where environment_id = ${environment_id}`)
  return row !== null && row.organizations > 0
}

/** Roles that administer, as given to members: so many are read for the number of administrators. */
const most_given = 1_000

/** The members who hold a role that administers and are not blocked, for the event of a batch that holds the organization. */
export const administratorsOf = ({ environment_id, organization_id }: MemberRef) => ({
  name: 'administrators',
  number: sql`(select count(*) from (select distinct user_id from (
      select h.user_id from roles r
        join organization_role_holders h
          on h.role_id = r.id and h.organization_id = ${organization_id} and ${sameEnvironment('h', 'r', environment_id)}
        join users u on ${sameEnvironment('u', 'h', environment_id)} and u.id = h.user_id and u.blocked_at is null
       where r.environment_id = ${environment_id} and r.administers = 1 limit ${most_given}) given) administrators)`,
  from: sql`from organizations where environment_id = ${environment_id} and id = ${organization_id}`,
})
