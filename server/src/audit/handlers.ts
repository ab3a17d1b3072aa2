import type { AuditEntry } from '@ostiary/contract/audit.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import { readPageBySequence } from '../api/lists.ts'
import { type Handler, inLines } from '../api/mount.ts'
import { type Db, sql } from '../db/db.ts'
import { listEntries, showEntry } from './store.ts'

const lines_at_once = 200

/** A page, newest first; or all of it from the first entry on, where lines are asked for. */
export const listAuditLog: Handler<typeof routes.listAuditLog> = async (deployment, { caller: { tenant_id }, query, wants_lines }) => {
  const { db } = deployment
  if (wants_lines) return inLines(allEntries(db, tenant_id))
  const page = await readPageBySequence(deployment, `audit-log.${tenant_id}`, { ...query, oldest_first: false }, (rest) =>
    listEntries(db, tenant_id, rest),
  )
  return { ...page, data: page.data.map(showEntry) }
}

/** Page by page, as fast as they are taken: a log of any size needs no more memory than a page. */
async function* allEntries(db: Db, tenant_id: TenantId): AsyncGenerator<readonly AuditEntry[]> {
  for (let last = 0; ; ) {
    const page = await listEntries(db, tenant_id, sql`and l.sequence > ${last} order by l.sequence limit ${lines_at_once}`)
    const end = page.at(-1)
    if (!end) return
    yield page.map(showEntry)
    last = end.sequence
  }
}
