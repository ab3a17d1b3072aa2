/** A sign-in by passkey. The passkey says who signs in, so the person types nothing. */
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { giveBackToSource, takeFromSource } from '../../../domain/users/attempts.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { browserOfToken } from '../../form-token.ts'
import { knownDevice } from '../../known-browser.ts'
import type { Interaction } from '../shared/begin.ts'
import { recordFailedSignIn } from '../shared/failed-sign-in.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import { challenge_over, challenge_spent, judgePasskey, presentedPasskey } from '../shared/passkey-ceremony.ts'
import { showSignIn } from '../shared/screens.ts'

/** Signs in, or shows the sign-in page again. `csrf` is the form token, which the caller has checked. */
export async function checkPasskey(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { csrf, credential }: { csrf: string; credential: string },
): Promise<Answer> {
  const { db } = services
  const { issuer, now } = call
  const { environment_id } = issuer
  const email = interaction.request.login_hint ?? ''
  const presented = await presentedPasskey(services, call, { purpose: 'sign_in', to: browserOfToken(csrf) }, credential)
  if ('refusal' in presented) {
    // A page that was open for longer than a challenge lives: the page that follows has another one.
    const problem = presented.refusal === challenge_over ? 'expired_form' : 'passkey_failed'
    return showSignIn(services, call, interaction, { email, problem, ...presented, wait_seconds: null })
  }

  const { passkey, response } = presented
  call.subject.user_id = passkey?.user_id ?? null
  // A known browser has a count of its own, which no stranger behind the same address can use up.
  const device = passkey && knownDevice(services, call, interaction.browser, passkey)
  const attempt = { environment_id, source: device === null ? sourceOf(call.ip) : `device:${device}`, now }
  const wait_seconds = await takeFromSource(db, 'passkey', attempt)
  if (wait_seconds !== null) {
    services.counters.count(environment_id, 'sign_in', 'passkey.limited')
    return showSignIn(services, call, interaction, { email, problem: 'too_many', refusal: too_many, wait_seconds })
  }

  const judged = await judgePasskey(services, call, presented)
  let refused: Refusal = challenge_spent
  if ('refusal' in judged) refused = judged.refusal
  else {
    const { user_id, email, password_hash, id } = judged.passkey
    const signed_in = { user_id, email, password_hash, step: 'sign_in' as const, method: 'passkey', amr: judged.amr, identity_id: id }
    const first = [giveBackToSource('passkey', attempt), ...judged.statements]
    const answer = await finishSignIn(services, call, interaction, { ...signed_in, first })
    if (answer) return answer
  }
  await recordFailedSignIn(services, call, interaction, { method: 'passkey', user_id: passkey?.user_id ?? null, refusal: refused })
  const is_unknown = refused.code === 'unknown_passkey'
  const removed_passkey = 'was_removed' in judged && judged.was_removed ? response.id : null
  return showSignIn(services, call, interaction, {
    email,
    problem: is_unknown ? 'unknown_passkey' : 'passkey_failed',
    refusal: refused,
    wait_seconds: null,
    removed_passkey,
  })
}

const too_many = refusal('locked_out', reason`Too many passkeys were refused from the same address of the network.`)
