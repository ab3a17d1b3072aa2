/**
 * Assigns each committed event its `sequence`: 1, 2, 3 … per environment, in the order of the ids.
 *
 * Why no number is assigned twice and none is skipped:
 * - One statement reads the unnumbered events and the environment's counter, so both are from the same moment.
 * - The guard of the batch moves the counter from the value that was read to that value plus the number of events. If two
 *   batches read the same value, the guard of the second fails and its batch is undone.
 * - The counter only rises, and nothing else numbers events. So while the counter has the value that was read, all chosen
 *   events are still unnumbered, and each gets its number.
 * - A batch is atomic: a crash leaves events unnumbered and the counter unchanged.
 * - An event that commits after one with a higher id gets a higher sequence.
 * The lease (`lease.ts`) only avoids duplicate work. Two processes may hold it, or it may expire during a batch: the counter
 * decides.
 */
import type { EventKind } from '@ostiary/contract/event.ts'
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { outboxes } from './outbox.ts'

/** A longer batch would delay others: on PostgreSQL by its locks, on SQLite by blocking the process. */
const most_statements = 1_000

const Unnumbered = z.object({ environment_id: EnvironmentId, id: z.string(), type: z.custom<EventKind>(), last: z.int() })
type Unnumbered = z.infer<typeof Unnumbered>

interface NumberedEvent {
  id: string
  type: EventKind
  sequence: number
}

/**
 * Makes the statements that follow from newly numbered events, for the batch that numbers them. Called once per batch and then
 * once per event, so no statement is made for an event that does not fit into the batch.
 */
export type FanOut = (environment_id: EnvironmentId) => Promise<(event: NumberedEvent) => Promise<readonly Statement[]>>

/** The counter of a new environment. A distributed database finds waiting events by it (`outbox.ts`). */
export const beginCounter = (environment_id: EnvironmentId): Statement => insertInto('event_counters', { environment_id, last: 0 })

/** Reads the oldest unnumbered events of an environment with its counter, in one statement. */
export function findUnnumbered(db: Db, environment_id: EnvironmentId, most: number = outboxes.events.at_once): Promise<Unnumbered[]> {
  return db.of(environment_id).all(
    Unnumbered,
    sql`select v.environment_id, v.id, v.type, coalesce(c.last, 0) as last
          from events v left join event_counters c on c.environment_id = ${environment_id}
         where ${inEnvironment(environment_id, 'v')} and v.sequence is null order by v.id limit ${most}`,
  )
}

/**
 * Numbers events of one environment, the oldest first, as many as fit into one batch with the statements that follow from them.
 * Returns how many: 0 if another process numbered them first.
 */
export async function numberEvents(db: Db, events: readonly Unnumbered[], fan_outs: readonly FanOut[]): Promise<number> {
  const [first] = events
  if (!first) return 0
  const { environment_id, last } = first
  const prepared = await Promise.all(fan_outs.map((fanOut) => fanOut(environment_id)))
  const numbered_events: NumberedEvent[] = []
  const consequences: Statement[] = []
  for (const [i, { id, type }] of events.entries()) {
    const event = { id, type, sequence: last + i + 1 }
    const own = (await Promise.all(prepared.map((consequencesOf) => consequencesOf(event)))).flat()
    if (i > 0 && consequences.length + own.length > most_statements) break
    numbered_events.push(event)
    consequences.push(...own)
  }
  const is_numbered = await db
    .of(environment_id)
    .batch([
      guard(
        insertInto(
          'event_counters',
          { environment_id, last: last + numbered_events.length },
          sql`on conflict (environment_id) do update set last = excluded.last where event_counters.last = ${last}`,
        ),
      ),
      ...numbered_events.map(
        ({ id, sequence }) => sql`update events set sequence = ${sequence} where environment_id = ${environment_id} and id = ${id}`,
      ),
      ...consequences,
    ])
  return is_numbered ? numbered_events.length : 0
}
