/**
 * Gives events their sequence: 1, 2, 3 … per environment, in the order of their ids, after their commit.
 *
 * Why no number is given twice, and none is left out, whatever happens in between:
 * - What is to be numbered and the environment's counter are read by one statement, so both are of the same moment.
 * - The guard of the batch moves the counter from the value read, and only from it, to that value plus the number of events.
 *   Two batches that read the same value meet at the counter's row; the second finds it moved, and none of it happens.
 * - The counter only rises, and events are numbered in no other way. So where the counter still has the value read, no
 *   event of the environment was numbered since, and every chosen event gets its number: there is no gap.
 * - A batch happens whole or not at all, so a crash leaves an event unnumbered and the counter where it was.
 * - An event that commits later than one with a higher id is numbered when it is there, with a higher sequence.
 * The lease (`lease.ts`) only saves work. It may be held by two, or lapse in the middle of a batch: the counter decides.
 */
import type { EventKind } from '@ostiary/contract/event.ts'
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'

const most_at_once = 500
/** A batch of more holds others up: on one engine by its locks, on the other by the process it runs in. */
const most_statements = 1_000

const Unnumbered = z.object({ environment_id: EnvironmentId, id: z.string(), type: z.custom<EventKind>(), last: z.int() })
type Unnumbered = z.infer<typeof Unnumbered>

interface NumberedEvent {
  id: string
  type: EventKind
  sequence: number
}

/**
 * The statements that follow from newly numbered events of one environment, for the batch that numbers them. Prepared once for a
 * batch, then asked event by event, so that nothing is made that the batch has no room for.
 */
export type FanOut = (environment_id: EnvironmentId) => Promise<Follow>
export type Follow = (event: NumberedEvent) => Promise<readonly Statement[]>

/** Events that wait for their number, with the counter of their environment as of the same moment. */
export function findUnnumbered(db: Db): Promise<Unnumbered[]> {
  return db.all(
    Unnumbered,
    sql`select v.environment_id, v.id, v.type, coalesce(c.last, 0) as last
          from events v left join event_counters c on c.environment_id = v.environment_id
         where v.sequence is null order by v.id limit ${most_at_once}`,
  )
}

/**
 * Numbers events of one environment: those of them whose consequences fit into one batch, the oldest first. Returns how many:
 * none where another process did it first.
 */
export async function numberEvents(db: Db, events: readonly Unnumbered[], fan_outs: readonly FanOut[]): Promise<number> {
  const [first] = events
  if (!first) return 0
  const { environment_id, last } = first
  const follows = await Promise.all(fan_outs.map((fanOut) => fanOut(environment_id)))
  const numbered_events: NumberedEvent[] = []
  const followers: Statement[] = []
  for (const [i, { id, type }] of events.entries()) {
    const event = { id, type, sequence: last + i + 1 }
    const own = (await Promise.all(follows.map((follow) => follow(event)))).flat()
    if (i > 0 && followers.length + own.length > most_statements) break
    numbered_events.push(event)
    followers.push(...own)
  }
  const is_numbered = await db.batch([
    guard(sql`insert into event_counters (environment_id, last) values (${environment_id}, ${last + numbered_events.length})
        on conflict (environment_id) do update set last = excluded.last where event_counters.last = ${last}`),
    ...numbered_events.map(
      ({ id, sequence }) => sql`update events set sequence = ${sequence} where environment_id = ${environment_id} and id = ${id}`,
    ),
    ...followers,
  ])
  return is_numbered ? numbered_events.length : 0
}
