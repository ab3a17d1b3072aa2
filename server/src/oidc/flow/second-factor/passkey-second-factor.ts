/**
 * A passkey as the second factor of a user who is known by the first. The step that asks for it calls `beginPasskeyFactor` for its page
 * and `finishPasskeyFactor` for its form, and puts the statements into the batch that ends the sign-in.
 */
import type { Refusal } from '../../../base/refusal.ts'
import { newChallenge } from '../../../domain/passkeys/challenge.ts'
import { requestOptions } from '../../../domain/passkeys/options.ts'
import { listPasskeys } from '../../../domain/passkeys/store.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { boundTo, enrolledPartyOf, judgePasskey, presentedPasskey, type UsedPasskey } from '../shared/passkey-ceremony.ts'

/** `waiting`: the sign-in that waits for its second factor, which alone the response is valid for. */
interface Waiting {
  user_id: string
  waiting: string
}

/** The options for the page, as JSON; `null` where the user has no passkey, or the issuer has no RP ID. */
export async function beginPasskeyFactor(services: OidcServices, call: OidcCall, { user_id, waiting }: Waiting): Promise<string | null> {
  const party = enrolledPartyOf(call)
  const all = party ? await listPasskeys(services.db, call.issuer.environment_id, user_id) : []
  const passkeys = all.filter(({ is_factor }) => is_factor)
  if (!party || passkeys.length === 0) return null
  const challenge = newChallenge(services, boundTo(call, { purpose: 'second_factor', to: waiting }), call.now)
  return JSON.stringify(requestOptions(party.rp_id, challenge, passkeys))
}

/** Judges the posted response. The caller counts the attempt before, and records the refusal. */
export async function finishPasskeyFactor(
  services: OidcServices,
  call: OidcCall,
  { user_id, waiting }: Waiting,
  credential: string,
): Promise<UsedPasskey | { refusal: Refusal }> {
  const presented = await presentedPasskey(services, call, { purpose: 'second_factor', to: waiting }, credential)
  return 'refusal' in presented ? presented : judgePasskey(services, call, presented, user_id)
}
