/** The forms of the account page about the address: its change, and its proof (decision 0046). Each form names its `step`. */
import { digestOf } from '../../../base/digest.ts'
import { accountAddress } from '../../../base/email.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { longest_email } from '../../../base/normalisation.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { findOwner, verifyAddress } from '../../../domain/accounts/address-proof.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { accountOf } from '../../../domain/users/attempts.ts'
import { requestCode, tryCode } from '../../../domain/users/code-mail.ts'
import { findEmailChange } from '../../../domain/users/email-changes.ts'
import { type CodeKind, type CodeRow, findCodeOfUser, spendCode } from '../../../domain/users/mailed-codes.ts'
import { aboutUser, findCredential } from '../../../domain/users/store.ts'
import type { ChangeEmailView } from '../../../pages/account-address.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused, typedOf } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { deviceOf } from '../../device.ts'
import { pageContext } from '../../hosted-page.ts'
import { fixedCodeOf } from '../../issuer.ts'
import { deviceCookie, knownDevice } from '../../known-browser.ts'
import { holdFreshSession } from '../shared/fresh-sign-in.ts'
import { hasRoomForChange } from '../shared/notice.ts'
import { showChangeEmail, showConfirmEmail } from './address-screens.ts'
import { beginEmailChange, cancelEmailChange, confirmEmailChange, isSameAddress, remindEnds } from './email-change.ts'
import { beginChange, changedMeanwhile, done, type OwnAccount, tooManyChanges } from './gate.ts'

export const changeOwnEmail: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'change-email')
  if ('answer' in own) return own.answer
  if (!sendsMail(call.issuer.settings.email)) return refused(redirect(accountUrl(call)), no_mail)
  const step = call.form?.get('step')
  if (step === 'code') return enterCode(services, call, own)
  if (step === 'resend') return resend(services, call, own)
  if (step === 'cancel') return cancel(services, call, own)
  return begin(services, call, own)
}

const changePage = (call: OidcCall, { user }: OwnAccount) => redirect(accountUrl(call, { action: 'change-email', user: user.id }))

async function begin(services: OidcServices, call: OidcCall, own: OwnAccount): Promise<Answer> {
  const email = accountAddress(typedOf(call, 'email', longest_email))
  const again = (problem: ChangeEmailView['problem']) => showChangeEmail(services, call, own, problem)
  if (email === null) return refused(await again('malformed'), no_address)
  if (isSameAddress(email, own.user.email)) return refused(await again('same'), same_address)
  const change = await findEmailChange(services.db, call.issuer.environment_id, own.user.id, call.now)
  if (change && isSameAddress(change.email, email)) return resend(services, call, own)
  if (!(await hasRoomForChange(services, call, own.user))) return tooManyChanges(services, call, own, { action: 'change-email' })
  if (await beginEmailChange(services, call, own, email)) return changePage(call, own)
  return changedMeanwhile(services, call, own, { action: 'change-email', id: null })
}

async function resend(services: OidcServices, call: OidcCall, own: OwnAccount): Promise<Answer> {
  const change = await findEmailChange(services.db, call.issuer.environment_id, own.user.id, call.now)
  if (change) await remindEnds(services, call, own, change)
  return changePage(call, own)
}

async function cancel(services: OidcServices, call: OidcCall, own: OwnAccount): Promise<Answer> {
  if (await cancelEmailChange(services, call, own.user, { hold: [holdFreshSession(call, own.session)] }))
    return done(call, own, 'keep-email')
  return changedMeanwhile(services, call, own, { action: 'change-email', id: null })
}

