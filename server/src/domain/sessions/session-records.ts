/** Sessions as the management API shows and ends them. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Session } from '@ostiary/contract/session.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { by_passkey } from '../../protocol/second-factor.ts'
import { canBeEnded, followSession } from './endings.ts'
import { grantStands, passwordMethodOf, sessionStands, standingSessionsOf } from './standing.ts'

/** The version of a session is the time of its sign-in, so that use of the session does not change it. */
const SessionRecord = Session.omit({ applications: true, method: true }).extend({
  environment_id: z.string(),
  began_with: z.string(),
  acr: z.string(),
  version: z.int(),
})

type Versioned = Session & { version: number }

const record = sql`
  select id, environment_id, user_id, created_at, last_seen_at, expires_at, ip, user_agent, amr, acr, began_with, auth_time as version from sessions`

/** The sessions of a user that can be ended, as the management API shows them. */
export async function listSessionRecords(db: Db, { environment_id, id }: UserRef, now: Date, rest: Statement): Promise<Session[]> {
  const rows = await db
    .of(environment_id)
    .all(SessionRecord, sql`${record} where ${standingSessionsOf(environment_id, id)} and ${canBeEnded(environment_id, now)} ${rest}`)
  return (await withApplications(db, environment_id, rows)).map(({ version: _, ...session }) => session)
}

export async function findSessionRecord(db: Db, environment_id: EnvironmentId, id: string, now: Date): Promise<Versioned | null> {
  const which = sql`environment_id = ${environment_id} and id = ${id} and ${canBeEnded(environment_id, now)} and ${sessionStands(environment_id, sql`sessions`)}`
  const rows = await db.of(environment_id).all(SessionRecord, sql`${record} where ${which}`)
  return (await withApplications(db, environment_id, rows))[0] ?? null
}

/** An application has tokens of a session if one of its newest grants is valid. */
const grants_looked_at = 50

const UsedApplication = z.object({ session_id: z.string(), application_id: Session.shape.applications.element })

async function withApplications(
  db: Db,
  environment_id: EnvironmentId,
  rows: readonly z.infer<typeof SessionRecord>[],
): Promise<Versioned[]> {
  if (rows.length === 0) return []
  // One step for each application of each session, however many grants it has there.
  const next = (session_id: Statement, after: Statement) => sql`(
    select g.application_id from grants g where g.session_id = ${session_id} and ${inEnvironment(environment_id, 'g')} ${after}
     order by g.application_id limit 1)`
  const newest = sql`select * from grants g
    where g.session_id = used.session_id and ${inEnvironment(environment_id, 'g')} and g.application_id = used.application_id
      and g.ended_at is null order by g.id desc limit ${grants_looked_at}`
  const used = await db.of(environment_id).all(
    UsedApplication,
    sql`with recursive used (session_id, application_id) as (
          select s.id, ${next(sql`s.id`, sql``)} from sessions s
           where s.environment_id = ${environment_id} and s.id in (${list(rows.map(({ id }) => id))})
          union all
          select used.session_id, ${next(sql`used.session_id`, sql`and g.application_id > used.application_id`)}
            from used where used.application_id is not null)
        select used.session_id, used.application_id from used
         where used.application_id is not null and exists (
           select 1 from (${newest}) listed where ${grantStands(environment_id, sql`listed`)})`,
  )
  return rows.map(({ environment_id: _, began_with, acr, ...row }) => ({
    ...row,
    method: methodOfSession({ began_with, acr, user_id: row.user_id }),
    applications: used.filter(({ session_id }) => session_id === row.id).map(({ application_id }) => application_id),
  }))
}

/** The method that a session began with: `began_with` names it, or a row of its kind. A provider alone reaches no level of a passkey. */
export function methodOfSession({ began_with, acr, user_id }: Pick<z.infer<typeof SessionRecord>, 'began_with' | 'acr' | 'user_id'>) {
  if (began_with === 'email_code') return began_with
  if (began_with === passwordMethodOf(user_id)) return 'password'
  return acr === by_passkey ? 'passkey' : 'provider'
}

/** Ends a session with all its grants. A guard: the batch fails where the session ended or was renewed after it was read. */
export function endSessionRecord(environment_id: EnvironmentId, session: Versioned, now: Date): Statement[] {
  return [
    guard(sql`update sessions set ended_at = ${now}, ends_grants = 1
         where environment_id = ${environment_id} and id = ${session.id} and auth_time = ${session.version}
           and ${sessionStands(environment_id, sql`sessions`)}`),
    followSession(environment_id, session.id, 'session_ended', now),
  ]
}
