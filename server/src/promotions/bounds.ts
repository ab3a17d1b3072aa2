/**
 * What the promotions of one project can pile up, in numbers and in bytes (decision 0142). The newest plans are kept, and older ones give way.
 * What was applied stays for its 90 days, so there an apply without room is refused.
 */
import type { TenantId } from '@ostiary/contract/ids.ts'
import { PromotionInList } from '@ostiary/contract/promotion.ts'
import { z } from 'zod'
import { type Db, list, type Statement, sql } from '../db/db.ts'
import { haveRoom, holdProject } from '../tenancy/store.ts'

/** A plan is one row, which is read as a whole, and the answer is kept for repeats. 1,000 new applications take a third of it. */
export const longest_plan = 4_000_000
/** Of plans that were not applied. */
const most_planned = 100
export const most_planned_bytes = 32_000_000
/** Of those that were applied, reverted ones included. */
const most_applied = 5_000
export const most_applied_bytes = 256_000_000

export const bytesOf = (plan: object): number => Buffer.byteLength(JSON.stringify(plan))

/** Rows from before have no size. They had at most so many bytes. */
const longest_before = 1_000_000

/** With the bytes of the plan, which lists and sums read without the plan itself. */
export const StoredSummary = PromotionInList.shape.summary.extend({ bytes: z.int().default(longest_before) })
export type StoredSummary = z.infer<typeof StoredSummary>

const Sized = z.object({ id: z.string(), summary: z.object({ bytes: StoredSummary.shape.bytes }) })

/** Makes room for a plan: the statements before its insertion. They fail as a guard if the project has got or lost a plan since. */
export async function roomForPlan(db: Db, { tenant_id, id }: { tenant_id: TenantId; id: string }, bytes: number): Promise<Statement[]> {
  const planned = sql`from promotions where project_id = ${id} and status = 'planned'`
  const rows = await db.all(Sized, sql`select id, summary ${planned} order by id desc limit ${2 * most_planned}`)
  let total = bytes
  const staying = rows.findIndex(({ summary }, n) => {
    total += summary.bytes
    return n + 1 >= most_planned || total > most_planned_bytes
  })
  const outgrown = staying === -1 ? [] : rows.slice(staying)
  const ids = rows.map((row) => row.id)
  const is_same = sql`(select count(*) ${planned}) = ${ids.length}`
  const are_these = ids.length === 0 ? is_same : sql`${is_same} and (select count(*) ${planned} and id in (${list(ids)})) = ${ids.length}`
  return [
    ...haveRoom(holdProject(tenant_id, id), are_these),
    ...(outgrown.length === 0
      ? []
      : [sql`delete from promotions where project_id = ${id} and id in (${list(outgrown.map((row) => row.id))})`]),
  ]
}

const Applied = Sized.extend({ applied_at: z.date(), expires_at: z.date() })

interface RoomForApplied {
  /** When the oldest one expires, where there is no room; else `null`. */
  readonly full_until: Date | null
  /** For `haveRoom` with the row of the project, which each apply holds. Fails if another one was applied since. */
  readonly unchanged: Statement
}

/** Whether another plan of so many bytes may be kept as applied. */
export async function roomForApplied(db: Db, project_id: string, bytes: number): Promise<RoomForApplied> {
  const applied = sql`from promotions where project_id = ${project_id} and status in ('applied', 'reverted')`
  const rows = await db.all(Applied, sql`select id, summary, applied_at, expires_at ${applied} order by id limit ${most_applied}`)
  const total = rows.reduce((sum, { summary }) => sum + summary.bytes, bytes)
  const newest = rows.reduce((latest, { applied_at }) => (applied_at > latest ? applied_at : latest), new Date(0))
  const oldest = rows.reduce<Date | null>((first, { expires_at }) => (first === null || expires_at < first ? expires_at : first), null)
  return {
    full_until: rows.length >= most_applied || total > most_applied_bytes ? oldest : null,
    unchanged: sql`(select count(*) ${applied}) = ${rows.length} and (select coalesce(max(applied_at), 0) ${applied}) = ${newest}`,
  }
}
