/**
 * The outbox: an event is written in the batch of the change it reports, so neither exists without the other. The sequencer
 * numbers it and fans it out afterwards. The API does not show events without a number.
 */
import { type Event, EventKind, type EventQuery } from '@ostiary/contract/event.ts'
import { EnvironmentId, EventId, ProjectId, TenantId } from '@ostiary/contract/ids.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { currentTrace } from '../../base/trace.ts'
import { traceparentOf } from '../../base/trace-context.ts'
import { type Db, join, leavesWork, type Statement, sql } from '../../db/db.ts'
import { type EventIndex, enters } from '../../db/event-keys.ts'
import { insertInto } from '../../db/rows.ts'
import { subOf } from '../../db/sub.ts'
import { withinTimes } from './time-range.ts'

export type Actor = { type: Event['actor']['type']; id: string | null }

/** The actor and the request behind an event, and the id of the event. */
export interface Origin {
  id: string
  actor: Actor
  request_id: string | null
}

export interface NewEvent {
  type: EventKind
  user_id?: string | null
  application_id?: string | null
  data: Record<string, unknown>
  /** A number of `data` that the batch counts. */
  counted?: Counted
}

interface Counted {
  readonly name: string
  /** An expression over one row, which is that of `from`, from its `from` to its `where`. */
  readonly number: Statement
  readonly from: Statement
}

/** Belongs in the batch of the change that the event reports. */
export function insertEvent(environment_id: EnvironmentId, origin: Origin, event: NewEvent, now: Date): Statement {
  if (event.counted) return insertCounting(environment_id, origin, { ...event, counted: event.counted }, now)
  return leavesWork(
    insertInto('events', {
      environment_id,
      id: origin.id,
      type: event.type,
      created_at: now,
      request_id: origin.request_id,
      actor_type: origin.actor.type,
      actor_id: origin.actor.id,
      user_id: event.user_id ?? null,
      application_id: event.application_id ?? null,
      data: event.data,
      trace: traceOfCause(),
    }),
  )
}

/** The number is that of the moment when the statement runs, after those before it in the batch. */
function insertCounting(
  environment_id: EnvironmentId,
  { id, actor, request_id }: Origin,
  { type, user_id = null, application_id = null, data, counted: { name, number, from } }: NewEvent & { counted: Counted },
  now: Date,
): Statement {
  const text = JSON.stringify({ ...data, [name]: 0 }).slice(0, -2)
  return leavesWork(sql`insert into events
      (environment_id, id, type, created_at, request_id, actor_type, actor_id, user_id, application_id, data, trace)
    select ${environment_id}, ${id}, ${type}, ${now}, ${request_id}, ${actor.type}, ${actor.id}, ${user_id}, ${application_id},
      cast(${text} as text) || ${number} || '}', cast(${traceOfCause()} as text) ${from}`)
}

/** The `traceparent` of calls that the event causes. */
function traceOfCause(): string | null {
  const trace = currentTrace()
  return trace && traceparentOf(trace)
}

interface EventsOfRows extends Record<'suffix' | 'user_id' | 'application_id' | 'data' | 'from', Statement> {
  type: EventKind
}

/**
 * Inserts an event for every row of a query, as part of a batch. `from` is the query from `from` to its `where`; the columns are
 * expressions over it. `id` begins every id; `suffix` ends it and must differ between the rows, 12 characters long.
 */
export function insertEvents(
  environment_id: EnvironmentId,
  origin: Origin,
  { type, suffix, user_id, application_id, data, from }: EventsOfRows,
  now: Date,
): Statement {
  const { id, actor, request_id } = origin
  return leavesWork(sql`insert into events
      (environment_id, id, type, created_at, request_id, actor_type, actor_id, user_id, application_id, data, trace)
    select ${environment_id}, cast(${id.slice(0, -12)} as text) || ${suffix}, ${type}, ${now}, ${request_id}, ${actor.type}, ${actor.id},
      ${user_id}, ${application_id}, ${data}, cast(${traceOfCause()} as text) ${from}`)
}

