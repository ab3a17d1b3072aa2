/**
 * Erases accounts whose time has come: those that nobody approved or that were refused (decision 0195), and those that are closed (decision
 * 0196).
 */
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { deletionEvent, eraseUser } from '../domain/accounts/erase.ts'
import { bySystem, originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { endCodesOf } from '../domain/users/mailed-codes.ts'
import { findDue, findUser, holdDue, type UserRow } from '../domain/users/store.ts'

/**
 * A few of each kind in one turn, each account in a batch of its own. A batch that fails belongs to an account that was approved, restored
 * or changed meanwhile: the next turn looks again.
 */
export async function eraseDue({ db, newId, now }: Pick<Deployment, 'db' | 'newId' | 'now'>, isStopping: () => boolean): Promise<void> {
  const at = now()
  for (const { environment_id, id } of await findDue(db, at)) {
    if (isStopping()) return
    const user = await findUser(db, environment_id, id)
    if (user) await db.of(user.environment_id).batch(erasure({ newId }, user, at))
  }
}

const erasure = ({ newId }: Pick<Deployment, 'newId'>, user: UserRow, at: Date): Statement[] => [
  holdDue(user, at),
  ...eraseUser(user, at),
  ...endCodesOf(user.environment_id, user.id, at),
  insertEvent(user.environment_id, originOf({ newId }, bySystem, null), deletionEvent(user), at),
]
