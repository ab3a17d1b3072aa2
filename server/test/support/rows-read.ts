/** How many rows of a history a list reads, by the plan of its statement. */
import { z } from 'zod'
import { type Db, rowsOf, type Statement, sql } from '../../src/db/db.ts'
import { withMethods } from './db-methods.ts'

/** The statements that a query sends for its main list. */
export async function listStatements(db: Db, run: (at: Db) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  const recording = withMethods(db, ({ all }) => ({
    all(schema, statement) {
      sent.push(statement)
      return all(schema, statement)
    },
  }))
  await run(recording)
  return sent
}

const Plan = z.object({ 'QUERY PLAN': z.unknown() })
const Step = z.object({ detail: z.string() })

/** On PostgreSQL the rows that the plan touched; on SQLite `Infinity` for a step that searches by less than the filters allow. */
export async function rowsRead(db: Db, statement: Statement): Promise<number> {
  if (db.engine === 'postgres') {
    const [plan] = await explained(db, Plan, sql`explain (analyze, format json) ${statement}`)
    const text = typeof plan?.['QUERY PLAN'] === 'string' ? JSON.parse(plan['QUERY PLAN']) : plan?.['QUERY PLAN']
    return touched((text as { Plan: PlanNode }[])[0]?.Plan) // as: the format of `explain`
  }
  const steps = await explained(db, Step, sql`explain query plan ${statement}`)
  return steps.some(
    ({ detail }) => /^SCAN (v|l|events|audit_log|webhook_messages)\b/.test(detail) || /USE TEMP B-TREE FOR ORDER BY/.test(detail),
  )
    ? Number.POSITIVE_INFINITY
    : searchedRows(
        statement,
        steps.map(({ detail }) => detail),
      )
}

/** A batch may begin with any word. */
const explained = async <S extends z.ZodObject>(db: Db, schema: S, statement: Statement) =>
  rowsOf(schema, (await db.batch([statement]))?.[0])

interface PlanNode {
  Plans?: PlanNode[]
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
}

function touched(node: PlanNode | undefined): number {
  if (!node) return 0
  const own =
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops']
  return Math.max(own, ...(node.Plans ?? []).map(touched))
}

/** SQLite does not count rows, so the step that reads the history must use every filter that an index has. */
function searchedRows(statement: Statement, steps: readonly string[]): number {
  const text = statement.parts.join('?')
  const [search = ''] = steps.filter((step) => /^SEARCH (v|l|events|audit_log|webhook_messages) /.test(step))
  const wanted = [
    // The keys of events are expressions, so the name of the index says which columns it has.
    ['<expr>=?', /v\.(type|user_id|application_id|request_id) = /],
    ['type', /v\.type = /],
    ['user', /v\.user_id = /],
    ['application', /v\.application_id = /],
    ['request', /v\.request_id = /],
    ['actor_id', /l\.actor_id = /],
    ['action', /l\.action = /],
    ['object_id', /l\.object_id = /],
    ['status', /and status = /],
    ['event_id', /and event_id = /],
    ['sequence', /created_at (>=|<) /],
  ] as const
  const missing = wanted.filter(([column, used]) => used.test(text) && !search.includes(column))
  return missing.length === 0 ? 0 : Number.POSITIVE_INFINITY
}
