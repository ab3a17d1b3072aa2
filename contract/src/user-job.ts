/** Jobs that do the same to many users. */
import { z } from 'zod'
import { EnvironmentId, ProjectId, TenantId, UserId, UserJobId } from './ids.ts'
import { thousands } from './thousands.ts'
import { Time } from './values.ts'

/** The most users of one job. */
export const most_users_of_job = 10_000

export const user_job_actions = ['block', 'unblock', 'end_sessions', 'delete'] as const

const action = z
  .enum(user_job_actions)
  .describe('What happens to each user: the same as by the call for one user, with the same event and audit entry.')

export const NewUserJob = z.strictObject({
  action,
  user_ids: z
    .array(UserId)
    .min(1)
    .max(most_users_of_job, { abort: true })
    .refine((ids) => new Set(ids).size === ids.length, 'The list names a user twice.')
    .describe(`The users, by id: 1 to ${thousands(most_users_of_job)}, each once.`),
})
export type NewUserJob = z.infer<typeof NewUserJob>

export const UserJob = z.strictObject({
  id: UserJobId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  action,
  status: z.enum(['waiting', 'running', 'done']).describe('How far the job is. It ends by itself.'),
  total: z.int().describe('The number of users that it names.'),
  done: z.int().describe('The users for whom the action is done, or for whom there was nothing to do.'),
  failed: z.int().describe('The users for whom it was given up, because other changes of the same user came first again and again.'),
  skipped: z.int().describe('The ids that no user of the environment has.'),
  created_at: Time,
  updated_at: Time,
  finished_at: Time.nullable().describe('When the last user was done; `null` until then. Seven days later the job is gone.'),
})
export type UserJob = z.infer<typeof UserJob>
