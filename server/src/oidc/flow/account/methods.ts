/** The forms of the account page that change how the person signs in. Each is sensitive, and mailed. */
import { MethodId } from '@ostiary/contract/ids.ts'
import { sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import type { Statement } from '../../../db/db.ts'
import { findMethod } from '../../../domain/accounts/methods.ts'
import { removeMethodByPerson } from '../../../domain/accounts/remove-own-method.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { endEverythingElse } from '../../../domain/sessions/endings.ts'
import { methodAdded } from '../../../domain/users/added-methods.ts'
import { longest_password } from '../../../domain/users/password-policy.ts'
import { judgePassword } from '../../../domain/users/password-rules.ts'
import { confirmTotp, type OwnChange, renewRecoveryCodes } from '../../../domain/users/second-factor-changes.ts'
import { holdUser, updateUser } from '../../../domain/users/store.ts'
import { isRemovable, removals } from '../../../pages/account-actions.ts'
import type { PasswordView } from '../../../pages/account-forms.ts'
import type { AddTotpView } from '../../../pages/account-methods.ts'
import { accountUrl } from '../../account-url.ts'
import { fieldOf, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused, typedOf } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { deviceOf } from '../../device.ts'
import { busyAnswer, hashUnlessBusy } from '../../hashing.ts'
import { deviceCookie } from '../../known-browser.ts'
import { finishEnrolment } from '../passkey/passkey-enrolment.ts'
import { holdFreshSession, raiseByNewFactor } from '../shared/fresh-sign-in.ts'
import { commitWithNotice } from '../shared/notice.ts'
import { keepShownCodes, redirectToCodes } from '../shared/shown-codes.ts'
import { beginChange, beginCountedChange, changedMeanwhile, done, type OwnAccount, ownOrigin } from './gate.ts'
import { mayAddTotp, showAddPasskey, showAddTotp, showPassword, showRemoval } from './screens.ts'

/** A new password ends every other session, and every grant that did not begin in this one. */
export const changeOwnPassword: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'change-password')
  if ('answer' in own) return own.answer
  const { db } = services
  const { issuer, now } = call
  const { environment_id } = issuer
  const { user, session } = own
  if (!issuer.settings.sign_in.password) return refused(redirect(accountUrl(call)), no_passwords)
  const password = fieldOf(call, 'password', longest_password)
  const problem: PasswordView['problem'] = password === '' ? 'missing' : await judgePassword(db, environment_id, password, user)
  if (problem !== null) return refused(showPassword(services, call, own, problem), refused_password)

  // A session of the account says as much as a mark.
  const password_hash = await hashUnlessBusy(services, call, password, { marked_account: user.id })
  if (password_hash === null) return busyAnswer(showPassword(services, call, own, 'busy'))
  const device = deviceOf(call)
  const first = methodAdded(services, user, { type: 'password', name: null }, { request_id: call.request_id, device, now })
  const notice = user.has_password ? { kind: 'password_changed' as const, device } : first.notice
  const event = { type: 'user.updated', user_id: user.id, data: { changed: ['password'] } } as const
  const written = await commitWithNotice(services, call, user, {
    notice,
    statements: [
      ...updateUser(user, user, password_hash, now),
      holdFreshSession(call, session),
      ...endEverythingElse(environment_id, session, { by: 'password_changed', origin: ownOrigin(services, call, own) }, now),
      insertEvent(environment_id, ownOrigin(services, call, own), event, now),
      ...(user.has_password ? [] : [first.event]),
    ],
  })
  if (!written) return changedMeanwhile(services, call, own, { action: 'change-password', id: null })
  // The mark of this browser belonged to the old password.
  return withCookies(done(call, own, 'change-password'), [
    deviceCookie(services, call, { user_id: user.id, email: user.email, password_hash }),
  ])
}

const no_passwords = refusal('not_found', reason`The environment has no passwords: see sign_in.password of its settings.`)
const refused_password = refusal('validation_failed', reason`The rules of the environment refuse the new password.`)

/**
 * Ends what began with the method, this session too if it did (decision 0045). The last way in stays, and where a second factor is
 * required the last one.
 */
