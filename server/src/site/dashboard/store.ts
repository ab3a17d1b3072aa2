/** The sessions of the dashboard. A row contains the digest of the cookie and the sealed tokens. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { atCoordinator, sameEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { endGrant } from '../../domain/sessions/grants.ts'
import { sessionStands } from '../../domain/sessions/standing.ts'
import { aboutUser } from '../../domain/users/store.ts'
import type { Root } from '../../setup/root.ts'

const Row = z.object({
  session_hash: z.string(),
  environment_id: z.custom<EnvironmentId>(),
  user_id: z.string(),
  session_id: z.string(),
  grant_id: z.string(),
  tokens: z.string(),
  access_token_until: z.date(),
  refresh_at: z.date(),
  expires_at: z.date(),
  /** The session at the issuer is valid. */
  session_stands: z.boolean(),
  /** `null` where the session at the issuer was removed. */
  session_until: z.date().nullable(),
})
export type DashboardSession = z.infer<typeof Row>

/** The tokens of a session, and until when they are used. */
export interface KeptTokens {
  /** Sealed. */
  readonly tokens: string
  readonly access_token_until: Date
  readonly refresh_at: Date
  readonly expires_at: Date
}

/** Every administrator is a user of the root environment. */
export function findDashboardSession(
  db: Db,
  { environment_id }: Pick<Root, 'environment_id'>,
  session_hash: string,
): Promise<DashboardSession | null> {
  return db.of(environment_id).maybeOne(
    Row,
    atCoordinator`select d.session_hash, d.environment_id, d.user_id, d.session_id, d.grant_id, d.tokens, d.access_token_until, d.refresh_at,
               d.expires_at, case when ${sessionStands(environment_id, sql`s`)} then 1 else 0 end as session_stands,
               s.absolute_expires_at as session_until
          from dashboard_sessions d
          left join sessions s on ${sameEnvironment('s', 'd', environment_id)} and s.id = d.session_id
         where d.session_hash = ${session_hash}`,
  )
}

/** Whether the session is in use: it has not expired, and the session at the issuer (`sid`) has not ended. */
export const isActive = ({ expires_at, session_stands, session_until }: DashboardSession, now: Date): boolean =>
  expires_at > now && session_stands && session_until !== null && session_until > now

export function insertDashboardSession(
  {
    session_hash,
    environment_id,
    user_id,
    session_id,
    grant_id,
  }: Pick<DashboardSession, 'session_hash' | 'environment_id' | 'user_id' | 'session_id' | 'grant_id'>,
  kept: KeptTokens,
  now: Date,
): Statement {
  return insertInto('dashboard_sessions', {
    session_hash,
    environment_id,
    user_id,
    session_id,
    grant_id,
    tokens: kept.tokens,
    access_token_until: kept.access_token_until,
    refresh_at: kept.refresh_at,
    refreshing_until: now,
    created_at: now,
    expires_at: kept.expires_at,
  })
}

/** Takes the session for a refresh. Of parallel requests, on any process, one gets `true`. A crashed refresh frees it after `until`. */
export async function takeForRefresh(db: Db, { session_hash, refresh_at }: DashboardSession, until: Date, now: Date): Promise<boolean> {
  const taken = await db.run(atCoordinator`update dashboard_sessions set refreshing_until = ${until}
    where session_hash = ${session_hash} and refresh_at = ${refresh_at} and refreshing_until <= ${now}`)
  return taken === 1
}

/** Stores the tokens of a refresh. False where the session ended meanwhile. */
export async function storeRefreshed(
  db: Db,
  { session_hash, refresh_at }: DashboardSession,
  { tokens, access_token_until, refresh_at: next, expires_at }: KeptTokens,
  now: Date,
): Promise<boolean> {
  const stored = await db.run(atCoordinator`update dashboard_sessions
    set tokens = ${tokens}, access_token_until = ${access_token_until}, refresh_at = ${next}, expires_at = ${expires_at},
        refreshing_until = ${now}
    where session_hash = ${session_hash} and refresh_at = ${refresh_at}`)
  return stored === 1
}

/** Ends the session and its grant, so that its refresh token is of no use. As a batch it fails where the session has ended already. */
export function endDashboardSession(
  { session_hash, environment_id, user_id, grant_id }: Pick<DashboardSession, 'session_hash' | 'environment_id' | 'user_id' | 'grant_id'>,
  now: Date,
): Statement[] {
  return [
    aboutUser(environment_id, user_id),
    guard(atCoordinator`delete from dashboard_sessions where session_hash = ${session_hash}`),
    endGrant(environment_id, grant_id, 'dashboard_session_ended', now),
  ]
}
