/**
 * The lists of the account page. A person can have many sessions and grants at one application, and before the bounds any number, so each
 * list reads a window of rows by an index: what it shows first lies within it.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { consentsOf, memberConsentsOf } from './consents.ts'
import { grantStands, sessionStands } from './standing.ts'

const ShownSession = z.object({
  id: z.string(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: z.date(),
  last_seen_at: z.date(),
})

/** The live sessions of a person that were used last, the present one first. Read among so many times the wanted number. */
const window_of_sessions = 3

export function listLatestSessions(
  db: Db,
  { environment_id, id, user_id }: { environment_id: EnvironmentId; id: string; user_id: string },
  limit: number,
  now: Date,
) {
  return db.of(environment_id).all(
    ShownSession,
    sql`select listed.id, listed.ip, listed.user_agent, listed.created_at, listed.last_seen_at
          from (select * from (
                  select * from sessions
                   where user_id = ${user_id} and ${inEnvironment(environment_id)} and coalesce(ended_at, -2) = -2
                     and ending = (select ending from users where environment_id = ${environment_id} and id = ${user_id})
                     and absolute_expires_at > ${now} and id <> ${id}
                   order by absolute_expires_at desc limit ${window_of_sessions * limit}) others
                union all
                select * from sessions where environment_id = ${environment_id} and id = ${id}) listed
         where ${sessionStands(environment_id, sql`listed`)}
         order by case when listed.id = ${id} then 0 else 1 end, listed.last_seen_at desc, listed.id limit ${limit}`,
  )
}

const most_applications = 100
/** Applications that are read, before the first ones by name are chosen. */
const most_read = 200
/** Grants of a person at an application that are read, of those with and of those without `offline_access`. */
const window_of_grants = 50

const Used = z.object({ application_id: z.string(), since: z.date(), scope: z.string().nullable() })
const Named = z.object({ id: z.string(), name: z.string(), logo_uri: z.string().nullable() })

/** The open grants of a person, in the order of their index: application, with `offline_access` or without, a bound of the last use, id. */
const openGrants = (environment_id: EnvironmentId, user_id: string) =>
  sql`g.user_id = ${user_id} and coalesce(g.ended_at, -2) = -2 and ${inEnvironment(environment_id, 'g')}`

/** The grants of a person at an application that are valid now, from a window of those used or made last. `application_id` is a value or a column. */
const validGrants = (environment_id: EnvironmentId, user_id: string, application_id: Statement, now: Date) => {
  const newest = (offline: 0 | 1) => sql`select * from (
    select * from grants g where ${openGrants(environment_id, user_id)} and g.application_id = ${application_id} and g.offline = ${offline}
     order by g.used_since desc, g.id desc limit ${window_of_grants}) newest`
  return sql`from (${newest(1)} union all ${newest(0)}) listed
   where listed.expires_at > ${now} and ${grantStands(environment_id, sql`listed`)}`
}

/**
 * The applications that have the consent of the user, or valid tokens. `scope` is the consent, in the words of `consentWords`. The first query
 * names the columns of `every_use`, since Citus loses a list of names before it.
 */
export async function listConnected(db: Db, environment_id: EnvironmentId, user_id: string, now: Date) {
  const next = (after: Statement) => sql`(
    select g.application_id from grants g where ${openGrants(environment_id, user_id)} ${after} order by g.application_id limit 1)`
  // The oldest can be at either end of the order: a grant moves to the end when it is used again and again.
  const beginningOf = (offline: 0 | 1) => {
    const of_kind = sql`from grants g
       where ${openGrants(environment_id, user_id)} and g.application_id = valid.id and g.offline = ${offline}`
    return sql`(select min(created_at) from (
      select * from (select g.created_at ${of_kind} order by g.used_since, g.id limit ${window_of_grants}) oldest
      union all
      select * from (select g.created_at ${of_kind} order by g.used_since desc, g.id desc limit ${window_of_grants}) newest) listed)`
  }
  const used = await db.of(environment_id).all(
    Used,
    sql`with recursive used (id, nth) as (
          select ${next(sql``)}, 1
          union all
          select ${next(sql`and g.application_id > used.id`)}, nth + 1 from used where id is not null and nth < ${most_read}),
        valid (id) as (
          select id from used where id is not null and exists (select 1 ${validGrants(environment_id, user_id, sql`used.id`, now)})),
        every_use as (
          select id as application_id, ${beginningOf(0)} as since, null as scope from valid
          union all
          select id, ${beginningOf(1)}, null from valid
          union all
          select * from (select c.application_id, c.created_at, c.scope ${consentsOf(environment_id, user_id)} order by c.application_id limit ${most_read}) given
          union all
          select * from (select c.application_id, c.created_at, null ${memberConsentsOf(environment_id, user_id)} order by c.application_id limit ${most_read}) others)
        select application_id, min(since) as since, max(scope) as scope from every_use group by application_id`,
  )
  const ids = used.map(({ application_id }) => application_id).sort()
  if (ids.length === 0) return []
  const named = await db.of(environment_id).all(
    Named,
    sql`select * from (
          select id, name, logo_uri from applications where environment_id = ${environment_id} and id in (${list(ids)})
          union all
          select id, client_name || ' (' || host || ')', null from metadata_clients where environment_id = ${environment_id} and id in (${list(ids)})) named
         order by name, id limit ${most_applications}`,
  )
  return named.flatMap((application) =>
    used.flatMap(({ application_id, since, scope }) => (application_id === application.id ? [{ ...application, since, scope }] : [])),
  )
}

const GrantedScope = z.object({
  organization_id: z.string().nullable(),
  scope: z.string(),
  resource: z.array(z.string()),
  since: z.date(),
})

/** The scopes of the valid grants at an application, by the organization that they are for. */
export function listGrantedScopes(db: Db, environment_id: EnvironmentId, of: { user_id: string; application_id: string }, now: Date) {
  const valid = validGrants(environment_id, of.user_id, sql`${of.application_id}`, now)
  return db.of(environment_id).all(
    GrantedScope,
    sql`select listed.organization_id, listed.scope, listed.resource, min(listed.created_at) as since ${valid}
         group by listed.organization_id, listed.scope, listed.resource order by listed.scope, listed.resource`,
  )
}
