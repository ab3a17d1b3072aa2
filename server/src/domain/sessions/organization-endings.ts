/** The steps of endings that concern organizations: the grants, consents and rows of their members. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, join, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { type Ending, endGrants, grants_at_once, idsOf, openGrants, others_at_once, type Rows, type SliceStep } from './ending-step.ts'

/** A removed member: the grants of the membership and of earlier ones. */
export const grantsOfMember: SliceStep = async (db, ending, now) => {
  const { subject, number } = ending
  const ids = await idsOf(
    db,
    ending,
    sql`select g.id from grants g
         where ${openGrants(ending)} and g.organization_id = ${subject} and g.membership <= ${number} limit ${grants_at_once}`,
  )
  return ids.length === 0 ? null : { statements: [endGrants(ending, ids, now)] }
}

/** Ends the next grants that these users have in the organization, as far as `which` is true of g. */
async function grantsIn(
  db: Db,
  ending: Ending,
  { user_ids, which }: { user_ids: readonly string[]; which: Statement },
  now: Date,
): Promise<Rows | null> {
  const { environment_id, subject } = ending
  const ids = await idsOf(
    db,
    ending,
    sql`select g.id from grants g
         where g.user_id in (${list(user_ids)}) and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, -1) = -1
           and g.organization_id = ${subject} and ${which} limit ${grants_at_once}`,
  )
  return ids.length === 0 ? null : { statements: [endGrants(ending, ids, now)] }
}

const Member = z.object({ user_id: z.string(), membership: z.int() })
const members_at_once = 50

/** A disabled organization: the grants from before, of one part of the members after the other. */
export const grantsOfMembers: SliceStep = async (db, ending, now) => {
  const { environment_id, subject, number, position } = ending
  const after = position === '' ? -1 : Number(position)
  const members = await db.of(environment_id).all(
    Member,
    sql`select user_id, membership from organization_members
         where organization_id = ${subject} and membership > ${after} and ${inEnvironment(environment_id)}
         order by membership limit ${members_at_once}`,
  )
  const last = members.at(-1)
  if (!last) return null
  const user_ids = members.map(({ user_id }) => user_id).sort()
  const ended = await grantsIn(db, ending, { user_ids, which: sql`g.organization_ending < ${number}` }, now)
  return ended ?? { statements: [], position: String(last.membership) }
}

const Key = z.object({ user_id: z.string(), organization_id: z.string(), application_id: z.string() })

/** Deletes the next rows of a table of what people have with an application in an organization, by their whole key. */
async function deletedUses(db: Db, environment_id: EnvironmentId, table: Statement, which: Statement): Promise<Rows | null> {
  const rows = await db.of(environment_id).all(
    Key,
    sql`select user_id, organization_id, application_id from ${table} where ${which} and ${inEnvironment(environment_id)}
         order by user_id, organization_id, application_id limit ${others_at_once}`,
  )
  if (rows.length === 0) return null
  const keys = rows.map((row) => sql`(${row.user_id}, ${row.organization_id}, ${row.application_id})`)
  return {
    statements: [
      sql`delete from ${table} where (user_id, organization_id, application_id) in (${join(keys, ', ')})
           and ${which} and ${inEnvironment(environment_id)}`,
    ],
  }
}

const consents = sql`organization_consents`

const allUses = async (db: Db, environment_id: EnvironmentId, which: Statement): Promise<Rows | null> =>
  (await deletedUses(db, environment_id, sql`organization_disconnections`, which)) ?? deletedUses(db, environment_id, consents, which)

export const usesOfErasedUser: SliceStep = (db, { environment_id, subject }) => allUses(db, environment_id, sql`user_id = ${subject}`)

export const usesOfErasedApplication: SliceStep = (db, { environment_id, subject }) =>
  allUses(db, environment_id, sql`application_id = ${subject}`)

/** The consents of a removed member in the organization. The numbers of disconnections stay, as those of a user do. */
export const consentsOfMember: SliceStep = (db, { environment_id, subject, user_id, number }) =>
  deletedUses(db, environment_id, consents, sql`user_id = ${user_id} and organization_id = ${subject} and membership <= ${number}`)

/** The consents in organizations that a user withdrew, from before a number. */
export const consentsOfMemberBefore: SliceStep = (db, { environment_id, user_id, number }) =>
  deletedUses(db, environment_id, consents, sql`user_id = ${user_id} and ending < ${number}`)

/** The rows by which a user who is deleted was a member. The organizations count one less each. */
export const membershipsOfErased: SliceStep = async (db, ending) => {
  const { environment_id, subject } = ending
  const ids = await idsOf(
    db,
    ending,
    sql`select organization_id as id from organization_members
         where user_id = ${subject} and ${inEnvironment(environment_id)} limit ${others_at_once}`,
  )
  if (ids.length === 0) return null
  const own = sql`user_id = ${subject} and organization_id in (${list([...ids].sort())})`
  return {
    statements: [
      sql`update organizations set member_count = member_count - 1
           where environment_id = ${environment_id} and id in (${list([...ids].sort())})`,
      ...deletedMembers(environment_id, own, ids.length),
    ],
  }
}

/** The members of an organization that is deleted, after their grants and consents in it. The users count one organization less each. */
export const membersOfErased: SliceStep = async (db, ending, now) => {
  const { environment_id, subject } = ending
  const ids = (
    await idsOf(
      db,
      ending,
      sql`select user_id as id from organization_members
           where organization_id = ${subject} and ${inEnvironment(environment_id)} limit ${members_at_once}`,
    )
  ).sort()
  if (ids.length === 0) return null
  const grants = await grantsIn(db, ending, { user_ids: ids, which: sql`1 = 1` }, now)
  if (grants) return grants
  const own = sql`organization_id = ${subject} and user_id in (${list(ids)})`
  const used = await allUses(db, environment_id, own)
  if (used) return used
  return {
    first: [
      sql`update users set organization_count = organization_count - 1
           where environment_id = ${environment_id} and id in (${list(ids)})`,
    ],
    statements: deletedMembers(environment_id, own, ids.length),
  }
}

/** Fails as a guard where one of the rows is gone, so that none is counted twice (`domain/organizations/counts.ts`). */
const deletedMembers = (environment_id: EnvironmentId, own: Statement, count: number): Statement[] => [
  guard(sql`delete from organization_members where environment_id = ${environment_id} and ${own}`, count),
  sql`delete from organization_role_holders where ${own} and ${inEnvironment(environment_id)}`,
]
