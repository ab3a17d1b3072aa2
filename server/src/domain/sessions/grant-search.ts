/**
 * Which grants give way to a new one (decision 0174): those that nothing can use, and then the one of the person that was unused longest, or
 * the oldest one of the session.
 *
 * The search goes by two lower bounds in its indexes: no last use was before `used_since`, and the grant expires no earlier than
 * `lasts_until`. A row is read only where they do not decide: at the front of the order, until the last use of one is before the bounds of
 * all others, and where the grant may have expired. Grants that were read and stay get exact bounds (`bringInTurn`), so the next search reads
 * them no more. No use of a grant writes them. The number of grants is counted in the index, since an ending writes its own row alone.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { constant, type Db, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { lastUseOf } from './refresh-chains.ts'

/** Where a grant is counted. */
export interface GrantGroup {
  environment_id: EnvironmentId
  user_id: string
  session_id: string
  application_id: string
  is_offline: boolean
}

/** `most` give way at once. */
export interface Wanted {
  limit: number
  added: 0 | 1
  most: number
}

const Found = z.object({
  id: z.string(),
  session_id: z.string(),
  code_hash: z.string().nullable(),
  is_offline: z.boolean(),
  is_over: z.boolean(),
  used_since: z.int(),
  used_at: z.int(),
})
export type Found = z.infer<typeof Found>

/** `held`: how many grants of the kind are in the window. `first_end`: no grant of the window expires earlier. */
const Front = Found.extend({ held: z.int(), first_end: z.date() })

export interface GivingWay {
  replaced: readonly Found[]
  /** Grants that stay and were read, since their bounds did not decide. */
  passed: readonly Found[]
  /** How many grants there are in the window, with those that have expired. */
  found: number
}

const none: GivingWay = { replaced: [], passed: [], found: 0 }

/** Finds the grants that `added` new ones replace. */
export async function findReplaced(db: Db, place: GrantGroup, wanted: Wanted, now: Date): Promise<GivingWay> {
  const search = searchOf(place, wanted, now)
  const { all } = db.of(place.environment_id)
  const front = await all(Front, search.front)
  const [first] = front
  if (!first) return none
  const doubtful = first.first_end <= now ? await all(Found, search.doubtful) : []
  const seen = { held: first.held, doubtful, of_kind: front.filter(({ is_offline }) => is_offline === place.is_offline) }
  return giveWay(seen, wanted) ?? giveWay({ ...seen, of_kind: await all(Found, search.whole) }, wanted, true) ?? none
}

/** The rows that a search has read. */
interface Seen {
  held: number
  /** The front of the order. */
  of_kind: readonly Found[]
  /** Grants that may have expired, in any order. */
  doubtful: readonly Found[]
}

/** In the order of times, and of ids where they are equal. */
const isBefore = (at: number, id: string, other_at: number, other_id: string): boolean =>
  at < other_at || (at === other_at && id < other_id)
const byUse = (a: Found, b: Found): number => (isBefore(a.used_at, a.id, b.used_at, b.id) ? -1 : 1)

/** Reports whether the bound of a grant is before the last use of another. */
const mayPrecede = (grant: Found, other: Found): boolean => isBefore(grant.used_since, grant.id, other.used_at, other.id)

/** Rows whose bounds one batch writes at most. The next search goes on with others. */
const most_passed = 50

/** Decides which grants give way. `null` where one that was not read could come before one of them. */
function giveWay({ held, of_kind, doubtful }: Seen, { limit, added, most }: Wanted, is_whole = of_kind.length >= held): GivingWay | null {
  const is_offline = of_kind[0]?.is_offline
  const over = doubtful.filter(({ is_over }) => is_over).sort(byUse)
  const gone = over.slice(0, most)
  const others = over.filter((grant) => grant.is_offline !== is_offline).length
  const live = held - (over.length - others)
  const wanted = Math.min(Math.max(0, live + added - limit), most - gone.length)
  const next = of_kind
    .filter(({ is_over }) => !is_over)
    .sort(byUse)
    .slice(0, wanted)
  const [last, end] = [next.at(-1), of_kind.at(-1)]
  if (!is_whole && (next.length < wanted || (last && end && mayPrecede(end, last)))) return null

  const replaced = [...gone, ...next]
  const overtaken = last ? of_kind.filter((grant) => grant.used_at > grant.used_since && mayPrecede(grant, last)) : []
  const passed = [...overtaken, ...doubtful].filter(
    (grant) => grant.is_offline === is_offline && !grant.is_over && !replaced.some(({ id }) => id === grant.id),
  )
  return { replaced, passed: passed.slice(0, most_passed), found: held + others }
}

const limits = new Map<number, Statement>()

/**
 * A number of rows as text, of which a deployment has a few. SQLite prepares a statement again for each value of a limit, which takes longer
 * than the search.
 */
export function rows(most: number): Statement {
  const known = limits.get(most) ?? constant(most)
  limits.set(most, known)
  return known
}

