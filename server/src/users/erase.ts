/** The deletion of an account, by its backend or by the person. */

import type { Db, Statement } from '../db/db.ts'
import { changeAllButLast } from '../db/slices.ts'
import { findNumberedAbout, forgetEvents, forgetNumbered } from '../events/store.ts'
import { forgetSessions } from '../sessions/account.ts'
import { endEverything } from '../sessions/sessions.ts'
import { deleteUser, holdUser, type UserRow } from './store.ts'

/** Events that are forgotten in one batch. */
const events_at_once = 500

/**
 * Returns the statements that delete a user with all ways in, end what the user has open, and keep the id alone in events and sessions
 * (people.md 21). They have a guard. Most events are forgotten before, so check first whether the deletion is allowed. `null` means that
 * another request changed the user.
 */
export async function eraseUser(db: Db, user: UserRow, now: Date): Promise<Statement[] | null> {
  const { environment_id, id, version } = user
  let forgotten = 0
  const last = await changeAllButLast(
    events_at_once,
    (limit) => findNumberedAbout(db, environment_id, id, limit, forgotten),
    async (sequences) => {
      const until = sequences.at(-1) ?? forgotten
      const written = await db.batch([
        holdUser(environment_id, id, version),
        forgetNumbered(environment_id, id, { after: forgotten, until }),
      ])
      forgotten = until
      return written
    },
  )
  if (!last) return null
  return [
    ...deleteUser(user),
    ...endEverything(environment_id, id, 'user_deleted', now),
    forgetSessions(environment_id, id),
    ...forgetEvents(environment_id, id, forgotten),
  ]
}
