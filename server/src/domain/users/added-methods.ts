/**
 * Records that an account got another sign-in method or another second factor: by one event, and one mail to the person.
 * All code that adds a method calls this, and a new type of method does not compile without its facts and its event.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import type { Statement } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { byUser, originOf } from '../events/origin.ts'
import { insertEvent, type NewEvent } from '../events/store.ts'
import type { Device, Notice } from '../mail/texts/notice.ts'

/** The facts of a new method, by its type. */
interface Facts {
  password: { name: null }
  provider: { name: string; provider_id: string }
  passkey: { name: string; id: string }
  totp: { name: null; id: string }
  recovery_codes: { name: null; id: string }
}

export type AddedMethod = { [T in MethodKind]: { type: T } & Facts[T] }[MethodKind]

/** The request that adds it. */
interface Adding {
  request_id: string | null
  device: Device | null
  now: Date
  /** The browser created the passkey without a question. */
  by_itself?: boolean
}

export function methodAdded(
  { newId }: Pick<Deployment, 'newId'>,
  { environment_id, id: user_id }: { environment_id: EnvironmentId; id: string },
  method: AddedMethod,
  { request_id, device, now, by_itself = false }: Adding,
): { event: Statement; notice: Extract<Notice, { kind: 'method_added' }> } {
  const origin = originOf({ newId }, byUser(user_id), request_id)
  return {
    event: insertEvent(environment_id, origin, { user_id, ...eventOf(method) }, now),
    notice: { kind: 'method_added', method: method.type, name: method.name, device, ...(by_itself && { by_itself }) },
  }
}

function eventOf(method: AddedMethod): Pick<NewEvent, 'type' | 'data'> {
  switch (method.type) {
    case 'password':
      return { type: 'user.method_added', data: { method_type: 'password', provider: null } }
    case 'provider':
      return { type: 'user.method_added', data: { method_type: 'provider', provider: method.provider_id } }
    case 'passkey':
    case 'totp':
    case 'recovery_codes':
      return { type: 'mfa.enrolled', data: { method: method.type, method_id: method.id } }
  }
}
