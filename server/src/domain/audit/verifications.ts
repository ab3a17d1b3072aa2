/**
 * Verifies the log of a tenant at the request of its administrators. A log can be long, so a tenant has one verification at a time, and
 * all its requests get the result. The next one begins a while after it ended. The process runs two at a time, and each yields to
 * other work after every page (`verify.ts`).
 */
import type { AuditVerification } from '@ostiary/contract/audit.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { reason } from '../../base/reason.ts'
import { Unavailable } from '../../base/unavailable.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { verifyLog } from './verify.ts'

const most_running = 2
const most_waiting = 50
/** A result is repeated for this long. */
const repeated_ms = 10_000
const most_results = 1_000

class TooManyVerifications extends Unavailable {
  override readonly name = 'TooManyVerifications'
  readonly detail = 'Too many audit logs are verified right now. Try again shortly.'
  readonly why = reason`Too many audit logs are verified at once.`
}

export type VerifyTenantLog = (tenant_id: TenantId) => Promise<AuditVerification>

export function createVerifications(
  deployment: Pick<Deployment, 'db' | 'secrets' | 'now'>,
  verify: typeof verifyLog = verifyLog,
): VerifyTenantLog {
  const in_progress = new Map<TenantId, Promise<AuditVerification>>()
  const results = createBoundedMap<TenantId, AuditVerification>(most_results)
  const waiting: (() => void)[] = []
  let running = 0

  async function run(tenant_id: TenantId): Promise<AuditVerification> {
    if (running < most_running) running++
    else if (waiting.length >= most_waiting) throw new TooManyVerifications('Too many verifications wait.')
    else await new Promise<void>((start) => waiting.push(start))
    try {
      const { entries, problems } = await verify(deployment, tenant_id)
      const result = { tenant_id, intact: problems.length === 0, entries, problems, verified_at: deployment.now().toISOString() }
      results.set(tenant_id, result)
      return result
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return (tenant_id) => {
    const recent = results.get(tenant_id)
    if (recent && Math.abs(deployment.now().getTime() - Date.parse(recent.verified_at)) < repeated_ms) return Promise.resolve(recent)
    const shared = in_progress.get(tenant_id) ?? run(tenant_id).finally(() => in_progress.delete(tenant_id))
    in_progress.set(tenant_id, shared)
    return shared
  }
}
