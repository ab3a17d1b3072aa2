/**
 * Who reads the JWKS of an environment (decision 0190): sources, which are a network with the first word of the user agent. Reads are gathered in
 * memory and written each minute, and no more than 100 sources of an environment are kept.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../base/durations.ts'
import { type Db, list, type Statement, sql } from '../db/db.ts'
import { sourceOfReader } from '../protocol/jwks-source.ts'

export const most_readers = 100
/** Environments whose reads are remembered until they are written. */
const most_environments = 1_000

export interface JwksReader {
  readonly source: string
  readonly last_read_at: Date
}

export type JwksReaders = ReturnType<typeof createJwksReaders>

export function createJwksReaders(db: Db) {
  let noted = new Map<EnvironmentId, Map<string, Date>>()

  return {
    note(environment_id: EnvironmentId, ip: string | null, user_agent: string | undefined, at: Date): void {
      const sources = noted.get(environment_id) ?? new Map<string, Date>()
      if (sources.size === 0 && noted.size >= most_environments) return
      const source = sourceOfReader(ip, user_agent)
      if (sources.size >= most_readers && !sources.has(source)) return
      sources.set(source, at)
      noted.set(environment_id, sources)
    },

    /** Writes the reads, an environment at a time. Reads that the database did not take come again soon, since a JWKS is cached for minutes. */
    async write(): Promise<void> {
      const due = noted
      noted = new Map()
      // Sorted, so that two processes that write the same rows do not wait for each other.
      for (const [environment_id, sources] of [...due].sort(([a], [b]) => (a < b ? -1 : 1)))
        await db.of(environment_id).batch([...notesOf(environment_id, sources), ...(await surplusOf(db, environment_id, sources))])
    },

    /** The sources of the last 24 hours, the latest first. */
    async find(environment_id: EnvironmentId, now: Date): Promise<JwksReader[]> {
      const since = new Date(now.getTime() - day_ms)
      const rows = await db.of(environment_id).all(
        Reader,
        sql`select source, last_read_at from jwks_readers where environment_id = ${environment_id} and last_read_at > ${since}
             order by last_read_at desc, source limit ${most_readers}`,
      )
      const here = noted.get(environment_id) ?? new Map<string, Date>()
      const all = new Map([...rows.map(({ source, last_read_at }): [string, Date] => [source, last_read_at]), ...here])
      return [...all]
        .map(([source, last_read_at]) => ({ source, last_read_at }))
        .sort((one, other) => other.last_read_at.getTime() - one.last_read_at.getTime())
        .slice(0, most_readers)
    },
  }
}

const Reader = z.object({ source: z.string(), last_read_at: z.date() })

const dayOf = (at: Date) => new Date(Math.floor(at.getTime() / day_ms) * day_ms)

/** A read of another day, in UTC, counts the day. */
const notesOf = (environment_id: EnvironmentId, sources: ReadonlyMap<string, Date>): Statement[] =>
  [...sources]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([source, at]) => sql`insert into jwks_readers (environment_id, source, days, last_read_at)
        values (${environment_id}, ${source}, 1, ${at})
        on conflict (environment_id, source) do update
          set days = jwks_readers.days + case when jwks_readers.last_read_at < ${dayOf(at)} then 1 else 0 end, last_read_at = excluded.last_read_at
          where jwks_readers.last_read_at < excluded.last_read_at`,
    )

const Ranked = z.object({ source: z.string(), days: z.int(), last_read_at: z.date() })

/** Removes what is beyond the bound: sources of one day before those of several, and of equal ones the one that read longest ago. */
async function surplusOf(db: Db, environment_id: EnvironmentId, sources: ReadonlyMap<string, Date>): Promise<Statement[]> {
  const stored = await db
    .of(environment_id)
    .all(
      Ranked,
      sql`select source, days, last_read_at from jwks_readers where environment_id = ${environment_id} order by source limit ${2 * most_readers}`,
    )
  const after = new Map(stored.map((row) => [row.source, row]))
  for (const [source, last_read_at] of sources) {
    const before = after.get(source)
    const days = before ? before.days + (before.last_read_at < dayOf(last_read_at) ? 1 : 0) : 1
    after.set(source, { source, days, last_read_at })
  }
  const surplus = [...after.values()]
    .sort((one, other) => other.days - one.days || other.last_read_at.getTime() - one.last_read_at.getTime())
    .slice(most_readers)
    .map(({ source }) => source)
  return surplus.length === 0
    ? []
    : [sql`delete from jwks_readers where environment_id = ${environment_id} and source in (${list(surplus.sort())})`]
}
