/**
 * Runs the jobs over users: each user in a batch of its own, which also counts the user. So a process that ends in between leaves no user half
 * done, and none is done twice. One process works at a time, and jobs take turns.
 */
import type { UserJob } from '@ostiary/contract/user-job.ts'
import { restartLimit } from '../base/database-time.ts'
import { day_ms } from '../base/durations.ts'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type Administered, blocking, closing, deletion, signingOut } from '../domain/accounts/administration.ts'
import { describeChange } from '../domain/audit/entry.ts'
import { insertAuditEntry } from '../domain/audit/store.ts'
import { createLease } from '../domain/events/lease.ts'
import { originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { countUser, findNextUsers, findOpenJob, findOpenJobs, type OpenJob } from '../domain/users/jobs.ts'
import { findUser, type UserRow } from '../domain/users/store.ts'
import type { Issuers } from '../oidc/issuer.ts'

const lease_ms = 30_000
/** The users of one job before the next job has its turn. */
const users_of_turn = 50
/** Another change of the user can come first so often. */
const most_tries = 20

type Services = Deployment & { issuers: Pick<Issuers, 'find'> }

interface Action {
  /** The call for one user, which the audit entry names. */
  call: string
  of: (services: Services, job: OpenJob, user: UserRow, now: Date) => Administered | null | Promise<Administered | null>
}

const actorOf = ({ actor_type, actor_id }: OpenJob) => ({ type: actor_type, id: actor_id })

const actions: Record<UserJob['action'], Action> = {
  block: { call: 'blockUser', of: (_, _job, user, now) => blocking(user, true, now) },
  unblock: { call: 'unblockUser', of: (_, _job, user, now) => blocking(user, false, now) },
  end_sessions: {
    call: 'endUserSessions',
    of: (services, job, user, now) => signingOut(user, originOf(services, actorOf(job), job.request_id), now),
  },
  delete: { call: 'deleteUser', of: deleteOrClose },
}

/** As the call for one user does. A closed account stays as it is. */
async function deleteOrClose(services: Services, job: OpenJob, user: UserRow, now: Date): Promise<Administered | null> {
  if (user.deletes_at !== null) return null
  const days = (await services.issuers.find(job.environment_id))?.settings.users.deletion_grace_days ?? 0
  if (days === 0) return deletion(user, now)
  return closing(services, user, { ends: new Date(now.getTime() + days * day_ms), request_id: job.request_id }, now)
}

/** @param holdsLease says whether this process works. Two that work at once do no harm. */
export function createUserJobs(
  services: Services,
  isStopping: () => boolean,
  holdsLease: () => Promise<boolean> = createLease(services, 'user jobs', lease_ms),
) {
  const { db, now } = services
  const mayWork = async () => !isStopping() && (await holdsLease())

  /** The next user of a job. Returns the job as it is then, or `null` at its end. */
  async function next(job: OpenJob, user_id: string): Promise<OpenJob | null> {
    for (let tries = 1; ; tries++) {
      restartLimit()
      const at = now()
      const user = await findUser(db, job.environment_id, user_id)
      const outcome = user === null ? 'skipped' : tries > most_tries ? 'failed' : 'done'
      const change = user !== null && outcome === 'done' ? await actions[job.action].of(services, job, user, at) : null
      const statements = user !== null && change !== null ? recorded(services, job, { user, change }, at) : []
      const counted = await db.of(job.environment_id).batch([...statements, ...countUser(job, outcome, at)])
      if (counted) return job.position + 1 === job.total ? null : { ...job, position: job.position + 1 }
      const present = await findOpenJob(db, job)
      if (present?.position !== job.position) return present // another process has counted the user
    }
  }

  /** The next users of a job. Says whether there were any. */
  async function turn(job: OpenJob): Promise<boolean> {
    let at: OpenJob | null = job
    const user_ids = (await findNextUsers(db, job)).slice(0, users_of_turn)
    for (const user_id of user_ids) {
      if (at === null || !(await mayWork())) break
      const after: OpenJob | null = await next(at, user_id)
      if (after !== null && after.position !== at.position + 1) break
      at = after
    }
    return user_ids.length > 0
  }

  return {
    /** Works until no job is open, or the service stops. A job that fails waits for the next call and holds up no other; the call then fails too. */
    async work(): Promise<void> {
      const failed = new Map<string, unknown>()
      let has_more = true
      while (has_more) {
        has_more = false
        for (const job of await findOpenJobs(db)) {
          if (failed.has(job.id)) continue
          if (!(await mayWork())) return
          try {
            has_more = (await turn(job)) || has_more
          } catch (error) {
            failed.set(job.id, error)
          }
        }
      }
      const [error, ...others] = new Set(failed.values())
      if (others.length > 0) throw new AggregateError([error, ...others], `${failed.size} jobs over users fail.`)
      if (failed.size > 0) throw error
    },
  }
}

/** The change of a user with its audit entry and its event, as the call for one user writes them. */
function recorded({ newId }: Services, job: OpenJob, { user, change }: { user: UserRow; change: Administered }, now: Date): Statement[] {
  const { environment_id, actor_label, request_id, ip } = job
  const actor = actorOf(job)
  const entry = { id: newId('aud'), action: actions[job.action].call, actor, actor_label, request_id, ip }
  const described = { ...describeChange(user, change.after), project_id: user.project_id, environment_id }
  return [
    ...change.statements,
    insertAuditEntry(user.tenant_id, entry, described, now),
    ...(change.event === null ? [] : [insertEvent(environment_id, originOf({ newId }, actor, request_id), change.event, now)]),
  ]
}
