/** The account page: a person removes a method of their own (decision 0045). */
import type { SignInMethod } from '@ostiary/contract/method.ts'
import type { Settings } from '@ostiary/contract/settings.ts'
import type { SwitchedMethod } from '@ostiary/contract/sign-in-methods.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { byUser, originOf } from '../events/origin.ts'
import { insertEvent } from '../events/store.ts'
import { endBegunWith } from '../sessions/endings.ts'
import type { OwnChange } from '../users/second-factor-changes.ts'
import { keepsSecondFactor } from '../users/second-factors.ts'
import { holdUser, type UserRow } from '../users/store.ts'
import { findMethod, isFactor, isSecondFactor, removalEvent, removeMethod, userKeepsWayIn } from './methods.ts'

interface Rules extends Pick<Settings['mfa'], 'mode'> {
  sign_in: Pick<Settings['sign_in'], SwitchedMethod>
}

/**
 * Removes the method and ends what began with it; nothing begins with an app. The last way in stays, and where a second factor is
 * required the last one. `changed`: the user no longer has the method, or the session ended.
 */
export async function removeMethodByPerson(
  { db, newId }: Pick<Deployment, 'db' | 'newId'>,
  { id: user_id, environment_id }: Pick<UserRow, 'id' | 'environment_id'>,
  { method, sign_in, mode }: Rules & { method: SignInMethod },
  { request_id, device, now, commit }: OwnChange,
): Promise<'removed' | 'changed' | 'last_way_in' | 'last_factor'> {
  const is_second = isSecondFactor(method)
  const keepsWay = is_second ? [] : [userKeepsWayIn(environment_id, user_id, method.id, sign_in)]
  const keepsSecond = mode === 'required' && isFactor(method) ? [keepsSecondFactor(environment_id, user_id, method.id)] : []
  const notice = { kind: 'method_removed' as const, method: method.type, name: method.name, device }
  const origin = originOf({ newId }, byUser(user_id), request_id)
  const removed = await commit(notice, [
    holdUser(environment_id, user_id),
    ...keepsWay,
    ...keepsSecond,
    ...removeMethod(environment_id, user_id, method, now),
    ...(is_second ? [] : endBegunWith(environment_id, user_id, method.id, now)),
    insertEvent(environment_id, origin, { user_id, ...removalEvent(method) }, now),
  ])
  if (removed) return 'removed'
  if ((await findMethod(db, environment_id, user_id, method.id)) === null) return 'changed'
  if (keepsWay.length > 0 && !(await db.of(environment_id).batch(keepsWay))) return 'last_way_in'
  return keepsSecond.length > 0 && !(await db.of(environment_id).batch(keepsSecond)) ? 'last_factor' : 'changed'
}
