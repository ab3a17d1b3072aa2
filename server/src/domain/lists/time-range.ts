/** The time range of a query that has no pages: its defaults and its greatest length. */
import { day_ms } from '../../base/durations.ts'
import { badField } from '../../http/problem.ts'

interface Limits {
  /** The data that the range limits, for the message. */
  name: string
  default_ms: number
  max_ms: number
}

/** The first time that a client can send. */
const earliest = new Date('0000-01-01T00:00:00Z')

/** `to` defaults to now, `from` to the default length before `to`. */
export function timeRange(
  query: { from?: string | undefined; to?: string | undefined },
  { name, default_ms, max_ms }: Limits,
  now: Date,
): { from: Date; to: Date } {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = new Date(query.from ?? Math.max(to.getTime() - default_ms, earliest.getTime()))
  if (from >= to) throw badField(['from'], 'from must be before to.')
  if (to.getTime() - from.getTime() > max_ms) throw badField(['from'], `The range for ${name} is at most ${max_ms / day_ms} days.`)
  return { from, to }
}
