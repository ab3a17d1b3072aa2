import type { Reason } from './reason.ts'

/** A condition that passes: the database is out of reach, or this process has no room for more work. The response is 503. */
export abstract class Unavailable extends Error {
  /** Says to the client what cannot be done right now. */
  abstract readonly detail: string
  /** Says to developers what the service lacked. */
  abstract readonly why: Reason
}
