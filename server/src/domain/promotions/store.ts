/**
 * Stores promotions: plans, and what became of them. A plan that is not applied expires after a week, and a project keeps the newest
 * (`bounds.ts`); others stay for 90 days. `promoted_states` has the configuration that the last promotion to an environment left.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Promotion, PromotionInList } from '@ostiary/contract/promotion.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { StoredSummary } from './bounds.ts'

const planned_kept_ms = 7 * day_ms
/** From the day on which it was applied. */
const applied_kept_ms = 90 * day_ms

const Details = Promotion.pick({
  values: true,
  only: true,
  prune: true,
  changes: true,
  checks: true,
  needed_secrets: true,
  left_alone: true,
})
export type PlanDetails = z.infer<typeof Details>

/** The plan of a promotion, as its row has it. */
export const planIn = ({ values, only, prune, changes, checks, needed_secrets, left_alone }: PlanDetails): PlanDetails => ({
  values,
  only,
  prune,
  changes,
  checks,
  needed_secrets,
  left_alone,
})

const Who = Promotion.shape.created_by

/** Of the column of a project that says how its promotions are made. */
const asksForApproval = (promotion: Statement) => sql`${promotion} like '%"require_approval":true%'`

/** For a batch that applies a plan without an approval to Live, and holds the project: it still asks for none. */
export const asksForNoApproval: Statement = sql`not (${asksForApproval(sql`promotion`)})`

const columns = sql`
  p.id, p.tenant_id, p.project_id, p.from_environment_id, p.document_environment, p.to_environment_id, p.from_config_version, p.to_config_version,
  p.status, p.note, p.summary, p.created_by, p.approved_by, p.approved_at, p.applied_by, p.applied_at, p.reverted_by, p.reverted_at,
  p.version, p.created_at, p.updated_at,
  case when p.status = 'planned' and (t.config_version <> p.to_config_version or coalesce(s.config_version, 0) <> coalesce(p.from_config_version, 0))
    then 1 else 0 end as stale,
  case when p.status = 'planned' and p.needs_approval = 1 then 1
       when p.status = 'planned' and t.type = 'live' and ${asksForApproval(sql`j.promotion`)} then 1
       when p.status <> 'planned' and p.approved_at is not null then 1 else 0 end as is_approval_required`
const from = sql`from promotions p
  join projects j on j.tenant_id = p.tenant_id and j.id = p.project_id
  join environments t on t.id = p.to_environment_id
  left join environments s on s.id = p.from_environment_id`

const Row = PromotionInList.omit({ approval: true, revertible: true }).extend({
  id: Promotion.shape.id.unwrap(),
  summary: StoredSummary,
  version: z.int(),
  is_approval_required: z.boolean(),
  approved_by: Who,
  approved_at: PromotionInList.shape.applied_at,
})
type Row = z.infer<typeof Row>
const RowWithPlan = Row.extend({ plan: Details })

/** A promotion that deleted cannot bring the objects back. */
const shown = ({ approved_by, approved_at, is_approval_required, summary: stored, ...row }: Row) => {
  const { bytes: _, changed_nothing: __, ...summary } = stored
  return {
    ...row,
    summary,
    revertible: row.status === 'applied' && summary.delete === 0,
    approval: { required: is_approval_required, approved_by, approved_at },
  }
}

export type PromotionRow = NonNullable<Awaited<ReturnType<typeof findPromotion>>>

export async function findPromotion(db: Db, project_id: string, id: string) {
  const row = await db.maybeOne(RowWithPlan, sql`select ${columns}, p.plan ${from} where p.project_id = ${project_id} and p.id = ${id}`)
  if (!row) return null
  const { plan, ...rest } = row
  const { summary: _, ...head } = shown(rest)
  return { ...head, ...plan }
}

export async function listPromotions(
  db: Db,
  project_id: string,
  { status, to_environment_id }: { status?: string | undefined; to_environment_id?: EnvironmentId | undefined },
  rest: Statement,
) {
  const by_status = status === undefined ? sql`` : sql`and status = ${status}`
  const by_target = to_environment_id === undefined ? sql`` : sql`and to_environment_id = ${to_environment_id}`
  const rows = await db.all(
    Row,
    sql`select * from (select ${columns} ${from} where p.project_id = ${project_id}) listed where 1 = 1 ${by_status} ${by_target} ${rest}`,
  )
  return rows.map(({ version: _, ...row }) => shown(row as Row)) // as: without the version, which a list does not show
}

