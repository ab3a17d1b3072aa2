/**
 * The durable queue of calls to other machines. A job is written in the batch of the change it follows from, so neither exists
 * without the other. `runner.ts` runs the jobs at least once each, so running a job again must be harmless.
 *
 * A process leases a job by writing itself into `leased_by` and moving `due_at` into the future. Nothing else locks a job: when a
 * process dies, its jobs become due again.
 */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, join, leavesWork, list, type Result, rowsOf, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'

const job_kinds = ['backchannel_logout', 'webhook', 'webhook_retry', 'mail'] as const
export type JobKindName = (typeof job_kinds)[number]

export interface NewJob {
  /**
   * Enqueueing an id that is still queued makes it due at the earlier of both times. One that runs at this moment continues, and where
   * the attempt would give it up, it begins again.
   */
  id: string
  kind: JobKindName
  /** Identifies what is called. Jobs in one lane do not delay jobs in another. */
  lane: string
  environment_id: EnvironmentId | null
  payload: Record<string, unknown>
  /** The earliest time to run. The default is now. */
  due_at?: Date
}

const Job = z.object({
  id: z.string(),
  lane: z.string(),
  /** The tenant of the environment; '' for a job without an environment. */
  tenant_id: z.string(),
  environment_id: EnvironmentId.nullable(),
  payload: z.record(z.string(), z.unknown()),
  /** The number of this attempt, from 1. Attempts that ended with their process count too. */
  attempts: z.int(),
  /** When it was enqueued the last time. */
  created_at: z.date(),
})
export type Job = z.infer<typeof Job>

/** Belongs in the batch of the change that the job follows from. */
export function enqueue({ id, kind, lane, environment_id, payload, due_at }: NewJob, now: Date): Statement {
  return leavesWork(
    atCoordinator`insert into jobs (id, kind, lane, tenant_id, environment_id, payload, due_at, created_at)
      select ${id}, ${kind}, ${lane}, ${tenantOf(sql`${environment_id}`)}, ${environment_id}, ${payload}, ${due_at ?? now}, ${now} where 1 = 1
      ${or_again}`,
    'queue',
  )
}

const or_again = sql`on conflict (id) do update set created_at = excluded.created_at,
  due_at = case when jobs.leased_by is null and jobs.due_at > excluded.due_at then excluded.due_at else jobs.due_at end`

/** The tenant of an environment, '' without one. Jobs take turns by tenant. */
const tenantOf = (environment_id: Statement) =>
  sql`coalesce((select own.tenant_id from environments own where own.id = ${environment_id}), '')`

interface NewJobs {
  kind: JobKindName
  /** The other columns are expressions over the query. */
  id: Statement
  lane: Statement
  environment_id: Statement
  payload: Statement
  due_at?: Statement
}

/** Enqueues a job for every row of a query, as part of a batch. `from` is the query from `from` to its `where`. */
export function enqueueEach({ kind, id, lane, environment_id, payload, due_at }: NewJobs, from: Statement, now: Date): Statement {
  return leavesWork(
    atCoordinator`insert into jobs (id, kind, lane, tenant_id, environment_id, payload, due_at, created_at)
      select ${id}, ${kind}, ${lane}, ${tenantOf(environment_id)}, ${environment_id}, ${payload}, ${due_at ?? sql`${now}`}, ${now} ${from}
      ${or_again}`,
    'queue',
  )
}

const DueTenant = z.object({ tenant_id: z.string(), due_at: z.date() })
const tenants_per_page = 100

/** Yields each tenant with due jobs of a kind once, in the order of ids, beginning after the tenant `after` and wrapping around. */
export async function* tenantsInTurn(db: Db, kind: JobKindName, after: string | null, now: Date): AsyncGenerator<string> {
  const ranges = after === null ? [{ from: null, to: null }] : [{ from: after, to: null }, { from: null, to: after }] // biome-ignore format: two rows
  for (const { from, to } of ranges) {
    for (let last: string | null | undefined = from; last !== undefined; ) {
      const page: z.infer<typeof DueTenant>[] = await db.all(DueTenant, pageOfTenants(kind, last, to))
      for (const { tenant_id, due_at } of page) if (due_at <= now) yield tenant_id
      last = page.length < tenants_per_page ? undefined : page.at(-1)?.tenant_id
    }
  }
}

/** Skips from tenant to tenant by an index, so the cost does not depend on the number of jobs. */
function pageOfTenants(kind: JobKindName, after: string | null, to: string | null): Statement {
  const first = after === null ? sql`` : sql` and tenant_id > ${after}`
  const last = to === null ? sql`` : sql` and tenant_id <= ${to}`
  return sql`with recursive turns (tenant_id, position) as (
      select min(tenant_id), 1 from jobs where kind = ${kind}${first}
      union all
      select (select min(jobs.tenant_id) from jobs where kind = ${kind} and jobs.tenant_id > turns.tenant_id), position + 1
        from turns where turns.tenant_id is not null and position < ${tenants_per_page}
    )
    select tenant_id, (select min(jobs.due_at) from jobs where kind = ${kind} and jobs.tenant_id = turns.tenant_id) as due_at
      from turns where tenant_id is not null${last} order by position`
}

const Candidate = z.object({ id: z.string(), lane: z.string(), tenant_id: z.string(), environment_id: EnvironmentId.nullable() })
export type Candidate = z.infer<typeof Candidate>

interface Wanted {
  kind: JobKindName
  tenants: readonly string[]
  /** The most jobs per tenant. */
  most: number
  /** Takes only the first job of each lane by id. The next one waits until it is removed. */
  in_order: boolean
  without_lanes: readonly string[]
}

