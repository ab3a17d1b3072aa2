/**
 * Anchors for the audit logs of tenants that are older than anchors. It happens once in the life of a deployment. That it did is part of
 * the sealed secret, so a writer of the database without the master key cannot make it happen again after deleting a head.
 */
import { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { anchorLog } from '../audit/chaining.ts'
import { type Db, sql } from '../db/db.ts'
import type { Secrets } from '../secrets.ts'

const at_once = 200

const Tenant = z.object({ id: TenantId })

/** Anchors the logs of which no entry was linked yet. A log with links and without a head is not known to be whole, and stays a finding. */
export async function anchorOlderLogs(db: Db, secrets: Secrets): Promise<void> {
  if (secrets.recordAnchors === null) return
  const tenants = await db.all(
    Tenant,
    sql`select id from tenants where not exists (select 1 from audit_heads h where h.tenant_id = tenants.id)
          and not exists (select 1 from audit_log l where l.tenant_id = tenants.id and l.sequence is not null) order by id`,
  )
  for (let i = 0; i < tenants.length; i += at_once)
    await db.batch(tenants.slice(i, i + at_once).map(({ id }) => sql`${anchorLog(secrets, id)} on conflict (tenant_id) do nothing`))
  await db.run(secrets.recordAnchors)
}