/** The open grants of the person at the application, in their turn. */
export const openOfPerson = ({ environment_id, user_id, application_id }: GrantGroup): OfEnvironment =>
  sql`from grants where user_id = ${user_id} and application_id = ${application_id} and offline = 1
      and coalesce(ended_at, -2) = -2 and ${inEnvironment(environment_id)} order by used_since, id`

/** The open grants of the session at the application, the newest first. PostgreSQL reads no order of ids alone behind `is null`. */
export const openOfSession = ({ environment_id, session_id, application_id }: GrantGroup): OfEnvironment =>
  sql`from grants where session_id = ${session_id} and application_id = ${application_id} and ended_at is null
      and ${inEnvironment(environment_id)} order by ended_at desc, id desc`

/** The last use of a grant. `grant` is an alias of `grants`. */
export const usedAt = (environment_id: EnvironmentId, grant: Statement): Statement =>
  sql`coalesce(${lastUseOf(environment_id, grant)}, ${grant}.created_at)`

/** Rows of the window: within the bound it holds all grants of the group, and of a session those with `offline_access` too. */
export const windowOf = ({ is_offline }: GrantGroup, limit: number, most: number): number =>
  is_offline ? limit + most + 1 : 3 * limit + most

interface Search {
  /** The first grants in the order. The rest of the window is read in the index alone. */
  front: OfEnvironment
  /** Those that may have expired. */
  doubtful: OfEnvironment
  /** The grants of the kind in the order, as many as can decide. */
  whole: OfEnvironment
}

const searchOf = (place: GrantGroup, wanted: Wanted, now: Date): Search =>
  place.is_offline ? searchOfPerson(place, wanted, now) : searchOfSession(place, wanted, now)

function searchOfPerson(place: GrantGroup, { limit, most }: Wanted, now: Date): Search {
  const { environment_id } = place
  const [open, window] = [openOfPerson(place), rows(windowOf(place, limit, most))]
  const columns = (grant: Statement) => sql`${columnsOf(grant, now)}, ${grant}.used_since, ${usedAt(environment_id, grant)} as used_at`
  return {
    // Of two the second nearly always decides.
    front: sql`select oldest.*, present.held, present.first_end
      from (select count(*) as held, min(lasts_until) as first_end from (select lasts_until ${open} limit ${window}) listed) present
      cross join (select ${columns(sql`grants`)} ${open} limit 2) oldest`,
    doubtful: sql`select ${columns(sql`g`)} ${byKey(place, sql`select id from (select id, lasts_until ${open} limit ${window}) listed where lasts_until <= ${now}`)}`,
    whole: sql`select ${columns(sql`grants`)} ${open} limit ${window}`,
  }
}

/** Of a session the newest are read: with many from before the bounds enough of them are too many. Its oldest one gives way, used or not. */
function searchOfSession(place: GrantGroup, { limit, most }: Wanted, now: Date): Search {
  const { environment_id } = place
  const entries = sql`select id, offline, lasts_until ${openOfSession(place)} limit ${rows(windowOf(place, limit, most))}`
  const columns = sql`${columnsOf(sql`g`, now)}, 0 as used_since, 0 as used_at`
  return {
    front: sql`with listed as (${entries})
      select ${columns}, (select count(case when offline = 0 then 1 end) from listed) as held, (select min(lasts_until) from listed) as first_end
        from grants g where g.environment_id = ${environment_id}
         and g.id = (select coalesce(min(case when offline = 0 then id end), min(id)) from listed)`,
    doubtful: sql`select ${columns} ${byKey(place, sql`select id from (${entries}) listed where lasts_until <= ${now}`)}`,
    whole: sql`select ${columns} ${byKey(place, sql`select id from (${entries}) listed where offline = 0 order by id limit ${rows(most)}`)}`,
  }
}

const columnsOf = (grant: Statement, now: Date) =>
  sql`${grant}.id, ${grant}.session_id, ${grant}.code_hash, ${grant}.offline as is_offline,
      case when ${grant}.expires_at <= ${now} then 1 else 0 end as is_over`

/** The grants g of these ids. The cross join makes SQLite read the ids first, and each grant by its key. */
const byKey = ({ environment_id }: GrantGroup, ids: Statement): OfEnvironment =>
  sql`from (${ids}) found cross join grants g where g.environment_id = ${environment_id} and g.id = found.id`

/**
 * Gives the grants that a search has passed exact bounds. Those whose visit is due get them from the worker, so that no two batches wait for
 * each other.
 */
export const bringInTurn = ({ environment_id, is_offline }: GrantGroup, passed: readonly Found[], now: Date): Statement[] =>
  passed.length === 0
    ? []
    : [
        sql`update grants set used_since = ${is_offline ? usedAt(environment_id, sql`grants`) : sql`used_since`}, lasts_until = expires_at
             where environment_id = ${environment_id} and id in (${list(passed.map(({ id }) => id).sort())})
               and ended_at is null and expires_at > ${now} and visit_at > ${now}`,
      ]
