/** Signs accounts out of a browser. */
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { endSession, type SessionRow } from '../../../domain/sessions/sessions.ts'
import { aboutUsers } from '../../../domain/users/store.ts'
import type { OidcCall, OidcServices } from '../../call.ts'

/** Ends these sessions with their grants, except grants with `offline_access`. Sessions that another request ended stay as they are. */
export async function endSessions(
  services: OidcServices,
  { issuer, now, request_id }: OidcCall,
  sessions: readonly Pick<SessionRow, 'id' | 'user_id'>[],
): Promise<void> {
  if (sessions.length === 0) return
  const in_order = [...sessions].sort((a, b) => (a.id < b.id ? -1 : 1))
  await services.db.of(issuer.environment_id).batch([
    ...aboutUsers(
      issuer.environment_id,
      in_order.map(({ user_id }) => user_id),
    ),
    ...in_order.flatMap(({ id, user_id }) => {
      const origin = originOf(services, byUser(user_id), request_id)
      return endSession(issuer.environment_id, id, { reason: 'signed_out', origin }, now)
    }),
  ])
}
