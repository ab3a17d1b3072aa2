/** The common parts of every ceremony with a passkey: the relying party, the options of a request, and the check of its response. */
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { rpIdOf } from '../../../base/rp-id.ts'
import type { Statement } from '../../../db/db.ts'
import { type Bound, type Challenge, newChallenge, readChallenge, spendChallenge } from '../../../domain/passkeys/challenge.ts'
import { requestOptions } from '../../../domain/passkeys/options.ts'
import { type AssertionResponse, readAssertion } from '../../../domain/passkeys/response.ts'
import { findPasskey, type PasskeyRow, usePasskey, wasRemoved } from '../../../domain/passkeys/store.ts'
import { type RelyingParty, verifyPasskey } from '../../../domain/passkeys/verify.ts'
import { holdUser } from '../../../domain/users/store.ts'
import type { PasskeyCeremony } from '../../../pages/passkey-block.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { ableCookie } from '../../cookies.ts'
import { browserOfToken } from '../../form-token.ts'

/** `null` where passkeys are off. The settings refuse them where the issuer has no RP ID. */
export const relyingPartyOf = (call: Pick<OidcCall, 'issuer'>): RelyingParty | null =>
  call.issuer.settings.sign_in.passkey ? enrolledPartyOf(call) : null

/**
 * The relying party of enrolled passkeys, which stay second factors while passkeys are off. `null` where the issuer has no RP ID: there
 * recovery codes or the removal of the method by the backend lead back.
 */
export function enrolledPartyOf({ issuer }: Pick<OidcCall, 'issuer'>): RelyingParty | null {
  const rp_id = rpIdOf(issuer.url)
  return rp_id === null ? null : { rp_id, origin: new URL(issuer.url).origin }
}

type Purpose = Pick<Bound, 'purpose' | 'to'>

export const boundTo = ({ issuer }: Pick<OidcCall, 'issuer'>, { purpose, to }: Purpose): Bound => ({
  environment_id: issuer.environment_id,
  purpose,
  to,
})

/** The passkey part of the sign-in page, bound to its form token. */
export function signInCeremony(services: OidcServices, call: OidcCall, csrf: string, removed: string | null): PasskeyCeremony | null {
  const party = relyingPartyOf(call)
  if (!party) return null
  const challenge = newChallenge(services, boundTo(call, { purpose: 'sign_in', to: browserOfToken(csrf) }), call.now)
  return {
    kind: 'get',
    options: JSON.stringify(requestOptions(party.rp_id, challenge)),
    able_cookie: ableCookie(call),
    removed: removed && JSON.stringify({ rpId: party.rp_id, credentialId: removed }),
  }
}

/** A response to a valid challenge, with the passkey that it names. */
export interface Presented {
  response: AssertionResponse
  challenge: Challenge
  passkey: PasskeyRow | null
}

/** Reads a posted response. Costs one query at most, and none without a valid challenge. */
export async function presentedPasskey(
  services: OidcServices,
  call: OidcCall,
  purpose: Purpose,
  text: string,
): Promise<Presented | { refusal: Refusal }> {
  const response = readAssertion(text)
  if (!response) return { refusal: malformed }
  const challenge = readChallenge(services, boundTo(call, purpose), response.challenge, call.now)
  if (!challenge) return { refusal: challenge_over }
  return { response, challenge, passkey: await findPasskey(services.db, call.issuer.environment_id, response.id) }
}

/** A passkey that signs in: the guards for the batch of the sign-in, and its facts in the words of RFC 8176 and of sessions. */
export interface UsedPasskey {
  statements: Statement[]
  amr: readonly string[]
  passkey: PasskeyRow
}

/** `user_id`: the passkey is a second factor, and only one of this user is accepted. */
export async function judgePasskey(
  services: OidcServices,
  call: OidcCall,
  { response, challenge, passkey }: Presented,
  user_id?: string,
): Promise<UsedPasskey | { refusal: Refusal; was_removed: boolean }> {
  const party = user_id === undefined ? relyingPartyOf(call) : enrolledPartyOf(call)
  const { environment_id } = call.issuer
  const is_other = passkey !== null && user_id !== undefined && (passkey.user_id !== user_id || !passkey.is_factor)
  if (!party || !passkey || is_other) return { refusal: unknown, was_removed: await wasRemoved(services.db, environment_id, response.id) }
  const verdict = await verifyPasskey(party, response, passkey, user_id !== undefined)
  if ('problem' in verdict) return { refusal: refusalOf(verdict.problem, passkey), was_removed: false }
  if (passkey.blocked_at !== null)
    return { refusal: refusal('user_blocked', reason`The user ${idIn(passkey.user_id)} is blocked.`), was_removed: false }
  return {
    statements: [
      holdUser(environment_id, passkey.user_id),
      spendChallenge(challenge),
      ...usePasskey(environment_id, passkey, verdict, call.now),
    ],
    amr: passkeyAmr(passkey),
    passkey,
  }
}

/** RFC 8176: `hwk` is a key in hardware, and `swk` one in software, as is one that may be backed up. */
export const passkeyAmr = ({ backup_eligible }: { backup_eligible: boolean }): readonly string[] => [
  backup_eligible ? 'swk' : 'hwk',
  'user',
]

/** For the tenant only: the page is the same for all of them. */
function refusalOf(problem: 'refused' | 'counter_went_back' | 'backup_changed', { id }: PasskeyRow): Refusal {
  if (problem === 'counter_went_back')
    return refusal('passkey_counter_back', reason`The counter of the passkey ${id} went back, so another device may have a copy of it.`)
  if (problem === 'backup_changed')
    return refusal('passkey_backup_changed', reason`The passkey ${id} changed whether it can be backed up, which none may.`)
  return refusal(
    'passkey_refused',
    reason`The response for the passkey ${id} is not valid: its signature, origin, user, or the verification of the person.`,
  )
}

const malformed = refusal('passkey_refused', reason`The form holds no response of an authenticator.`)
const unknown = refusal('unknown_passkey', reason`No user of the environment has the passkey.`)
export const challenge_over = refusal('form_expired', reason`The challenge has expired, or belongs to another browser or purpose.`)
/** Both are decided in the batch of the sign-in. */
export const challenge_spent = refusal(
  'form_expired',
  reason`The challenge was used before, or the passkey or its user changed during the sign-in.`,
)
