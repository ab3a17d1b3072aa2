/** Queues the logout requests of Back-Channel Logout 1.0 when a session ends. `../backchannel-logout.ts` sends them. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Statement, sql } from '../../db/db.ts'
import { enqueueEach } from '../../outbound/queue.ts'

/** The payload of a job. Its lane is the application. */
export const LogoutPayload = z.object({ session_id: z.string(), user_id: z.string() })

/**
 * For a batch, after the statements that end the sessions with `now`. Queues a job for each enabled application that has a logout URI and
 * received a code for one of these sessions, even where its tokens have ended.
 *
 * Back-Channel Logout 1.0 §2.3: the OP remembers the RPs of a session, here by the grants, which are kept as long as a session can last
 */
export function enqueueBackchannelLogouts(
  environment_id: EnvironmentId,
  of: { session_id: string } | { user_id: string },
  now: Date,
): Statement {
  const which = 'session_id' in of ? sql`s.id = ${of.session_id}` : sql`s.user_id = ${of.user_id}`
  return enqueueEach(
    'backchannel_logout',
    {
      id: sql`'backchannel_logout.' || ended.session_id || '.' || ended.application_id`,
      lane: sql`ended.application_id`,
      environment_id: sql`ended.environment_id`,
      payload: sql`'{"session_id":"' || ended.session_id || '","user_id":"' || ended.user_id || '"}'`, // ids need no escaping in JSON
    },
    sql`from (select distinct g.environment_id, g.session_id, g.user_id, g.application_id
                from sessions s
                join grants g on g.environment_id = s.environment_id || '' and g.session_id = s.id
                join applications a on a.environment_id = g.environment_id || '' and a.id = g.application_id
               where s.environment_id = ${environment_id} and ${which} and s.ended_at = ${now}
                 and a.disabled = 0 and a.backchannel_logout_uri is not null) ended
        where 1 = 1`,
    now,
  )
}
