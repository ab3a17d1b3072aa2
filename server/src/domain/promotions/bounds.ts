/**
 * Bounds stored promotions by number and bytes (decision 0142). A project keeps its newest plans and evicts older ones, approved ones last.
 * An applied promotion stays for its 90 days, so an apply that exceeds the bound is refused. Each target has a bound of its own: many may
 * apply to Test, and nothing that they do there closes Live.
 */
import type { TenantId } from '@ostiary/contract/ids.ts'
import { type PlannedChange, type Promotion, PromotionInList } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { haveRoom, holdProject } from '../tenancy/store.ts'

/** A plan is one row, which is read as a whole, and the answer is kept for repeats. 1,000 new applications take a third of it. */
export const longest_plan = 4_000_000
/** Of plans of a project that were not applied. */
const most_planned = 100
export const most_planned_bytes = 32_000_000
/** Of those that were applied to one environment, reverted ones included. */
const most_applied = 5_000
export const most_applied_bytes = 256_000_000

export const bytesOf = (plan: string): number => Buffer.byteLength(plan)

/** With the bytes of the plan, which lists and sums read without the plan itself, and whether its apply changed nothing. */
export const StoredSummary = PromotionInList.shape.summary.extend({
  bytes: z.int(),
  changed_nothing: z.boolean(),
})
export type StoredSummary = z.infer<typeof StoredSummary>

const Sized = z.object({ id: z.string(), summary: StoredSummary.pick({ bytes: true, changed_nothing: true }) })
const Planned = Sized.extend({ approved_at: z.date().nullable() })

/**
 * Makes room for a plan: the statements before its insertion. They fail as a guard if the project has got or lost a plan since, or an
 * evicted one was approved.
 */
export async function roomForPlan(db: Db, { tenant_id, id }: { tenant_id: TenantId; id: string }, bytes: number): Promise<Statement[]> {
  const planned = atCoordinator`from promotions where project_id = ${id} and status = 'planned'`
  const rows = await db.all(Planned, sql`select id, summary, approved_at ${planned} order by id desc limit ${2 * most_planned}`)
  const approved = rows.filter(({ approved_at }) => approved_at !== null)
  const others = rows.filter(({ approved_at }) => approved_at === null)
  const ranked = [...approved, ...others]
  let total = bytes
  const staying = ranked.findIndex(({ summary }, n) => {
    total += summary.bytes
    return n + 1 >= most_planned || total > most_planned_bytes
  })
  const outgrown = new Set(staying === -1 ? [] : ranked.slice(staying))
  const goes = (row: (typeof rows)[number]) => outgrown.has(row)
  const remove = (gone: typeof rows, is_so: Statement) => {
    if (gone.length === 0) return []
    const of_them = sql`project_id = ${id} and id in (${list(gone.map((row) => row.id))})`
    return [guard(atCoordinator`delete from promotions where ${of_them} and ${is_so}`, gone.length)]
  }
  const ids = rows.map((row) => row.id)
  const is_same = sql`(select count(*) ${planned}) = ${ids.length}`
  const are_these = ids.length === 0 ? is_same : sql`${is_same} and (select count(*) ${planned} and id in (${list(ids)})) = ${ids.length}`
  return [
    ...haveRoom(holdProject(tenant_id, id), are_these),
    ...remove(others.filter(goes), sql`approved_at is null`),
    ...remove(approved.filter(goes), sql`approved_at is not null`),
  ]
}

const Applied = Sized.extend({ status: z.enum(['applied', 'reverted']), applied_at: z.date(), expires_at: z.date() })

interface RoomForApplied {
  /** When the oldest one expires, where there is no room; else `null`. */
  readonly full_until: Date | null
  /** For `haveRoom` with the row of the project, which each apply holds. Fails if another plan was applied to the target since. */
  readonly unchanged: Statement
  /** For an apply that changes nothing: takes away those before it, so that a pipeline that runs often leaves one. Decision 0142. */
  readonly without_change_before: readonly Statement[]
}

type To = Pick<Promotion, 'project_id' | 'to_environment_id'>

interface Numbered {
  readonly changes: readonly Pick<PlannedChange, 'action'>[]
  readonly checks: readonly Pick<PromotionCheck, 'level'>[]
}

/** The plan in numbers, as its row keeps it. */
export function summaryOf({ changes, checks }: Numbered) {
  const count = <T>(list: readonly T[], is: (entry: T) => boolean) => list.filter(is).length
  return {
    create: count(changes, ({ action }) => action === 'create'),
    update: count(changes, ({ action }) => action === 'update'),
    delete: count(changes, ({ action }) => action === 'delete'),
    errors: count(checks, ({ level }) => level === 'error'),
    warnings: count(checks, ({ level }) => level === 'warning'),
  }
}

/** Whether another plan of so many bytes may be kept as applied to its target. The index of the project and the status leads to the rows. */
export async function roomForApplied(db: Db, { project_id, to_environment_id }: To, bytes: number): Promise<RoomForApplied> {
  const applied = atCoordinator`from promotions
    where project_id = ${project_id} and status in ('applied', 'reverted') and to_environment_id = ${to_environment_id}`
  const rows = await db.all(Applied, sql`select id, summary, status, applied_at, expires_at ${applied} order by id limit ${most_applied}`)
  const total = rows.reduce((sum, { summary }) => sum + summary.bytes, bytes)
  const newest = rows.reduce((latest, { applied_at }) => (applied_at > latest ? applied_at : latest), new Date(0))
  const oldest = rows.reduce<Date | null>((first, { expires_at }) => (first === null || expires_at < first ? expires_at : first), null)
  const unchanging = rows.filter(({ status, summary }) => status === 'applied' && summary.changed_nothing).map((row) => row.id)
  return {
    without_change_before:
      unchanging.length === 0
        ? []
        : [atCoordinator`delete from promotions where project_id = ${project_id} and id in (${list(unchanging)}) and status = 'applied'`],
    full_until: rows.length >= most_applied || total > most_applied_bytes ? oldest : null,
    unchanged: sql`(select count(*) ${applied}) = ${rows.length} and (select coalesce(max(applied_at), 0) ${applied}) = ${newest}`,
  }
}
