/**
 * The outboxes: tables whose rows are written with a change and get their place afterwards. Rows without a sequence wait. Their owners
 * take turns, so a backlog of one owner does not delay the others.
 */
import { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, identifiers, sql } from '../db/db.ts'
import { unindexed } from '../db/environment.ts'

export interface Outbox<Id extends string> {
  readonly table: string
  /** The column that names the owner. */
  readonly owner: string
  readonly id: z.ZodType<Id>
  /** The rows that the owners of a page get their place for at a time. More would delay other writes: SQLite blocks the process. */
  readonly at_once: number
}

export const outboxes = {
  events: { table: 'events', owner: 'environment_id', id: EnvironmentId, at_once: 500 },
  audit_log: { table: 'audit_log', owner: 'tenant_id', id: TenantId, at_once: 100 }, // entries can be large
} as const

const Owner = z.object({ id: z.string() })
export const owners_per_page = 50

/**
 * Returns owners of waiting rows in the order of their ids, beginning after the owner `after`. Skips from owner to owner by an index
 * (migration 0029), so the cost does not depend on the number of rows.
 */
export async function findWaitingOwners<Id extends string>(db: Db, outbox: Outbox<Id>, after: Id | '' = ''): Promise<Id[]> {
  const [table, owner] = [identifiers(outbox.table), identifiers(outbox.owner)]
  const next = sql`select ${owner} from ${table} where sequence is null and ${unindexed('', outbox.owner)} >`
  const first = sql`order by ${unindexed('', outbox.owner)} limit 1`
  const rows = await db.all(
    Owner,
    sql`with recursive waiting (id, position) as (
        select (${next} ${after} ${first}), 1
        union all
        select (${next} ${unindexed('waiting', 'id')} ${first}), position + 1 from waiting where waiting.id is not null and position < ${owners_per_page}
      )
      select id from waiting where id is not null order by position`,
  )
  return rows.map(({ id }) => outbox.id.parse(id))
}
