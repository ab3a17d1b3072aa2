/**
 * Adds a passkey to the account of a session. The offer after a sign-in and the account page show the options of `beginEnrolment` and
 * post the response to `finishEnrolment`.
 */

import { deviceLine } from '../../device-name.ts'
import { insertEvent } from '../../events/store.ts'
import { newChallenge, readChallenge, spendChallenge } from '../../passkeys/challenge.ts'
import { passkeyName } from '../../passkeys/names.ts'
import { creationOptions } from '../../passkeys/options.ts'
import { readRegistration } from '../../passkeys/response.ts'
import { ensureHandle, findPasskey, insertPasskey, listPasskeys, most_passkeys } from '../../passkeys/store.ts'
import { verifyRegistration } from '../../passkeys/verify.ts'
import { idIn, reason } from '../../reason.ts'
import { type Refusal, refusal } from '../../refusal.ts'
import { asLine } from '../../text.ts'
import { findUser } from '../../users/store.ts'
import { commitWithNotice } from '../account/notice.ts'
import type { Browser } from '../browser.ts'
import { header, type OidcCall, type OidcServices } from '../call.ts'
import type { SessionRow } from '../store/sessions.ts'
import { isFreshlySignedIn, raiseByNewFactor } from './fresh-sign-in.ts'
import { boundTo, challenge_over, passkeyAmr, relyingPartyOf } from './passkey-ceremony.ts'

type Session = Pick<SessionRow, 'id' | 'user_id' | 'email' | 'name'>

/** The options of `navigator.credentials.create`, as JSON. `null` where passkeys are off, or the user has as many as one may have. */
export async function beginEnrolment(services: OidcServices, call: OidcCall, session: Session): Promise<string | null> {
  const party = relyingPartyOf(call)
  if (!party) return null
  const { environment_id, display_name } = call.issuer
  const known = await listPasskeys(services.db, environment_id, session.user_id)
  if (known.length >= most_passkeys) return null
  const handle = await ensureHandle(services, environment_id, session.user_id)
  if (handle === null) return null // deleted since the session was read
  const challenge = newChallenge(services, boundTo(call, { purpose: 'enrolment', to: session.id }), call.now)
  const { email, name } = session
  return JSON.stringify(creationOptions({ id: party.rp_id, name: display_name }, challenge, { handle, email, name }, known))
}

export type EnrolmentProblem = 'expired' | 'refused' | 'known' | 'too_many'

/** `set_cookie`: the session has a higher level, and a new secret. */
export type Enrolment = { added: { id: string; name: string }; set_cookie: string[] } | { problem: EnrolmentProblem; refusal: Refusal }

/** Stores the passkey of the posted response, with its event and mail. The session must be active and fresh until it is stored. */
export async function finishEnrolment(
  services: OidcServices,
  call: OidcCall,
  browser: Pick<Browser, 'sessions'>,
  session: Browser['sessions'][number],
  credential: string,
): Promise<Enrolment> {
  const { db } = services
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const { user_id } = session
  const party = relyingPartyOf(call)
  const response = readRegistration(credential)
  const challenge = response && readChallenge(services, boundTo(call, { purpose: 'enrolment', to: session.id }), response.challenge, now)
  if (response && !challenge) return { problem: 'expired', refusal: challenge_over }
  if (!(await isFreshlySignedIn(services, call, session))) return { problem: 'expired', refusal: not_fresh }
  const verified = party && response && (await verifyRegistration(party, response))
  if (!verified || !challenge) return { problem: 'refused', refusal: not_valid }

  const user_agent = asLine(header(call, 'user-agent') ?? '', 300) || null
  const { aaguid, ...facts } = verified
  const { hold, set_cookie } = raiseByNewFactor(services, call, browser, session, passkeyAmr(facts))
  const added = { id: services.newId('mth'), name: passkeyName(aaguid, user_agent) }
  const device = { name: deviceLine(user_agent), ip: call.ip }
  const notice = { kind: 'method_added' as const, method: 'passkey' as const, name: added.name, device }
  const origin = { id: services.newId('evt'), actor: { type: 'user' as const, id: user_id }, request_id }
  const event = { type: 'mfa.enrolled' as const, user_id, data: { method: 'passkey', method_id: added.id } }
  const locale = (await findUser(db, environment_id, user_id))?.locale ?? null
  const stored = await commitWithNotice(services, call, { id: user_id, email: session.email, locale }, notice, [
    spendChallenge(challenge),
    ...insertPasskey(environment_id, { ...facts, ...added, user_id, transports: response.transports }, hold, now),
    insertEvent(environment_id, origin, event, now),
  ])
  if (stored) return { added, set_cookie }
  if (await findPasskey(db, environment_id, verified.credential_id)) return { problem: 'known', refusal: is_known }
  const all = await listPasskeys(db, environment_id, user_id)
  if (all.length >= most_passkeys)
    return { problem: 'too_many', refusal: refusal('quota_exceeded', reason`The user ${idIn(user_id)} has ${most_passkeys} passkeys.`) }
  return { problem: 'expired', refusal: changed }
}

const not_fresh = refusal('form_expired', reason`The sign-in of the session is older than ten minutes, or had one factor only.`)
const not_valid = refusal(
  'passkey_refused',
  reason`The form holds no valid response of an authenticator: its challenge, origin, key, or the verification of the person.`,
)
const is_known = refusal('passkey_refused', reason`The environment has this passkey already.`)
const changed = refusal('form_expired', reason`The challenge was used before, or the session ended or the user was blocked meanwhile.`)