/** Finds the oldest due jobs of each tenant. Takes no lease, so another process may claim them first. */
export function findCandidates(db: Db, { kind, tenants, most, in_order, without_lanes }: Wanted, now: Date): Promise<Candidate[]> {
  const lanes = without_lanes.length === 0 ? sql`` : sql` and lane not in (${list(without_lanes)})`
  const pages = tenants.map((tenant_id) => {
    const which = in_order ? sql`id in (${headsOf(kind, tenant_id)})` : sql`kind = ${kind} and tenant_id = ${tenant_id}`
    return sql`select * from (select id, lane, tenant_id, environment_id, due_at from jobs
                               where ${which} and due_at <= ${now}${lanes} order by due_at, id limit ${most}) page`
  })
  return db.all(Candidate, sql`select id, lane, tenant_id, environment_id from (${join(pages, ' union all ')}) job order by due_at, id`)
}

/** The first job of each lane of a tenant. Skips from lane to lane by an index, so the cost depends on the lanes, not on the jobs. */
const headsOf = (kind: JobKindName, tenant_id: string) => sql`with recursive lanes (lane) as (
    select min(lane) from jobs where kind = ${kind} and tenant_id = ${tenant_id}
    union all
    select (select min(jobs.lane) from jobs where kind = ${kind} and tenant_id = ${tenant_id} and jobs.lane > lanes.lane)
      from lanes where lanes.lane is not null
  )
  select (select min(jobs.id) from jobs where kind = ${kind} and tenant_id = ${tenant_id} and jobs.lane = lanes.lane)
    from lanes where lanes.lane is not null`

interface Lease {
  leased_by: string
  leased_until: Date
}

/**
 * Leases those of the given jobs that are still due. No two callers get the same job: PostgreSQL evaluates the outer condition
 * again once it has the row lock (READ COMMITTED), and the first caller has moved `due_at`. Ids in a lane only rise, so its first
 * job stays first until it is removed, and the order is kept although candidates were read earlier.
 */
export async function claim(db: Db, ids: readonly string[], lease: Lease, now: Date): Promise<Job[]> {
  if (ids.length === 0) return []
  return claimedJobs((await db.batch([leaseWhere(sql`id in (${list([...ids].sort())})`, lease, now)]))?.[0])
}

/**
 * Leases the next job of a lane if it is due, in the batch that removes the first one. Other processes see the old first job
 * until the batch commits, so none can take the next job before.
 */
export function claimNext(kind: JobKindName, { tenant_id, lane }: Job, lease: Lease, now: Date): Statement {
  const first_of_lane = sql`select min(id) from jobs where kind = ${kind} and tenant_id = ${tenant_id} and lane = ${lane}`
  return leaseWhere(sql`id = (${first_of_lane})`, lease, now)
}

function leaseWhere(which: Statement, { leased_by, leased_until }: Lease, now: Date): Statement {
  return atCoordinator`update jobs set leased_by = ${leased_by}, due_at = ${leased_until}, attempts = attempts + 1
         where ${which} and due_at <= ${now}
     returning id, lane, tenant_id, environment_id, payload, attempts, created_at`
}

/** The jobs that a `claim` statement leased. */
export const claimedJobs = (result: Result | undefined): Job[] => rowsOf(Job, result)

/** Whether any job of this kind is due. */
export async function isAnyDue(db: Db, kind: JobKindName, now: Date): Promise<boolean> {
  return (
    (await db.maybeOne(z.object({ id: z.string() }), sql`select id from jobs where kind = ${kind} and due_at <= ${now} limit 1`)) !== null
  )
}

const Backlog = z.object({ due: z.int(), oldest: z.date().nullable() })
/** Counting reads an index entry for each due job. */
const most_counted = 10_000

/** Returns how many jobs of each kind are due, and since when the oldest. Leased jobs are not due. */
export function backlogOf(db: Db, now: Date): Promise<{ kind: JobKindName; due: number; oldest: Date | null }[]> {
  return Promise.all(
    job_kinds.map(async (kind) => {
      const [row] = await db.all(
        Backlog,
        sql`select count(*) as due, min(due_at) as oldest
              from (select due_at from jobs where kind = ${kind} and due_at <= ${now} order by due_at limit ${most_counted}) due_jobs`,
      )
      return { kind, due: 0, oldest: null, ...row }
    }),
  )
}

/** Removes a job that is done. */
export function remove(leased_by: string, job: Job): Statement {
  return atCoordinator`delete from jobs where ${isHeld(leased_by, job)}`
}

/** Removes a job that is given up. Fails as a guard if it was enqueued again after it was claimed. */
export function giveUp(leased_by: string, job: Job): Statement {
  return guard(atCoordinator`delete from jobs where ${isHeld(leased_by, job)} and created_at = ${job.created_at}`)
}

/** Begins the attempts of a job again, now. */
export function beginAgain(leased_by: string, job: Job, now: Date): Statement {
  return atCoordinator`update jobs set leased_by = null, attempts = 0, due_at = ${now} where ${isHeld(leased_by, job)}`
}

/** Returns a job to the queue. Any process may take it after `until`. */
export function postpone(leased_by: string, job: Job, until: Date): Statement {
  return atCoordinator`update jobs set leased_by = null, due_at = ${until} where ${isHeld(leased_by, job)}`
}

/** Whether this process still holds the lease for this attempt. Another process may have taken the job after the lease ended. */
const isHeld = (leased_by: string, { id, attempts }: Job) => sql`id = ${id} and leased_by = ${leased_by} and attempts = ${attempts}`
