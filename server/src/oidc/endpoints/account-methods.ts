/** The forms of the account page that change how the person signs in. Each is sensitive, and mailed. */
import { MethodId } from '@ostiary/contract/ids.ts'
import { insertEvent } from '../../events/store.ts'
import type { PasswordView } from '../../pages/account-forms.ts'
import { reason } from '../../reason.ts'
import { refusal } from '../../refusal.ts'
import { findMethod, keepsWayIn, removeMethod } from '../../users/methods.ts'
import { longest_password } from '../../users/password-policy.ts'
import { judgePassword } from '../../users/password-rules.ts'
import { holdUser, updateUser } from '../../users/store.ts'
import { beginChange, changedMeanwhile, done, fieldOf, originOf } from '../account/gate.ts'
import { commitWithNotice } from '../account/notice.ts'
import { showPassword, showRemoval } from '../account/screens.ts'
import { accountUrl } from '../account/url.ts'
import { deviceCookie, withCookies } from '../browser.ts'
import { type OidcEndpoint, redirect, refused } from '../call.ts'
import { deviceOf } from '../device.ts'
import { endOtherSessions, holdSession } from '../store/account.ts'
import { endBegunWith } from '../store/sessions.ts'

/** A new password ends every other session, and every grant that did not begin in this one (people.md 19). */
export const changeOwnPassword: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'change-password')
  if ('answer' in own) return own.answer
  const { db, passwords } = services
  const { issuer, now } = call
  const { environment_id } = issuer
  const { user, session } = own
  if (!issuer.settings.sign_in.password) return refused(redirect(accountUrl(call)), no_passwords)
  const password = fieldOf(call, 'password', longest_password)
  const problem: PasswordView['problem'] = password === '' ? 'missing' : await judgePassword(db, environment_id, password, user)
  if (problem !== null) return refused(showPassword(services, call, own, problem), refused_password)

  const password_hash = await passwords.hash(password, { environment_id, signal: call.signal() })
  const device = deviceOf(call)
  const notice = user.has_password
    ? { kind: 'password_changed' as const, device }
    : { kind: 'method_added' as const, method: 'password' as const, name: null, device }
  const origin = originOf(services, call, own)
  const event = { type: 'user.updated', user_id: user.id, data: { changed: ['password'] } } as const
  const written = await commitWithNotice(services, call, user, notice, [
    updateUser(user, user, password_hash, now),
    holdSession(environment_id, session, now),
    ...endOtherSessions(environment_id, session, { by: 'password_changed', origin: { ...origin, id: services.newId('evt') } }, now),
    insertEvent(environment_id, origin, event, now),
  ])
  if (!written) return changedMeanwhile(services, call, own, { action: 'change-password', id: null })
  // The mark of this browser belonged to the old password.
  return withCookies(done(call, 'change-password'), [deviceCookie(services, call, { user_id: user.id, email: user.email, password_hash })])
}

const no_passwords = refusal('not_found', reason`The environment has no passwords: see sign_in.password of its settings.`)
const refused_password = refusal('validation_failed', reason`The rules of the environment refuse the new password.`)

/** Ends what began with the method, this session too if it did (people.md 20). The last way in stays. */
export const removeOwnMethod: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'remove-provider')
  if ('answer' in own) return own.answer
  const { issuer, now } = call
  const { environment_id, settings } = issuer
  const { user, session } = own
  const find = async () => findMethod(services.db, environment_id, user.id, MethodId.safeParse(call.form?.get('id')).data ?? '')
  const method = await find()
  if (method?.type !== 'provider') return refused(redirect(accountUrl(call)), unknown_method)
  const notice = { kind: 'method_removed' as const, method: method.type, name: method.name, device: deviceOf(call) }
  const event = { type: 'user.updated', user_id: user.id, data: { changed: ['identities'], method_id: method.id } } as const
  const removed = await commitWithNotice(services, call, user, notice, [
    holdUser(environment_id, user.id),
    keepsWayIn(environment_id, user.id, method.id, settings.sign_in),
    ...removeMethod(environment_id, user.id, method, now),
    holdSession(environment_id, session, now),
    ...endBegunWith(environment_id, user.id, method.id, now),
    insertEvent(environment_id, originOf(services, call, own), event, now),
  ])
  if (removed) return done(call, 'remove-provider')
  const place = { action: 'remove-provider' as const, id: method.id }
  const is_last = (await find()) !== null && !(await services.db.batch([keepsWayIn(environment_id, user.id, method.id, settings.sign_in)]))
  if (is_last) return refused(await showRemoval(services, call, own, method.id, 'last_way_in'), last_way_in)
  return changedMeanwhile(services, call, own, place)
}

const unknown_method = refusal('not_found', reason`The account has no such sign-in method, or not one that its page removes.`)
const last_way_in = refusal('validation_failed', reason`Without the method the person could not sign in any more.`)
