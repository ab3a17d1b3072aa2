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
/** Stored rows that are ranked in one turn. Processes that write at once add some beyond the bound, which the next turn removes. */
const most_ranked = 20 * most_readers

export interface JwksReader {
  readonly source: string
  readonly last_read_at: Date
}

export type JwksReaders = ReturnType<typeof createJwksReaders>

export function createJwksReaders(db: Db) {
  let noted = new Map<EnvironmentId, Map<string, Date>>()
  /** The sources of several days in the environments that were written last: others that come first take no place of theirs. */
  let lasting = new Map<EnvironmentId, ReadonlySet<string>>()

  return {
    note(environment_id: EnvironmentId, ip: string | null, user_agent: string | undefined, at: Date): void {
      const sources = noted.get(environment_id) ?? new Map<string, Date>()
      if (sources.size === 0 && noted.size >= most_environments) return
      const source = sourceOfReader(ip, user_agent)
      if (sources.size >= most_readers && !sources.has(source) && !lasting.get(environment_id)?.has(source)) return
      sources.set(source, at)
      noted.set(environment_id, sources)
    },

    /** Writes the reads, an environment at a time. Reads that the database did not take come again soon, since a JWKS is cached for minutes. */
    async write(): Promise<void> {
      const due = noted
      noted = new Map()
      lasting = new Map([...lasting].filter(([environment_id]) => due.has(environment_id)))
      // Sorted, so that two processes that write the same rows do not wait for each other.
      for (const [environment_id, sources] of [...due].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const { kept, surplus } = await rankedWith(db, environment_id, sources)
        lasting.set(environment_id, new Set(kept.filter(({ days }) => days > 1).map(({ source }) => source)))
        await db.of(environment_id).batch([...notesOf(environment_id, sources), ...removalOf(environment_id, surplus)])
      }
    },

    /** The sources of the last 24 hours, the latest first. */
    async find(environment_id: EnvironmentId, now: Date): Promise<JwksReader[]> {
      const since = new Date(now.getTime() - day_ms)
      const { kept } = await rankedWith(db, environment_id, noted.get(environment_id) ?? new Map(), since)
      return kept
        .map(({ source, last_read_at }) => ({ source, last_read_at }))
        .sort((one, other) => other.last_read_at.getTime() - one.last_read_at.getTime())
    },
  }
}

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
type Ranked = z.infer<typeof Ranked>

/**
 * The sources that are stored and read `since` a time, with these reads: those of several days before those of one, and of equal ones first the
 * one that read last.
 */
async function rankedWith(
  db: Db,
  environment_id: EnvironmentId,
  sources: ReadonlyMap<string, Date>,
  since = new Date(0),
): Promise<{ kept: Ranked[]; surplus: Ranked[] }> {
  const stored = await db.of(environment_id).all(
    Ranked,
    sql`select source, days, last_read_at from jwks_readers where environment_id = ${environment_id} and last_read_at > ${since}
         order by days desc, last_read_at desc limit ${most_ranked}`,
  )
  const after = new Map(stored.map((row) => [row.source, row]))
  for (const [source, last_read_at] of sources) {
    const before = after.get(source)
    const days = before ? before.days + (before.last_read_at < dayOf(last_read_at) ? 1 : 0) : 1
    after.set(source, { source, days, last_read_at })
  }
  const ranked = [...after.values()].sort(
    (one, other) => other.days - one.days || other.last_read_at.getTime() - one.last_read_at.getTime(),
  )
  return { kept: ranked.slice(0, most_readers), surplus: ranked.slice(most_readers) }
}

const removalOf = (environment_id: EnvironmentId, surplus: readonly Ranked[]): Statement[] =>
  surplus.length === 0
    ? []
    : [
        sql`delete from jwks_readers
             where environment_id = ${environment_id} and source in (${list(surplus.map(({ source }) => source).sort())})`,
      ]
