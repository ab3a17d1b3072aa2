/** Mails codes: as a way in, and as the proof of a sign-up (decision 0041). */
import { digestOf } from '../../../base/digest.ts'
import { accountAddress } from '../../../base/email.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { findOwner, isProven } from '../../../domain/accounts/address-proof.ts'
import { waysIn } from '../../../domain/accounts/methods.ts'
import { accountOf } from '../../../domain/users/attempts.ts'
import { payloadOf, requestCode } from '../../../domain/users/code-mail.ts'
import { type CodeRow, findCodeOfBrowser } from '../../../domain/users/mailed-codes.ts'
import { personKeyOf } from '../../../domain/users/person-key.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { pageContext } from '../../hosted-page.ts'
import { fixedCodeOf } from '../../issuer.ts'
import { knownDevice } from '../../known-browser.ts'
import type { Interaction } from '../shared/begin.ts'
import { keptRequest } from '../shared/kept-request.ts'
import { admitsAddress, mayCreateAccount, offersCodes } from '../shared/new-account.ts'
import { showSignIn } from '../shared/screens.ts'
import { isOfSignUp, toCodePage } from './email-code-screen.ts'

interface Wanted {
  kind: 'sign_in' | 'sign_up'
  /** As it was typed. */
  email: string
  name?: string | null
  password_hash?: string | null
}

const nobody = { id: '', email: '', password_hash: null, blocked_at: null }

/**
 * Mails a code, or does the same work for an address that gets none, and leads to the page that asks for it. Text that no account can have
 * as its address leads back to the sign-in page.
 */
export async function sendCode(services: OidcServices, call: OidcCall, interaction: Interaction, wanted: Wanted): Promise<Answer> {
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const { email } = wanted
  const address = accountAddress(email)
  if (address === null) {
    const problem = email === '' ? 'missing_email' : 'malformed_email'
    return showSignIn(services, call, interaction, { email, problem, refusal: no_address, wait_seconds: null })
  }
  const owner = await findOwner(services.db, environment_id, address)
  const account = owner ?? nobody
  call.subject.user_id = owner?.id ?? null
  call.subject.person = personKeyOf(services, environment_id, address)
  const to = owner?.email ?? address
  const marked = { user_id: account.id, email: address, password_hash: account.password_hash }
  const { texts, locale } = pageContext(call, interaction.request.ui_locales)
  const ways = await waysIn(services.db, { environment_id, id: account.id }, issuer.settings.sign_in, texts.ways_in)
  const device = deviceOf(call)
  const { query } = interaction
  const is_sign_up = wanted.kind === 'sign_up'
  const is_taken = is_sign_up && isProven(owner)
  // A code that signs in to an account that never proved its address asks for no domain: that account exists.
  const is_new = is_sign_up ? !is_taken : owner === null
  const is_outside = is_new && mayCreateAccount(call, interaction, address) && !admitsAddress(call, interaction, address)
  const is_refused = owner ? owner.blocked_at !== null && !is_taken : !mayCreateAccount(call, interaction, address)
  await requestCode(
    services,
    {
      environment_id,
      kind: wanted.kind,
      payload: {
        email: to,
        name: wanted.name ?? null,
        password_hash: wanted.password_hash ?? null,
        request: is_sign_up ? keptRequest(query) : null,
      },
      user_id: owner?.id ?? null,
      browser: interaction.browser.form_seed,
      source: sourceOf(call.ip),
      is_known: knownDevice(services, call, interaction.browser, marked) !== null,
      fixed_code: fixedCodeOf(issuer),
      letter: ({ code, link, expires_at }) =>
        is_taken
          ? { kind: 'existing_account', asked_for: 'sign_up', ways, expires_at, device }
          : is_outside
            ? { kind: 'sign_up_refused', expires_at, device }
            : is_sign_up
              ? { kind: 'verify_email', code, link, expires_at, device, makes_account: true }
              : { kind: 'sign_in_code', code, expires_at, device },
      is_decoy: is_refused,
      has_code: !is_taken && !is_outside,
      has_link: is_sign_up && !is_taken && !is_outside,
      to,
      locales: locale,
      request_id,
      issuer_url: issuer.url,
    },
    now,
  )
  return toCodePage(services, call, interaction, { email, is_sign_up })
}

const no_address = refusal('validation_failed', reason`The email is missing or malformed.`)

/** Mails a new code for what this browser asked for before. */
export async function resendCode(services: OidcServices, call: OidcCall, interaction: Interaction, email: string): Promise<Answer> {
  const row = await findPendingCode(services, call, interaction, email)
  if (row?.kind === 'sign_up') {
    const { name, password_hash } = payloadOf(services, call.issuer.environment_id, row)
    return sendCode(services, call, interaction, { kind: 'sign_up', email, name, password_hash })
  }
  if (offersCodes(call) || row) return sendCode(services, call, interaction, { kind: 'sign_in', email })
  return toCodePage(services, call, interaction, { email, is_sign_up: isOfSignUp(services, call, interaction) })
}

/** The code that this browser waits for. */
export function findPendingCode({ db }: OidcServices, call: OidcCall, { browser }: Interaction, email: string): Promise<CodeRow | null> {
  const seed = digestOf(browser.form_seed ?? '')
  return findCodeOfBrowser(db, call.issuer.environment_id, { kind: 'sign_in', account: accountOf(email), browser: seed }, call.now)
}
