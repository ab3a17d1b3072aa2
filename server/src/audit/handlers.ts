import type { AuditEntry } from '@ostiary/contract/audit.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { inLines } from '../api/answer.ts'
import type { Handler } from '../api/handler.ts'
import { readPageBySequence } from '../api/lists.ts'
import { type Db, sql } from '../db/db.ts'
import { listEntries, showEntry } from './store.ts'

const lines_at_once = 200

/** Answers one page, newest first. With `Accept: application/jsonl` it answers the whole log, oldest first. */
export const listAuditLog: Handler<'listAuditLog'> = async (services, call) => {
  const { db } = services
  const { tenant_id } = call.caller
  if (call.wants_lines) return inLines(allEntries(db, tenant_id))
  const page = await readPageBySequence(services, call, { list: `audit-log.${tenant_id}`, oldest_first: false }, (rest) =>
    listEntries(db, tenant_id, rest),
  )
  return { ...page, data: page.data.map(showEntry) }
}

/** Reads page by page as the client consumes them, so memory use does not depend on the size of the log. */
async function* allEntries(db: Db, tenant_id: TenantId): AsyncGenerator<readonly AuditEntry[]> {
  for (let last = 0; ; ) {
    const page = await listEntries(db, tenant_id, sql`and l.sequence > ${last} order by l.sequence limit ${lines_at_once}`)
    const end = page.at(-1)
    if (!end) return
    yield page.map(showEntry)
    last = end.sequence
  }
}
