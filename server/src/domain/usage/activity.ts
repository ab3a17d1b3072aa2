/**
 * The activity of an application, from its events and its open grants: nothing is written for it. A person who enters by a session leaves no
 * event of a sign-in, and is known while the grant is open. Each count reads a bounded number of rows by an index of the application.
 */
import { type Counted, most_counted } from '@ostiary/contract/activity.ts'
import type { EventKind } from '@ostiary/contract/event.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { constant, type Db, type OfEnvironment, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { enters } from '../../db/event-keys.ts'

/** The days that counts of activity go back. */
export const counted_days = 30

const signed_in: EventKind = 'sign_in.succeeded'
const limit = constant(most_counted)

/** The newest sign-ins on the way to the application, and some of its open grants. */
const usesOf = (environment_id: EnvironmentId, application_id: string): OfEnvironment => sql`
  select newest.user_id, newest.created_at as at, 1 as is_sign_in from (
    select v.user_id, v.created_at from events v
     where v.environment_id = ${environment_id} and v.application_id = ${application_id} and v.type = ${signed_in}
       and ${enters('events_of_application_and_type', { application_id, type: signed_in }, 'v')} and v.sequence is not null
     order by v.sequence desc limit ${limit}) newest
  union all
  select given.user_id, given.created_at as at, 0 as is_sign_in from (
    select g.user_id, g.created_at from grants g
     where g.application_id = ${application_id} and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, 0) = 0
     limit ${limit}) given`

const Used = z.object({ last_sign_in_at: z.date().nullable(), people: z.int(), sign_ins: z.int(), grants: z.int() })

export interface Activity {
  last_sign_in_at: string | null
  people_30_days: Counted
}

export async function findActivity(db: Db, environment_id: EnvironmentId, application_id: string, now: Date): Promise<Activity> {
  const since = new Date(now.getTime() - counted_days * day_ms)
  const used = await db.of(environment_id).maybeOne(
    Used,
    sql`select max(case when is_sign_in = 1 then at end) as last_sign_in_at, count(distinct case when at >= ${since} then user_id end) as people,
               coalesce(sum(case when is_sign_in = 1 and at >= ${since} then 1 else 0 end), 0) as sign_ins,
               coalesce(sum(1 - is_sign_in), 0) as grants
          from (${usesOf(environment_id, application_id)}) used`,
  )
  return {
    last_sign_in_at: used?.last_sign_in_at?.toISOString() ?? null,
    people_30_days: {
      count: used?.people ?? 0,
      or_more: used !== null && (used.sign_ins === most_counted || used.grants === most_counted),
    },
  }
}
