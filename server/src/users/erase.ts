/** The deletion of an account, by its backend or by the person. */
import type { Statement } from '../db/db.ts'
import { forgetEvents } from '../events/store.ts'
import { forgetSessions } from '../oidc/store/account.ts'
import { endEverything } from '../oidc/store/sessions.ts'
import { deleteUser, type UserRow } from './store.ts'

/** Deletes a user with all ways in, ends what the user has open, and keeps the id alone in events and sessions (people.md 21). A guard. */
export function eraseUser(user: UserRow, now: Date): Statement[] {
  const { environment_id, id } = user
  return [
    ...deleteUser(user),
    ...endEverything(environment_id, id, 'user_deleted', now),
    forgetSessions(environment_id, id),
    ...forgetEvents(environment_id, id),
  ]
}
