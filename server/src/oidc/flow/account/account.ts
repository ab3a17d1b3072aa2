/** The account page, and the forms of its profile, devices and applications. `oidc/flow/account/gate.ts` says how a change begins. */
import { ApplicationId, SessionId } from '@ostiary/contract/ids.ts'
import { UserChange } from '@ostiary/contract/user.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { insertEvent } from '../../../events/store.ts'
import { type ProfileField, profile_fields } from '../../../pages/account-forms.ts'
import { isTimeZone } from '../../../pages/dates.ts'
import { disconnectApplication } from '../../../sessions/disconnect.ts'
import { endOtherSessions as endOthers } from '../../../sessions/endings.ts'
import { endSessionRecord, findSessionRecord } from '../../../sessions/session-records.ts'
import { holdSession } from '../../../sessions/sessions.ts'
import { holdUser, updateUser } from '../../../users/store.ts'
import { accountUrl } from '../../account-url.ts'
import { readBrowser } from '../../browser.ts'
import { fieldOf, type OidcEndpoint, redirect, refused } from '../../call.ts'
import { asksForSignUp } from '../../protocol/sign-up.ts'
import { mayCreateAccount } from '../shared/new-account.ts'
import { no_problems, showAccounts, showSignIn, showSignUp } from '../shared/screens.ts'
import { accountVisit } from '../shared/visit.ts'
import { beginChange, changedMeanwhile, done, findOwnUser, needsSignIn, noticeOf, type OwnAccount, ownOrigin } from './gate.ts'
import { showAccountPage, showPlace, showProfile } from './screens.ts'

export const showAccount: OidcEndpoint = async (services, call) => {
  const browser = await readBrowser(services, call)
  const visit = accountVisit(call.query, browser)
  const { prompt } = visit.request
  const { action, id, user_id } = visit.account
  const nothing = { problem: null, wait_seconds: null }
  if (prompt.includes('select_account') && browser.sessions.length > 0) return showAccounts(services, call, visit)
  if (prompt.includes('create') && mayCreateAccount(call, visit) && asksForSignUp(call.issuer.settings))
    return showSignUp(services, call, visit, { email: '', name: '', problems: no_problems, refusal: null, wait_seconds: null })

  const session = browser.sessions.find((candidate) => user_id === null || candidate.user_id === user_id)
  const user = session ? await findOwnUser(services, call, session.user_id) : null
  if (!session || !user || prompt.includes('login')) {
    const email = user_id !== null && session ? session.email : ''
    return showSignIn(services, call, visit, { email, ...nothing })
  }
  call.subject.user_id = user.id
  if (await needsSignIn(services, call, action, session)) {
    // Only a sign-in of this account leads to the change, and a provider asks the person again.
    const again = accountVisit(new URL(accountUrl(call, { action: action ?? '', id, user: user.id, prompt: 'login' })).search, browser)
    return showSignIn(services, call, again, { email: session.email, ...nothing })
  }
  const own = { browser, session, user }
  return action === null
    ? showAccountPage(services, call, own, { notice: noticeOf(call), problem: null })
    : showPlace(services, call, own, { action, id, problem: null })
}

/** In UTF-16 code units: longer than every field, so that a field that is cut is too long. */
const longest_field = 1_000

/** A field that the form does not have stays as it is; an empty one is removed. */
export const changeOwnName: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'change-name')
  if ('answer' in own) return own.answer
  const { user, session } = own
  const { environment_id } = call.issuer
  const typed = profile_fields.filter((name) => call.form?.has(name))
  const values = { ...presentOf(own), ...Object.fromEntries(typed.map((name) => [name, fieldOf(call, name, longest_field).trim()])) }
  const wrong = typed.filter((name) => !isAllowed(name, values[name], own))
  if (wrong.length > 0) return refused(showProfile(services, call, own, { values, problem: null, wrong }), wrong_field)
  const changed = typed.filter((name) => values[name] !== (user[name] ?? ''))
  if (changed.length === 0) return done(call, own, 'change-name')
  const fields = Object.fromEntries(changed.map((name) => [name, values[name] || null]))
  const event = { type: 'user.updated', user_id: user.id, data: { changed } } as const
  const written = await services.db.batch([
    updateUser(user, { ...user, ...fields }, undefined, call.now),
    holdSession(environment_id, session, call.now),
    insertEvent(environment_id, ownOrigin(services, call, own), event, call.now),
  ])
  return written ? done(call, own, 'change-name') : changedMeanwhile(services, call, own, { action: 'change-name', id: null })
}

const presentOf = ({ user }: OwnAccount) =>
  Object.fromEntries(profile_fields.map((name) => [name, user[name] ?? ''])) as Record<ProfileField, string> // as: every field

/** The rules of the API for the field, and for a time zone that this service can show times in it. */
function isAllowed(name: ProfileField, value: string, { user }: OwnAccount): boolean {
  if (value === '' || value === user[name]) return true
  return UserChange.shape[name].safeParse(value).success && (name !== 'zoneinfo' || isTimeZone(value))
}

const wrong_field = refusal('validation_failed', reason`A field of the profile has a value that cannot be stored.`)

/** Ends another session of the person with all its grants. */
export const endOwnSession: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const { user, session } = own
  const id = SessionId.safeParse(call.form?.get('id')).data ?? ''
  const other = id === session.id ? null : await findSessionRecord(services.db, environment_id, id, call.now)
  if (other?.user_id !== user.id) return refused(redirect(accountUrl(call)), unknown_object)
  const event = { type: 'session.ended', user_id: user.id, data: { session_id: other.id, reason: 'ended_by_person' } } as const
  const ended = await services.db.batch([
    holdUser(environment_id, user.id),
    holdSession(environment_id, session, call.now),
    ...endSessionRecord(environment_id, other, call.now),
    insertEvent(environment_id, ownOrigin(services, call, own), event, call.now),
  ])
  return ended ? done(call, own, 'end-session') : changedMeanwhile(services, call, own, { action: null, id: null })
}

const unknown_object = refusal('not_found', reason`The account has no such session, method or application.`)

/** Ends every other session and every grant that did not begin in this one. */
export const endOtherSessions: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const { user, session } = own
  const ended = await services.db.batch([
    holdUser(environment_id, user.id),
    holdSession(environment_id, session, call.now),
    ...endOthers(environment_id, session, { by: 'ended_by_person', origin: ownOrigin(services, call, own) }, call.now),
  ])
  return ended ? done(call, own, 'end-other-sessions') : changedMeanwhile(services, call, own, { action: null, id: null })
}

/** Ends the consent and all grants of an application. */
export const disconnect: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const { session } = own
  const application_id = ApplicationId.safeParse(call.form?.get('id')).data
  if (application_id === undefined) return refused(redirect(accountUrl(call)), unknown_object)
  const which = { user_id: own.user.id, application_id }
  const ended = await services.db.batch([
    holdUser(environment_id, which.user_id),
    holdSession(environment_id, session, call.now),
    ...disconnectApplication(environment_id, which, ownOrigin(services, call, own), call.now),
  ])
  return ended ? done(call, own, 'disconnect') : changedMeanwhile(services, call, own, { action: null, id: null })
}
