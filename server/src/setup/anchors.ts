/**
 * Adds anchors to the audit logs of tenants that are older than anchors, once in the life of a deployment. The sealed secret records it,
 * so an attacker who can write to the database, but has no master key, cannot delete a head and let it be created again.
 */
import { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, sql } from '../db/db.ts'
import type { Secrets } from '../deployment/secrets/secrets.ts'
import { anchorLog } from '../domain/audit/chaining.ts'

const tenants_per_batch = 200

const Tenant = z.object({ id: TenantId })

/** Anchors the logs without linked entries. A log with linked entries and no head may be incomplete, so `doctor` still reports it. */
export async function anchorOlderLogs(db: Db, secrets: Secrets): Promise<void> {
  if (secrets.recordAnchors === null) return
  const tenants = await db.all(
    Tenant,
    sql`select id from tenants where not exists (select 1 from audit_heads h where h.tenant_id = tenants.id)
          and not exists (select 1 from audit_log l where l.tenant_id = tenants.id and l.sequence is not null) order by id`,
  )
  for (let i = 0; i < tenants.length; i += tenants_per_batch)
    await db.batch(
      tenants.slice(i, i + tenants_per_batch).map(({ id }) => sql`${anchorLog(secrets, id)} on conflict (tenant_id) do nothing`),
    )
  await db.run(secrets.recordAnchors)
}
