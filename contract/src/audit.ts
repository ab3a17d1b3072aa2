/** The audit log of a tenant: who changed what, when and from where. Entries form a chain, so none can be altered or left out unseen. */
import { z } from 'zod'
import { AuditEntryId, EnvironmentId, ProjectId, TenantId } from './ids.ts'
import { Time } from './values.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const State = z.record(z.string(), z.unknown()).nullable()

/**
 * `hash` is the SHA-256, in hexadecimal, of the entry without its member `hash` in the canonical form of RFC 8785.
 * `previous_hash` is the hash of the entry before, and 64 zeros in the first one.
 */
export const AuditEntry = z.strictObject({
  id: AuditEntryId,
  tenant_id: TenantId,
  sequence: z.int().min(1),
  created_at: Time,
  /** The operationId of the call; `bootstrap` or `recover` where a command did it. */
  action: z.string(),
  /** `label` is what the key or the person was called at that time. */
  actor: z.strictObject({ type: z.enum(['user', 'api_key', 'system']), id: z.string().nullable(), label: z.string().nullable() }),
  object: z.strictObject({ type: z.string(), id: z.string() }),
  project_id: ProjectId.nullable(),
  environment_id: EnvironmentId.nullable(),
  request_id: z.string().nullable(),
  ip: z.string().nullable(),
  /** What was changed, as it was; `null` where the object came into being. */
  before: State,
  /** What was changed, as it is since; `null` where the object is gone. Neither has secrets, nor what users entered about themselves. */
  after: State,
  previous_hash: Sha256,
  hash: Sha256,
})
export type AuditEntry = z.infer<typeof AuditEntry>
