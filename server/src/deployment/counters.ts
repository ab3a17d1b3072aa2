/**
 * Counts events in memory and adds them to the row of the hour every few seconds. This is cheap enough for every request. A process
 * that dies loses the counts it has not written, which is acceptable for statistics.
 */
import { hour_ms } from '../base/durations.ts'
import { inBatches } from '../base/in-batches.ts'
import { type Db, type Statement, sql } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'

/**
 * The label of each metric: `method.outcome`, the grant type, the outcome, the id of the key, the code of the error, `limited`. A sign-in has the outcome `succeeded`,
 * `failed`, or `limited`, which is refused after too many attempts, before anything was compared. Uses have the id of the application whose
 * request got tokens, of the provider by which a person signed in, or of the resource server that a token is for.
 */
export type Metric =
  | 'sign_in'
  | 'token'
  | 'webhook_attempt'
  | 'key_use'
  | 'refused_call'
  | 'mail'
  | 'application_use'
  | 'provider_use'
  | 'resource_server_use'

export interface Counters {
  count(environment_id: string, metric: Metric, label: string): void
  /** Writes the counts. Keeps them for the next time if the database fails. */
  write(): Promise<void>
}

/** Rows in one batch, so that no request waits for long. */
const most_rows = 500

/** Counts by hour, environment, metric and label. Nested maps avoid building a key string for each count. */
type Counted = Map<number, Map<string, Map<Metric, Map<string, number>>>>

/** `counted` is called for each count. */
export function createCounters(db: Db, now: () => Date, counted_too: (metric: Metric, label: string) => void = () => {}): Counters {
  let counted: Counted = new Map()
  const labelsOf = (hour: number, environment_id: string, metric: Metric) => within(within(within(counted, hour), environment_id), metric)
  const add = (labels: Map<string, number>, label: string, count: number) => labels.set(label, (labels.get(label) ?? 0) + count)

  return {
    count(environment_id, metric, label) {
      const hour = Math.floor(now().getTime() / hour_ms) * hour_ms
      add(labelsOf(hour, environment_id, metric), label, 1)
      counted_too(metric, label)
    },
    async write() {
      const rows = rowsOf(counted)
      counted = new Map()
      try {
        await inBatches(rows, most_rows, (batch) => db.many.batch(batch.map(statementOf)))
      } catch (error) {
        for (const { hour, environment_id, metric, label, count } of rows) add(labelsOf(hour, environment_id, metric), label, count)
        throw error
      }
    },
  }
}

/** Returns the inner map of a key. Creates it if it is missing. */
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

/** Returns the rows sorted by the key of the table, so that two processes that write the same rows do not deadlock. */
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
  return insertInto(
    'counters',
    { environment_id, hour, metric, label, count },
    sql`on conflict (environment_id, hour, metric, label) do update set count = counters.count + excluded.count`,
  )
}
