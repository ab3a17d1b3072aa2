/**
 * Who has a `sub` (decision 0208). It never changes. The `sub` of a deleted user can be given again, an id never is, so every row names its
 * user by the id.
 */
import type { EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { subOf } from '../../db/sub.ts'

const Found = z.object({ id: z.custom<UserId>() })

/** Finds the user who has this `sub` now. */
export async function findBySub(db: Db, environment_id: EnvironmentId, sub: string): Promise<UserId | null> {
  const row = await db.of(environment_id).maybeOne(
    Found,
    sql`select id from users where sub = ${sub} and ${inEnvironment(environment_id)}
         union all select id from users where environment_id = ${environment_id} and id = ${sub} and sub is null`,
  )
  return row?.id ?? null
}

/** Whether a new user cannot have this `sub`: another one has it, or has it as its id. */
export async function isSubTaken(db: Db, environment_id: EnvironmentId, sub: string): Promise<boolean> {
  const row = await db
    .of(environment_id)
    .maybeOne(z.object({ taken: z.boolean() }), sql`select case when ${isTaken(environment_id, sub)} then 1 else 0 end as taken`)
  return row?.taken ?? false
}

const isTaken = (environment_id: EnvironmentId, sub: string): OfEnvironment => sql`(
  exists (select 1 from users other where other.environment_id = ${environment_id} and other.id = ${sub})
  or exists (select 1 from users other where other.sub = ${sub} and ${inEnvironment(environment_id, 'other')}))`

/**
 * Gives a new user the `sub` that was chosen. Fails as a guard where it is taken. Put it after the insert of the user. Reading other users is safe
 * because of the unique index: PostgreSQL repeats a batch that violates it, and then the guard sees the other user. Nobody chooses an id: a
 * new one has 74 random bits, so none is a `sub` that was there before.
 */
export const takeSub = ({ environment_id, id }: UserRef, sub: string): Statement =>
  guard(sql`update users set sub = ${sub}
    where environment_id = ${environment_id} and id = ${id} and not ${isTaken(environment_id, sub)}`)

const Subject = z.object({ user_id: z.string(), sub: z.string(), user_created_at: z.date() })

/** The person of an ID token, for `isHinted`. */
export type Subject = z.infer<typeof Subject>

export const subjectColumns = (u: Statement): Statement => sql`${subOf(u)} as sub, ${u}.created_at as user_created_at`

export function findSubject(db: Db, { environment_id, id }: UserRef): Promise<Subject | null> {
  return db
    .of(environment_id)
    .maybeOne(
      Subject,
      sql`select u.id as user_id, ${subjectColumns(sql`u`)} from users u where u.environment_id = ${environment_id} and u.id = ${id}`,
    )
}
