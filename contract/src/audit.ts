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
  sequence: z.int().min(1),
  created_at: Time,
  /** The operationId of the call, or the name of the command: `bootstrap` or `recover`. */
  action: z.string(),
  /** `label` is the label of the key or the email of the administrator at that time. */
  actor: z.strictObject({ type: z.enum(['user', 'api_key', 'system']), id: z.string().nullable(), label: z.string().nullable() }),
  object: z.strictObject({ type: z.string(), id: z.string() }),
  project_id: ProjectId.nullable(),
  environment_id: EnvironmentId.nullable(),
  request_id: z.string().nullable(),
  ip: z.string().nullable(),
  /** The object before the change; `null` when the change created it. */
  before: State,
  /** The object after the change; `null` when the change deleted it. Neither state has secrets or the personal data of users. */
  after: State,
  previous_hash: Sha256,
  hash: Sha256,
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
