/** The changes that a backend or an administrator makes to a user, as a call for one user and as a job over many. */
import type { Statement } from '../../db/db.ts'
import type { NewEvent, Origin } from '../events/store.ts'
import { mailStatements } from '../mail/send.ts'
import { endEverything } from '../sessions/endings.ts'
import { endCodesOf } from '../users/mailed-codes.ts'
import { holdUser, setBlocked, type UserRow } from '../users/store.ts'
import { closeUser, deletionEvent, eraseUser } from './erase.ts'

type MailServices = Parameters<typeof mailStatements>[0]

export interface Administered {
  /** They have a guard. */
  statements: Statement[]
  /** The user afterwards; `null` where there is none. */
  after: UserRow | null
  event: NewEvent | null
}

/** Blocking ends all sessions and grants. Unblocking makes none valid again: the number of the user stays. `null`: there is nothing to do. */
export function blocking(user: UserRow, blocked: boolean, now: Date): Administered | null {
  if ((user.blocked_at !== null) === blocked) return null
  const { environment_id, id } = user
  return {
    statements: [
      setBlocked(user, blocked, now),
      ...endCodesOf(environment_id, id, now),
      ...(blocked ? endEverything(environment_id, id, { by: 'user_blocked' }, now) : []),
    ],
    after: {
      ...user,
      pending_email: null,
      blocked_at: blocked ? now.toISOString() : null,
      version: user.version + 1,
      updated_at: now.toISOString(),
    },
    event: { type: blocked ? 'user.blocked' : 'user.unblocked', user_id: id, data: {} },
  }
}

/** Closes an account until it is erased. The mail says how the person comes back. */
export async function closing(
  services: MailServices,
  user: UserRow,
  { ends, request_id }: { ends: Date; request_id: string | null },
  now: Date,
): Promise<Administered> {
  const { environment_id, id } = user
  const deletes_at = ends.toISOString()
  const notice = { kind: 'account_closed' as const, deletes_at: ends, device: null }
  const about = { user_id: id, request_id, notice, locales: user.locale }
  const mails = user.email === null ? [] : await mailStatements(services, environment_id, { ...about, to: user.email }, now)
  return {
    statements: [...closeUser(user, ends, now), ...endCodesOf(environment_id, id, now), ...mails],
    after: { ...user, pending_email: null, deletes_at, version: user.version + 1, updated_at: now.toISOString() },
    event: { type: 'user.closed', user_id: id, data: { deletes_at } },
  }
}

export const deletion = (user: UserRow, now: Date): Administered => ({
  statements: [...eraseUser(user, now), ...endCodesOf(user.environment_id, user.id, now)],
  after: null,
  event: deletionEvent(user),
})

/** Every session has its event. Grants with `offline_access` end too. */
export const signingOut = (user: UserRow, origin: Origin, now: Date): Administered => ({
  statements: [
    holdUser(user.environment_id, user.id),
    ...endEverything(user.environment_id, user.id, { by: 'ended_by_api', event: { reason: 'ended_by_api', origin } }, now),
  ],
  after: user,
  event: null,
})
