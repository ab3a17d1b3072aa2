/** The deletion of an account, by its backend or by the person: it is closed first where the environment says so (decision 0196). */
import type { Statement } from '../../db/db.ts'
import { endEverything, followErasedUser } from '../sessions/endings.ts'
import * as store from '../users/store.ts'

/**
 * Returns the statements that delete a user with all ways in. They have a guard. Nothing of the user is valid from then on, and the address
 * is free. Sessions, grants and consents follow, and events keep the id alone.
 */
export const eraseUser = (user: store.UserRow, now: Date): Statement[] => [
  ...store.deleteUser(user),
  followErasedUser(user.environment_id, user.id, now),
]

/** Receivers that know the user by `sub` need it, and no row has it any more. */
export const deletionEvent = ({ id, sub }: store.UserRow) => ({ type: 'user.deleted' as const, user_id: id, data: { sub } })

/**
 * Closes an account until it is erased: it is signed out everywhere, and nobody signs in to it. The statements have a guard. Put
 * `endCodesOf` beside them.
 */
export const closeUser = (user: store.UserRow, deletes_at: Date, now: Date): Statement[] => [
  store.closeUser(user, deletes_at, now),
  ...endEverything(user.environment_id, user.id, { by: 'user_closed' }, now),
]
