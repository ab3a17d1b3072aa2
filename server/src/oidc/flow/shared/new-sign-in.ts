/** Mails the person about a sign-in from a browser that did not sign in to the account before, at most once an hour. */
import { deviceLine } from '../../../base/device-name.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import type { Statement } from '../../../db/db.ts'
import { mailStatements } from '../../../domain/mail/send.ts'
import { countForPerson, hasRoomForPerson } from '../../../domain/users/attempts.ts'
import { findUser } from '../../../domain/users/store.ts'
import { accountUrl } from '../../account-url.ts'
import { header, type OidcCall, type OidcServices } from '../../call.ts'
import { pageContext } from '../../hosted-page.ts'
import { knownDevice, type MarkedAccount } from '../../known-browser.ts'
import type { Interaction } from './begin.ts'

/**
 * Returns the statements of the mail for the batch of the sign-in; none where the person needs no mail. They fail as a guard where
 * another sign-in takes the mail of the hour first.
 */
export async function newSignInMail(
  services: OidcServices,
  call: OidcCall,
  { browser, client }: Interaction,
  account: MarkedAccount,
): Promise<Statement[]> {
  const { issuer, now, request_id } = call
  const { environment_id, settings } = issuer
  const { user_id } = account
  if (!settings.notices.new_sign_in || !sendsMail(settings.email)) return []
  // A session, even one that is over, is the secret of an earlier sign-in here; the mark is that of the account that signed in last.
  const has_session = [...browser.sessions, ...browser.expired].some((session) => session.user_id === user_id)
  if (has_session || knownDevice(services, call, browser, account) !== null) return []
  const counted = { environment_id, user_id, now }
  const [user, has_room] = await Promise.all([
    findUser(services.db, environment_id, user_id),
    hasRoomForPerson(services.db, 'new_sign_in', counted),
  ])
  const is_first = (user?.last_sign_in_at ?? null) === null
  if (!user || user.email === null || is_first || !has_room) return []
  const name = deviceLine(header(call, 'user-agent') ?? null)
  const notice = { kind: 'new_sign_in' as const, link: accountUrl({ issuer }), application: client?.name ?? null, browser: name }
  const locales = [user.locale, pageContext(call).locale].filter((tag) => tag !== null).join(' ')
  return [
    ...countForPerson('new_sign_in', counted),
    ...(await mailStatements(services, environment_id, { to: user.email, user_id, request_id, notice, locales }, now)),
  ]
}
