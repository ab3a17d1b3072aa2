/**
 * Counting what happens: in memory, added to the hour's row every few seconds. Cheap enough for every request, and good
 * enough for numbers people look at: what a process that dies had not written yet is not counted.
 */
import { type Db, type Statement, sql } from '../db/db.ts'

/** What is counted, and what its label says: `method.outcome`, the grant type, the outcome, the id of the key. */
export type Metric = 'sign_in' | 'token' | 'webhook_attempt' | 'key_use'

export interface Counters {
  count(environment_id: string, metric: Metric, label: string): void
  /** Writes what was counted. What cannot be written is kept for the next time. */
  write(): Promise<void>
}

const hour_ms = 3_600_000

export function createCounters(db: Db, now: () => Date): Counters {
  let counted = new Map<string, number>()

  return {
    count(environment_id, metric, label) {
      const hour = Math.floor(now().getTime() / hour_ms) * hour_ms
      const name = `${environment_id} ${hour} ${metric} ${label}`
      counted.set(name, (counted.get(name) ?? 0) + 1)
    },
    async write() {
      const gathered = counted
      if (gathered.size === 0) return
      counted = new Map()
      try {
        await db.batch([...gathered].map(([name, count]) => add(name, count)))
      } catch (error) {
        for (const [name, count] of gathered) counted.set(name, (counted.get(name) ?? 0) + count)
        throw error
      }
    },
  }
}

function add(name: string, count: number): Statement {
  const [environment_id = '', hour = '', metric = '', label = ''] = name.split(' ')
  return sql`insert into counters (environment_id, hour, metric, label, count) values (${environment_id}, ${Number(hour)}, ${metric}, ${label}, ${count})
    on conflict (environment_id, hour, metric, label) do update set count = counters.count + excluded.count`
}
