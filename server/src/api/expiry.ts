/** The rule for every time at which a caller lets something end: it lies in the future. To end an object now, revoke or delete it. */
import { badField } from '../http/problem.ts'

/** @param kept the time that the object has: a client can send back what it read, even where it has passed */
export function refusePastExpiry(expires_at: string | null, now: Date, kept: string | null = null): void {
  if (expires_at !== null && expires_at !== kept && Date.parse(expires_at) <= now.getTime())
    throw badField(['expires_at'], 'Expected a time in the future.')
}
