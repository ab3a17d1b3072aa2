/** Finds the session of a browser, and refreshes its tokens when they are due: one request at a time, on all processes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { digestOf } from '../../base/digest.ts'
import { reason } from '../../base/reason.ts'
import { Unavailable } from '../../base/unavailable.ts'
import { byUser, originOf } from '../../domain/events/origin.ts'
import { endSession } from '../../domain/sessions/sessions.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { readSessionCookie } from './cookies.ts'
import { type DashboardSession, endDashboardSession, findDashboardSession, isActive, storeRefreshed, takeForRefresh } from './store.ts'
import { type Asking, type DashboardServices, keepTokens, openTokens, requestTokens } from './tokens.ts'

export interface UsableSession {
  readonly session: DashboardSession
  readonly access_token: string
}

/** The session of the cookie with a valid access token; `null` if there is none or it has ended. */
export async function useSession(services: DashboardServices, cookies: string | undefined, asking: Asking): Promise<UsableSession | null> {
  const secret = readSessionCookie(services.config.base_url, cookies)
  return secret === null ? null : findUsable(services, digestOf(secret), asking)
}

/** The row of the cookie, in use or not. */
export async function findByCookie({ db, config, root }: DashboardServices, cookies: string | undefined): Promise<DashboardSession | null> {
  const secret = readSessionCookie(config.base_url, cookies)
  return secret === null ? null : findDashboardSession(db, root, digestOf(secret))
}

/** A refresh that takes longer is taken over by another request. */
const refresh_takes_ms = 15_000
const wait_ms = 100
const most_waits = 50

async function findUsable(services: DashboardServices, session_hash: string, asking: Asking): Promise<UsableSession | null> {
  const { db, root } = services
  for (let waits = 0; waits < most_waits; waits++) {
    const now = services.now()
    const session = await findDashboardSession(db, root, session_hash)
    if (!session) return null
    if (!isActive(session, now)) {
      await db.of(session.environment_id).batch(endDashboardSession(session, now))
      return null
    }
    if (session.refresh_at > now) return { session, access_token: openTokens(services, session).access_token }
    if (await takeForRefresh(db, session, new Date(now.getTime() + refresh_takes_ms), now)) return refresh(services, session, asking)
    // Another request refreshes the tokens. The old access token is valid until shortly after.
    if (session.access_token_until > now) return { session, access_token: openTokens(services, session).access_token }
    await sleep(wait_ms)
  }
  throw new RefreshTakesLong()
}

class RefreshTakesLong extends Unavailable {
  override readonly name = 'RefreshTakesLong'
  readonly detail = 'The session is being renewed. Try again shortly.'
  readonly why = reason`Another request has been refreshing the tokens of the dashboard session for long.`
}

async function refresh(services: DashboardServices, session: DashboardSession, asking: Asking): Promise<UsableSession | null> {
  const { db, now } = services
  const { refresh_token } = openTokens(services, session)
  try {
    const issued = await requestTokens(services, { grant_type: 'refresh_token', refresh_token }, asking)
    const { kept } = await keepTokens(services, session.session_hash, issued, now())
    const stored = await storeRefreshed(db, session, kept, now())
    return stored ? { session: { ...session, ...kept }, access_token: issued.access_token } : null
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    // The grant has ended, or the application is disabled: the person signs in again.
    await db.of(session.environment_id).batch(endDashboardSession(session, now()))
    return null
  }
}

/** Signs the person out: ends the session of the dashboard, and that at the issuer with all applications that were signed in by it. */
export async function signOut(services: DashboardServices, session: DashboardSession, { request_id }: Asking): Promise<void> {
  const { environment_id, session_id, user_id } = session
  const now = services.now()
  const origin = originOf(services, byUser(user_id), request_id)
  await services.db
    .of(environment_id)
    .batch([...endDashboardSession(session, now), ...endSession(environment_id, session_id, { reason: 'signed_out', origin }, now)])
}
