/**
 * The events that a webhook missed: numbered ones without a message for it, from a time when it was disabled or did not exist. Their messages
 * are made on request, each once: an event that has a message is not missed, and the sequencer makes messages in the batch that numbers
 * (`fan-out.ts`). See docs/decisions/0197.
 */
import { z } from 'zod'
import { constant, type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { withinTimes } from '../events/time-range.ts'
import { enqueueEach } from '../queue/queue.ts'
import { messagePayload, type WebhookRow } from './store.ts'

type Receiver = Pick<WebhookRow, 'environment_id' | 'id' | 'events'>

export interface MissedRange {
  since: string
  until: string | undefined
}

/** Missed events, from the first sequence to the last one. Others may lie between them. */
export interface MissedEvents {
  first: number
  last: number
  messages: number
}

/** A longer statement would block the process of SQLite. */
const visited_at_once = 2_000
/** Each page with missed events is a statement of the batch that makes their messages. */
const most_pages = 50

const Page = z.object({
  visited: z.int(),
  visited_to: z.int().nullable(),
  messages: z.int(),
  first: z.int().nullable(),
  last: z.int().nullable(),
})

interface MissedLimits {
  messages: number
  /** How many events of the range are looked at, missed or not. */
  visited: number
}

/** Finds the oldest missed events, page by page. `null`: none among the events that are looked at, and the range has more. */
export async function findMissed(db: Db, receiver: Receiver, range: MissedRange, most: MissedLimits): Promise<MissedEvents[] | null> {
  const found: MissedEvents[] = []
  let left = most.messages
  for (let after = 0, visited = 0; left > 0 && found.length < most_pages; ) {
    const page = await db.of(receiver.environment_id).maybeOne(Page, pageOfEvents(receiver, range, after))
    if (page && page.first !== null && page.last !== null) {
      const missed = await cut(db, receiver, { first: page.first, last: page.last, messages: page.messages }, left)
      found.push(missed)
      left -= missed.messages
    }
    if (page?.visited_to == null || page.visited < visited_at_once) break
    after = page.visited_to
    visited += page.visited
    if (visited >= most.visited) return found.length > 0 ? found : null
  }
  return found
}

function pageOfEvents(receiver: Receiver, { since, until }: MissedRange, after: number): OfEnvironment {
  const { environment_id } = receiver
  const scope = sql`environment_id = ${environment_id}`
  const times = withinTimes({ table: sql`events`, alias: sql`v`, scope, prefix: 'evt' }, { from: since, to: until })
  return sql`select count(*) as visited, max(p.sequence) as visited_to, count(p.missed) as messages, min(p.missed) as first, max(p.missed) as last
      from (select v.sequence, case when ${isMissed(receiver)} then v.sequence end as missed
              from events v
             where v.environment_id = ${environment_id} and v.id <> '' and v.sequence > ${after} ${times}
             order by v.sequence limit ${visited_at_once}) p`
}

const LastOf = z.object({ last: z.int().nullable() })

/** Leaves out the newest events beyond the limit. */
async function cut(db: Db, receiver: Receiver, missed: MissedEvents, most: number): Promise<MissedEvents> {
  if (missed.messages <= most) return missed
  const row = await db
    .of(receiver.environment_id)
    .maybeOne(
      LastOf,
      sql`select max(p.sequence) as last from (select v.sequence ${missedEvents(receiver, missed)} order by v.sequence limit ${most}) p`,
    )
  return { ...missed, last: row?.last ?? missed.first, messages: most }
}

/** A test event goes to one webhook, and always has its message. A join would read all messages of the webhook. */
function isMissed({ environment_id, id, events }: Receiver): OfEnvironment {
  const wanted = events.length === 0 ? sql`` : sql`and v.type in (${list(events)})`
  return sql`v.type <> 'test.ping' ${wanted}
    and (select m.id from webhook_messages m
          where m.event_id = v.id and m.webhook_id = ${id} and ${inEnvironment(environment_id, 'm')} limit 1) is null`
}

const missedEvents = (receiver: Receiver, { first, last }: MissedEvents): OfEnvironment =>
  sql`from events v where v.environment_id = ${receiver.environment_id} and v.id <> ''
    and v.sequence between ${first} and ${last} and ${isMissed(receiver)}`

/** An id of a message ends with the sequence of its event. */
const sequence_digits = 10

/**
 * Makes the messages of missed events, and their first attempts in the order of `sequence`. Belongs behind `holdWebhook`: of two batches
 * that make the same messages the second waits there, and its guards fail.
 */
export function makeMissed(
  receiver: Receiver,
  missed: readonly MissedEvents[],
  { newId }: Pick<Deployment, 'newId'>,
  now: Date,
): Statement[] {
  const { environment_id, id: webhook_id } = receiver
  const beginning = newId('msg').slice(0, -sequence_digits)
  const [lowest, highest] = ['0', '9'].map((digit) => beginning + digit.repeat(sequence_digits)) as [string, string] // as: two digits
  const digits = sql`cast(v.sequence as text)`
  const messages = missed.map((events) =>
    guard(
      sql`insert into webhook_messages
            (environment_id, id, webhook_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
          select ${environment_id}, cast(${beginning} as text) || substr('0000000000' || ${digits}, length(${digits}) + 1), ${webhook_id},
            v.id, v.type, 'waiting', ${now}, ${now}, ${now}
          ${missedEvents(receiver, events)}`,
      events.messages,
    ),
  )
  const attempts = enqueueEach(
    {
      kind: 'webhook',
      id: sql`m.webhook_id || '.000000' || substr(m.id, ${constant(beginning.length + 1)})`,
      lane: sql`m.webhook_id`,
      environment_id: sql`m.environment_id`,
      payload: messagePayload,
    },
    sql`from webhook_messages m where m.environment_id = ${environment_id} and m.id between ${lowest} and ${highest}`,
    now,
  )
  return [...messages, attempts]
}
