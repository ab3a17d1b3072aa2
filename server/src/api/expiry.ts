/** The rule for every time at which a caller lets something end: it lies in the future. To end an object now, revoke or delete it. */
import { badField } from '../http/problem.ts'

/** @param options `kept` is the time that the object has: a client can send back what it read, even where it has passed */
export function refusePastExpiry(
  time: string | null,
  now: Date,
  { name = 'expires_at', kept = null }: { name?: string; kept?: string | null } = {},
): void {
  if (time !== null && time !== kept && Date.parse(time) <= now.getTime()) throw badField([name], 'Expected a time in the future.')
}
