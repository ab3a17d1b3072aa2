/** Sessions. A session is the sign-in of a person in a browser; the cookie holds its secret, the row the digest. It also has consents. */
import type { EnvironmentId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { Session } from '@ostiary/contract/session.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import { insertEvents, type Origin } from '../events/store.ts'
import { enqueueBackchannelLogouts } from './backchannel-logouts.ts'
import { endHalfSignIns } from './half-sign-ins.ts'

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
 * A guard: the batch fails where the user is deleted or blocked, or `only_if` is not true. Deleting and blocking also end the sessions of
 * the user, and unblocking ends sessions that a race stored.
 */
export function insertSession(environment_id: EnvironmentId, session: NewSession, only_if: Statement, now: Date): Statement {
  return guard(sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, ip, user_agent,
                                         created_at, auth_time, last_seen_at, expires_at, absolute_expires_at)
    select environment_id, ${session.id}, id, ${session.token_hash}, ${session.amr}, ${session.acr}, ${session.began_with},
           ${session.ip}, ${session.user_agent}, ${now}, ${now}, ${now}, ${session.expires_at}, ${session.absolute_expires_at}
      from users where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null and ${only_if}`)
}

/** The sessions with these digests that have not ended. `expires_at` says which of them still sign their person in. */
export async function findSessions(db: Db, environment_id: EnvironmentId, token_hashes: readonly string[]): Promise<SessionRow[]> {
  if (token_hashes.length === 0) return []
  return db.all(
    SessionRow,
    sql`select s.id, s.user_id, s.token_hash, s.auth_time, s.amr, s.acr, s.began_with, s.last_seen_at, s.expires_at, s.absolute_expires_at,
               u.email, u.name
          from sessions s join users u on u.environment_id = s.environment_id || '' and u.id = s.user_id and u.blocked_at is null
         where s.environment_id = ${environment_id} and s.token_hash in (${list(token_hashes)}) and s.ended_at is null`,
  )
}

/**
 * The same user signs in again in the same browser: the session gets a new secret and a new time. Has a guard, as `insertSession`. Its
 * newest grant of each application is then kept for as long as the session, so that a logout reaches the application.
 */
export function renewSession(environment_id: EnvironmentId, session: NewSession, only_if: Statement, now: Date): Statement[] {
  const renewed = guard(sql`update sessions
    set token_hash = ${session.token_hash}, amr = ${session.amr}, acr = ${session.acr}, began_with = ${session.began_with},
        ip = ${session.ip}, user_agent = ${session.user_agent},
        auth_time = ${now}, last_seen_at = ${now}, expires_at = ${session.expires_at}, absolute_expires_at = ${session.absolute_expires_at}
    where environment_id = ${environment_id} and id = ${session.id} and user_id = ${session.user_id} and ended_at is null
      and exists (select 1 from users where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null)
      and ${only_if}`)
  const keep = sql`update grants set expires_at = ${session.absolute_expires_at}
    where environment_id || '' = ${environment_id} and session_id = ${session.id} and expires_at < ${session.absolute_expires_at}
      and id in (select max(id) from grants where environment_id = ${environment_id} and session_id = ${session.id} group by application_id)`
  return [renewed, keep]
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
      and ended_at is null and expires_at > ${now}
      and exists (select 1 from users where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null)`)
}

/**
 * Sign-out: ends the session and its grants without `offline_access`, queues the back-channel logouts, and raises the event. Does nothing
 * where the session has ended already.
 */
export function endSession(
  environment_id: EnvironmentId,
  session_id: string,
  { reason, origin }: { reason: 'signed_out' | 'expired'; origin: Origin },
  now: Date,
): Statement[] {
  return [
    ...sessionEndEvents(environment_id, { session_id }, { reason, origin }, now),
    sql`update sessions set ended_at = ${now} where environment_id = ${environment_id} and id = ${session_id} and ended_at is null`,
    sql`update grants set ended_at = ${now}, ended_by = 'signed_out'
         where environment_id = ${environment_id} and session_id = ${session_id} and ended_at is null and offline = 0`,
    ...enqueueBackchannelLogouts(environment_id, { session_id }, now),
  ]
}

/** Ends every session and grant of a user, and queues the back-channel logouts. */
export function endEverything(environment_id: EnvironmentId, user_id: string, by: string, now: Date): Statement[] {
  return [
    sql`update sessions set ended_at = ${now} where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null`,
    sql`update grants set ended_at = ${now}, ended_by = ${by}
         where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null`,
    endHalfSignIns(environment_id, user_id),
    ...enqueueBackchannelLogouts(environment_id, { user_ids: [user_id] }, now),
  ]
}

/** A sign-in method of a user. */
interface UserMethod {
  id: string
  user_id: string
}

/** Ends what began with a sign-in method of a user. */
export const endBegunWith = (environment_id: EnvironmentId, user_id: string, method_id: string, now: Date): Statement[] =>
  endBegunWithAny(environment_id, [{ id: method_id, user_id }], now)

/**
 * Ends the sessions that began with one of these sign-in methods, all their grants, and the other grants that began with one. A session or
 * grant from before methods were recorded ends with any method of its user. The sessions come first, because a batch that adds a grant
 * writes the row of its session.
 */
