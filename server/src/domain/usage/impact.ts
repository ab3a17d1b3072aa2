/**
 * Counts whom the end of something hurts: live grants and their people, people of a provider, and uses of 30 days. Each count reads a bounded
 * number of rows by an index, from what is stored anyway.
 */
import { type Counted, most_counted } from '@ostiary/contract/activity.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms, hour_ms } from '../../base/durations.ts'
import { constant, type Db, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import type { Metric } from '../../deployment/counters.ts'
import { grantStands } from '../sessions/standing.ts'
import { counted_days } from './activity.ts'

/** The newest grants of an environment that a count looks at where no index names them. */
const most_looked_at = 5_000

const Grants = z.object({ grants: z.int(), people: z.int(), looked_at: z.int() })

export interface GrantsCounted {
  grants: Counted
  people: Counted
}

/** `some` are grants, of which `most` are read at most; `concerned` says of a row `listed` which of them it is about. */
async function countGrants(
  db: Db,
  environment_id: EnvironmentId,
  { some, most, concerned = sql`1 = 1` }: { some: Statement; most: number; concerned?: Statement },
  now: Date,
): Promise<GrantsCounted> {
  const counted = await db.of(environment_id).maybeOne(
    Grants,
    sql`select coalesce(sum(is_live), 0) as grants, count(distinct case when is_live = 1 then user_id end) as people, count(*) as looked_at
          from (select listed.user_id, case when ${concerned} and listed.expires_at > ${now} and ${grantStands(environment_id, sql`listed`)} then 1 else 0 end as is_live
                  from (${some} limit ${constant(most)}) listed) counted`,
  )
  const or_more = counted?.looked_at === most
  return { grants: { count: counted?.grants ?? 0, or_more }, people: { count: counted?.people ?? 0, or_more } }
}

/** The open grants of an application. */
export const countGrantsOfApplication = (db: Db, environment_id: EnvironmentId, application_id: string, now: Date) =>
  countGrants(
    db,
    environment_id,
    {
      some: sql`select * from grants where application_id = ${application_id} and ${inEnvironment(environment_id)} and coalesce(ended_at, 0) = 0`,
      most: most_counted,
    },
    now,
  )

/** The text has the part, letter by letter. No function for that is in both engines. */
const hasPart = (text: Statement, part: string): Statement => sql`replace(${text}, cast(${part} as text), '') <> ${text}`

/** The grants for a resource server, or those with one scope of it. */
export const countGrantsOfServer = (
  db: Db,
  environment_id: EnvironmentId,
  { identifier, scope }: { identifier: string; scope: string | undefined },
  now: Date,
) =>
  countGrants(
    db,
    environment_id,
    {
      some: sql`select * from grants where environment_id = ${environment_id} order by id desc`,
      most: most_looked_at,
      concerned: sql`${hasPart(sql`listed.resource`, JSON.stringify(identifier))}
        ${scope === undefined ? sql`` : sql`and ${hasPart(sql`(' ' || listed.scope || ' ')`, ` ${scope} `)}`}`,
    },
    now,
  )

const Linked = z.object({ id: z.string(), user_id: z.string() })

/** The open grants of people of a provider that began at it. They are named, since PostgreSQL may read all grants for a join. */
export async function countGrantsOfProvider(db: Db, environment_id: EnvironmentId, provider_id: string, now: Date): Promise<GrantsCounted> {
  const linked = await db.of(environment_id).all(Linked, identitiesOf(environment_id, provider_id))
  if (linked.length === 0) return { grants: { count: 0, or_more: false }, people: { count: 0, or_more: false } }
  const [ids, user_ids] = [list(linked.map(({ id }) => id)), list([...new Set(linked.map(({ user_id }) => user_id))])]
  const { grants, people } = await countGrants(
    db,
    environment_id,
    {
      some: sql`select * from grants
        where user_id in (${user_ids}) and coalesce(ended_at, -2) = -2 and began_with in (${ids}) and ${inEnvironment(environment_id)}`,
      most: most_counted,
    },
    now,
  )
  const is_cut = linked.length === most_counted
  return { grants: { ...grants, or_more: grants.or_more || is_cut }, people: { ...people, or_more: people.or_more || is_cut } }
}

const identitiesOf = (environment_id: EnvironmentId, provider_id: string): OfEnvironment =>
  sql`select id, user_id from identities
       where environment_id = ${environment_id} and provider_id = ${provider_id} limit ${constant(most_counted)}`

const People = z.object({ people: z.int(), looked_at: z.int() })

/** The people who are linked with a provider. */
export async function countPeopleOfProvider(db: Db, environment_id: EnvironmentId, provider_id: string): Promise<Counted> {
  const counted = await db
    .of(environment_id)
    .maybeOne(
      People,
      sql`select count(distinct user_id) as people, count(*) as looked_at from (${identitiesOf(environment_id, provider_id)}) counted`,
    )
  return { count: counted?.people ?? 0, or_more: counted?.looked_at === most_counted }
}

const Sum = z.object({ count: z.int() })

/** The uses of 30 days that the counters of the environment have under a label. Each hour is one row, which the key finds. */
export async function countUses(
  db: Db,
  environment_id: EnvironmentId,
  { metric, label }: { metric: Metric; label: string },
  now: Date,
): Promise<number> {
  const last = Math.floor(now.getTime() / hour_ms)
  const hours = Array.from({ length: (counted_days * day_ms) / hour_ms }, (_, before) => (last - before) * hour_ms)
  const sum = await db.of(environment_id).maybeOne(
    Sum,
    sql`select cast(coalesce(sum(count), 0) as bigint) as count from counters
         where environment_id = ${environment_id} and hour in (${list(hours)}) and metric = ${metric} and label = ${label}`,
  )
  return sum?.count ?? 0
}
