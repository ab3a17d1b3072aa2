/** Sessions: one sign-in of one person in one browser. The cookie holds a secret, the row its digest. */
import type { EnvironmentId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { Session } from '@ostiary/contract/session.ts'
import { z } from 'zod'
import { type Db, join, type Statement, sql } from '../../db/db.ts'
import { enqueueBackchannelLogouts } from './backchannel-logouts.ts'

const SessionRow = z.object({
  id: z.custom<SessionId>(),
  user_id: z.custom<UserId>(),
  token_hash: z.string(),
  auth_time: z.date(),
  amr: z.array(z.string()),
  acr: z.string(),
  last_seen_at: z.date(),
  expires_at: z.date(),
  absolute_expires_at: z.date(),
  email: z.string(),
  name: z.string().nullable(),
})
export type SessionRow = z.infer<typeof SessionRow>

export interface NewSession {
  id: SessionId
  user_id: UserId
  token_hash: string
  amr: readonly string[]
  acr: string
  ip: string | null
  user_agent: string | null
  expires_at: Date
  absolute_expires_at: Date
}

/** For a batch: the session exists only where the person does and is not blocked. */
export function insertSession(environment_id: EnvironmentId, session: NewSession, now: Date): Statement {
  return sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, ip, user_agent, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at)
    select environment_id, ${session.id}, id, ${session.token_hash}, ${session.amr}, ${session.acr}, ${session.ip}, ${session.user_agent}, ${now}, ${now}, ${now},
           ${session.expires_at}, ${session.absolute_expires_at}
      from users where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null`
}

/** The living sessions behind these cookie secrets. */
export async function findSessions(
  db: Db,
  environment_id: EnvironmentId,
  token_hashes: readonly string[],
  now: Date,
): Promise<SessionRow[]> {
  if (token_hashes.length === 0) return []
  const list = join(
    token_hashes.map((hash) => sql`${hash}`),
    ', ',
  )
  return db.all(
    SessionRow,
    sql`select s.id, s.user_id, s.token_hash, s.auth_time, s.amr, s.acr, s.last_seen_at, s.expires_at, s.absolute_expires_at, u.email, u.name
          from sessions s join users u on u.environment_id = s.environment_id || '' and u.id = s.user_id and u.blocked_at is null
         where s.environment_id = ${environment_id} and s.token_hash in (${list}) and s.ended_at is null and s.expires_at > ${now}`,
  )
}

/** The same person signs in again in the same browser: another secret, a new time, the same session. */
export function renewSession(environment_id: EnvironmentId, session: NewSession, now: Date): Statement {
  return sql`update sessions set token_hash = ${session.token_hash}, amr = ${session.amr}, acr = ${session.acr}, ip = ${session.ip}, user_agent = ${session.user_agent},
        auth_time = ${now}, last_seen_at = ${now}, expires_at = ${session.expires_at}, absolute_expires_at = ${session.absolute_expires_at}
    where environment_id = ${environment_id} and id = ${session.id} and user_id = ${session.user_id} and ended_at is null
      and exists (select 1 from users where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null)`
}

/** The person signs out: ends the session with the grants that do not outlive it, and has its applications told. */
export function endSession(environment_id: EnvironmentId, session_id: string, now: Date): Statement[] {
  return [
    sql`update sessions set ended_at = ${now} where environment_id = ${environment_id} and id = ${session_id} and ended_at is null`,
    sql`update grants set ended_at = ${now}, ended_by = 'signed_out'
         where environment_id = ${environment_id} and session_id = ${session_id} and ended_at is null and offline = 0`,
    enqueueBackchannelLogouts(environment_id, { session_id }, now),
  ]
}

/** Ends every session of a person with every grant, and has the applications told; `condition` is the mark of what caused it. */
export function endEverything(environment_id: EnvironmentId, user_id: string, by: string, now: Date, condition: Statement): Statement[] {
  return [
    sql`update sessions set ended_at = ${now} where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null and ${condition}`,
    sql`update grants set ended_at = ${now}, ended_by = ${by} where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null and ${condition}`,
    enqueueBackchannelLogouts(environment_id, { user_id }, now),
  ]
}

/** The version of a session is the sign-in it stands for: using it is no change. */
const SessionRecord = Session.omit({ applications: true }).extend({ environment_id: z.string(), version: z.int() })

type Versioned = Session & { version: number }

const record = sql`select id, environment_id, user_id, created_at, last_seen_at, expires_at, ip, user_agent, amr, auth_time as version from sessions`

/** Sessions as a backend sees them: living ones only. */
export async function listSessionRecords(
  db: Db,
  environment_id: EnvironmentId,
  user_id: string,
  now: Date,
  rest: Statement,
): Promise<Session[]> {
  const rows = await db.all(
    SessionRecord,
    sql`${record} where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null and expires_at > ${now} ${rest}`,
  )
  return (await withApplications(db, environment_id, rows)).map(({ version: _, ...session }) => session)
}

export async function findSessionRecord(db: Db, environment_id: EnvironmentId, id: string, now: Date): Promise<Versioned | null> {
  const rows = await db.all(
    SessionRecord,
    sql`${record} where environment_id = ${environment_id} and id = ${id} and ended_at is null and expires_at > ${now}`,
  )
  return (await withApplications(db, environment_id, rows))[0] ?? null
}

const Used = z.object({ session_id: z.string(), application_id: Session.shape.applications.element })

async function withApplications(
  db: Db,
  environment_id: EnvironmentId,
  rows: readonly z.infer<typeof SessionRecord>[],
): Promise<Versioned[]> {
  if (rows.length === 0) return []
  const ids = join(
    rows.map((row) => sql`${row.id}`),
    ', ',
  )
  const used = await db.all(
    Used,
    sql`select distinct session_id, application_id from grants where environment_id = ${environment_id} and session_id in (${ids}) and ended_at is null`,
  )
  return rows.map(({ environment_id: _, ...row }) => ({
    ...row,
    applications: used.filter(({ session_id }) => session_id === row.id).map(({ application_id }) => application_id),
  }))
}

/** Ends the session as it was read, with every grant: for whoever manages it. Nothing happens where somebody was faster. */
export function endSessionRecord(environment_id: EnvironmentId, session: Versioned, now: Date): Statement[] {
  const mark = sessionEnded(environment_id, session.id, now)
  return [
    sql`update sessions set ended_at = ${now}
         where environment_id = ${environment_id} and id = ${session.id} and auth_time = ${session.version} and ended_at is null`,
    sql`update grants set ended_at = ${now}, ended_by = 'session_ended'
         where environment_id = ${environment_id} and session_id = ${session.id} and ended_at is null and ${mark}`,
    enqueueBackchannelLogouts(environment_id, { session_id: session.id }, now),
  ]
}

export const sessionEnded = (environment_id: EnvironmentId, id: string, now: Date): Statement =>
  sql`exists (select 1 from sessions where environment_id = ${environment_id} and id = ${id} and ended_at = ${now})`

const ConsentRow = z.object({ user_id: z.string(), scope: z.string() })

/** What these people allowed this application, in the words of `consentWords` (protocol/consent.ts). */
export async function findConsents(
  db: Db,
  environment_id: EnvironmentId,
  application_id: string,
  user_ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (user_ids.length === 0) return new Map()
  const list = join(
    user_ids.map((id) => sql`${id}`),
    ', ',
  )
  const rows = await db.all(
    ConsentRow,
    sql`select user_id, scope from consents where environment_id = ${environment_id} and application_id = ${application_id} and user_id in (${list})`,
  )
  return new Map(rows.map((row) => [row.user_id, row.scope.split(' ')]))
}

export function storeConsent(environment_id: EnvironmentId, user_id: string, application_id: string, scope: string, now: Date): Statement {
  return sql`insert into consents (environment_id, user_id, application_id, scope, created_at, updated_at)
    values (${environment_id}, ${user_id}, ${application_id}, ${scope}, ${now}, ${now})
    on conflict (environment_id, user_id, application_id) do update set scope = excluded.scope, updated_at = excluded.updated_at`
}
