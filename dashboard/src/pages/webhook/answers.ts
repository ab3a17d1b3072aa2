/** How long receivers take to answer. Pure functions. */
import type { Attempt, Delivery } from '@ostiary/sdk'

/** An attempt that found nobody has a duration too, which says nothing about the receiver. */
const isAnswered = ({ status }: Pick<Attempt, 'status'>) => status !== null

/** The median of all answers, in milliseconds; `undefined` without one. */
export function medianAnswer(deliveries: readonly { attempts: readonly Pick<Delivery['attempts'][number], 'status' | 'latency_ms'>[] }[]) {
  const times = deliveries.flatMap(({ attempts }) => attempts.filter(isAnswered).map(({ latency_ms }) => latency_ms))
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
}
