/**
 * Counts what this process did since its start, for the metrics. Counting costs an addition, so every deployment counts; `metrics.ts`
 * reads the counts when they are asked for. Labels come from closed sets of ours, never from a request.
 */
import type { Refusal } from '../base/refusal.ts'
import type { Metric } from './counters.ts'

/** The labels of each counter, in this order. */
export const tallied = {
  sign_ins: ['method', 'outcome'],
  tokens: ['grant_type'],
  refusals: ['code'],
  deliveries: ['kind', 'outcome'],
} as const
export type Tallied = keyof typeof tallied

export interface Tally {
  /** A call that was refused, by the code of the error. */
  refused(code: Refusal['code']): void
  delivered(kind: 'backchannel_logout', succeeded: boolean): void
  /** Counts what the statistics of an environment count too. */
  counted(metric: Metric, label: string): void
  /** Returns the counts of one counter, each with the values of its labels. */
  read(counter: Tallied): readonly { values: readonly string[]; count: number }[]
}

export function createTally(): Tally {
  const counts: Record<Tallied, Map<string, number>> = {
    sign_ins: new Map(),
    tokens: new Map(),
    refusals: new Map(),
    deliveries: new Map(),
  }
  const add = (counter: Tallied, ...values: string[]) => {
    const key = values.join(' ')
    counts[counter].set(key, (counts[counter].get(key) ?? 0) + 1)
  }
  return {
    refused: (code) => add('refusals', code),
    delivered: (kind, succeeded) => add('deliveries', kind, succeeded ? 'succeeded' : 'failed'),
    counted(metric, label) {
      if (metric === 'sign_in') add('sign_ins', ...label.split('.'))
      if (metric === 'token') add('tokens', label)
      if (metric === 'webhook_attempt') add('deliveries', 'webhook', label)
    },
    read: (counter) => [...counts[counter]].map(([key, count]) => ({ values: key.split(' '), count })),
  }
}
