/**
 * Sessions and grants whose end came before the latest possible one. No index says so, since each use moves it: a walk over the primary key
 * finds them, a slice at a time (`workers/walk-ends.ts`).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { type Db, inTwoForms, list, type Statement, sql } from '../../db/db.ts'
import { unindexed } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'

export const rows_at_once = 500

/** An access token may outlive its session by this long, and the session can be ended until then. */
const session_kept_ms = day_ms
/** An access token lasts a day at most, and token validation gives the reason for an expired one a day longer. */
const grant_kept_ms = 2 * day_ms

const before = (now: Date, ms: number) => new Date(now.getTime() - ms)

/**
 * 1 if one of these rows is there, 0 otherwise. PostgreSQL asks this of each row by itself. It may turn `exists` into a join of all rows of
 * the environment.
 */
const hasOneOf = (rows: Statement): Statement => sql`coalesce((select 1 from ${rows} limit 1), 0)`

/** The key of the last row that was looked at. */
interface Position {
  environment_id: string
  id: string
}

const Row = z.object({ environment_id: z.custom<EnvironmentId>(), id: z.string(), is_over: z.boolean(), is_chained: z.boolean() })
type Row = z.infer<typeof Row>

/** The walks, in their order. `find` reads the next rows, `remove` those of one environment that are over. */
export const walks = {
  sessions: { find: findSessions, remove: removeSessions },
  grants: { find: findGrants, remove: removeOverGrants },
}

/** `is_idle`: over at its idle end, unless a session of the dashboard keeps it. */
const Slice = Row.omit({ is_chained: true }).extend({ user_id: z.string(), is_idle: z.boolean() })

/** A session is over at its absolute end, or at its idle one unless a session of the dashboard keeps it. */
async function findSessions(db: Db, after: Position, now: Date): Promise<Row[]> {
  const over_since = before(now, session_kept_ms)
  const keepers = sql`dashboard_sessions d where d.user_id = sessions.user_id and d.environment_id = ${unindexed('sessions')}
                           and d.session_id = sessions.id and d.expires_at > ${now}`
  const is_over = sql`absolute_expires_at <= ${over_since}`
  const is_idle = sql`expires_at <= ${over_since}`
  const slice = (is_over: Statement, is_idle: Statement) => sql`
        select environment_id, id, user_id, case when ${is_over} then 1 else 0 end as is_over, case when ${is_idle} then 1 else 0 end as is_idle
          from sessions where (environment_id, id) > (${after.environment_id}, ${after.id})
         order by environment_id, id limit ${rows_at_once}`
  // Sessions of the dashboard live elsewhere on a distributed database, which reads them afterwards.
  const on_one_server = slice(sql`(${is_over} or (${is_idle} and ${hasOneOf(keepers)} = 0))`, sql`1 = 0`)
  const found = await db.many.all(Slice, inTwoForms(on_one_server, slice(is_over, is_idle)))
  const isKept = await findKept(
    db,
    found.filter(({ is_over, is_idle }) => is_idle && !is_over),
    now,
  )
  return found.map(({ user_id: _, is_idle, ...session }) => ({
    ...session,
    is_over: session.is_over || (is_idle && !isKept(session)),
    is_chained: false,
  }))
}

const Kept = z.object({ environment_id: z.string(), session_id: z.string() })

/** Finds which sessions the dashboard keeps. */
async function findKept(db: Db, sessions: readonly z.infer<typeof Slice>[], now: Date): Promise<(session: Position) => boolean> {
  if (sessions.length === 0) return () => false
  const users = [...new Set(sessions.map(({ user_id }) => user_id))]
  const kept = await db.many.all(
    Kept,
    sql`select environment_id, session_id from dashboard_sessions where user_id in (${list(users)}) and expires_at > ${now}`,
  )
  const keys = new Set(kept.map(({ environment_id, session_id }) => `${environment_id} ${session_id}`))
  return ({ environment_id, id }) => keys.has(`${environment_id} ${id}`)
}

function removeSessions(environment_id: EnvironmentId, rows: readonly Row[], now: Date): Statement[] {
  // The reads before decide whether a session of the dashboard keeps this one. None begins in a session that is over. One that expired
  // comes back only by a refresh that began before (`storeRefreshed`). It then finds no session here, and the person signs in again.
  const over_since = before(now, session_kept_ms)
  return [
    sql`delete from sessions where environment_id = ${environment_id} and id in (${idsOf(rows)})
      and (absolute_expires_at <= ${over_since} or expires_at <= ${over_since})`,
  ]
}

