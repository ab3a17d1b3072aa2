/**
 * The mailed code that the first enrolment of a second factor asks for (contract §4, Second factor): a stolen password alone adds no
 * factor. The code belongs to one half sign-in, and so to one browser. `enrolmentNeedsMailedCode` says where it is asked for.
 */
import { mailStatements } from '../../mail/send.ts'
import { countEnrolmentCode, countEnrolmentMail } from '../../users/attempts.ts'
import { findUser } from '../../users/store.ts'
import { typedCode } from '../../users/totp.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import { deviceOf } from '../device.ts'
import { acceptMailedCode, countCodeTry, type HalfSignIn, storeMailedCode } from '../store/half-sign-ins.ts'

/** Sends a new code. A request too soon or over a limit sends nothing (people.md 11). */
export async function sendEnrolmentCode(services: OidcServices, call: OidcCall, half: HalfSignIn): Promise<void> {
  const { issuer, now } = call
  const { environment_id, settings } = issuer
  const user = await findUser(services.db, environment_id, half.user_id)
  if (!user || user.email === null) return
  const fixed = 'test' in settings ? settings.test.fixed_code : null
  const code = fixed ?? String(services.random(6).readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
  const notice = { kind: 'sign_in_code' as const, code, expires_at: half.expires_at, device: deviceOf(call) }
  const mail = { to: user.email, user_id: user.id, request_id: call.request_id, notice, locales: user.locale }
  await services.db.batch([
    ...countEnrolmentMail({ environment_id, user_id: user.id, now }),
    storeMailedCode(environment_id, half, hashOf(services, call, half, code), now),
    ...(await mailStatements(services, environment_id, mail, now)),
  ])
}

/** Accepts the code that the person typed. Of all tries of a code five are compared, and 30 an hour for an account. */
export async function acceptEnrolmentCode(services: OidcServices, call: OidcCall, half: HalfSignIn, sent: string): Promise<boolean> {
  const { issuer, now } = call
  const { environment_id } = issuer
  const counted = await services.db.batch([
    ...countEnrolmentCode({ environment_id, user_id: half.user_id, now }),
    countCodeTry(environment_id, half, now),
  ])
  if (!counted) return false
  const accepted = await services.db.batch([acceptMailedCode(environment_id, half, hashOf(services, call, half, typedCode(sent)), now)])
  return accepted !== null
}

/** Six digits are found from a digest at once, so the row holds a MAC. */
function hashOf({ secrets }: OidcServices, { issuer }: OidcCall, { secret_hash }: HalfSignIn, code: string): string {
  return secrets.mac('enrolment-code', JSON.stringify([issuer.environment_id, secret_hash, code])).toString('base64url')
}
