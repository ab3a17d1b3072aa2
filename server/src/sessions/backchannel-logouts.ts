/** The logout requests of Back-Channel Logout 1.0, queued when a session ends, and their attempts. `../backchannel-logout.ts` sends them. */
import { BackchannelLogout } from '@ostiary/contract/backchannel-logout.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { timeDigits } from '../base/ids.ts'
import { currentTrace } from '../base/trace.ts'
import { traceparentOf } from '../base/trace-context.ts'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import { withAttempts } from '../queue/attempts.ts'
import { enqueue, enqueueEach } from '../queue/queue.ts'

/** The payload of a job. Its lane is the application, its id that of the message. */
export const LogoutPayload = z.object({ session_id: z.string(), user_id: z.string(), traceparent: z.string().optional() })

/**
 * For a batch, after the statements that end the sessions with `now`. Adds a message and its job for each enabled application that has a
 * logout URI and received a code for one of these sessions, even where its tokens have ended.
 *
 * Back-Channel Logout 1.0 §2.3: the OP remembers the RPs of a session, here by the grants, which are kept as long as a session can last
 */
export function enqueueBackchannelLogouts(
  environment_id: EnvironmentId,
  of: { session_id: string } | { user_ids: readonly string[] },
  now: Date,
): Statement[] {
  const which =
    'session_id' in of
      ? sql`environment_id = ${environment_id} and id = ${of.session_id}`
      : sql`environment_id || '' = ${environment_id} and user_id in (${list(of.user_ids)})`
  const queued = 'session_id' in of ? sql`m.session_id = ${of.session_id}` : sql`m.user_id in (${list(of.user_ids)})`
  const trace = currentTrace()
  const traced = trace === null ? '' : `","traceparent":"${traceparentOf(trace)}`
  // The id of a message: the time, and the random ends of the ids of its session and its application. Each table is found by the ids of the
  // one before it (`|| ''`). Otherwise both engines enter all of them by the environment, and read every grant of it.
  return [
    sql`insert into backchannel_logouts (environment_id, id, application_id, session_id, user_id, status, created_at, updated_at)
        select ended.environment_id,
               cast(${`msg_${timeDigits(now)}`} as text) || substr(ended.session_id, 23, 8) || substr(ended.application_id, 23, 8),
               ended.application_id, ended.session_id, ended.user_id, 'waiting', ${now}, ${now}
          from (select distinct g.environment_id, g.session_id, g.user_id, g.application_id
                  from (select environment_id, id from sessions where ${which} and ended_at = ${now}) s
                  join grants g on g.environment_id || '' = s.environment_id and g.session_id = s.id
                  join applications a on a.environment_id || '' = g.environment_id and a.id = g.application_id
                 where a.disabled = 0 and a.backchannel_logout_uri is not null) ended
         where 1 = 1
        on conflict (environment_id, id) do nothing`,
    enqueueEach(
      {
        kind: 'backchannel_logout',
        id: sql`m.id`,
        lane: sql`m.application_id`,
        environment_id: sql`m.environment_id`,
        payload: sql`'{"session_id":"' || m.session_id || '","user_id":"' || m.user_id || cast(${traced} as text) || '"}'`, // ids need no escaping in JSON
      },
      sql`from backchannel_logouts m where m.created_at = ${now} and m.environment_id = ${environment_id} and ${queued} and m.status = 'waiting'`,
      now,
    ),
  ]
}

export function settleLogout(environment_id: EnvironmentId, message_id: string, status: 'delivered' | 'given_up', now: Date): Statement {
  return sql`update backchannel_logouts set status = ${status}, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${message_id} and status = 'waiting'`
}

/** Makes a message due now, also one that waits for its next attempt. */
export function resendLogout({ environment_id, id, application_id, session_id, user_id }: LogoutRow, now: Date): Statement[] {
  const trace = currentTrace()
  const payload: z.infer<typeof LogoutPayload> = { session_id, user_id, ...(trace && { traceparent: traceparentOf(trace) }) }
  return [
    guard(sql`update backchannel_logouts set status = 'waiting', updated_at = ${now}
      where environment_id = ${environment_id} and id = ${id}`),
    enqueue({ id, kind: 'backchannel_logout', lane: application_id, environment_id, payload }, now),
  ]
}

const Row = BackchannelLogout.omit({ attempts: true, message_id: true })
type LogoutRow = z.infer<typeof Row>

/** Lists messages with their attempts. `rest` is the end of the query. The job of a waiting message has the time of its next attempt. */
export async function listLogouts(db: Db, environment_id: EnvironmentId, rest: Statement): Promise<BackchannelLogout[]> {
  const rows = await db.all(
    Row,
    sql`select * from (
          select m.id, m.environment_id, m.application_id, m.session_id, m.user_id, m.status,
                 case when m.status = 'waiting' then j.due_at end as next_attempt_at, m.created_at, m.updated_at
            from backchannel_logouts m left join jobs j on j.id = m.id
           where m.environment_id = ${environment_id}) listed
         where 1 = 1 ${rest}`,
  )
  return withAttempts(db, 'backchannel_logout_attempts', environment_id, rows)
}

export async function findLogout(db: Db, environment_id: EnvironmentId, id: string): Promise<BackchannelLogout | null> {
  const [found] = await listLogouts(db, environment_id, sql`and id = ${id}`)
  return found ?? null
}
