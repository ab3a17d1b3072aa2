// pure
/** A refused call, as every part of the service describes it: the answer carries it, the access log and `refused-calls/` write it down. */
import type { RefusedCall, Remedy, ShownCode } from '@ostiary/contract/refused-call.ts'
import type { Reason } from './reason.ts'

export interface Refusal {
  readonly code: ShownCode
  readonly reason: Reason
  /** The value of the request that was refused, for its developers; see `refusedValue`. */
  readonly refused?: RefusedValue | null
  /** The change of the application that would have let the call through. */
  readonly remedy?: Remedy | null
}

export type RefusedValue = NonNullable<RefusedCall['refused']>

/** The objects that a call is about. Each part of the service fills in those that it looks up. */
export interface Subject {
  /** An application of the environment. */
  client_id: string | null
  user_id: string | null
  /** The event that reports the refusal. */
  event_id: string | null
  /** Who typed an address, or came with it from a provider; see `domain/users/person-key.ts`. */
  person?: string
  /** The provider that was asked. */
  provider_id?: string
}

/** Joins a refusal with a reason of its own to an object, such as a step of a page. */
export const refusal = (code: Refusal['code'], reason: Reason): Refusal => ({ code, reason })

/** In characters. A record is a hint for a developer, not a copy of the request. */
const longest_refused = 500

/**
 * The refused value as the record of the call keeps it: printable ASCII, at most 500 characters, of a redirect URI only scheme, host, port
 * and path, since a query can carry what a person typed. `null` for any other value.
 */
export function refusedValue(parameter: RefusedValue['parameter'], sent: string): RefusedValue | null {
  const value = parameter === 'redirect_uri' ? sent.split(/[?#]/, 1)[0] : sent
  if (value === undefined || !/^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(value)) return null
  if (parameter === 'redirect_uri' && !/^[a-z][a-z0-9+.-]*:(?!.*@)/i.test(value)) return null // an address with user information can hold a password
  return { parameter, value: value.slice(0, longest_refused) }
}
