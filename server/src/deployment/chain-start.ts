/**
 * When grants begin to get chains of refresh tokens (decision 0125). The version before knows only tokens with a row of their own. So for an
 * hour after the first process of this version serves, a grant without a chain gets such a token, and processes can be replaced one after
 * the other. The first chain then raises the oldest program that the schema names, so that an older program refuses to run.
 */
import { z } from 'zod'
import { hour_ms } from '../base/durations.ts'
import { type Db, type Statement, sql } from '../db/db.ts'

/** The number of the migration that adds the chains: the oldest program that can serve beside them. */
export const schema_of_chains = 43

const row_name = 'refresh_chains_from'

export interface ChainStart {
  /** Records the first `serve` of this version, unless one has. A process that does not serve begins no chain. */
  record(): Promise<void>
  /** Reports whether a grant without a chain gets one. A grant that has one goes on with it at any time. */
  hasBegun(at: Date): boolean
  /** For the batch that stores the first token of a chain. Nothing, as soon as the schema is known to name this program. */
  raise(): readonly Statement[]
  /** That batch was committed. */
  raised(): void
}

export function createChainStart(db: Db, now: () => Date, not_before: Date | null): ChainStart {
  let from = Number.POSITIVE_INFINITY
  let is_raised = false
  return {
    async record() {
      const at = now().getTime()
      // Where no grant exists, nobody has a token that an older process would have to take.
      await db.run(sql`insert into deployment (name, value)
        select cast(${row_name} as text), case when exists (select 1 from grants) then cast(${String(at + hour_ms)} as text) else cast(${String(at)} as text) end
         where 1 = 1
        on conflict (name) do nothing`)
      from = (await findChainStart(db, not_before))?.getTime() ?? from
      is_raised = (await db.schema()).oldest_program >= schema_of_chains
    },
    hasBegun: (at) => at.getTime() >= from,
    raise: () =>
      is_raised
        ? []
        : [
            sql`update schema_migrations set oldest_program = ${schema_of_chains}
                where number = ${schema_of_chains} and oldest_program < ${schema_of_chains}`,
          ],
    raised() {
      is_raised = true
    },
  }
}

/** When chains begin; `null` before this version has served. */
export async function findChainStart(db: Db, not_before: Date | null): Promise<Date | null> {
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${row_name}`)
  return row && new Date(Math.max(Number(row.value), not_before?.getTime() ?? 0))
}
