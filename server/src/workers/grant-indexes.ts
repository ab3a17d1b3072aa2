/**
 * Makes the indexes of migration 0101 where PostgreSQL had many grants when it ran (decision 0174): one after the other, beside the changes of
 * the table. Those whose place they take go when both are whole. Statements find the same rows by either, the ones of the version before too.
 */
import { z } from 'zod'
import { minute_ms } from '../base/durations.ts'
import { type Db, identifiers, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { takeLease } from '../domain/events/lease.ts'

/** Another process goes on with the work of one that stopped after this time. */
const lease_ms = minute_ms

/** As the migration has them. */
const new_indexes: Record<string, Statement> = {
  grants_in_turn: sql`create index concurrently grants_in_turn
    on grants (user_id, application_id, offline, used_since, id, lasts_until, ended_at, environment_id) where coalesce(ended_at, -2) = -2`,
  grants_of_session: sql`create index concurrently grants_of_session
    on grants (session_id, application_id, ended_at, id, offline, lasts_until, environment_id)`,
}

const replaced_indexes = ['grants_open_by_application', 'grants_by_session']

const dropIndex = (name: string): Statement => sql`drop index concurrently if exists ${identifiers(name)}`

export function createGrantIndexes({ db, now, random }: Pick<Deployment, 'db' | 'now' | 'random'>, signal: AbortSignal) {
  const holder = random(16).toString('base64url')
  let is_done = false

  return {
    /** Makes or removes one index, if one is left. */
    async work(): Promise<void> {
      const { runAlone } = db
      if (is_done || runAlone === null) return
      const { next, is_building } = await findLeft(db)
      is_done = next === null
      if (next === null || is_building || !(await takeLease(db, 'indexes of grants', { holder, length_ms: lease_ms }, now()))) return
      await runAlone(next, signal).catch((error) => {
        if (!signal.aborted) throw error
      })
    },
  }
}

const Index = z.object({ name: z.string(), is_whole: z.boolean(), is_building: z.boolean() })

/** Finds the next change that is left on PostgreSQL. An index that was cut short is removed before it is made again. */
async function findLeft(db: Db): Promise<{ next: Statement | null; is_building: boolean }> {
  const found = await db.all(
    Index,
    sql`select c.relname as name, case when i.indisvalid then 1 else 0 end as is_whole,
               case when exists (select 1 from pg_stat_progress_create_index p where p.datname = current_database() and p.relid = i.indrelid)
                 then 1 else 0 end as is_building
          from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass('grants')`,
  )
  const whole = new Map(found.map(({ name, is_whole }) => [name, is_whole]))
  const missing = Object.entries(new_indexes).find(([name]) => whole.get(name) !== true)
  const replaced = replaced_indexes.find((name) => whole.has(name))
  const is_building = found.some(({ is_building }) => is_building)
  if (missing) return { next: whole.has(missing[0]) ? dropIndex(missing[0]) : missing[1], is_building }
  return { next: replaced === undefined ? null : dropIndex(replaced), is_building }
}
