/**
 * How far the events of each environment went to the collector of OSTIARY_OTLP_URL. A cursor moves after the collector took the events, so each
 * event arrives at least once. An environment without a cursor begins with the events since telemetry was switched on.
 */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { lowestId } from '../../base/ids.ts'
import { type Db, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'

const begun_row = 'telemetry_begun'

/** Notes when telemetry was switched on for the first time, and returns that time. */
export async function noteBeginning(db: Db, now: Date): Promise<Date> {
  await db.run(insertInto('deployment', { name: begun_row, value: now.toISOString() }, sql`on conflict (name) do nothing`))
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${begun_row}`)
  return new Date(row?.value ?? now)
}

const Place = z.object({ environment_id: EnvironmentId, last: z.int(), sent: z.int().nullable() })

/** The next environments in the order of their ids: the last number of each, and how far its events went. */
export function walkCursors(db: Db, after: string, most: number) {
  return db.many.all(
    Place,
    sql`select c.environment_id, c.last, t.sequence as sent
          from event_counters c left join telemetry_cursors t on t.environment_id = c.environment_id
         where c.environment_id > ${after} order by c.environment_id limit ${most}`,
  )
}

const Cursor = z.object({ sequence: z.int() })

export async function findCursor(db: Db, environment_id: EnvironmentId): Promise<number | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(Cursor, sql`select sequence from telemetry_cursors where environment_id = ${environment_id}`)
  return row?.sequence ?? null
}

/** Numbers follow the order of commits, which differs from that of times by less than this. Some earlier events are sent too. */
const disorder_ms = 600_000

/** The number after which an environment without a cursor begins. */
export async function beginningOf(db: Db, environment_id: EnvironmentId, since: Date): Promise<number> {
  const row = await db.of(environment_id).maybeOne(
    Cursor,
    sql`select sequence from events
         where environment_id = ${environment_id} and id < ${lowestId('evt', new Date(since.getTime() - disorder_ms))} and sequence is not null
         order by id desc limit 1`,
  )
  return row?.sequence ?? 0
}

/** Never moves back: two processes may send at once, when their clocks differ (`lease.ts`). */
export async function moveCursor(db: Db, environment_id: EnvironmentId, sequence: number): Promise<void> {
  await db
    .of(environment_id)
    .run(
      insertInto(
        'telemetry_cursors',
        { environment_id, sequence },
        sql`on conflict (environment_id) do update set sequence = excluded.sequence where telemetry_cursors.sequence < excluded.sequence`,
      ),
    )
}
