/** Consents: the scopes that a user allowed an application. One is valid while it has the number of the user (`standing.ts`). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import { insertEvents, type Origin } from '../events/store.ts'

const ConsentRow = z.object({ user_id: z.string(), scope: z.string() })

/** The consent of these users for an application, in the words of `consentWords` (protocol/consent.ts). */
export async function findConsents(
  db: Db,
  environment_id: EnvironmentId,
  application_id: string,
  user_ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (user_ids.length === 0) return new Map()
  const rows = await db.of(environment_id).all(
    ConsentRow,
    sql`select c.user_id, c.scope from consents c
          join users u on ${sameEnvironment('u', 'c', environment_id)} and u.id = c.user_id and u.consents_ending = c.ending
         where c.environment_id = ${environment_id} and c.application_id = ${application_id} and c.user_id in (${list(user_ids)})`,
  )
  return new Map(rows.map((row) => [row.user_id, row.scope.split(' ')]))
}

/** Fails as a guard if the consent is not `before` any more, since another window or a disconnect was first, or the application is gone. */
export function storeConsent(
  environment_id: EnvironmentId,
  { user_id, application_id }: { user_id: string; application_id: string },
  { before, after }: { before: readonly string[] | null; after: readonly string[] },
  now: Date,
): Statement {
  const application = sql`from applications a
    join users u on ${sameEnvironment('u', 'a', environment_id)} and u.id = ${user_id}
   where a.environment_id = ${environment_id} and a.id = ${application_id} and a.disabled = 0`
  const scope = after.join(' ')
  if (before === null)
    return guard(sql`insert into consents (environment_id, user_id, application_id, scope, ending, created_at, updated_at)
      select a.environment_id, u.id, a.id, ${scope}, u.consents_ending, ${now}, ${now} ${application}
      on conflict (environment_id, user_id, application_id) do update
        set scope = excluded.scope, ending = excluded.ending, created_at = excluded.created_at, updated_at = excluded.updated_at
        where consents.ending < excluded.ending`)
  return guard(sql`update consents set scope = ${scope}, updated_at = ${now}
    where environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id}
      and scope = ${before.join(' ')} and exists (select 1 ${application} and u.consents_ending = consents.ending)`)
}

/** Removes the consent of a user for an application, with its event where there was one. */
export function revokeConsent(
  environment_id: EnvironmentId,
  { user_id, application_id }: { user_id: string; application_id: string },
  origin: Origin,
  now: Date,
): Statement[] {
  const which = sql`environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id}`
  const columns = {
    type: 'consent.revoked' as const,
    suffix: sql`substr(application_id, 19, 12)`,
    user_id: sql`user_id`,
    application_id: sql`application_id`,
    data: sql`'{}'`,
    from: sql`from consents where ${which}
      and ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})`,
  }
  return [insertEvents(environment_id, origin, columns, now), sql`delete from consents where ${which}`]
}

/** The present consents of a user, the rows `c` of a query. */
export const consentsOf = (environment_id: EnvironmentId, user_id: string): Statement => sql`from consents c
  where c.environment_id = ${environment_id} and c.user_id = ${user_id}
    and c.ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})`

const Consent = z.object({ application_id: z.string(), scope: z.string(), created_at: z.iso.datetime(), updated_at: z.iso.datetime() })
export type Consent = z.infer<typeof Consent>

/** The consents of a user after one application, for the export. */
export function listConsents(db: Db, environment_id: EnvironmentId, user_id: string, { after, limit }: { after: string; limit: number }) {
  return db.of(environment_id).all(
    Consent,
    sql`select application_id, scope, created_at, updated_at from consents
         where environment_id = ${environment_id} and user_id = ${user_id} and application_id > ${after}
           and ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})
         order by application_id limit ${limit}`,
  )
}

const Id = z.object({ id: z.string() })

/** The consents of a user from before a number, which the user withdrew. */
interface Withdrawn {
  environment_id: EnvironmentId
  user_id: string | null
  number: number
}

/** The next consents from before a number of the user, as applications; see `ending-slices.ts`. */
export async function findWithdrawn(db: Db, { environment_id, user_id, number }: Withdrawn, limit: number): Promise<string[]> {
  const rows = await db.of(environment_id).all(
    Id,
    sql`select application_id as id from consents where environment_id = ${environment_id} and user_id = ${user_id} and ending < ${number}
         order by application_id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

export const removeWithdrawn = ({ environment_id, user_id, number }: Withdrawn, application_ids: readonly string[]): Statement =>
  sql`delete from consents where environment_id = ${environment_id} and user_id = ${user_id} and application_id in (${list(application_ids)}) and ending < ${number}`
