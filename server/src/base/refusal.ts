/** A refused call, as every part of the service describes it: the answer carries it, the access log and `refused-calls/` write it down. */
import type { Remedy, ShownCode } from '@ostiary/contract/refused-call.ts'
import type { Reason } from './reason.ts'

export interface Refusal {
  readonly code: ShownCode
  readonly reason: Reason
  /** The change of the application that would have let the call through. */
  readonly remedy?: Remedy | null
}

/** What a call turned out to be about. Each part of the service fills in what it looks up. */
export interface Subject {
  /** An application of the environment. */
  client_id: string | null
  user_id: string | null
  /** The event that reports the refusal. */
  event_id: string | null
}

/** Joins a refusal with a reason of its own to an object, such as a step of a page. */
export const refusal = (code: Refusal['code'], reason: Reason): Refusal => ({ code, reason })
