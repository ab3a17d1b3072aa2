/**
 * Adds a passkey to an account. The offer after a sign-in and the account page show the options of `beginEnrolment` and post the response
 * to `finishEnrolment`. A sign-in that enrols its second factor posts it to `judgeEnrolment`, and stores it with the end of the sign-in.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { deviceLine } from '../../../base/device-name.ts'
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { asLine } from '../../../base/text.ts'
import { guard, type Statement, sql } from '../../../db/db.ts'
import type { Notice } from '../../../domain/mail/texts/notice.ts'
import { newChallenge, readChallenge, spendChallenge } from '../../../domain/passkeys/challenge.ts'
import { passkeyName } from '../../../domain/passkeys/names.ts'
import { creationOptions } from '../../../domain/passkeys/options.ts'
import { readRegistration } from '../../../domain/passkeys/response.ts'
import { ensureHandle, findPasskey, insertPasskey, listPasskeys, most_passkeys } from '../../../domain/passkeys/store.ts'
import { verifyRegistration } from '../../../domain/passkeys/verify.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { methodAdded } from '../../../domain/users/added-methods.ts'
import { findUser } from '../../../domain/users/store.ts'
import { header, type OidcCall, type OidcServices } from '../../call.ts'
import type { SessionOfBrowser } from '../shared/establish-session.ts'
import { holdFreshSession, isFreshlySignedIn, raiseByNewFactor } from '../shared/fresh-sign-in.ts'
import { commitWithNotice, hasRoomForChange, type OwnUser, too_many_changes } from '../shared/notice.ts'
import { boundTo, challenge_over, passkeyAmr, relyingPartyOf } from '../shared/passkey-ceremony.ts'

type Session = Pick<SessionRow, 'id' | 'user_id' | 'email' | 'name'>

/** The account that adds a passkey. */
export interface Enrolling extends Pick<Session, 'user_id' | 'email' | 'name'> {
  /** The session, or the sign-in that waits for its second factor: the response is valid for it alone. */
  id: string
}

/** `automatic`: the browser creates the passkey by itself, so nobody is verified. Its responses are valid for nothing else. */
type Purpose = 'enrolment' | 'automatic'

/** The options of `navigator.credentials.create`, as JSON. `null` where passkeys are off, or the user has as many as one may have. */
export async function beginEnrolment(
  services: OidcServices,
  call: OidcCall,
  session: Enrolling,
  purpose: Purpose = 'enrolment',
): Promise<string | null> {
  const party = relyingPartyOf(call)
  if (!party) return null
  const { environment_id, display_name } = call.issuer
  const known = await listPasskeys(services.db, environment_id, session.user_id)
  if (known.length >= most_passkeys) return null
  const handle = await ensureHandle(services, environment_id, session.user_id)
  if (handle === null) return null // deleted since the session was read
  const challenge = newChallenge(services, boundTo(call, { purpose, to: session.id }), call.now)
  const { email, name } = session
  const is_automatic = purpose === 'automatic'
  // One that does not count as a factor yet does not keep its authenticator from adding one: where a factor is required, nothing else might lead on.
  const excluded = is_automatic ? known : known.filter(({ is_factor }) => is_factor)
  const user = { handle, email, name }
  return JSON.stringify(creationOptions({ id: party.rp_id, name: display_name }, challenge, user, { excluded, is_automatic }))
}

export type EnrolmentProblem = 'expired' | 'refused' | 'known' | 'too_many' | 'limited'

/** `set_cookie`: the session has a higher level, and a new secret. `stale`: no new response helps, only a new sign-in. */
export type Enrolment =
  | { added: { id: string; name: string }; set_cookie: string[] }
  | { problem: EnrolmentProblem | 'stale'; refusal: Refusal }

/** The passkey that a valid response adds. The caller stores it in one batch with a guard on the conditions that allow it. */
export interface JudgedEnrolment {
  added: { id: string; name: string }
  notice: Notice
  /** RFC 8176: the ceremony verified the person. */
  amr: readonly string[]
  /** `allowed` has that guard. */
  statements: (allowed: readonly Statement[]) => Statement[]
  credential_id: string
}

