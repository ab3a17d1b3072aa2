/** The time range of a query that has no pages: its defaults and its greatest length. */
import { badField } from '../http/problem.ts'

interface Limits {
  /** What the range limits, for the message. */
  name: string
  default_ms: number
  max_ms: number
}

/** `to` defaults to now, `from` to the default length before `to`. */
export function timeRange(
  query: { from?: string | undefined; to?: string | undefined },
  { name, default_ms, max_ms }: Limits,
  now: Date,
): { from: Date; to: Date } {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - default_ms) : new Date(query.from)
  if (from >= to) throw badField(['from'], 'from must be before to.')
  if (to.getTime() - from.getTime() > max_ms) throw badField(['from'], `The range for ${name} is at most ${max_ms / 86_400_000} days.`)
  return { from, to }
}
