/** Stores the jobs over users. `position` says how many users of a job are over, and the batch of each user raises it by a guard. */
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { type NewUserJob, UserJob } from '@ostiary/contract/user-job.ts'
import { z } from 'zod'
import { type Db, guard, identifiers, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Actor } from '../events/store.ts'
import { haveRoom, holdEnvironment } from '../tenancy/store.ts'

/** Jobs of an environment that wait or run. */
export const most_open = 20
const users_of_part = 500

/** Who asked for a job, as the audit log says it. */
export interface AskedBy {
  actor: Actor
  actor_label: string | null
  request_id: string
  ip: string | null
}

interface Place {
  tenant_id: TenantId
  environment_id: EnvironmentId
}

/** Fails as a guard if too many jobs are open. */
export function insertJob(
  { tenant_id, environment_id }: Place,
  id: string,
  { action, user_ids, actor, ...asked }: NewUserJob & AskedBy,
  now: Date,
): Statement[] {
  const parts = Array.from({ length: Math.ceil(user_ids.length / users_of_part) }, (_, part) =>
    insertInto('user_job_parts', {
      environment_id,
      job_id: id,
      part,
      user_ids: user_ids.slice(part * users_of_part, (part + 1) * users_of_part),
    }),
  )
  return [
    ...haveRoom(
      holdEnvironment(tenant_id, environment_id),
      sql`(select count(*) from user_jobs where environment_id = ${environment_id} and finished_at is null) < ${most_open}`,
    ),
    insertInto('user_jobs', {
      environment_id,
      id,
      action,
      total: user_ids.length,
      actor_type: actor.type,
      actor_id: actor.id,
      ...asked,
      created_at: now,
      updated_at: now,
    }),
    ...parts,
  ]
}

const columns = sql`j.id, e.tenant_id, e.project_id, j.environment_id, j.action, j.total, j.done, j.failed, j.skipped,
  case when j.finished_at is not null then 'done' when j.position > 0 then 'running' else 'waiting' end as status,
  j.created_at, j.updated_at, j.finished_at, j.position + case when j.finished_at is null then 1 else 2 end as version`

const JobRow = UserJob.extend({ version: z.int() })
type JobRow = z.infer<typeof JobRow>

export const findJob = (db: Db, environment_id: EnvironmentId, id: string): Promise<JobRow | null> =>
  db.of(environment_id).maybeOne(
    JobRow,
    sql`select ${columns} from user_jobs j join environments e on e.id = j.environment_id
           where j.environment_id = ${environment_id} and j.id = ${id}`,
  )

const OpenJob = z.object({
  environment_id: z.custom<EnvironmentId>(),
  id: z.string(),
  action: UserJob.shape.action,
  total: z.int(),
  position: z.int(),
  actor_type: z.custom<Actor['type']>(),
  actor_id: z.string().nullable(),
  actor_label: z.string().nullable(),
  request_id: z.string().nullable(),
  ip: z.string().nullable(),
})
export type OpenJob = z.infer<typeof OpenJob>

const open = sql`select environment_id, id, action, total, position, actor_type, actor_id, actor_label, request_id, ip from user_jobs where finished_at is null`
const jobs_at_once = 100

/** Finds jobs that are not done: those that were worked on least recently. */
export const findOpenJobs = (db: Db): Promise<OpenJob[]> => db.many.all(OpenJob, sql`${open} order by updated_at, id limit ${jobs_at_once}`)

export async function findOpenJob(db: Db, { environment_id, id }: Pick<OpenJob, 'environment_id' | 'id'>): Promise<OpenJob | null> {
  const [job = null] = await db.of(environment_id).all(OpenJob, sql`${open} and environment_id = ${environment_id} and id = ${id}`)
  return job
}

const Part = z.object({ user_ids: z.string() })

/** Finds the users from the present one on, to the end of its part. */
export async function findNextUsers(db: Db, { environment_id, id, position }: OpenJob): Promise<string[]> {
  const part = Math.floor(position / users_of_part)
  const row = await db
    .of(environment_id)
    .maybeOne(Part, sql`select user_ids from user_job_parts where environment_id = ${environment_id} and job_id = ${id} and part = ${part}`)
  const user_ids: string[] = row === null ? [] : JSON.parse(row.user_ids)
  return user_ids.slice(position - part * users_of_part)
}

/** Counts the present user, and ends the job with the last one. Fails as a guard where the user is counted already. */
export function countUser(
  { environment_id, id, position, total }: OpenJob,
  outcome: 'done' | 'failed' | 'skipped',
  now: Date,
): Statement[] {
  const is_last = position + 1 === total
  const counter = identifiers(outcome)
  return [
    guard(sql`update user_jobs
        set position = position + 1, ${counter} = ${counter} + 1, updated_at = ${now} ${is_last ? sql`, finished_at = ${now}` : sql``}
      where environment_id = ${environment_id} and id = ${id} and position = ${position}`),
    ...(is_last ? [sql`delete from user_job_parts where environment_id = ${environment_id} and job_id = ${id}`] : []),
  ]
}
