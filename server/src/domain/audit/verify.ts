/** Verifies the chains of audit logs. Reads page by page and yields to other work in between, so a log may have any size. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import { type Db, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { beginning, type ChainEnd, linkProblem } from './chain.ts'
import { headSeal } from './chaining.ts'
import { listEntries, whole_log } from './store.ts'

const page_size = 100
/** Of a chain with more problems than this, only the first are reported. */
const most_problems = 10

export interface ChainProblem {
  tenant_id: TenantId
  problem: string
}

export interface ChainReport {
  tenants: number
  entries: number
  problems: ChainProblem[]
}

const Tenant = z.object({ tenant_id: TenantId.nullable() })
const Head = z.object({ sequence: z.int(), hash: z.string(), seal: z.string() })

/** Verifies all chains. The service may write to them meanwhile. */
export async function verifyChains({ db, secrets }: Pick<Deployment, 'db' | 'secrets'>): Promise<ChainReport> {
  const report: ChainReport = { tenants: 0, entries: 0, problems: [] }
  for (let tenant_id = await findNextTenant(db, ''); tenant_id; tenant_id = await findNextTenant(db, tenant_id)) {
    const { entries, problems } = await verifyLog({ db, secrets }, tenant_id)
    report.tenants += 1
    report.entries += entries
    for (const problem of problems) report.problems.push({ tenant_id, problem })
  }
  return report
}

/**
 * Returns the next tenant in the order of their ids. Includes a log or a head without a tenant, since neither is ever deleted. Skips
 * from tenant to tenant by an index, so the cost does not depend on the number of entries.
 */
export async function findNextTenant(db: Db, after: TenantId | ''): Promise<TenantId | null> {
  const [next] = await db.all(
    Tenant,
    sql`select min(tenant_id) as tenant_id from (
          select * from (select id as tenant_id from tenants where id > ${after} order by id limit 1) of_tenants
          union all
          select * from (select tenant_id from audit_heads where tenant_id > ${after} order by tenant_id limit 1) of_heads
          union all
          select * from (select l.tenant_id from audit_log l where l.tenant_id > ${after} and l.sequence is not null ${whole_log}
                          order by l.tenant_id, l.sequence limit 1) of_logs) next_ones`,
  )
  return next?.tenant_id ?? null
}

/** Verifies the chain of one tenant. Returns the first problems in words. */
export function verifyLog({ db, secrets }: Pick<Deployment, 'db' | 'secrets'>, tenant_id: TenantId) {
  return verifyChain(db, tenant_id, (end) => headSeal(secrets, tenant_id, end))
}

async function verifyChain(db: Db, tenant_id: TenantId, sealOf: (end: ChainEnd) => string) {
  const findHead = () => db.maybeOne(Head, sql`select sequence, hash, seal from audit_heads where tenant_id = ${tenant_id}`)
  const problems: string[] = []
  const report = (problem: string) => problems.length < most_problems && problems.push(problem)
  let end: ChainEnd = beginning
  let entries = 0
  // One batch writes entries and their head. The head is read first, so all its entries are visible afterwards. Entries after it are
  // new if the head has moved since; then they are verified with the new head.
  let head = await findHead()
  for (;;) {
    const last = head?.sequence ?? 0
    let page: Awaited<ReturnType<typeof listEntries>>
    do {
      restartLimit()
      const range = sql`${whole_log} and l.sequence > ${end.sequence} and l.sequence <= ${last} order by l.sequence limit ${page_size}`
      page = await listEntries(db, tenant_id, range)
      for (const entry of page) {
        const problem = linkProblem(end, entry)
        if (problem) report(problem)
        end = { sequence: entry.sequence, hash: entry.hash }
      }
      entries += page.length
      await yieldToOthers()
    } while (page.length === page_size)
    if (!head) report('the head of the chain is missing')
    if (end.sequence < last) report(`the log was cut off after entry ${end.sequence}: it had ${last}`)
    else if (head && end.hash !== head.hash) report(`the last entry, ${last}, differs from the head of the chain`)
    if (head && head.seal !== sealOf(head)) report('the head of the chain was altered, or the chain was recomputed')

    const [beyond] = await listEntries(db, tenant_id, sql`${whole_log} and l.sequence > ${last} order by l.sequence limit 1`)
    if (!beyond) break
    const moved = await findHead()
    if ((moved?.sequence ?? 0) <= last) {
      report(`entry ${beyond.sequence} is beyond the end of the chain`)
      break
    }
    head = moved
  }
  return { entries, problems }
}
