/** Mails the person about a change of their account, in the batch of the change, and limits the changes of an hour. */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import type { Statement } from '../../../db/db.ts'
import { mailStatements } from '../../../domain/mail/send.ts'
import type { Notice } from '../../../domain/mail/texts/notice.ts'
import { countForPerson, hasRoomForPerson } from '../../../domain/users/attempts.ts'
import { aboutUser, type UserRow } from '../../../domain/users/store.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { pageContext } from '../../hosted-page.ts'

/** Nothing keeps a person from taking a right away: from removing a method, or choosing another password. Such a change is not counted. */
const isNeverRefused = (notice: Notice): boolean =>
  notice.kind === 'method_removed' || notice.kind === 'password_changed' || (notice.kind === 'method_added' && notice.method === 'password')

/** A change, and what the mail says about it. */
interface NoticedChange {
  notice: Notice
  /** Hold tenants. */
  first?: readonly Statement[]
  /** Hold rows that come before those that the user owns in the order of locks. */
  hold?: readonly Statement[]
  statements: readonly Statement[]
}

/**
 * Commits a change with its mail: no change is made in silence. Returns `false` if a guard failed, of the change or of the limit; see
 * `hasRoomForChange`.
 */
export async function commitWithNotice(
  services: OidcServices,
  call: OidcCall,
  user: Pick<OwnUser, 'id' | 'email' | 'locale'>,
  { notice, first = [], hold = [], statements }: NoticedChange,
): Promise<boolean> {
  const { environment_id } = call.issuer
  const locales = [user.locale, pageContext(call).locale].filter((tag) => tag !== null).join(' ')
  const mail = { to: user.email, user_id: user.id, request_id: call.request_id, notice, locales }
  const mailed = await mailStatements(services, environment_id, mail, call.now)
  const counted = isNeverRefused(notice) ? [] : countChange(call, user)
  return (
    (await services.db
      .of(environment_id)
      .batch([...first, aboutUser(environment_id, user.id), ...hold, ...counted, ...statements, ...mailed])) !== null
  )
}

/** A person who has a session has an address: an account that loses it ends. */
export type OwnUser = UserRow & { email: string }

/** Counts a change of the account. A guard: an account makes at most ten in an hour. */
export const countChange = ({ issuer: { environment_id }, now }: OidcCall, { id: user_id }: Pick<OwnUser, 'id'>): Statement[] =>
  countForPerson('notice', { environment_id, user_id, now })

/** Reports whether the account may make another change that is counted. */
export const hasRoomForChange = (
  { db }: OidcServices,
  { issuer: { environment_id }, now }: OidcCall,
  { id: user_id }: Pick<OwnUser, 'id'>,
): Promise<boolean> => hasRoomForPerson(db, 'notice', { environment_id, user_id, now })

export const too_many_changes = refusal('locked_out', reason`The account made ten sensitive changes within an hour.`)
