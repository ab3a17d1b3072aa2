/** The deletion of an account, by its backend or by the person. */
import type { Statement } from '../../db/db.ts'
import { followErasedUser } from '../sessions/endings.ts'
import { deleteUser, type UserRow } from './store.ts'

/**
 * Returns the statements that delete a user with all ways in. They have a guard. Nothing of the user is valid from then on, and the address
 * is free. Sessions, grants and consents follow, and events keep the id alone.
 */
export const eraseUser = (user: UserRow, now: Date): Statement[] => [
  ...deleteUser(user),
  followErasedUser(user.environment_id, user.id, now),
]
