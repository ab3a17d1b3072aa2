/**
 * The table of refused calls. `scope_id` is an environment, or a tenant for calls outside of its environments. A scope keeps a limited
 * number of records for each source and in all. The newest record of each code and application always stays.
 */
import { RefusedCall, type RefusedCallQuery, RefusedCallSummary } from '@ostiary/contract/refused-call.ts'
import { z } from 'zod'
import { day_ms, minute_ms } from '../../base/durations.ts'
import { type Db, join, list, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'

export const refused_calls_kept_ms = 7 * day_ms

export interface RecordLimits {
  readonly per_scope: number
  readonly per_source: number
}
export const default_record_limits: RecordLimits = { per_scope: 10_000, per_source: 1_000 }

export interface NewCall extends Omit<RefusedCall, 'id' | 'at'> {
  scope_id: string
  id: string
  at: Date
  source: string
  person?: string
  provider_id?: string
}

/**
 * Inserts calls and counts dropped ones, in one batch. Returns how many older records of each scope were evicted. A batch first writes the
 * row of the minute of each scope, so that two processes that trim the same records wait for each other.
 */
export async function insertCalls(
  db: Db,
  { calls, dropped }: { calls: readonly NewCall[]; dropped: ReadonlyMap<string, number> },
  { per_source }: RecordLimits,
  now: Date,
): Promise<[scope_id: string, count: number][]> {
  const by_scope = Map.groupBy(calls, ({ scope_id }) => scope_id)
  const scopes = [...new Set([...by_scope.keys(), ...dropped.keys()])].sort()
  if (scopes.length === 0) return []
  const minute = new Date(Math.floor(now.getTime() / minute_ms) * minute_ms)
  const trims = scopes.flatMap((scope_id) => {
    const sources = [...new Set((by_scope.get(scope_id) ?? []).map(({ source }) => source))].sort()
    return sources.map((source) => ({ scope_id, statement: trimSource(scope_id, source, per_source) }))
  })
  const before = [...scopes.map((scope_id) => countDropped(scope_id, minute, dropped.get(scope_id) ?? 0)), ...calls.map(insertCall)]
  const results = (await db.many.batch([...before, ...trims.map(({ statement }) => statement)])) ?? []
  return trims.map(({ scope_id }, i) => [scope_id, results[before.length + i]?.changed ?? 0])
}

/** A call can be written twice if the outcome of the first write was unknown. */
function insertCall(call: NewCall): Statement {
  return insertInto(
    'refused_calls',
    {
      scope_id: call.scope_id,
      id: call.id,
      at: call.at,
      method: call.method,
      route: call.route,
      status: call.status,
      code: call.code,
      reason: call.reason,
      remedy: call.remedy,
      client_id: call.client_id ?? '',
      key_id: call.key_id,
      key_start: call.key_start,
      user_id: call.user_id,
      event_id: call.event_id,
      ip: call.ip,
      user_agent: call.user_agent,
      source: call.source,
      refused_parameter: call.refused?.parameter ?? null,
      refused_value: call.refused?.value ?? null,
      person: call.person ?? null,
      provider_id: call.provider_id ?? null,
    },
    sql`on conflict (scope_id, id) do nothing`,
  )
}

function countDropped(scope_id: string, minute: Date, count: number): Statement {
  return insertInto(
    'dropped_calls',
    { scope_id, minute, count },
    sql`on conflict (scope_id, minute) do update set count = dropped_calls.count + excluded.count`,
  )
}

/** A newer record has the same code and application. */
const hasSuccessor = (scope_id: string): Statement => sql`exists (select 1 from refused_calls newer
  where newer.scope_id = ${scope_id} and newer.code = refused_calls.code
    and newer.client_id = refused_calls.client_id and newer.id > refused_calls.id)`

const trimSource = (scope_id: string, source: string, most: number): Statement =>
  sql`delete from refused_calls where scope_id = ${scope_id} and source = ${source}
    and id <= (select id from refused_calls where scope_id = ${scope_id} and source = ${source} order by id desc limit 1 offset ${most})
    and ${hasSuccessor(scope_id)}`

const Count = z.object({ count: z.int() })
const Crowded = Count.extend({ scope_id: z.string() })

/**
 * Removes what these scopes have too many. The sources with the most records give up their oldest, so the others keep theirs. Removes a
 * little more than needed, since ranking the records takes time. Returns how many it removed of each scope.
 */
export async function trim(
  db: Db,
  scope_ids: ReadonlySet<string>,
  { per_scope }: RecordLimits,
): Promise<[scope_id: string, count: number][]> {
  if (scope_ids.size === 0) return []
  const crowded = await db.many.all(
    Crowded,
    sql`select scope_id, count(*) as count from refused_calls where scope_id in (${list([...scope_ids])})
         group by scope_id having count(*) > ${per_scope} order by scope_id`,
  )
  const removed: [string, number][] = []
  for (const { scope_id, count } of crowded) {
    const excess = count - Math.floor(per_scope * 0.95)
    const changed = await db.many.run(sql`delete from refused_calls where scope_id = ${scope_id} and ${hasSuccessor(scope_id)} and id in (
      select id from (
        select id, row_number() over (partition by source order by id desc) as place from refused_calls where scope_id = ${scope_id}
      ) ranked order by place desc, id limit ${excess})`)
    removed.push([scope_id, changed])
  }
  return removed
}

const columns = sql`select id, at, method, route, status, code, reason, remedy, nullif(client_id, '') as client_id, key_id, key_start, user_id,
  event_id, ip, user_agent, refused_parameter, refused_value from refused_calls`

const CallRow = RefusedCall.omit({ refused: true }).extend({
  refused_parameter: z.custom<NonNullable<RefusedCall['refused']>['parameter']>().nullable(),
  refused_value: z.string().nullable(),
})

/** The record as the API returns it. */
function shown({ refused_parameter: parameter, refused_value: value, ...call }: z.infer<typeof CallRow>): RefusedCall {
  return { ...call, refused: parameter === null || value === null ? null : { parameter, value } }
}

type Filters = Partial<Omit<RefusedCallQuery, 'limit' | 'cursor'>>

/** The sort key of a call in the list: the time of its answer, then the id, which has the time of its beginning. */
export const callSortKey = ({ at, id }: Pick<RefusedCall, 'at' | 'id'>) => `${Date.parse(at)}.${id}`

/**
 * Returns one page, the calls that were answered last first. `last` is the sort key of the previous row. A scope has at most
 * `per_scope` records, so they are sorted: `at + 0` keeps a database from walking through the records of all scopes by their time.
 */
export async function listCalls(
  db: Db,
  scope_id: string,
  filters: Filters,
  { last, limit }: { last: string | null; limit: number },
): Promise<RefusedCall[]> {
  const { status, code, route, application_id, key_id, from, to } = filters
  const [time = '', id = ''] = last?.split('.') ?? []
  const since = new Date(Number(time))
  const conditions = [
    sql`scope_id = ${scope_id}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(code === undefined ? [] : [sql`code = ${code}`]),
    ...(route === undefined ? [] : [sql`route = ${route}`]),
    ...(application_id === undefined ? [] : [sql`client_id = ${application_id}`]),
    ...(key_id === undefined ? [] : [sql`key_id = ${key_id}`]),
    ...between(from, to),
    ...(last === null ? [] : [sql`(at < ${since} or (at = ${since} and id < ${id}))`]),
  ]
  const rows = await db.many.all(CallRow, sql`${columns} where ${join(conditions, ' and ')} order by at + 0 desc, id desc limit ${limit}`)
  return rows.map(shown)
}

const between = (from: string | undefined, to: string | undefined): Statement[] => [
  ...(from === undefined ? [] : [sql`at >= ${new Date(from)}`]),
  ...(to === undefined ? [] : [sql`at < ${new Date(to)}`]),
]

export async function findCall(db: Db, scope_id: string, id: string): Promise<RefusedCall | null> {
  const row = await db.many.maybeOne(CallRow, sql`${columns} where scope_id = ${scope_id} and id = ${id}`)
  return row && shown(row)
}

const TracedRow = CallRow.extend({ provider_id: z.string().nullable() })
export type TracedCall = z.infer<typeof TracedRow>

/** The newest refused calls about a user, or a person by the key of an address, since a time. Each is found by its own index. */
export async function callsAbout(
  db: Db,
  scope_id: string,
  { user_id, person }: { user_id: string | null; person: string | null },
  { since, limit }: { since: Date; limit: number },
): Promise<TracedCall[]> {
  const about = (is_about: Statement) =>
    db.many.all(
      TracedRow,
      sql`select listed.*, nullif(listed.client, '') as client_id from (
            select id, at, method, route, status, code, reason, remedy, client_id as client, key_id, key_start, user_id, event_id, ip, user_agent,
                   refused_parameter, refused_value, provider_id
              from refused_calls where scope_id = ${scope_id} and ${is_about} and at >= ${since} order by at desc limit ${limit}) listed
           order by at desc, id desc`,
    )
  const [of_user, of_person] = await Promise.all([
    user_id === null ? [] : about(sql`user_id = ${user_id}`),
    person === null ? [] : about(sql`person = ${person}`),
  ])
  const known = new Set(of_user.map(({ id }) => id))
  return [...of_user, ...of_person.filter(({ id }) => !known.has(id))]
}

/** Counts the records by code and route, the newest first, and the calls of these minutes without a record. */
export async function summarise(db: Db, scope_id: string, from: Date, to: Date): Promise<RefusedCallSummary> {
  const first_minute = new Date(Math.floor(from.getTime() / minute_ms) * minute_ms)
  const [data, [dropped]] = await Promise.all([
    db.many.all(
      RefusedCallSummary.shape.data.element,
      sql`select code, route, count(*) as count, max(at) as last_at from refused_calls
           where scope_id = ${scope_id} and at >= ${from} and at < ${to} group by code, route order by last_at desc, code, route`,
    ),
    db.many.all(
      Count,
      sql`select cast(coalesce(sum(count), 0) as bigint) as count from dropped_calls
           where scope_id = ${scope_id} and minute >= ${first_minute} and minute < ${to}`,
    ),
  ])
  return { data, dropped: dropped?.count ?? 0 }
}
