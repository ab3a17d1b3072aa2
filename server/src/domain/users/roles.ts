/**
 * The roles that users were given. `users.roles` has their ids, which a token reads with the user; `role_holders` has the same by role, for the
 * lists that ask for one (decision 0176). Both are written in one batch.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, join, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'

/** The slugs of the roles that the user `u` was given, as JSON in their order. A deleted role has none. */
export const givenRoles = (environment_id: EnvironmentId): Statement => sql`case when u.roles = '[]' then '[]' else (
    select coalesce('["' || string_agg(g.slug, '","' order by g.slug) || '"]', '[]')
      from role_holders h join roles g on ${sameEnvironment('g', 'h', environment_id)} and g.id = h.role_id
     where h.user_id = u.id and ${inEnvironment(environment_id, 'h')}) end`

const Holder = z.object({ id: z.string() })

/**
 * Finds the ids of users to whom this role was given, newest first. A list reads the users by these ids: one statement over both tables would let
 * PostgreSQL read all users while it has no statistics.
 */
export async function findHolders(db: Db, environment_id: EnvironmentId, role: string, { last, limit }: Part): Promise<string[]> {
  const rows = await db.of(environment_id).all(
    Holder,
    sql`select user_id as id from role_holders
         where role_id = (select id from roles where environment_id = ${environment_id} and slug = ${role}) and ${inEnvironment(environment_id)}
           ${last === null ? sql`` : sql`and user_id < ${last}`} order by user_id desc limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** The part of a list that one call reads. */
export interface Part {
  /** Starts after the user with this id, if it is given. */
  last: string | null
  limit: number
}

/**
 * Gives a user these roles, and takes all others. Put it after the guard that holds or inserts the user. A role that is deleted meanwhile
 * leaves its id, which no other role ever has.
 */
export function setRoles({ environment_id, id }: UserRef, role_ids: readonly string[]): Statement[] {
  const rows = role_ids.map((role_id) => sql`(${environment_id}, ${role_id}, ${id})`)
  return [
    sql`update users set roles = ${[...role_ids]} where environment_id = ${environment_id} and id = ${id}`,
    forgetRoles({ environment_id, id }),
    ...(rows.length === 0 ? [] : [sql`insert into role_holders (environment_id, role_id, user_id) values ${join(rows, ', ')}`]),
  ]
}

/** The rows by which the holders of a role are found: those of one user. */
export const forgetRoles = ({ environment_id, id }: UserRef): Statement =>
  sql`delete from role_holders where user_id = ${id} and ${inEnvironment(environment_id)}`