/** Judges the posted response. Changes nothing. */
export async function judgeEnrolment(
  services: OidcServices,
  call: OidcCall,
  { id, user_id, purpose = 'enrolment' }: Pick<Enrolling, 'id' | 'user_id'> & { purpose?: Purpose },
  credential: string,
): Promise<JudgedEnrolment | { problem: 'expired' | 'refused'; refusal: Refusal }> {
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const party = relyingPartyOf(call)
  const response = readRegistration(credential)
  const is_automatic = purpose === 'automatic'
  const challenge = response && readChallenge(services, boundTo(call, { purpose, to: id }), response.challenge, now)
  if (response && !challenge) return { problem: 'expired', refusal: challenge_over }
  const verified = party && response && (await verifyRegistration(party, response, is_automatic))
  if (!verified || !challenge) return { problem: 'refused', refusal: not_valid }

  const user_agent = asLine(header(call, 'user-agent') ?? '', 300) || null
  const { aaguid, ...facts } = verified
  const added = { id: services.newId('mth'), name: passkeyName(aaguid, user_agent) }
  const device = { name: deviceLine(user_agent), ip: call.ip }
  const { event, notice } = methodAdded(
    services,
    { environment_id, id: user_id },
    { type: 'passkey', ...added },
    { request_id, device, now, by_itself: is_automatic },
  )
  return {
    added,
    notice,
    amr: passkeyAmr(verified),
    statements: (allowed) => [
      ...insertPasskey(
        environment_id,
        { ...facts, ...added, user_id, transports: response.transports, is_factor: !is_automatic },
        allowed,
        now,
      ),
      spendChallenge(challenge),
      event,
    ],
    credential_id: verified.credential_id,
  }
}

/** Stores the passkey of the posted response, with its event and mail. The session must be active and fresh until it is stored. */
export async function finishEnrolment(
  services: OidcServices,
  call: OidcCall,
  { browser, session }: SessionOfBrowser,
  credential: string,
): Promise<Enrolment> {
  if (!(await isFreshlySignedIn(services, call, session))) return { problem: 'stale', refusal: not_fresh }
  const judged = await judgeEnrolment(services, call, session, credential)
  if ('problem' in judged) return judged
  if (!(await hasRoomForChange(services, call, { id: session.user_id }))) return { problem: 'limited', refusal: too_many_changes }
  const { environment_id } = call.issuer
  const { user_id, email } = session
  const { hold, set_cookie } = raiseByNewFactor(services, call, { browser, session }, judged.amr)
  const locale = (await findUser(services.db, environment_id, user_id))?.locale ?? null
  const change = { notice: judged.notice, statements: judged.statements(hold) }
  const stored = await commitWithNotice(services, call, { id: user_id, email, locale }, change)
  return stored ? { added: judged.added, set_cookie } : whyNotStored(services, call, user_id, judged)
}

/** The same for one that the browser created by itself. It raises no session, since nobody was verified. */
export async function finishAutomatic(
  services: OidcServices,
  call: OidcCall,
  session: SessionRow,
  credential: string,
): Promise<{ added: true } | { refusal: Refusal }> {
  const judged = await judgeEnrolment(services, call, { ...session, purpose: 'automatic' }, credential)
  if ('problem' in judged) return judged
  const user = await mayCreateItself(services, call, session)
  if (!user || !(await hasRoomForChange(services, call, user))) return { refusal: user ? too_many_changes : not_by_itself }
  const hold = [isVerified(call.issuer.environment_id, user.id), holdFreshSession(call, session)]
  const stored = await commitWithNotice(services, call, user, { notice: judged.notice, statements: judged.statements(hold) })
  return stored ? { added: true } : { refusal: (await whyNotStored(services, call, user.id, judged)).refusal }
}

/**
 * The user of a session in which the browser may create a passkey by itself; `null` where it may not: the session began with a password less
 * than ten minutes ago and used no passkey, and the address is proven: any other may belong to another person.
 */
export async function mayCreateItself(services: OidcServices, call: OidcCall, session: SessionRow): Promise<OwnUser | null> {
  const { environment_id, settings } = call.issuer
  const is_on = settings.passkeys.automatic && settings.mfa.mode !== 'required' && relyingPartyOf(call) !== null
  if (!is_on || !isByPassword(session) || !(await isFreshlySignedIn(services, call, session))) return null
  const user = await findUser(services.db, environment_id, session.user_id)
  return user?.email_verified && user.email !== null ? { ...user, email: user.email } : null
}

const isByPassword = ({ amr }: Pick<SessionRow, 'amr'>): boolean => amr.includes('pwd') && !amr.includes('user')

/** Fails as a guard if the address is not verified. */
const isVerified = (environment_id: EnvironmentId, user_id: string): Statement =>
  guard(sql`update users set updated_at = updated_at where environment_id = ${environment_id} and id = ${user_id} and email_verified = 1`)

const not_by_itself = refusal(
  'form_expired',
  reason`No browser may create a passkey by itself here: the settings, the address or the sign-in of the person say so.`,
)

/** Why the batch with a judged enrolment failed. */
export async function whyNotStored(
  { db }: OidcServices,
  { issuer: { environment_id } }: OidcCall,
  user_id: string,
  { credential_id }: Pick<JudgedEnrolment, 'credential_id'>,
): Promise<{ problem: EnrolmentProblem; refusal: Refusal }> {
  if (await findPasskey(db, environment_id, credential_id)) return { problem: 'known', refusal: is_known }
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
