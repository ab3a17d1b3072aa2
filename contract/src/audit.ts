/** The audit log of a tenant: who changed what, when and from where. Entries form a hash chain, which shows changed and missing entries. */
import { z } from 'zod'
import { AuditEntryId, EnvironmentId, ProjectId, TenantId } from './ids.ts'
import { PageQuery, Time, TimeRange } from './values.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const State = z.record(z.string(), z.unknown()).nullable()

/**
 * `hash` is the SHA-256, in hexadecimal, of the canonical form (RFC 8785) of the entry without `hash`.
 * `previous_hash` is the hash of the previous entry. In the first entry it is 64 zeros.
 */
export const AuditEntry = z.strictObject({
  id: AuditEntryId,
  tenant_id: TenantId,
  sequence: z.int().min(1).describe('1, 2, 3 … within the tenant, without gaps.'),
  created_at: Time,
  /** The operationId of the call, or the name of the command: `bootstrap` or `recover`. */
  action: z.string().describe('The operationId of the call, or the name of a command such as `bootstrap` or `recover`.'),
  /** `label` is the label of the key or the email of the administrator at that time. */
  actor: z
    .strictObject({
      type: z.enum(['user', 'api_key', 'system']),
      id: z.string().nullable(),
      label: z.string().nullable().describe('The label of the key or the email of the administrator at that time.'),
    })
    .describe('Who made the change.'),
  object: z.strictObject({ type: z.string(), id: z.string() }).describe('The changed object.'),
  project_id: ProjectId.nullable(),
  environment_id: EnvironmentId.nullable(),
  request_id: z.string().nullable().describe('The X-Request-Id of the call; `null` for a command.'),
  ip: z.string().nullable().describe('The address from which the call came.'),
  /** The object before the change; `null` when the change created it. */
  before: State.describe('The object before the change, without secrets and personal data; `null` when the change created it.'),
  /** The object after the change; `null` when the change deleted it. Neither state has secrets or the personal data of users. */
  after: State.describe('The object after the change, without secrets and personal data; `null` when the change deleted it.'),
  previous_hash: Sha256.describe('The hash of the previous entry; 64 zeros in the first entry.'),
  hash: Sha256.describe('The SHA-256, in hexadecimal, of the canonical form (RFC 8785) of this entry without `hash`.'),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditQuery = PageQuery.extend({
  ...TimeRange,
  actor_id: z.string().max(100).optional().describe('Only what this user or key did.'),
  action: z.string().max(100).optional().describe('Only this operation, such as `createProject`.'),
  object_id: z.string().max(100).optional().describe('Only changes of the object with this id.'),
})
export type AuditQuery = z.infer<typeof AuditQuery>

export const AuditVerification = z.strictObject({
  tenant_id: TenantId.describe('The tenant of the log.'),
  intact: z.boolean().describe('Whether every entry is as it was written, and none is missing.'),
  entries: z.int().min(0).describe('How many entries were checked.'),
  problems: z.array(z.string()).describe('What is wrong, at most ten problems.'),
  verified_at: Time.describe('When the check ended. A repeated call can return the result of a check that just ended.'),
})
export type AuditVerification = z.infer<typeof AuditVerification>