export function endBegunWithAny(environment_id: EnvironmentId, methods: readonly UserMethod[], now: Date): Statement[] {
  const user_ids = methods.map(({ user_id }) => user_id)
  const of_users = sql`environment_id = ${environment_id} and user_id in (${list(user_ids)})`
  const began = sql`(began_with is null or began_with in (${list(methods.map(({ id }) => id))}))`
  return [
    sql`update sessions set ended_at = ${now} where ${of_users} and ended_at is null and ${began}`,
    sql`update grants set ended_at = ${now}, ended_by = 'method_removed'
         where ${of_users} and ended_at is null
           and (${began} or session_id in (select id from sessions where ${of_users} and ended_at = ${now} and ${began}))`,
    endHalfSignIns(environment_id, ...user_ids),
    ...enqueueBackchannelLogouts(environment_id, { user_ids }, now),
  ]
}

type EndReason =
  | 'signed_out'
  | 'expired'
  | 'ended_by_api'
  | 'ended_by_person'
  | 'password_changed'
  | 'address_changed'
  | 'address_proven'
  | 'password_reset'

/**
 * An event for a session, or for every session of a user (`except` one), for a batch that ends them afterwards. Of parallel batches that
 * end a session, one raises its event: PostgreSQL lets the others wait at the write of the row, after which they find it ended.
 */
export function sessionEndEvents(
  environment_id: EnvironmentId,
  of: { session_id: string } | { user_id: string; except?: string },
  { reason, origin }: { reason: EndReason; origin: Origin },
  now: Date,
): Statement[] {
  const which =
    'session_id' in of ? sql`sessions.id = ${of.session_id}` : sql`sessions.user_id = ${of.user_id} and sessions.id <> ${of.except ?? ''}`
  const ending = sql`sessions.environment_id = ${environment_id} and ${which} and ${canBeEnded(now)}`
  return [
    sql`update sessions set last_seen_at = last_seen_at where ${ending}`,
    insertEvents(
      environment_id,
      origin,
      'session.ended',
      {
        suffix: sql`substr(id, 19, 12)`,
        user_id: sql`user_id`,
        application_id: sql`null`,
        data: sql`'{"session_id":"' || id || '","reason":"' || cast(${reason} as text) || '"}'`, // an id needs no escaping in JSON
        from: sql`from sessions where ${ending}`,
      },
      now,
    ),
  ]
}

/**
 * A session past its idle time signs nobody in, but tokens and the sessions of its applications may still stand. So it can be ended until
 * its absolute limit, and after it while a grant lives; the sweep removes it a day later. A session that merely expires raises no event.
 */
const canBeEnded = (now: Date): Statement => sql`sessions.ended_at is null
  and (sessions.absolute_expires_at > ${now}
       or coalesce((select max(g.expires_at) from grants g
                     where g.environment_id = sessions.environment_id || '' and g.session_id = sessions.id and g.ended_at is null), 0) > ${now})`

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
    sql`${record} where environment_id || '' = ${environment_id} and user_id = ${user_id} and ${canBeEnded(now)} ${rest}`,
  )
  return (await withApplications(db, environment_id, rows)).map(({ version: _, ...session }) => session)
}

export async function findSessionRecord(db: Db, environment_id: EnvironmentId, id: string, now: Date): Promise<Versioned | null> {
  const rows = await db.all(SessionRecord, sql`${record} where environment_id = ${environment_id} and id = ${id} and ${canBeEnded(now)}`)
  return (await withApplications(db, environment_id, rows))[0] ?? null
}

const UsedApplication = z.object({ session_id: z.string(), application_id: Session.shape.applications.element })

async function withApplications(
  db: Db,
  environment_id: EnvironmentId,
  rows: readonly z.infer<typeof SessionRecord>[],
): Promise<Versioned[]> {
  if (rows.length === 0) return []
  const used = await db.all(
    UsedApplication,
    sql`select distinct session_id, application_id from grants
         where environment_id = ${environment_id} and session_id in (${list(rows.map(({ id }) => id))}) and ended_at is null`,
  )
  return rows.map(({ environment_id: _, ...row }) => ({
    ...row,
    applications: used.filter(({ session_id }) => session_id === row.id).map(({ application_id }) => application_id),
  }))
}

/** Ends a session with all its grants. A guard: the batch fails where the session ended or was renewed after it was read. */
export function endSessionRecord(environment_id: EnvironmentId, session: Versioned, now: Date): Statement[] {
  return [
    guard(sql`update sessions set ended_at = ${now}
         where environment_id = ${environment_id} and id = ${session.id} and auth_time = ${session.version} and ended_at is null`),
    sql`update grants set ended_at = ${now}, ended_by = 'session_ended'
         where environment_id = ${environment_id} and session_id = ${session.id} and ended_at is null`,
    ...enqueueBackchannelLogouts(environment_id, { session_id: session.id }, now),
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
    sql`select user_id, scope from consents
         where environment_id = ${environment_id} and application_id = ${application_id} and user_id in (${list(user_ids)})`,
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
  const application = sql`from applications a where a.environment_id = ${environment_id} and a.id = ${application_id} and a.disabled = 0`
  const scope = after.join(' ')
  if (before === null)
    return guard(sql`insert into consents (environment_id, user_id, application_id, scope, created_at, updated_at)
      select a.environment_id, ${user_id}, a.id, ${scope}, ${now}, ${now} ${application}
      on conflict (environment_id, user_id, application_id) do nothing`)
  return guard(sql`update consents set scope = ${scope}, updated_at = ${now}
    where environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id}
      and scope = ${before.join(' ')} and exists (select 1 ${application})`)
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
    from: sql`from consents where ${which}`,
  }
  return [insertEvents(environment_id, origin, 'consent.revoked', columns, now), sql`delete from consents where ${which}`]
}
