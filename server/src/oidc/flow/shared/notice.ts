/** Mails the person about a change of their account, in the batch of the change. */

import type { Statement } from '../../../db/db.ts'
import { mailStatements } from '../../../mail/send.ts'
import type { Notice } from '../../../mail/texts/notice.ts'
import { countForPerson, hasRoomForPerson } from '../../../users/attempts.ts'
import { aboutUser, type UserRow } from '../../../users/store.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { pageContext } from '../../hosted-page.ts'

/**
 * Commits a change with its mail. Returns `false` if a guard of the change failed. A person gets at most ten such mails an hour
 * (decision 0045). The mail is counted with the change, so changes that fail use up none; and a change goes without a mail only where the
 * limit was seen to be reached.
 */
export async function commitWithNotice(
  services: OidcServices,
  call: OidcCall,
  user: Pick<OwnUser, 'id' | 'email' | 'locale'>,
  notice: Notice,
  statements: readonly Statement[],
): Promise<boolean> {
  const { db } = services
  const { environment_id } = call.issuer
  const person = { environment_id, user_id: user.id, now: call.now }
  if (await hasRoomForPerson(db, 'notice', person)) {
    const locales = [user.locale, pageContext(call).locale].filter((tag) => tag !== null).join(' ')
    const mail = { to: user.email, user_id: user.id, request_id: call.request_id, notice, locales }
    const mailed = await mailStatements(services, environment_id, mail, call.now)
    const counted = [aboutUser(environment_id, user.id), ...countForPerson('notice', person)]
    if (await db.batch([...counted, ...statements, ...mailed])) return true
    if (await hasRoomForPerson(db, 'notice', person)) return false
  }
  return (await db.batch(statements)) !== null
}

/** A person who has a session has an address: an account that loses it ends. */
export type OwnUser = UserRow & { email: string }