export type NewPromotionRow = Omit<Promotion, 'id' | 'stale' | 'revertible' | 'approval' | keyof PlanDetails> & {
  id: string
  /** As JSON. */
  plan: string
  summary: StoredSummary
  /** The people who are responsible for the plan: none of them approves it. */
  planners: readonly string[]
  needs_approval: boolean
}

/** Adds a plan. Those that it evicts go in the same batch (`bounds.ts`). */
export function insertPromotion(row: NewPromotionRow, now: Date): Statement {
  const expires_at = new Date(now.getTime() + planned_kept_ms)
  return guard(
    insertInto('promotions', {
      project_id: row.project_id,
      id: row.id,
      tenant_id: row.tenant_id,
      from_environment_id: row.from_environment_id,
      document_environment: row.document_environment,
      to_environment_id: row.to_environment_id,
      from_config_version: row.from_config_version,
      to_config_version: row.to_config_version,
      status: 'planned',
      note: row.note,
      plan: row.plan,
      summary: row.summary,
      created_by: row.created_by,
      planners: row.planners,
      needs_approval: row.needs_approval,
      expires_at,
      created_at: now,
      updated_at: now,
    }),
  )
}

const Planners = z.object({ planners: z.array(z.string()) })

/** The people who are responsible for a plan. */
export async function findPlanners(db: Db, { project_id, id }: Pick<PromotionRow, 'project_id' | 'id'>): Promise<readonly string[]> {
  const row = await db.maybeOne(Planners, sql`select planners from promotions where project_id = ${project_id} and id = ${id}`)
  return row?.planners ?? []
}

/**
 * The plans to Live that wait keep their need of an approval: for the batch in which the project stops asking for approvals. They get
 * another version, so that an apply that has read them before fails.
 */
export const keepNeeds = (project_id: string, now: Date): Statement =>
  atCoordinator`update promotions set needs_approval = 1, version = version + 1, updated_at = ${now}
       where project_id = ${project_id} and status = 'planned' and needs_approval = 0
         and to_environment_id in (select id from environments where project_id = ${project_id} and type = 'live')`

const State = z.object({ state: z.record(z.string(), z.unknown()) })

/** The document of the state that the last promotion to an environment left; `null` before the first one. */
export async function findPromotedState(db: Db, environment_id: EnvironmentId): Promise<Record<string, unknown> | null> {
  const row = await db.of(environment_id).maybeOne(State, sql`select state from promoted_states where environment_id = ${environment_id}`)
  return row?.state ?? null
}

type Person = NonNullable<Promotion['created_by']>
type Held = Pick<PromotionRow, 'project_id' | 'id' | 'version'>

const sameVersion = ({ project_id, id, version }: Held) => sql`project_id = ${project_id} and id = ${id} and version = ${version}`

/** Each step is a guard: of several at once one happens. */
export const approve = (row: Held, by: Person, now: Date): Statement =>
  guard(atCoordinator`update promotions set approved_by = ${by}, approved_at = ${now}, version = version + 1, updated_at = ${now}
    where ${sameVersion(row)} and status = 'planned'`)

/** `plan` is JSON, with the ids of what was created. */
export const markApplied = (row: Held, { by, plan, summary }: { by: Person; plan: string; summary: StoredSummary }, now: Date): Statement =>
  guard(atCoordinator`update promotions
    set status = 'applied', applied_by = ${by}, applied_at = ${now}, plan = ${plan}, summary = ${summary}, expires_at = ${new Date(now.getTime() + applied_kept_ms)},
        version = version + 1, updated_at = ${now}
    where ${sameVersion(row)} and status = 'planned'`)

export const markReverted = (row: Held, by: Person, now: Date): Statement =>
  guard(atCoordinator`update promotions set status = 'reverted', reverted_by = ${by}, reverted_at = ${now}, version = version + 1, updated_at = ${now}
    where ${sameVersion(row)} and status = 'applied'`)

/** Keeps the document of the configuration that a promotion left in an environment. Its row belongs to the environment, which the batch holds. */
export const keepState = (environment_id: EnvironmentId, promotion_id: string, state: string): Statement =>
  insertInto(
    'promoted_states',
    { environment_id, promotion_id, state },
    sql`on conflict (environment_id) do update set promotion_id = excluded.promotion_id, state = excluded.state`,
  )
