/** Sessions. A session is the sign-in of a person in a browser; the cookie contains its secret, the row the digest. */
import type { EnvironmentId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { strong_levels } from '../../protocol/second-factor.ts'
import type { Origin } from '../events/store.ts'
import { subjectColumns } from '../users/sub.ts'
import { joinTrusted } from '../users/trusted-browsers.ts'
import { followSession, sessionEndEvents } from './endings.ts'
import { numberOfNewBeginning, sessionStands } from './standing.ts'

const SessionRow = z.object({
  id: z.custom<SessionId>(),
  user_id: z.custom<UserId>(),
  token_hash: z.string(),
  auth_time: z.date(),
  amr: z.array(z.string()),
  acr: z.string(),
  began_with: z.string(),
  /** The trusted browser that a session of one factor rests on. */
  trusted_browser_id: z.string().nullable(),
  /** Its times; `null` where it is gone. */
  trusted_at: z.date().nullable(),
  trusted_until: z.date().nullable(),
  last_seen_at: z.date(),
  expires_at: z.date(),
  absolute_expires_at: z.date(),
  /** No less than the grants without `offline_access` that the session has at one application. */
  grant_count: z.int(),
  /** The same for the grants with `offline_access` that the user has. */
  offline_count: z.int(),
  email: z.string(),
  name: z.string().nullable(),
  /** The ids of the roles that the user was given. */
  role_ids: z.array(z.string()),
  /** For hints: the `sub` of the user, and its creation. */
  sub: z.string(),
  user_created_at: z.date(),
})
export type SessionRow = z.infer<typeof SessionRow>

/** A session at a provider. */
export interface UpstreamSession {
  provider_id: string
  /** The provider's id of the session; `null` where it has none. */
  sid: string | null
  /** For its sign-out: the ID token, sealed in the row. */
  id_token: string | null
}

export interface NewSession {
  id: SessionId
  user_id: UserId
  token_hash: string
  amr: readonly string[]
  acr: string
  began_with: string
  /** Where it began; `null` for a sign-in here. */
  upstream: UpstreamSession | null
  trusted_browser_id: string | null
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
  return guard(sql`insert into sessions (environment_id, id, user_id, sub, token_hash, amr, acr, began_with, ip, user_agent, ending, began_ending,
                                         provider_id, upstream_sid, upstream_id_token, trusted_browser_id,
                                         grant_count, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at)
    select environment_id, ${session.id}, id, u.sub, ${session.token_hash}, ${session.amr}, ${session.acr}, ${session.began_with},
           ${session.ip}, ${session.user_agent}, ending, ${beginning},
           ${session.upstream?.provider_id ?? null}, ${session.upstream?.sid ?? null}, ${session.upstream?.id_token ?? null}, ${session.trusted_browser_id},
           0, ${now}, ${now}, ${now}, ${session.expires_at}, ${session.absolute_expires_at}
      from users u
     where environment_id = ${environment_id} and id = ${session.user_id} and blocked_at is null and ${beginning} >= 0 and ${only_if}`)
}

/** The sessions with these digests that have not ended. `expires_at` says which of them still sign their person in. */
export async function findSessions(db: Db, environment_id: EnvironmentId, token_hashes: readonly string[]): Promise<SessionRow[]> {
  if (token_hashes.length === 0) return []
  return db.of(environment_id).all(
    SessionRow,
    sql`select s.id, s.user_id, s.token_hash, s.auth_time, s.amr, s.acr, s.began_with, s.last_seen_at, s.expires_at, s.absolute_expires_at,
               s.grant_count, u.grant_count as offline_count, u.email, u.name, u.roles as role_ids, ${subjectColumns(sql`u`)},
               s.trusted_browser_id, t.created_at as trusted_at, t.expires_at as trusted_until
          from sessions s join users u on ${sameEnvironment('u', 's', environment_id)} and u.id = s.user_id
          ${joinTrusted(environment_id)}
         where s.environment_id = ${environment_id} and s.token_hash in (${list(token_hashes)}) and ${sessionStands(environment_id, sql`s`)}`,
  )
}

/** Counts those of these sessions that still sign in. */
export async function countStanding(db: Db, environment_id: EnvironmentId, ids: readonly string[], now: Date): Promise<number> {
  if (ids.length === 0) return 0
  const rows = await db.of(environment_id).all(
    StandingRow,
    sql`select s.id
          from sessions s join users u on ${sameEnvironment('u', 's', environment_id)} and u.id = s.user_id
         where s.environment_id = ${environment_id} and s.id in (${list(ids)}) and s.expires_at > ${now}
           and ${sessionStands(environment_id, sql`s`)}`,
  )
  return rows.length
}

const StandingRow = z.object({ id: z.string() })

/**
 * The same user signs in again in the same browser: the session gets a new secret and a new time. A guard, as `insertSession`. Its newest
 * grant of each application stays for as long as the session (`workers/visit-grants.ts`), so that a logout reaches the application.
 */
export function renewSession(environment_id: EnvironmentId, session: NewSession, only_if: Statement, now: Date): Statement {
  const beginning = sql`(select ${numberOfNewBeginning(environment_id, session.began_with, sql`u`)}
    from users u where u.environment_id = ${environment_id} and u.id = ${session.user_id})`
  return guard(sql`update sessions
    set token_hash = ${session.token_hash}, amr = ${session.amr}, acr = ${session.acr}, began_with = ${session.began_with},
        began_ending = ${beginning}, ip = ${session.ip}, user_agent = ${session.user_agent}, provider_id = ${session.upstream?.provider_id ?? null},
        upstream_sid = ${session.upstream?.sid ?? null}, upstream_id_token = ${session.upstream?.id_token ?? null},
        trusted_browser_id = ${session.trusted_browser_id},
        auth_time = ${now}, last_seen_at = ${now}, expires_at = ${session.expires_at}, absolute_expires_at = ${session.absolute_expires_at}
    where environment_id = ${environment_id} and id = ${session.id} and user_id = ${session.user_id}
      and ${sessionStands(environment_id, sql`sessions`)} and ${beginning} >= 0 and ${only_if}`)
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
    set token_hash = ${raised.token_hash}, amr = ${raised.amr}, acr = ${raised.acr}, trusted_browser_id = null, last_seen_at = ${now}, expires_at = ${raised.expires_at}
    where environment_id = ${environment_id} and id = ${session.id} and user_id = ${session.user_id} and token_hash = ${session.token_hash}
      and expires_at > ${now} and ${sessionStands(environment_id, sql`sessions`)}`)
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

/** Which sessions that began at a provider: that of its `sid`, those of a person, or both. */
export interface SessionAtProvider {
  provider_id: string
  sid: string | null
  identity: { id: string; user_id: string } | null
}

const Began = SessionRow.pick({ id: true, user_id: true })

/** The next of these sessions that have not ended. */
export function findSessionsAtProvider(
  db: Db,
  environment_id: EnvironmentId,
  { provider_id, sid, identity }: SessionAtProvider,
  limit: number,
): Promise<z.infer<typeof Began>[]> {
  const named = sql`s.upstream_sid = ${sid} and s.provider_id = ${provider_id} and s.ended_at is null`
  const of_person = identity && sql`s.user_id = ${identity.user_id} and s.began_with = ${identity.id} and coalesce(s.ended_at, -1) = -1`
  const which = sid === null ? (of_person ?? sql`1 = 0`) : of_person ? sql`${named} and ${of_person}` : named
  return db
    .of(environment_id)
    .all(
      Began,
      sql`select s.id, s.user_id from sessions s where ${which} and ${inEnvironment(environment_id, 's')} order by s.id limit ${limit}`,
    )
}

/**
 * Fails as a guard if the session is not valid, as after the end of its user. Put it after the write of the user's row, which every
 * ending of the user writes first.
 */
export function holdSession(environment_id: EnvironmentId, { id, user_id }: { id: string; user_id: string }, now: Date): Statement {
  return guard(sql`update sessions set last_seen_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and expires_at > ${now}
      and ${sessionStands(environment_id, sql`sessions`)}`)
}

/** The same for a session of one factor. Fails too if `has_second_factor`, a condition on the user, is true. */
export const holdSessionOfLevel = (
  environment_id: EnvironmentId,
  { id, user_id }: { id: string; user_id: string },
  has_second_factor: Statement,
  now: Date,
): Statement =>
  guard(sql`update sessions set last_seen_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and expires_at > ${now}
      and ${sessionStands(environment_id, sql`sessions`)} and (acr in (${list(strong_levels)}) or not ${has_second_factor})`)
