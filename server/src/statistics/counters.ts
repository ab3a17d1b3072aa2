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

/** How often a label was counted: by hour, environment and metric, so that no name has to be put together for each count. */
type Counted = Map<number, Map<string, Map<Metric, Map<string, number>>>>

export function createCounters(db: Db, now: () => Date): Counters {
  let counted: Counted = new Map()
  const labelsOf = (hour: number, environment_id: string, metric: Metric) => within(within(within(counted, hour), environment_id), metric)
  const add = (labels: Map<string, number>, label: string, count: number) => labels.set(label, (labels.get(label) ?? 0) + count)

  return {
    count(environment_id, metric, label) {
      const hour = Math.floor(now().getTime() / hour_ms) * hour_ms
      add(labelsOf(hour, environment_id, metric), label, 1)
    },
    async write() {
      const rows = rowsOf(counted)
      if (rows.length === 0) return
      counted = new Map()
      try {
        await db.batch(rows.map(statementOf))
      } catch (error) {
        for (const { hour, environment_id, metric, label, count } of rows) add(labelsOf(hour, environment_id, metric), label, count)
        throw error
      }
    },
  }
}

/** What stands there, made where nothing does. */
function within<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key)
  if (known) return known
  const made = new Map<L, V>()
  maps.set(key, made)
  return made
}

interface Row {
  hour: number
  environment_id: string
  metric: Metric
  label: string
  count: number
}

/** In the order of the table's key: two processes that add to the same rows in another order would wait for each other. */
function rowsOf(counted: Counted): Row[] {
  const rows = [...counted].flatMap(([hour, environments]) =>
    [...environments].flatMap(([environment_id, metrics]) =>
      [...metrics].flatMap(([metric, labels]) => [...labels].map(([label, count]) => ({ hour, environment_id, metric, label, count }))),
    ),
  )
  const keyOf = ({ environment_id, hour, metric, label }: Row) => `${environment_id} ${hour} ${metric} ${label}`
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function statementOf({ hour, environment_id, metric, label, count }: Row): Statement {
  return sql`insert into counters (environment_id, hour, metric, label, count) values (${environment_id}, ${hour}, ${metric}, ${label}, ${count})
    on conflict (environment_id, hour, metric, label) do update set count = counters.count + excluded.count`
}
