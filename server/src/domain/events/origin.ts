/** Who or what caused an event. Every origin is made here. */
import type { Actor, Origin } from './store.ts'

/** The service itself. */
export const bySystem: Actor = { type: 'system', id: null }

/** `null` where the person is unknown, as in a failed sign-in. */
export const byUser = (id: string | null): Actor => ({ type: 'user', id })

export const byKey = (key_id: string): Actor => ({ type: 'api_key', id: key_id })

export const byApplication = (client_id: string): Actor => ({ type: 'application', id: client_id })

/** `request_id` is `null` where no request caused the event. Each call makes the id of another event, unless it is given. */
export const originOf = (
  { newId }: { newId: (prefix: 'evt') => string },
  actor: Actor,
  request_id: string | null,
  id: string = newId('evt'),
): Origin => ({ id, actor, request_id })
