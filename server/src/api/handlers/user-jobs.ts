/** Jobs over users. The worker runs them (`workers/user-jobs.ts`). */
import { reason } from '../../base/reason.ts'
import { findJob, insertJob, most_open } from '../../domain/users/jobs.ts'
import { found, overQuota } from '../../http/problem.ts'
import { labelOf } from '../commit.ts'
import type { Handler } from '../handler.ts'

export const createUserJob: Handler<'createUserJob'> = async ({ newId, now }, { caller, body, request_id, ip, commit }) => {
  const { id: environment_id, tenant_id, project_id } = caller.environment
  const at = now()
  const id = newId('ujb')
  const asked = { actor: caller.actor, actor_label: labelOf(caller), request_id, ip }
  const job = {
    id,
    tenant_id,
    project_id,
    environment_id,
    action: body.action,
    status: 'waiting' as const,
    total: body.user_ids.length,
    done: 0,
    failed: 0,
    skipped: 0,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    finished_at: null,
    version: 1,
  }
  const created = await commit(
    { statements: insertJob({ tenant_id, environment_id }, id, { ...body, ...asked }, at), before: null, answer: job },
    at,
  )
  if (!created) throw overQuota(['user_ids'], reason`At most ${most_open} jobs of an environment wait or run. Wait for the end of one.`)
  return job
}

export const getUserJob: Handler<'getUserJob'> = ({ db }, { caller, params }) =>
  found(findJob(db, caller.environment.id, params.user_job_id ?? ''))
