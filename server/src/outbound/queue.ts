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
  /** What is called: jobs of one lane never hold up another's. */
  lane: string
  environment_id: EnvironmentId | null
  payload: Record<string, unknown>
  /** The earliest time to do it. Without it, now. */
  due_at?: Date
}

const Job = z.object({
  id: z.string(),
  lane: z.string(),
  /** The tenant of the environment; '' without one. */
  tenant_id: z.string(),
  environment_id: EnvironmentId.nullable(),
  payload: z.record(z.string(), z.unknown()),
  /** 1 for the first. One that ended with its process counts too. */
  attempts: z.int(),
})
export type Job = z.infer<typeof Job>

/** For the batch that the job follows from. */
export function enqueue({ id, kind, lane, environment_id, payload, due_at }: NewJob, now: Date): Statement {
  return leavesWork(
    sql`insert into jobs (id, kind, lane, tenant_id, environment_id, payload, due_at, created_at)
      values (${id}, ${kind}, ${lane}, ${tenantOf(sql`${environment_id}`)}, ${environment_id}, ${payload}, ${due_at ?? now}, ${now})
      on conflict (id) do nothing`,
    'queue',
  )
}

/** The tenant whose turn a job waits for; the empty text is nobody's. */
const tenantOf = (environment_id: Statement) =>
  sql`coalesce((select own.tenant_id from environments own where own.id = ${environment_id}), '')`

/** For a batch: a job for every row of a query. `from` begins with `from` and ends with a `where`; the columns are expressions over it. */
export function enqueueEach(
  kind: JobKindName,
  columns: Record<'id' | 'lane' | 'environment_id' | 'payload', Statement>,
  from: Statement,
  now: Date,
): Statement {
  const { id, lane, environment_id, payload } = columns
  return leavesWork(
    sql`insert into jobs (id, kind, lane, tenant_id, environment_id, payload, due_at, created_at)
      select ${id}, ${kind}, ${lane}, ${tenantOf(environment_id)}, ${environment_id}, ${payload}, ${now}, ${now} ${from}
      on conflict (id) do nothing`,
    'queue',
  )
}

const Turn = z.object({ tenant_id: z.string(), due_at: z.date() })
const tenants_per_page = 100

/** Tenants with due jobs of a kind, each once: those after a tenant, by their ids, and then those up to it. */
export async function* tenantsInTurn(db: Db, kind: JobKindName, after: string | null, now: Date): AsyncGenerator<string> {
  const rounds = after === null ? [{ from: null, to: null }] : [{ from: after, to: null }, { from: null, to: after }] // biome-ignore format: two rows
  for (const { from, to } of rounds) {
    for (let last: string | null | undefined = from; last !== undefined; ) {
      const page: z.infer<typeof Turn>[] = await db.all(Turn, pageOfTenants(kind, last, to))
      for (const { tenant_id, due_at } of page) if (due_at <= now) yield tenant_id
      last = page.length < tenants_per_page ? undefined : page.at(-1)?.tenant_id
    }
  }
}

/** Goes from tenant to tenant by an index, so the cost does not depend on how many jobs wait. */
function pageOfTenants(kind: JobKindName, after: string | null, to: string | null): Statement {
  const first = after === null ? sql`` : sql` and tenant_id > ${after}`
  const last = to === null ? sql`` : sql` and tenant_id <= ${to}`
  return sql`with recursive turns (tenant_id, place) as (
      select min(tenant_id), 1 from jobs where kind = ${kind}${first}
      union all
      select (select min(jobs.tenant_id) from jobs where kind = ${kind} and jobs.tenant_id > turns.tenant_id), place + 1
        from turns where turns.tenant_id is not null and place < ${tenants_per_page}
    )
    select tenant_id, (select min(jobs.due_at) from jobs where kind = ${kind} and jobs.tenant_id = turns.tenant_id) as due_at
      from turns where tenant_id is not null${last} order by place`
}

const Candidate = z.object({
  id: z.string(),
  lane: z.string(),
  tenant_id: z.string(),
  environment_id: EnvironmentId.nullable(),
  /** The URL as it is now; `null` where what had it is gone. */
  url: z.string().nullable(),
})
export type Candidate = z.infer<typeof Candidate>

export interface Wanted {
  kind: JobKindName
  tenants: readonly string[]
  /** Of each tenant. */
  most: number
  /** Only the first of each lane, by id: the next one waits until it is removed, whoever has it. */
  in_order: boolean
  without_lanes: readonly string[]
  /** The URL that a job calls: a query over a row `job`, of `jobs`. */
  url: Statement
}

/** Due jobs of some tenants, the oldest of each tenant. Changes nothing: others may take them first. */
export function findCandidates(db: Db, { kind, tenants, most, in_order, without_lanes, url }: Wanted, now: Date): Promise<Candidate[]> {
  const lanes = without_lanes.length === 0 ? sql`` : sql` and lane not in (${listOf(without_lanes)})`
  const pages = tenants.map((tenant_id) => {
    const which = in_order ? sql`id in (${headsOf(kind, tenant_id)})` : sql`kind = ${kind} and tenant_id = ${tenant_id}`
    return sql`select * from (select id, lane, tenant_id, environment_id, due_at from jobs
                               where ${which} and due_at <= ${now}${lanes} order by due_at, id limit ${most}) page`
  })
  return db.all(
    Candidate,
    sql`select id, lane, tenant_id, environment_id, (${url}) as url from (${join(pages, ' union all ')}) job order by due_at, id`,
  )
}

/** The first job of each lane of a tenant. Goes from lane to lane, so the cost is that of the lanes, however many jobs wait in them. */
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
 * Takes the jobs among these that are still due. No two callers get the same one: PostgreSQL judges the outer condition
 * again on the row when it has the lock (READ COMMITTED), and the first caller has moved `due_at`. A head stays the head of
 * its lane until it is removed, because ids of a lane only rise; so order holds although the candidates were read before.
 */
export async function claim(db: Db, ids: readonly string[], lease: Lease, now: Date): Promise<Job[]> {
  if (ids.length === 0) return []
  return takenIn((await db.batch([take(sql`id in (${listOf([...ids].sort())})`, lease, now)]))?.[0])
}

/**
 * For the batch that removes the first job of a lane: takes the one after it, where that is due. Until the batch is
 * committed the lane has the same head for everybody else, so nobody can come in between.
 */
export function claimNext(kind: JobKindName, { tenant_id, lane }: Job, lease: Lease, now: Date): Statement {
  return take(sql`id = (select min(id) from jobs where kind = ${kind} and tenant_id = ${tenant_id} and lane = ${lane})`, lease, now)
}

function take(which: Statement, { leased_by, leased_until }: Lease, now: Date): Statement {
  return sql`update jobs set leased_by = ${leased_by}, due_at = ${leased_until}, attempts = attempts + 1
         where ${which} and due_at <= ${now}
     returning id, lane, tenant_id, environment_id, payload, attempts`
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
