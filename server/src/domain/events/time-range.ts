/** Conditions for a list in the order of `sequence` that is filtered by time. */
import type { IdPrefix } from '@ostiary/contract/ids.ts'
import { lowestId } from '../../base/ids.ts'
import { type Statement, sql } from '../../db/db.ts'

/** Rows get their numbers in the order of their commits, which differs from the order of their times by less than this. */
const disorder_ms = 600_000

interface Rows {
  table: Statement
  /** The name of the table in the query that gets the condition. */
  alias: Statement
  /** Selects the environment or the tenant. */
  scope: Statement
  prefix: IdPrefix
}

/**
 * The condition on `created_at` alone would read every row of the history that is newer than the range. So two look-ups by id find a
 * range of sequences that is certain to include the rows.
 */
export function withinTimes(
  { table, alias, scope, prefix }: Rows,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Statement {
  const beginning = from === undefined ? sql`` : afterTime(new Date(from))
  const end = to === undefined ? sql`` : beforeTime(new Date(to))
  return sql`${beginning}${end}`

  function afterTime(time: Date): Statement {
    const last_before = sql`select sequence from ${table}
      where ${scope} and id < ${lowestId(prefix, new Date(time.getTime() - disorder_ms))} and sequence is not null order by id desc limit 1`
    return sql` and ${alias}.created_at >= ${time} and ${alias}.sequence > coalesce((${last_before}), 0)`
  }

  function beforeTime(time: Date): Statement {
    const first_after = sql`select sequence from ${table}
      where ${scope} and id >= ${lowestId(prefix, new Date(time.getTime() + disorder_ms))} and sequence is not null order by id limit 1`
    return sql` and ${alias}.created_at < ${time} and ${alias}.sequence < coalesce((${first_after}), ${Number.MAX_SAFE_INTEGER})`
  }
}
