/** The buttons that take access back: end the own sessions, trust a browser no longer, disconnect an application. */
import { ClientRef, OrganizationId, SessionId, TrustedBrowserId } from '@ostiary/contract/ids.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { disconnectApplication } from '../../../domain/sessions/disconnect.ts'
import { endEverythingElse } from '../../../domain/sessions/endings.ts'
import { endSessionRecord, findSessionRecord } from '../../../domain/sessions/session-records.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { holdUser } from '../../../domain/users/store.ts'
import { findTrustedById, removeTrusted } from '../../../domain/users/trusted-browsers.ts'
import { accountUrl } from '../../account-url.ts'
import { type OidcEndpoint, redirect, refused } from '../../call.ts'
import { beginChange, changedMeanwhile, done, ownOrigin } from './gate.ts'

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
  const ended = await services.db
    .of(environment_id)
    .batch([
      holdUser(environment_id, user.id),
      holdSession(environment_id, session, call.now),
      ...endSessionRecord(environment_id, other, call.now),
      insertEvent(environment_id, ownOrigin(services, call, own), event, call.now),
    ])
  return ended ? done(call, own, 'end-session') : changedMeanwhile(services, call, own, { action: null, id: null })
}

/** The second factor is asked for in that browser again, even if a session there began without it. */
export const removeOwnTrustedBrowser: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const { user, session } = own
  const id = TrustedBrowserId.safeParse(call.form?.get('id')).data ?? ''
  const browser = await findTrustedById(services.db, user, id)
  if (!browser) return refused(redirect(accountUrl(call)), unknown_object)
  const event = { type: 'trusted_browser.removed', user_id: user.id, data: { trusted_browser_id: browser.id } } as const
  const removed = await services.db
    .of(environment_id)
    .batch([
      holdUser(environment_id, user.id),
      holdSession(environment_id, session, call.now),
      removeTrusted(user, browser.id),
      insertEvent(environment_id, ownOrigin(services, call, own), event, call.now),
    ])
  return removed ? done(call, own, 'remove-trusted-browser') : changedMeanwhile(services, call, own, { action: null, id: null })
}

const unknown_object = refusal('not_found', reason`The account has no such session, trusted browser, method or application.`)

/** Ends every other session and every grant that did not begin in this one. */
export const endOtherSessions: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const { user, session } = own
  const ended = await services.db
    .of(environment_id)
    .batch([
      holdUser(environment_id, user.id),
      holdSession(environment_id, session, call.now),
      ...endEverythingElse(environment_id, session, { by: 'ended_by_person', origin: ownOrigin(services, call, own) }, call.now),
    ])
  return ended ? done(call, own, 'end-other-sessions') : changedMeanwhile(services, call, own, { action: null, id: null })
}

/** Ends the consent and all grants of an application, in one organization or in none. */
export const disconnect: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { environment_id } = call.issuer
  const { session } = own
  const application_id = ClientRef.safeParse(call.form?.get('id')).data
  if (application_id === undefined) return refused(redirect(accountUrl(call)), unknown_object)
  const sent = call.form?.get('organization') ?? ''
  const organization_id = sent === '' ? null : OrganizationId.safeParse(sent).data
  if (organization_id === undefined) return refused(redirect(accountUrl(call)), unknown_object)
  const which = { user_id: own.user.id, application_id, organization_id }
  const ended = await services.db
    .of(environment_id)
    .batch([
      holdUser(environment_id, which.user_id),
      holdSession(environment_id, session, call.now),
      ...disconnectApplication(environment_id, which, ownOrigin(services, call, own), call.now),
    ])
  return ended ? done(call, own, 'disconnect') : changedMeanwhile(services, call, own, { action: null, id: null })
}
