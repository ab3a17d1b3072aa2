import type { AuditEntry, AuditQuery, AuditVerification } from '@ostiary/contract/audit.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { restartLimit } from '../../base/database-time.ts'
import { type Db, type Statement, sql } from '../../db/db.ts'
import { entryFilter, listEntries, showEntry } from '../../domain/audit/store.ts'
import { readPageBySequence } from '../../domain/lists/lists.ts'
import { notFound } from '../../http/problem.ts'
import { inLines } from '../answer.ts'
import type { Handler } from '../handler.ts'

/** An entry can have hundreds of kilobytes, so a page has few. */
const lines_at_once = 50

/** Answers one page, newest first. With `Accept: application/jsonl` it answers every entry that the filters select, oldest first. */
export const listAuditLog: Handler<'listAuditLog'> = async (services, call) => {
  const { db } = services
  const { tenant_id } = call.caller
  const { limit: _, cursor: __, ...filters } = call.query
  const filter = entryFilter(tenant_id, filters satisfies Partial<AuditQuery>)
  if (call.wants_lines) return inLines(allEntries(db, tenant_id, filter))
  const list = `audit-log.${tenant_id}.${JSON.stringify(filters)}`
  const page = await readPageBySequence(services, call, { list, oldest_first: false }, (rest) =>
    listEntries(db, tenant_id, sql`${filter} ${rest}`),
  )
  return { ...page, data: page.data.map(showEntry) }
}

/** Reads page by page as the client consumes them, so memory use does not depend on the size of the log. */
async function* allEntries(db: Db, tenant_id: TenantId, filter: Statement): AsyncGenerator<readonly AuditEntry[]> {
  for (let last = 0; ; ) {
    restartLimit()
    const page = await listEntries(db, tenant_id, sql`${filter} and l.sequence > ${last} order by l.sequence limit ${lines_at_once}`)
    const end = page.at(-1)
    if (!end) return
    yield page.map(showEntry)
    last = end.sequence
  }
}

/** An entry never changes. */
export const getAuditEntry: Handler<'getAuditEntry'> = async ({ db }, { caller, params }) => {
  const [entry] = await listEntries(db, caller.tenant_id, sql`and l.id = ${params.audit_entry_id ?? ''}`)
  if (!entry) throw notFound()
  return { ...showEntry(entry), version: 1 }
}

export const verifyAuditLog: Handler<'verifyAuditLog'> = ({ verifyLog }, { caller }): Promise<AuditVerification> =>
  verifyLog(caller.tenant_id)