async function enterCode(services: OidcServices, call: OidcCall, own: OwnAccount): Promise<Answer> {
  const { environment_id } = call.issuer
  const { user, session } = own
  const change = await findEmailChange(services.db, environment_id, user.id, call.now)
  const row = change && (await rightCode(services, call, own, { kind: 'change_email', email: change.email }))
  if (!change || !row) return refused(await showChangeEmail(services, call, own, 'wrong_code'), wrong_code)
  const spent = spendCode(environment_id, row.id, { tried: true }, call.now)
  const confirmed = await confirmEmailChange(services, call, user.id, { end: 'new', new_email: change.email, spent, session })
  if (confirmed === 'waits') return changePage(call, own)
  if (confirmed === 'failed') return changedMeanwhile(services, call, own, { action: 'change-email', id: null })
  // The mark of this browser belonged to the old address.
  const credential = await findCredential(services.db, environment_id, change.email)
  const marked = { user_id: user.id, email: change.email, password_hash: credential?.password_hash ?? null }
  return withCookies(done(call, own, 'change-email'), [deviceCookie(services, call, marked)])
}

/** The open code of this person, if the form contains it. Counts a try. Each browser enters its own code (decision 0041). */
async function rightCode(
  services: OidcServices,
  call: OidcCall,
  { browser, user }: OwnAccount,
  { kind, email }: { kind: CodeKind; email: string },
): Promise<CodeRow | null> {
  const { environment_id } = call.issuer
  const wanted = { user_id: user.id, account: accountOf(email), kind, browser: digestOf(browser.form_seed ?? '') }
  const row = await findCodeOfUser(services.db, environment_id, wanted, call.now)
  return (await tryCode(services, environment_id, { row, typed: call.form?.get('code') ?? '' }, call.now)) ? row : null
}

/** Proof that begins in a session of the account itself. */
export const confirmOwnEmail: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'confirm-email')
  if ('answer' in own) return own.answer
  const { user } = own
  if (!sendsMail(call.issuer.settings.email)) return refused(redirect(accountUrl(call)), no_mail)
  if (user.email_verified) return done(call, own, 'confirm-email')
  if (call.form?.get('step') !== 'code') {
    await sendProof(services, call, own)
    return redirect(accountUrl(call, { action: 'confirm-email', user: user.id }))
  }
  const { environment_id } = call.issuer
  const row = await rightCode(services, call, own, { kind: 'verify_email', email: user.email })
  const owner = row && (await findOwner(services.db, environment_id, user.email))
  if (owner?.id !== user.id) return refused(showConfirmEmail(services, call, own, 'wrong_code'), wrong_code)
  const proof = { environment_id, request_id: call.request_id, now: call.now }
  const proved = await services.db
    .of(environment_id)
    .batch([
      aboutUser(environment_id, user.id),
      spendCode(environment_id, row?.id ?? '', { tried: true }, call.now),
      ...verifyAddress(services, proof, owner),
      holdSession(environment_id, own.session, call.now),
    ])
  return proved ? done(call, own, 'confirm-email') : changedMeanwhile(services, call, own, { action: 'confirm-email', id: null })
}

/** Mails a code and a link, if the limits allow it. */
async function sendProof(services: OidcServices, call: OidcCall, { browser, user }: OwnAccount): Promise<void> {
  const { environment_id, url } = call.issuer
  const credential = await findCredential(services.db, environment_id, user.email)
  const marked = { user_id: user.id, email: user.email, password_hash: credential?.password_hash ?? null }
  await requestCode(
    services,
    {
      environment_id,
      kind: 'verify_email',
      payload: { email: user.email },
      user_id: user.id,
      browser: browser.form_seed,
      source: sourceOf(call.ip),
      is_known: knownDevice(services, call, browser, marked) !== null,
      fixed_code: fixedCodeOf(call.issuer),
      letter: ({ code, link, expires_at }) => ({ kind: 'verify_email', code, link, expires_at, device: deviceOf(call) }),
      is_decoy: false,
      has_code: true,
      has_link: true,
      to: user.email,
      locales: [user.locale, pageContext(call).locale].filter((tag) => tag !== null).join(' '),
      request_id: call.request_id,
      issuer_url: url,
    },
    call.now,
  )
}

const no_mail = refusal('not_found', reason`The environment sends no mail, so no address can be verified.`)
const no_address = refusal('validation_failed', reason`The email is missing or malformed.`)
const same_address = refusal('validation_failed', reason`The account has this email already.`)
const wrong_code = refusal('wrong_code', reason`The code is wrong, has ended, or was tried too often.`)
