/**
 * The mailed code that an enrolment in a sign-in asks for (decision 0042): a stolen password alone adds no factor. It is a
 * code as those for signing in, counted together with them (decision 0041), and it belongs to one half sign-in and so to one browser.
 * `enrolmentNeedsMailedCode` says where it is asked for.
 */
import { digestOf } from '../../../base/digest.ts'
import { sourceOf } from '../../../base/source.ts'
import { acceptMailedCode, type HalfSignIn } from '../../../domain/sessions/half-sign-ins.ts'
import { accountOf } from '../../../domain/users/attempts.ts'
import { requestCode, tryCode } from '../../../domain/users/code-mail.ts'
import { findCodeOfBrowser, spendCode } from '../../../domain/users/mailed-codes.ts'
import { aboutUser, findUser } from '../../../domain/users/store.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { fixedCodeOf } from '../../issuer.ts'
import { knownDevice } from '../../known-browser.ts'
import type { Interaction } from './begin.ts'

/** Sends a new code. A request too soon or over a limit sends nothing (decision 0041). */
export async function sendEnrolmentCode(
  services: OidcServices,
  call: OidcCall,
  { browser }: Pick<Interaction, 'browser'>,
  half: HalfSignIn,
): Promise<void> {
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const user = await findUser(services.db, environment_id, half.user_id)
  if (!user || user.email === null) return
  const { id: user_id, email } = user
  const device = deviceOf(call)
  await requestCode(
    services,
    {
      environment_id,
      kind: 'enrolment',
      payload: { email },
      user_id,
      browser: half.secret_hash,
      source: sourceOf(call.ip),
      is_known: knownDevice(services, call, browser, { user_id, email, password_hash: half.signed_in.password_hash }) !== null,
      fixed_code: fixedCodeOf(issuer),
      letter: ({ code }) => ({ kind: 'sign_in_code', code, expires_at: half.expires_at, device }),
      is_decoy: false,
      has_code: true,
      has_link: false,
      to: email,
      locales: user.locale,
      request_id,
      issuer_url: issuer.url,
    },
    now,
  )
}

/** Accepts the code that the person typed, once. The limits are those of `tryCode`. */
export async function acceptEnrolmentCode(services: OidcServices, call: OidcCall, half: HalfSignIn, sent: string): Promise<boolean> {
  const { issuer, now } = call
  const { environment_id } = issuer
  const user = await findUser(services.db, environment_id, half.user_id)
  if (!user || user.email === null) return false
  const asked = { kind: 'enrolment', account: accountOf(user.email), browser: digestOf(half.secret_hash) } as const
  const row = await findCodeOfBrowser(services.db, environment_id, asked, now)
  if (!row || !(await tryCode(services, environment_id, { row, typed: sent }, now))) return false
  const accepted = [
    aboutUser(environment_id, half.user_id),
    spendCode(environment_id, row.id, { tried: true }, now),
    acceptMailedCode(environment_id, half, now),
  ]
  return (await services.db.of(environment_id).batch(accepted)) !== null
}
