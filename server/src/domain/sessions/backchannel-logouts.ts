/** The logout requests of Back-Channel Logout 1.0, queued when a session ends, and their attempts. `../backchannel-logout.ts` sends them. */
import { BackchannelLogout } from '@ostiary/contract/backchannel-logout.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { timeDigits } from '../../base/ids.ts'
import { currentTrace } from '../../base/trace.ts'
import { traceparentOf } from '../../base/trace-context.ts'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { atCoordinator, inEnvironment } from '../../db/environment.ts'
import { subOfOwner } from '../../db/sub.ts'
import { withAttempts } from '../queue/attempts.ts'
import { enqueue, enqueueEach } from '../queue/queue.ts'

/** The payload of a job. Its lane is the application, its id that of the message. */
export const LogoutPayload = z.object({
  session_id: z.string(),
  user_id: z.string(),
  /** Absent in jobs of a program that had none: then it is the id. */
  sub: z.string().optional(),
  traceparent: z.string().optional(),
})

/** A text of visible ASCII as it stands in JSON. */
const inJson = (text: Statement): Statement => sql`replace(replace(${text}, '\\', '\\\\'), '"', '\\"')`

/**
 * For a batch, after the statements that end the sessions with `ended_at`. Adds a message and its job for each enabled application that has
 * a logout URI and received a code for one of these sessions, even where its tokens have ended. It steps from application to application
 * of a session by an index, so the number of grants does not matter.
 *
 * Back-Channel Logout 1.0 §2.3: the OP remembers the RPs of a session, here by the grants, which are kept as long as a session can last
 */
export function enqueueBackchannelLogouts(
  environment_id: EnvironmentId,
  session_ids: readonly string[],
  now: Date,
  ended_at = now,
): Statement[] {
  const ids = list([...session_ids].sort())
  const trace = currentTrace()
  const traced = trace === null ? '' : `","traceparent":"${traceparentOf(trace)}`
  const next = (session_id: Statement, after: Statement) => sql`(
    select g.application_id from grants g
     where g.session_id = ${session_id} and g.application_id > ${after} and ${inEnvironment(environment_id, 'g')}
     order by g.application_id limit 1)`
  // The id of a message: the time, and the random ends of the ids of its session and its application.
  return [
    sql`insert into backchannel_logouts (environment_id, id, application_id, session_id, user_id, sub, status, created_at, updated_at)
        with recursive used (session_id, user_id, sub, application_id) as (
          select id, user_id, sub, ${next(sql`sessions.id`, sql`''`)} from sessions
           where environment_id = ${environment_id} and id in (${ids}) and ended_at = ${ended_at}
          union all
          select used.session_id, used.user_id, used.sub, ${next(sql`used.session_id`, sql`used.application_id`)}
            from used where used.application_id is not null)
        select ${environment_id}, cast(${`msg_${timeDigits(now)}`} as text) || substr(session_id, 23, 8) || substr(application_id, 23, 8),
               application_id, session_id, user_id, sub, 'waiting', ${now}, ${now}
          from used
         where (select 1 from applications a
                 where a.id = used.application_id and ${inEnvironment(environment_id, 'a')}
                   and a.disabled = 0 and a.backchannel_logout_uri is not null) = 1
        on conflict (environment_id, id) do nothing`,
    enqueueEach(
      {
        kind: 'backchannel_logout',
        id: sql`m.id`,
        lane: sql`m.application_id`,
        environment_id: sql`m.environment_id`,
        payload: sql`'{"session_id":"' || m.session_id || '","user_id":"' || m.user_id || '","sub":"' || ${inJson(subOfOwner(sql`m`))} || cast(${traced} as text) || '"}'`, // ids need no escaping in JSON
      },
      sql`from backchannel_logouts m
        where m.created_at = ${now} and m.environment_id = ${environment_id} and m.session_id in (${ids}) and m.status = 'waiting'`,
      now,
    ),
  ]
}

export function settleLogout(environment_id: EnvironmentId, message_id: string, status: 'delivered' | 'given_up', now: Date): Statement {
  return sql`update backchannel_logouts set status = ${status}, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${message_id} and status = 'waiting'`
}

/** Makes a message due now, also one that waits for its next attempt. */
export function resendLogout({ environment_id, id, application_id, session_id, user_id, sub }: LogoutRow, now: Date): Statement[] {
  const trace = currentTrace()
  const payload: z.infer<typeof LogoutPayload> = { session_id, user_id, sub, ...(trace && { traceparent: traceparentOf(trace) }) }
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
  const rows = await db.of(environment_id).all(
    Row,
    atCoordinator`select * from (
          select m.id, m.environment_id, m.application_id, m.session_id, m.user_id, ${subOfOwner(sql`m`)} as sub, m.status,
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
