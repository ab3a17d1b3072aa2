/** Sessions that may make a sensitive change: of a recent sign-in with every factor of the account (decision 0046). */
import type { Statement } from '../../../db/db.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { holdSession, holdSessionOfLevel } from '../../../domain/sessions/sessions.ts'
import { findUsersWithSecondFactor, hasSecondFactor } from '../../../domain/users/second-factors.ts'
import { isFresh, isStrong, withSecondFactor } from '../../../protocol/second-factor.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { raise, type SessionOfBrowser } from './establish-session.ts'

export async function isFreshlySignedIn(
  { db }: OidcServices,
  call: OidcCall,
  session: Pick<SessionRow, 'user_id' | 'auth_time' | 'acr'>,
): Promise<boolean> {
  const { issuer, now } = call
  const enrolled = await findUsersWithSecondFactor(db, issuer.environment_id, [session.user_id])
  return isFresh(session, { mode: issuer.settings.mfa.mode, has_second_factor: enrolled.has(session.user_id) }, now)
}

/**
 * Fails as a guard if the session has ended, or has one factor and the user got a second one after the session was read. Put it after
 * the write of the user's row, which every batch that adds a second factor or ends all sessions of a user writes first.
 */
export function holdFreshSession(call: OidcCall, session: Pick<SessionRow, 'id' | 'user_id' | 'acr'>): Statement {
  const { environment_id } = call.issuer
  if (isStrong(session.acr)) return holdSession(environment_id, session, call.now)
  return holdSessionOfLevel(environment_id, session, hasSecondFactor(environment_id, session.user_id), call.now)
}

/**
 * For the batch that adds a second factor which the person has just used in this session: holds the session, and raises one of a single
 * factor, since the next change would otherwise ask for the new factor. It keeps its id and the time of its sign-in.
 */
export function raiseByNewFactor(
  services: OidcServices,
  call: OidcCall,
  { browser, session }: SessionOfBrowser,
  second: readonly string[],
): { hold: Statement[]; set_cookie: string[] } {
  const hold = holdFreshSession(call, session)
  if (isStrong(session.acr)) return { hold: [hold], set_cookie: [] }
  const { statement, set_cookie } = raise(services, call, { browser, session }, withSecondFactor(session.amr, second, []))
  return { hold: [hold, statement], set_cookie: [set_cookie] }
}
