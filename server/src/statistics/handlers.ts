import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Statistics } from '@ostiary/contract/statistics.ts'
import { z } from 'zod'
import type { Handler } from '../api/handler.ts'
import { timeRange } from '../api/time-range.ts'
import { type Db, sql } from '../db/db.ts'
import { environmentOf } from '../tenancy/environment.ts'

const hour_ms = 3_600_000
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

  const rows = await countersOf(services.db, environment.id, new Date(Math.floor(from.getTime() / length_ms) * length_ms), to)
  const by_start = Map.groupBy(rows, ({ hour }) => Math.floor(hour / length_ms) * length_ms)
  const data = [...by_start].sort(([a], [b]) => a - b).map(([start, counted]) => summary(new Date(start), counted))
  return { environment_id: environment.id, interval, from: from.toISOString(), to: to.toISOString(), data }
}

const Counter = z.object({ hour: z.int(), metric: z.string(), label: z.string(), count: z.int() })
type Counter = z.infer<typeof Counter>

function countersOf(db: Db, environment_id: EnvironmentId, from: Date, to: Date): Promise<Counter[]> {
  return db.all(
    Counter,
    sql`select hour, metric, label, count from counters
         where environment_id = ${environment_id} and hour >= ${from} and hour < ${to} order by hour, metric, label`,
  )
}

function summary(start: Date, rows: readonly Counter[]): Statistics['data'][number] {
  const totals = (metric: string) => {
    const sums = new Map<string, number>()
    for (const row of rows) if (row.metric === metric) sums.set(row.label, (sums.get(row.label) ?? 0) + row.count)
    return [...sums]
  }
  return {
    start: start.toISOString(),
    sign_ins: totals('sign_in').map(([label, count]) => ({ method: label.split('.')[0] ?? '', outcome: label.split('.')[1] ?? '', count })),
    tokens: totals('token').map(([grant_type, count]) => ({ grant_type, count })),
    webhook_attempts: totals('webhook_attempt').map(([outcome, count]) => ({ outcome, count })),
    key_uses: totals('key_use').map(([key_id, count]) => ({ key_id: key_id as `key_${string}`, count })), // as: written by the key counter
  }
}