export const removeOwnMethod: OidcEndpoint = async (services, call) => {
  const asked = call.form?.get('action')
  const action = Object.values(removals).find((name) => name === asked) ?? 'remove-provider'
  const own = await beginChange(services, call, action)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const id = MethodId.safeParse(call.form?.get('id')).data ?? ''
  const method = await findMethod(services.db, environment_id, own.user.id, id)
  if (!method || !isRemovable(method.type) || removals[method.type] !== action) return refused(redirect(accountUrl(call)), unknown_method)
  const { sign_in, mfa } = call.issuer.settings
  const removal = { method, sign_in, mode: mfa.mode }
  const outcome = await removeMethodByPerson(services, own.user, removal, ownChange(services, call, own))
  if (outcome === 'removed') return done(call, own, action)
  if (outcome === 'changed') return changedMeanwhile(services, call, own, { action, id })
  return showRemoval(services, call, own, { action, id, problem: null, refused: outcome })
}

/** How a change of a method is written: while the session lives and is fresh, and with the limited mail. */
function ownChange(
  services: OidcServices,
  call: OidcCall,
  { browser, user, session }: OwnAccount,
  hold: readonly Statement[] = [holdFreshSession(call, session)],
): OwnChange {
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  return {
    request_id,
    device: deviceOf(call),
    now,
    keep: (codes) => keepShownCodes(services, call, browser, { user_id: user.id, codes }),
    commit: (notice, statements) =>
      commitWithNotice(services, call, user, { notice, statements: [holdUser(environment_id, user.id), ...hold, ...statements] }),
  }
}

/** Adds the offered app. The first one brings recovery codes, which have a page of their own. */
export const addOwnTotp: OidcEndpoint = async (services, call) => {
  const own = await beginCountedChange(services, call, 'add-totp')
  if ('answer' in own) return own.answer
  if (!mayAddTotp(call)) return refused(redirect(accountUrl(call)), no_apps)
  const nonce = fieldOf(call, 'nonce', longest_nonce)
  const code = typedOf(call, 'code', longest_code)
  const again = (problem: AddTotpView['problem']) => showAddTotp(services, call, own, { nonce, problem })
  if (code === '') return refused(again('missing_code'), wrong_code)
  const offer = { session_id: own.session.id, nonce, code }
  const { hold, set_cookie } = raiseByNewFactor(services, call, own, sign_in_methods.totp.amr)
  const outcome = await confirmTotp(services, own.user, offer, ownChange(services, call, own, hold))
  const next = done(call, own, 'add-totp')
  if (outcome.added) return withCookies(outcome.codes ? redirectToCodes(call, own.user.id, next) : next, set_cookie)
  if (outcome.why === 'wrong_code') return refused(again('wrong_code'), wrong_code)
  if (outcome.why === 'too_many') return refused(again('too_many_apps'), too_many_apps)
  return changedMeanwhile(services, call, own, { action: 'add-totp', id: null })
}

const longest_nonce = 100
const longest_code = 100

const no_apps = refusal('not_found', reason`The environment offers no authenticator apps: see mfa of its settings.`)
const wrong_code = refusal('wrong_code', reason`The code is not the one of the offered app.`)
const too_many_apps = refusal('quota_exceeded', reason`The person has as many authenticator apps as one may have.`)

/** Replaces the recovery codes. The new ones have a page of their own. */
export const renewOwnCodes: OidcEndpoint = async (services, call) => {
  const own = await beginCountedChange(services, call, 'new-recovery-codes')
  if ('answer' in own) return own.answer
  const renewed = await renewRecoveryCodes(services, own.user, ownChange(services, call, own))
  if (renewed) return redirectToCodes(call, own.user.id, done(call, own, 'new-recovery-codes'))
  return changedMeanwhile(services, call, own, { action: null, id: null })
}

export const addOwnPasskey: OidcEndpoint = async (services, call) => {
  const own = await beginCountedChange(services, call, 'add-passkey')
  if ('answer' in own) return own.answer
  const outcome = await finishEnrolment(services, call, own, call.form?.get('credential') ?? '')
  if ('added' in outcome) return withCookies(done(call, own, 'add-passkey'), outcome.set_cookie)
  const { problem, refusal } = outcome
  if (problem === 'stale') return refused(redirect(accountUrl(call, { action: 'add-passkey' })), refusal)
  return refused(await showAddPasskey(services, call, own, problem === 'limited' ? 'too_many_changes' : problem), refusal)
}

const unknown_method = refusal('not_found', reason`The account has no such sign-in method, or not one that its page removes.`)
