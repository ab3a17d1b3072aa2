/**
 * Replaces the indexes that filter events (decision 0140) where PostgreSQL had many events when migration 0045 ran. The new ones are made
 * beside the changes of the table, one after the other. The old ones go an hour after the last is whole, since processes of the version
 * before read by them. A filter finds every event at any time: it names the columns and the key, so either index serves it.
 */
import { z } from 'zod'
import { hour_ms } from '../base/durations.ts'
import { type Db, type Statement, sql } from '../db/db.ts'
import { createEventIndex, dropIndex, event_indexes, replaced_event_indexes } from '../db/event-indexes.ts'
import { insertInto } from '../db/rows.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { takeLease } from '../domain/events/lease.ts'

/** Another process goes on with the work of one that stopped after this time. */
const lease_ms = 60_000
/** How long processes of the version before may run beside this one with fast lists. */
const overlap_ms = hour_ms
/** After a failure, such as a full disk: each try reads the whole table. Doubled each time. */
const first_wait_ms = 60_000
const longest_wait_ms = hour_ms
const row_name = 'event_indexes_whole_at'
const concurrently = sql`concurrently`

export function createEventIndexes({ db, now, random }: Pick<Deployment, 'db' | 'now' | 'random'>, signal: AbortSignal) {
  const holder = random(16).toString('base64url')
  let is_done = false
  let wait_ms = 0
  let not_before = 0

  return {
    /** Makes or removes one index, if one is left. */
    async work(): Promise<void> {
      const { runAlone } = db
      if (is_done || runAlone === null) return
      const at = now()
      if (at.getTime() < not_before) return
      const { missing, replaced, is_building } = await findLeft(db)
      is_done = missing.length + replaced.length === 0
      if (is_done || is_building || !(await takeLease(db, 'event indexes', { holder, length_ms: lease_ms }, at))) return
      const next = missing[0]?.change ?? (await changeOfWhole(db, replaced, at))
      if (!next) return
      try {
        await runAlone(next, signal)
        wait_ms = 0
      } catch (error) {
        if (signal.aborted) return
        wait_ms = Math.min(Math.max(2 * wait_ms, first_wait_ms), longest_wait_ms)
        not_before = at.getTime() + wait_ms
        throw error
      }
    },
  }
}

/** Returns the change after all indexes are complete: statistics of their keys, and an hour later the end of a replaced one. */
async function changeOfWhole(db: Db, [oldest]: readonly string[], at: Date): Promise<Statement | null> {
  const value = String(at.getTime())
  if ((await db.run(insertInto('deployment', { name: row_name, value }, sql`on conflict (name) do nothing`))) === 1)
    return sql`analyze events`
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${row_name}`)
  const is_due = row !== null && at.getTime() - Number(row.value) >= overlap_ms
  return is_due && oldest !== undefined ? dropIndex(oldest, concurrently) : null
}

const Index = z.object({ name: z.string(), is_whole: z.boolean(), is_building: z.boolean() })

/** Returns the work that is left on PostgreSQL. An index that was cut short is removed before it is created again. */
export async function findLeft(db: Db) {
  const found = await db.all(
    Index,
    sql`select c.relname as name, case when i.indisvalid then 1 else 0 end as is_whole,
               case when exists (select 1 from pg_stat_progress_create_index p where p.datname = current_database() and p.relid = i.indrelid)
                 then 1 else 0 end as is_building
          from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass('events')`,
  )
  const whole = new Map(found.map(({ name, is_whole }) => [name, is_whole]))
  return {
    missing: event_indexes
      .filter((index) => whole.get(index) !== true)
      .map((index) => ({ index, change: whole.has(index) ? dropIndex(index, concurrently) : createEventIndex(index, concurrently) })),
    replaced: replaced_event_indexes.filter((name) => whole.has(name)),
    is_building: found.some(({ is_building }) => is_building),
  }
}
