/**
 * A new account of a person: by password, code, invitation or provider, or in place of an account that loses its address. Its row begins
 * the batch and is the guard: of several that want the address, one gets it. `user.created` ends the batch.
 */
import type { EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import type { Statement } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { byUser, originOf } from '../events/origin.ts'
import { type Actor, insertEvent } from '../events/store.ts'
import { insertUser, type Profile } from '../users/store.ts'

export interface NewAccount {
  environment_id: EnvironmentId
  user: Profile
  password_hash: string | null
  /** How it began, for the event. */
  method: string
  /** Why the user name of the provider is left out, for the event. */
  left_out?: { preferred_username: 'taken' | 'unusable' } | undefined
  request_id: string | null
  now: Date
  /** Who creates it. The default is the person. */
  actor?: Actor
  /** The account can do nothing before a backend or an administrator approves it. */
  waits: boolean
}

/** `change` returns what the batch does with the new account. */
export function createAccount(
  { newId }: Pick<Deployment, 'newId'>,
  { environment_id, user, password_hash, method, left_out, request_id, now, actor, waits }: NewAccount,
  change: (user_id: UserId) => readonly Statement[],
): { user_id: UserId; waits: boolean; statements: Statement[] } {
  const user_id = newId('usr') as UserId // as: newId gives exactly this
  const origin = () => originOf({ newId }, actor ?? byUser(user_id), request_id)
  const event = { type: 'user.created' as const, user_id, data: { email: user.email, method, ...(left_out && { left_out }) } }
  return {
    user_id,
    waits,
    statements: [
      ...insertUser({ environment_id, id: user_id }, { ...user, self_registered: true, waits }, password_hash, now),
      ...change(user_id),
      insertEvent(environment_id, origin(), event, now),
      ...(waits ? [insertEvent(environment_id, origin(), { type: 'user.approval_requested', user_id, data: {} }, now)] : []),
    ],
  }
}
