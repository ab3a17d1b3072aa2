import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Statistics } from '@ostiary/contract/statistics.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import { hour_ms } from '../../base/durations.ts'
import { type Db, sql } from '../../db/db.ts'
import type { Metric } from '../../deployment/counters.ts'
import { timeRange } from '../../domain/lists/time-range.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'

// biome-ignore format: this table is read by column
const intervals = {
  hour: { name: 'interval hour', length_ms: hour_ms,      default_ms: 24 * hour_ms,      max_ms: 31 * 24 * hour_ms  },
  day:  { name: 'interval day',  length_ms: 24 * hour_ms, default_ms: 30 * 24 * hour_ms, max_ms: 400 * 24 * hour_ms },
}

export const getStatistics: Handler<'getStatistics'> = async (services, call): Promise<Statistics> => {
  const environment = await environmentOf(services, call)
  const { interval } = call.query
  const { length_ms } = intervals[interval]
  const { from, to } = timeRange(call.query, intervals[interval], services.now())

  const first = new Date(Math.floor(from.getTime() / length_ms) * length_ms)
  const data: Statistics['data'] = []
  let start = 0
  let sums: Sums = new Map()
  for await (const { hour, metric, label, count } of countersOf(services.db, environment.id, first, to)) {
    const begun = Math.floor(hour / length_ms) * length_ms
    if (begun !== start) {
      if (sums.size > 0) data.push(summary(new Date(start), sums))
      start = begun
      sums = new Map()
    }
    const of_metric = sums.get(metric) ?? new Map<string, number>()
    sums.set(metric, of_metric.set(label, (of_metric.get(label) ?? 0) + count))
  }
  if (sums.size > 0) data.push(summary(new Date(start), sums))
  // A person has the time of the last sign-in only, which says nothing about a range that ended before.
  const active_users = call.query.to === undefined ? await services.countActive(environment.id, first) : null
  return { environment_id: environment.id, interval, from: from.toISOString(), to: to.toISOString(), data, active_users }
}

const Counter = z.object({ hour: z.int(), metric: z.string(), label: z.string(), count: z.int() })
type Counter = z.infer<typeof Counter>

/** A month of an environment with 1,000 busy keys has 750,000 rows, so they are read in slices that yield to other work. */
const slice = 5_000

async function* countersOf(db: Db, environment_id: EnvironmentId, from: Date, to: Date): AsyncGenerator<Counter> {
  for (let last: Counter = { hour: from.getTime(), metric: '', label: '', count: 0 }; ; ) {
    restartLimit()
    const rows: Counter[] = await db.of(environment_id).all(
      Counter,
      sql`select hour, metric, label, count from counters
           where environment_id = ${environment_id} and hour < ${to} and hour >= ${last.hour}
             and (hour > ${last.hour} or metric > ${last.metric} or (metric = ${last.metric} and label > ${last.label}))
           order by hour, metric, label limit ${slice}`,
    )
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < slice) return
    last = end
    await yieldToOthers()
  }
}

/** The counts of one interval, by metric and label. */
type Sums = Map<Counter['metric'], Map<string, number>>

/** The keys of an interval with uses of their own in the answer. */
const most_keys = 100

function summary(start: Date, sums: Sums): Statistics['data'][number] {
  const totals = (metric: Metric) => [...(sums.get(metric) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
  const keys = totals('key_use').sort(([, a], [, b]) => b - a)
  const rest = keys.slice(most_keys).reduce((sum, [, count]) => sum + count, 0)
  const of_keys = keys.slice(0, most_keys).map(([key_id, count]) => ({ key_id: key_id as `key_${string}`, count })) // as: written by the key counter
  return {
    start: start.toISOString(),
    sign_ins: totals('sign_in').map(([label, count]) => ({ method: label.split('.')[0] ?? '', outcome: label.split('.')[1] ?? '', count })),
    tokens: totals('token').map(([grant_type, count]) => ({ grant_type, count })),
    webhook_attempts: totals('webhook_attempt').map(([outcome, count]) => ({ outcome, count })),
    refused_calls: totals('refused_call').map(([code, count]) => ({ code, count })),
    mails: totals('mail').map(([outcome, count]) => ({ outcome, count })),
    key_uses: rest === 0 ? of_keys : [...of_keys, { key_id: null, count: rest }],
  }
}
