/** The trace of a refused sign-in: the count of the method, and an event, which the record of the refused call names. */
import type { Refusal } from '../../../base/refusal.ts'
import { storedIdOf } from '../../../protocol/client.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import type { Interaction } from './begin.ts'
import { signInEvent } from './establish-session.ts'

export const countFailedSignIn = ({ counters }: OidcServices, { issuer }: OidcCall, method: string): void =>
  counters.count(issuer.environment_id, 'sign_in', `${method}.failed`)

/** `user_id`: the account that the sign-in was refused to; `null` for an unknown one. */
export async function recordFailedSignIn(
  services: OidcServices,
  call: OidcCall,
  { client }: Pick<Interaction, 'client'>,
  { method, user_id, refusal }: { method: string; user_id: string | null; refusal: Refusal },
): Promise<void> {
  countFailedSignIn(services, call, method)
  const failed = signInEvent(services, call, {
    type: 'sign_in.failed',
    user_id,
    application_id: client && storedIdOf(client),
    data: { method, ip: call.ip, reason: refusal.code },
  })
  await services.db.of(call.issuer.environment_id).batch([failed.statement])
  call.subject.event_id = failed.id
}
