/**
 * The durable queue of what this service owes other machines. A job is written in the batch of the change it follows
 * from, so neither exists without the other; `runner.ts` has them done. At least once: who does a job must bear a repeat.
 *
 * A lease is `due_at` moved into the future by a process that says so in `leased_by`. Nothing else locks a job, so a
 * process that dies gives its jobs back by letting time pass.
 */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, join, leavesWork, type Result, rowsOf, type Statement, sql } from '../db/db.ts'

export type JobKindName = 'backchannel_logout' | 'webhook' | 'webhook_retry'

export interface NewJob {
  /** Queueing the same id again changes nothing while the first is not done. */
  id: string
  kind: JobKindName
  /** Whom it is waited for: jobs of one lane never hold up another's. */
  lane: string
  environment_id: EnvironmentId | null
  payload: Record<string, unknown>
  /** When it may be taken; at once where it is absent. */
  due_at?: Date
}

const Job = z.object({
  id: z.string(),
  lane: z.string(),
  environment_id: EnvironmentId.nullable(),
  payload: z.record(z.string(), z.unknown()),
  /** 1 for the first. One that ended with its process counts too. */
  attempts: z.int(),
})
export type Job = z.infer<typeof Job>

/** For the batch that the job follows from. */
export function enqueue({ id, kind, lane, environment_id, payload, due_at }: NewJob, now: Date): Statement {
  return leavesWork(
    sql`insert into jobs (id, kind, lane, environment_id, payload, due_at, created_at)
      values (${id}, ${kind}, ${lane}, ${environment_id}, ${payload}, ${due_at ?? now}, ${now})
      on conflict (id) do nothing`,
    'queue',
  )
}

/** For a batch: a job for every row of a query. `from` begins with `from` and ends with a `where`; the columns are expressions over it. */
export function enqueueEach(
  kind: JobKindName,
  columns: Record<'id' | 'lane' | 'environment_id' | 'payload', Statement>,
  from: Statement,
  now: Date,
): Statement {
  const { id, lane, environment_id, payload } = columns
  return leavesWork(
    sql`insert into jobs (id, kind, lane, environment_id, payload, due_at, created_at)
      select ${id}, ${kind}, ${lane}, ${environment_id}, ${payload}, ${now}, ${now} ${from}
      on conflict (id) do nothing`,
    'queue',
  )
}

interface Lease {
  kind: JobKindName
  leased_by: string
  leased_until: Date
}

export interface Claim extends Lease {
  most: number
  /** Only the first of each lane, by id: the next one waits until it is removed, whoever has it. */
  in_order: boolean
  /** Lanes that have enough to do in this process. */
  without_lanes: readonly string[]
}

/**
 * Takes jobs that are due, oldest first. No two callers get the same one: the outer condition is judged again on the row
 * as it is when its lock is got (PostgreSQL, READ COMMITTED), and whoever came first has moved `due_at`.
 */
export async function claim(db: Db, { kind, leased_by, leased_until, most, in_order, without_lanes }: Claim, now: Date): Promise<Job[]> {
  const lanes = without_lanes.length === 0 ? sql`` : sql` and lane not in (${listOf(without_lanes)})`
  // Heads are of the kind. Asked for it too, a database would look for them among everything that is due.
  const candidates = in_order ? sql`id in (${headsOf(kind)})` : sql`kind = ${kind}`
  const which = sql`id in (select id from jobs where ${candidates} and due_at <= ${now}${lanes} order by due_at, id limit ${most})`
  return takenIn((await db.batch([take(which, { kind, leased_by, leased_until }, now)]))?.[0])
}

/** The first job of each lane. Goes from lane to lane, so that it costs what there are lanes, however many jobs wait in them. */
const headsOf = (kind: JobKindName) => sql`with recursive lanes (lane) as (
    select min(lane) from jobs where kind = ${kind}
    union all select (select min(jobs.lane) from jobs where kind = ${kind} and jobs.lane > lanes.lane) from lanes where lanes.lane is not null
  ) select (select min(jobs.id) from jobs where kind = ${kind} and jobs.lane = lanes.lane) from lanes where lanes.lane is not null`

/**
 * For the batch that removes the first job of a lane: takes the one after it, where that is due. Until the batch is
 * committed the lane has the same head for everybody else, so nobody can come in between.
 */
export function claimNext(lease: Lease, lane: string, now: Date): Statement {
  return take(sql`id = (select min(id) from jobs where kind = ${lease.kind} and lane = ${lane})`, lease, now)
}

function take(which: Statement, { leased_by, leased_until }: Lease, now: Date): Statement {
  return sql`update jobs set leased_by = ${leased_by}, due_at = ${leased_until}, attempts = attempts + 1
         where ${which} and due_at <= ${now}
     returning id, lane, environment_id, payload, attempts`
}

export const takenIn = (result: Result | undefined): Job[] => rowsOf(Job, result)

/** Whether a job of this kind waits for somebody to take it. */
export async function isAnyDue(db: Db, kind: JobKindName, now: Date): Promise<boolean> {
  return (
    (await db.maybeOne(z.object({ id: z.string() }), sql`select id from jobs where kind = ${kind} and due_at <= ${now} limit 1`)) !== null
  )
}

/** Done, or given up. */
export function remove(leased_by: string, job: Job): Statement {
  return sql`delete from jobs where ${isHeld(leased_by, job)}`
}

/** To be tried again, by any process. */
export function postpone(leased_by: string, job: Job, until: Date): Statement {
  return sql`update jobs set leased_by = null, due_at = ${until} where ${isHeld(leased_by, job)}`
}

/** Whether the job is still of this process and this attempt, and not of whoever took it after the lease had ended. */
const isHeld = (leased_by: string, { id, attempts }: Job) => sql`id = ${id} and leased_by = ${leased_by} and attempts = ${attempts}`

const listOf = (values: readonly string[]) =>
  join(
    values.map((value) => sql`${value}`),
    ', ',
  )
