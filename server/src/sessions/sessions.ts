/** Sessions. A session is the sign-in of a person in a browser; the cookie holds its secret, the row the digest. It also has consents. */
import type { EnvironmentId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { Session } from '@ostiary/contract/session.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import { insertEvents, type Origin } from '../events/store.ts'
import { canBeEnded, followSession, sessionEndEvents } from './endings.ts'
import { grantStands, numberOfNewBeginning, sessionStands, standingSessionsOf } from './standing.ts'

const SessionRow = z.object({
  id: z.custom<SessionId>(),
  user_id: z.custom<UserId>(),
  token_hash: z.string(),
  auth_time: z.date(),
  amr: z.array(z.string()),
  acr: z.string(),
  began_with: z.string().nullable(),
  last_seen_at: z.date(),
  expires_at: z.date(),
  absolute_expires_at: z.date(),
  /** No less than the grants without `offline_access` that the session has; `null` for a session from before they were counted. */
  grant_count: z.int().nullable(),
  /** The same for the grants with `offline_access` that the user has. */
  offline_count: z.int().nullable(),
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
  began_with: string
  ip: string | null
  user_agent: string | null
  expires_at: Date
  absolute_expires_at: Date
}

/**
 * A guard: the batch fails where the user is deleted or blocked, the method is gone, or `only_if` is not true. The statement reads the
 * numbers that it stores, after a statement of the batch that writes the row of the user.
 */
export function insertSession(environment_id: EnvironmentId, session: NewSession, only_if: Statement, now: Date): Statement {
  const beginning = numberOfNewBeginning(environment_id, session.began_with, sql`u`)
  return guard(sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, ip, user_agent, ending, began_ending,
                                         grant_count, counted, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at)
    select environment_id, ${session.id}, id, ${session.token_hash}, ${session.amr}, ${session.acr}, ${session.began_with},
           ${session.ip}, ${session.user_agent}, ending, ${beginning},
           0, 1, ${now}, ${now}, ${now}, ${session.expires_at}, ${session.absolute_expires_at}
      from users u
     where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null and ${beginning} >= 0 and ${only_if}`)
}

/** The sessions with these digests that have not ended. `expires_at` says which of them still sign their person in. */
export async function findSessions(db: Db, environment_id: EnvironmentId, token_hashes: readonly string[]): Promise<SessionRow[]> {
  if (token_hashes.length === 0) return []
  return db.all(
    SessionRow,
    sql`select s.id, s.user_id, s.token_hash, s.auth_time, s.amr, s.acr, s.began_with, s.last_seen_at, s.expires_at, s.absolute_expires_at,
               s.grant_count, u.grant_count as offline_count, u.email, u.name
          from sessions s join users u on u.environment_id = s.environment_id || '' and u.id = s.user_id
         where s.environment_id = ${environment_id} and s.token_hash in (${list(token_hashes)}) and ${sessionStands(sql`s`)}`,
  )
}

/**
 * The same user signs in again in the same browser: the session gets a new secret and a new time. A guard, as `insertSession`. Its newest
 * grant of each application stays for as long as the session (`workers/visit-grants.ts`), so that a logout reaches the application.
 */
export function renewSession(environment_id: EnvironmentId, session: NewSession, only_if: Statement, now: Date): Statement {
  const beginning = sql`(select ${numberOfNewBeginning(environment_id, session.began_with, sql`u`)}
    from users u where u.environment_id = ${environment_id} and u.id = ${session.user_id})`
  return guard(sql`update sessions
    set token_hash = ${session.token_hash}, amr = ${session.amr}, acr = ${session.acr}, began_with = ${session.began_with},
        began_ending = ${beginning}, ip = ${session.ip}, user_agent = ${session.user_agent},
        auth_time = ${now}, last_seen_at = ${now}, expires_at = ${session.expires_at}, absolute_expires_at = ${session.absolute_expires_at}
    where environment_id = ${environment_id} and id = ${session.id} and user_id = ${session.user_id}
      and ${sessionStands(sql`sessions`)} and ${beginning} >= 0 and ${only_if}`)
}

/**
 * A second factor was used in a session: it keeps its id and time, and gets a new secret and level. A guard: fails if the session ended,
 * expired or got another secret since it was read.
 */
export function raiseSession(
  environment_id: EnvironmentId,
  session: SessionRow,
  raised: Pick<NewSession, 'token_hash' | 'amr' | 'acr' | 'expires_at'>,
  now: Date,
): Statement {
  return guard(sql`update sessions
    set token_hash = ${raised.token_hash}, amr = ${raised.amr}, acr = ${raised.acr}, last_seen_at = ${now}, expires_at = ${raised.expires_at}
    where environment_id = ${environment_id} and id = ${session.id} and user_id = ${session.user_id} and token_hash = ${session.token_hash}
      and expires_at > ${now} and ${sessionStands(sql`sessions`)}`)
}

/**
 * Sign-out: ends the session and its grants without `offline_access`, and raises the event. The back-channel logouts follow. Does nothing
 * where the session has ended already.
 */
export function endSession(
  environment_id: EnvironmentId,
  session_id: string,
  { reason, origin }: { reason: 'signed_out' | 'expired'; origin: Origin },
  now: Date,
): Statement[] {
  return [
    ...sessionEndEvents(environment_id, sql`id = ${session_id}`, { reason, origin }, now),
    sql`update sessions set ended_at = ${now} where environment_id = ${environment_id} and id = ${session_id} and ended_at is null`,
    followSession(environment_id, session_id, 'signed_out', now),
  ]
}

/** The version of a session is the time of its sign-in, so that use of the session does not change it. */
const SessionRecord = Session.omit({ applications: true }).extend({ environment_id: z.string(), version: z.int() })

type Versioned = Session & { version: number }

const record = sql`
  select id, environment_id, user_id, created_at, last_seen_at, expires_at, ip, user_agent, amr, auth_time as version from sessions`

/** The sessions of a user that can be ended, as the management API shows them. */
export async function listSessionRecords(
  db: Db,
  environment_id: EnvironmentId,
  user_id: string,
  now: Date,
  rest: Statement,
): Promise<Session[]> {
  const rows = await db.all(
    SessionRecord,
    sql`${record} where ${standingSessionsOf(environment_id, user_id)} and ${canBeEnded(now)} ${rest}`,
  )
  return (await withApplications(db, environment_id, rows)).map(({ version: _, ...session }) => session)
}

export async function findSessionRecord(db: Db, environment_id: EnvironmentId, id: string, now: Date): Promise<Versioned | null> {
  const which = sql`environment_id = ${environment_id} and id = ${id} and ${canBeEnded(now)} and ${sessionStands(sql`sessions`)}`
  const rows = await db.all(SessionRecord, sql`${record} where ${which}`)
  return (await withApplications(db, environment_id, rows))[0] ?? null
}

/** An application has tokens of a session where one of its newest grants stands. */
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
    select g.application_id from grants g where g.session_id = ${session_id} and g.environment_id || '' = ${environment_id} ${after}
     order by g.application_id limit 1)`
  const newest = sql`select * from grants g
    where g.session_id = used.session_id and g.environment_id || '' = ${environment_id} and g.application_id = used.application_id
      and g.ended_at is null order by g.id desc limit ${grants_looked_at}`
  const used = await db.all(
    UsedApplication,
    sql`with recursive used (session_id, application_id) as (
          select s.id, ${next(sql`s.id`, sql``)} from sessions s
           where s.environment_id = ${environment_id} and s.id in (${list(rows.map(({ id }) => id))})
          union all
          select used.session_id, ${next(sql`used.session_id`, sql`and g.application_id > used.application_id`)}
            from used where used.application_id is not null)
        select used.session_id, used.application_id from used
         where used.application_id is not null and exists (
           select 1 from (${newest}) listed where ${grantStands(sql`listed`)})`,
  )
  return rows.map(({ environment_id: _, ...row }) => ({
    ...row,
    applications: used.filter(({ session_id }) => session_id === row.id).map(({ application_id }) => application_id),
  }))
}

/** Ends a session with all its grants. A guard: the batch fails where the session ended or was renewed after it was read. */
export function endSessionRecord(environment_id: EnvironmentId, session: Versioned, now: Date): Statement[] {
  return [
    guard(sql`update sessions set ended_at = ${now}, ends_grants = 1
         where environment_id = ${environment_id} and id = ${session.id} and auth_time = ${session.version}
           and ${sessionStands(sql`sessions`)}`),
    followSession(environment_id, session.id, 'session_ended', now),
  ]
}

const ConsentRow = z.object({ user_id: z.string(), scope: z.string() })

/** The consent of these users for an application, in the words of `consentWords` (protocol/consent.ts). */
export async function findConsents(
  db: Db,
  environment_id: EnvironmentId,
  application_id: string,
  user_ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (user_ids.length === 0) return new Map()
  const rows = await db.all(
    ConsentRow,
    sql`select c.user_id, c.scope from consents c
          join users u on u.environment_id = c.environment_id || '' and u.id = c.user_id and u.consents_ending = c.ending
         where c.environment_id = ${environment_id} and c.application_id = ${application_id} and c.user_id in (${list(user_ids)})`,
  )
  return new Map(rows.map((row) => [row.user_id, row.scope.split(' ')]))
}

/** Fails as a guard if the consent is not `before` any more, since another window or a disconnect was first, or the application is gone. */
export function storeConsent(
  environment_id: EnvironmentId,
  { user_id, application_id }: { user_id: string; application_id: string },
  { before, after }: { before: readonly string[] | null; after: readonly string[] },
  now: Date,
): Statement {
  const application = sql`from applications a
    join users u on u.environment_id = a.environment_id || '' and u.id = ${user_id}
   where a.environment_id = ${environment_id} and a.id = ${application_id} and a.disabled = 0`
  const scope = after.join(' ')
  if (before === null)
    return guard(sql`insert into consents (environment_id, user_id, application_id, scope, ending, created_at, updated_at)
      select a.environment_id, u.id, a.id, ${scope}, u.consents_ending, ${now}, ${now} ${application}
      on conflict (environment_id, user_id, application_id) do update
        set scope = excluded.scope, ending = excluded.ending, created_at = excluded.created_at, updated_at = excluded.updated_at
        where consents.ending < excluded.ending`)
  return guard(sql`update consents set scope = ${scope}, updated_at = ${now}
    where environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id}
      and scope = ${before.join(' ')} and exists (select 1 ${application} and u.consents_ending = consents.ending)`)
}

/** Removes the consent of a user for an application, with its event where there was one. */
export function revokeConsent(
  environment_id: EnvironmentId,
  { user_id, application_id }: { user_id: string; application_id: string },
  origin: Origin,
  now: Date,
): Statement[] {
  const which = sql`environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id}`
  const columns = {
    suffix: sql`substr(application_id, 19, 12)`,
    user_id: sql`user_id`,
    application_id: sql`application_id`,
    data: sql`'{}'`,
    from: sql`from consents where ${which}
      and ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})`,
  }
  return [insertEvents(environment_id, origin, 'consent.revoked', columns, now), sql`delete from consents where ${which}`]
}
