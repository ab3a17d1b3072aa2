/** Signs accounts out of a browser. */
import { insertEvent } from '../../events/store.ts'
import type { Browser } from '../browser.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import { endSession } from '../store/sessions.ts'

/** Ends sessions of this browser with their grants, except grants with `offline_access`. */
export async function endSessions(
  services: OidcServices,
  { issuer, now, request_id }: OidcCall,
  session_ids: readonly string[],
  browser: Browser,
): Promise<void> {
  if (session_ids.length === 0) return
  const user_of = new Map<string, string>(browser.sessions.map((session) => [session.id, session.user_id]))
  await services.db.batch(
    session_ids.flatMap((session_id) => {
      const user_id = user_of.get(session_id) ?? null
      const origin = { id: services.newId('evt'), actor: { type: 'user' as const, id: user_id }, request_id }
      return [
        ...endSession(issuer.environment_id, session_id, now),
        insertEvent(issuer.environment_id, origin, { type: 'session.ended', user_id, data: { session_id, reason: 'signed_out' } }, now),
      ]
    }),
  )
}
