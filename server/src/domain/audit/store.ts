/**
 * The audit log of a tenant: who changed what, when, from where. An entry is written in the batch of the change it records,
 * so neither exists without the other. The sequencer links it into the tenant's chain within a second (see `chain.ts`), so
 * changes do not wait for each other. In the management API only `api/commit.ts` writes entries.
 */
import type { AuditEntry, AuditQuery } from '@ostiary/contract/audit.ts'
import { AuditEntryId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, join, leavesWork, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import { withinTimes } from '../events/time-range.ts'
import { canonicalJson } from './canonical.ts'
import type { NewAuditEntry } from './entry.ts'

/** The actor, the operation and the request behind an entry. */
export interface AuditOrigin {
  id: `aud_${string}`
  /** The name of the route: the operationId of the API. */
  action: string
  actor: { type: string; id: string | null }
  /** The name of the key or user at the time of the change. It may be renamed or deleted later. */
  actor_label: string | null
  request_id: string | null
  ip: string | null
}

/** Belongs in the batch of the change that the entry records. */
export function insertAuditEntry(
  tenant_id: TenantId,
  origin: AuditOrigin,
  { object, project_id, environment_id, before, after }: NewAuditEntry,
  now: Date,
): Statement {
  const text = (state: NewAuditEntry['before']) => (state === null ? null : canonicalJson(state))
  return leavesWork(
    insertInto('audit_log', {
      tenant_id,
      id: origin.id,
      created_at: now,
      action: origin.action,
      actor_type: origin.actor.type,
      actor_id: origin.actor.id,
      actor_label: origin.actor_label,
      object_type: object.type,
      object_id: object.id,
      project_id,
      environment_id,
      request_id: origin.request_id,
      ip: origin.ip,
      before_change: text(before),
      after_change: text(after),
    }),
  )
}

/** A stored entry. Its states stay canonical JSON, for computing hashes. */
export const EntryRow = z.object({
  id: AuditEntryId,
  tenant_id: TenantId,
  created_at: z.iso.datetime(),
  action: z.string(),
  actor_type: z.custom<AuditEntry['actor']['type']>(),
  actor_id: z.string().nullable(),
  actor_label: z.string().nullable(),
  object_type: z.string(),
  object_id: z.string(),
  project_id: z.custom<AuditEntry['project_id']>(),
  environment_id: z.custom<AuditEntry['environment_id']>(),
  request_id: z.string().nullable(),
  ip: z.string().nullable(),
  before_change: z.string().nullable(),
  after_change: z.string().nullable(),
})

export const entryColumns = sql`l.id, l.tenant_id, l.created_at, l.action, l.actor_type, l.actor_id, l.actor_label,
  l.object_type, l.object_id, l.project_id, l.environment_id, l.request_id, l.ip, l.before_change, l.after_change`

const LinkedRow = EntryRow.extend({ sequence: z.int(), previous_hash: z.string(), hash: z.string() })
export type LinkedRow = z.infer<typeof LinkedRow>

/** Lists linked entries. `rest` is the end of the query: where the page begins, its order and its limit. */
export function listEntries(db: Db, tenant_id: TenantId, rest: Statement): Promise<LinkedRow[]> {
  return db.all(
    LinkedRow,
    sql`select ${entryColumns}, l.sequence, l.previous_hash, l.hash from audit_log l
         where l.tenant_id = ${tenant_id} and l.sequence is not null ${rest}`,
  )
}

/** Lets the index of the whole log be used. A list with a filter has an index of its own. */
export const whole_log = sql`and l.id <> ''`

/** The condition for entries that match the filters. */
export function entryFilter(tenant_id: TenantId, { actor_id, action, object_id, from, to }: Partial<AuditQuery>): Statement {
  const is_filtered = [actor_id, action, object_id].some((value) => value !== undefined)
  return join(
    [
      ...(is_filtered ? [] : [whole_log]),
      ...(actor_id === undefined ? [] : [sql`and l.actor_id = ${actor_id}`]),
      ...(action === undefined ? [] : [sql`and l.action = ${action}`]),
      ...(object_id === undefined ? [] : [sql`and l.object_id = ${object_id}`]),
      withinTimes({ table: sql`audit_log`, alias: sql`l`, scope: sql`tenant_id = ${tenant_id}`, prefix: 'aud' }, { from, to }),
    ],
    ' ',
  )
}

/** Returns the entry as the API shows it. */
export function showEntry({
  actor_type,
  actor_id,
  actor_label,
  object_type,
  object_id,
  before_change,
  after_change,
  ...row
}: LinkedRow): AuditEntry {
  return {
    ...row,
    actor: { type: actor_type, id: actor_id, label: actor_label },
    object: { type: object_type, id: object_id },
    before: before_change === null ? null : JSON.parse(before_change),
    after: after_change === null ? null : JSON.parse(after_change),
  }
}