/**
 * Without a row the session is over. `g` names the grant. `environment` is the value, or for a read about all environments that of
 * the row.
 */
const ownSessionIsOver = (environment: Statement, g: Statement, now: Date): Statement =>
  sql`${hasOneOf(sql`
  sessions s where s.environment_id = ${environment} and s.id = ${g}.session_id
    and s.ended_at is null and s.expires_at > ${now} and s.absolute_expires_at > ${now}`)} = 0`

/** The code is over by then: it was redeemed at the last use or before, or has expired. */
const lastTokenIsOver = (used_at: Statement, now: Date): Statement => sql`${used_at} <= ${before(now, grant_kept_ms)}`

/** The chain of `g`, which may have none. PostgreSQL may join all chains for a join of them. */
const of_chain = sql`refresh_chains c where c.environment_id = ${unindexed('g')} and c.grant_id = g.id`

/**
 * A grant is over when it ended or its tokens have expired, its session is over, and its last access token is. The table is alone in the
 * outer query: a distributed database asks each node for its slice only then.
 */
function findGrants(db: Db, after: Position, now: Date): Promise<Row[]> {
  return db.many.all(
    Row,
    sql`select g.environment_id, g.id, ${hasOneOf(of_chain)} as is_chained,
               case when (g.ended_at is not null or coalesce((select c.expires_at from ${of_chain}), g.expires_at) <= ${now})
                     and ${lastTokenIsOver(sql`coalesce((select c.issued_at from ${of_chain}), g.last_used_at, g.created_at)`, now)}
                     and ${ownSessionIsOver(unindexed('g'), sql`g`, now)} then 1 else 0 end as is_over
          from grants g where (g.environment_id, g.id) > (${after.environment_id}, ${after.id})
         order by g.environment_id, g.id limit ${rows_at_once}`,
  )
}

/**
 * Removes the chains first, as in `lock_order`. A refresh that is faster keeps its chain, and with it the grant. Each statement has the
 * whole condition of its rows.
 */
function removeOverGrants(environment_id: EnvironmentId, rows: readonly Row[], now: Date): Statement[] {
  const [chained, others] = [rows.filter(({ is_chained }) => is_chained), rows.filter(({ is_chained }) => !is_chained)]
  const environment = sql`${environment_id}`
  const over = sql`${lastTokenIsOver(sql`coalesce(last_used_at, created_at)`, now)} and ${ownSessionIsOver(environment, sql`grants`, now)}
    and ${hasOneOf(sql`refresh_chains c where c.environment_id = ${environment_id} and c.grant_id = grants.id`)} = 0`
  return [
    ...(chained.length === 0
      ? []
      : [
          sql`delete from refresh_chains
            where environment_id = ${environment_id} and grant_id in (${idsOf(chained)}) and ${lastTokenIsOver(sql`issued_at`, now)}
              and ${hasOneOf(sql`grants g where g.environment_id = ${environment_id} and g.id = refresh_chains.grant_id
                                  and (g.ended_at is not null or refresh_chains.expires_at <= ${now}) and ${ownSessionIsOver(environment, sql`g`, now)}`)} = 1`,
          sql`delete from grants where environment_id = ${environment_id} and id in (${idsOf(chained)}) and ${over}`,
        ]),
    ...(others.length === 0
      ? []
      : [
          sql`delete from grants where environment_id = ${environment_id} and id in (${idsOf(others)}) and ${over}
            and (ended_at is not null or expires_at <= ${now})`,
        ]),
  ]
}

const idsOf = (rows: readonly Row[]): Statement => list(rows.map(({ id }) => id).sort())

const place_name = 'early_ends'
const WalkPosition = z.object({
  walk: z.enum(['sessions', 'grants', 'done']),
  environment_id: z.string(),
  id: z.string(),
  begun_at: z.number(),
})
export type WalkPosition = z.infer<typeof WalkPosition>

/** Where the walk is; `null` before the first one. The database keeps it, so that a restart goes on. */
export async function findPlace(db: Db): Promise<WalkPosition | null> {
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${place_name}`)
  return row && WalkPosition.parse(JSON.parse(row.value))
}

/** For the batch of a slice. */
export const keepPlace = (place: WalkPosition): Statement =>
  insertInto('deployment', { name: place_name, value: JSON.stringify(place) }, sql`on conflict (name) do update set value = excluded.value`)