/** Takes back an event that the same batch inserted. */
export function removeUnnumbered(environment_id: EnvironmentId, id: string): Statement {
  return sql`delete from events where environment_id = ${environment_id} and id = ${id} and sequence is null`
}

const EventRow = z.object({
  id: EventId,
  type: EventKind,
  timestamp: z.iso.datetime(),
  sequence: z.int(),
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  environment_type: EnvironmentType,
  request_id: z.string().nullable(),
  actor_type: z.custom<Actor['type']>(),
  actor_id: z.string().nullable(),
  user_id: z.string().nullable(),
  application_id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  sub: z.string().nullable(),
})

/** Lists numbered events that match the filters. `rest` is the end of the query: where the page begins, its order and its limit. */
export async function listEvents(
  db: Db,
  environment_id: EnvironmentId,
  { type, user_id, application_id, request_id, after, from, to }: Partial<EventQuery>,
  rest: Statement,
): Promise<Event[]> {
  const index = indexFor({ type, user_id, application_id, request_id })
  const filters = [
    ...(index === null ? [sql`and v.id <> ''`] : []), // lets the index of all events be used
    ...(type === undefined ? [] : [sql`and v.type = ${type}`]),
    ...(user_id === undefined ? [] : [sql`and v.user_id = ${user_id}`]),
    ...(application_id === undefined ? [] : [sql`and v.application_id = ${application_id}`]),
    ...(request_id === undefined ? [] : [sql`and v.request_id = ${request_id}`]),
    ...(index === null ? [] : [sql`and ${enters(index, { environment_id, type, user_id, application_id, request_id }, 'v')}`]),
    sql`and v.sequence > ${after ?? 0}`,
    withinTimes({ table: sql`events`, alias: sql`v`, scope: sql`environment_id = ${environment_id}`, prefix: 'evt' }, { from, to }),
  ]
  const rows = await db
    .of(environment_id)
    .all(EventRow, sql`${eventRows(environment_id)} where v.environment_id = ${environment_id} ${join(filters, ' ')} ${rest}`)
  return rows.map(shown)
}

/** The index for a combination of filters: that of the fewest rows. `null` without a filter. */
function indexFor({ type, user_id, application_id, request_id }: Partial<EventQuery>): EventIndex | null {
  if (request_id !== undefined) return 'events_of_request'
  if (user_id !== undefined) return type === undefined ? 'events_of_user' : 'events_of_user_and_type'
  if (application_id !== undefined) return type === undefined ? 'events_of_application' : 'events_of_application_and_type'
  return type === undefined ? null : 'events_of_type'
}

/** The `sub` of a user never changes, so it is not stored with each event. That of a deleted user is in `user.deleted` alone. */
const eventRows = (environment_id: EnvironmentId): Statement => sql`select v.id, v.type, v.created_at as timestamp, v.sequence,
    e.tenant_id, e.project_id, e.id as environment_id, e.type as environment_type,
    v.request_id, v.actor_type, v.actor_id, v.user_id, v.application_id, v.data,
    (select ${subOf(sql`u`)} from users u where u.environment_id = ${environment_id} and u.id = v.user_id) as sub
  from events v join environments e on e.id = v.environment_id`

/** Finds one numbered event. */
export async function findEvent(db: Db, environment_id: EnvironmentId, id: string): Promise<Event | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(
      EventRow,
      sql`${eventRows(environment_id)} where v.environment_id = ${environment_id} and v.id = ${id} and v.sequence is not null`,
    )
  return row && shown(row)
}

/** Returns the data of an event, numbered or not. */
export async function findEventData(db: Db, environment_id: EnvironmentId, id: string): Promise<Event['data'] | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(EventRow.pick({ data: true }), sql`select data from events where environment_id = ${environment_id} and id = ${id}`)
  return row?.data ?? null
}

/** The event as the API returns it and webhooks deliver it. */
function shown({ environment_id, environment_type, actor_type, actor_id, timestamp, sub, ...event }: z.infer<typeof EventRow>): Event {
  return {
    ...event,
    timestamp,
    environment: { id: environment_id, type: environment_type },
    actor: { type: actor_type, id: actor_id },
    data: sub === null ? event.data : { ...event.data, sub },
  }
}
