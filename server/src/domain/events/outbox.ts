/**
 * The outboxes: tables whose rows are written with a change and get their place afterwards. Rows without a sequence wait. Their owners
 * take turns, so a backlog of one owner does not delay the others.
 */
import { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, identifiers, inTwoForms, type Statement, sql } from '../../db/db.ts'
import { unindexed } from '../../db/environment.ts'

export interface Outbox<Id extends string> {
  readonly table: string
  /** The column that names the owner. */
  readonly owner: string
  readonly id: z.ZodType<Id>
  /** The table with a row for each owner, by which a distributed database finds those with waiting rows. `null` for a table that is not distributed. */
  readonly owners: string | null
  /** The rows that the owners of a page get their place for at a time. More would delay other writes: SQLite blocks the process. */
  readonly at_once: number
}

export const outboxes = {
  events: { table: 'events', owner: 'environment_id', id: EnvironmentId, owners: 'event_counters', at_once: 500 },
  audit_log: { table: 'audit_log', owner: 'tenant_id', id: TenantId, owners: null, at_once: 100 }, // entries can be large
} as const

const Owner = z.object({ id: z.string() })
export const owners_per_page = 50

/**
 * Returns owners of waiting rows in the order of their ids, beginning after the owner `after`. Skips from owner to owner by an index
 *, so the cost does not depend on the number of rows.
 */
export async function findWaitingOwners<Id extends string>(db: Db, outbox: Outbox<Id>, after: Id | '' = ''): Promise<Id[]> {
  const skipping = ownersBySkipping(outbox, after)
  const rows = await db.many.all(
    Owner,
    outbox.owners === null ? skipping : inTwoForms(skipping, ownersByOwners(outbox, outbox.owners, after)),
  )
  return rows.map(({ id }) => outbox.id.parse(id))
}

function ownersBySkipping(outbox: Outbox<string>, after: string): Statement {
  const [table, owner] = [identifiers(outbox.table), identifiers(outbox.owner)]
  const next = sql`select ${owner} from ${table} where sequence is null and ${unindexed('', outbox.owner)} >`
  const first = sql`order by ${unindexed('', outbox.owner)} limit 1`
  return sql`with recursive waiting (id, position) as (
        select (${next} ${after} ${first}), 1
        union all
        select (${next} ${unindexed('waiting', 'id')} ${first}), position + 1 from waiting where waiting.id is not null and position < ${owners_per_page}
      )
      select id from waiting where id is not null order by position`
}

/**
 * The same on a distributed database, which runs no recursion over several nodes. The cost depends on the number of owners, of which each node
 * reads its own, and not on that of waiting rows.
 */
function ownersByOwners(outbox: Outbox<string>, owners: string, after: string): Statement {
  const owner = identifiers(outbox.owner)
  return sql`select own.${owner} as id from ${identifiers(owners)} own
     where own.${owner} > ${after}
       and exists (select 1 from ${identifiers(outbox.table)} v where v.${owner} = own.${owner} and v.sequence is null)
     order by own.${owner} limit ${owners_per_page}`
}
