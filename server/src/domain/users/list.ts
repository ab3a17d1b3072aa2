/**
 * Lists the users whom filters and words leave, in one of two orders. A call looks at a bounded number of users: at those that an index
 * names, if they are few, and at the next ones of the order. Words ask their index first, since a text is read for each user that is looked
 * at; other filters ask one where too few of the next users belong to the list. So what is frequent is found among the next users, and what
 * is rare by an index. Others make a short page that has more (decision 0201).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { User, UserQuery } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import { type Db, join, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { cursorsOf, type PageCall } from '../lists/lists.ts'
import { conditionsOf, daysOf, type Filter, idsOf, sourcesOf } from './filters.ts'
import { fewByWords, fewOf, lookedAt } from './findable.ts'
import { findHolders } from './roles.ts'
import { findUsers } from './store.ts'

type Sort = UserQuery['sort']

/** Where a user stands in the order. */
interface Place {
  day: number
  id: string
}

const Found = z.object({ id: z.string(), day: z.int() })

interface Order {
  /** The users of an environment, for the index of the order. */
  of: (environment_id: EnvironmentId) => OfEnvironment
  /** The columns of the key, of users `u`. */
  columns: Statement
  /** A user comes after a place. */
  after: (place: Place) => Statement
  /** A user comes at a place or before it. */
  until: (place: Place) => Statement
  /** The bounds that the filters set. */
  bounds: (filter: Filter) => Statement
  descending: Statement
}

const orders: Record<Sort, Order> = {
  created: {
    of: (environment_id) => sql`u.environment_id = ${environment_id}`,
    columns: sql`u.id, 0 as day`,
    after: ({ id }) => sql`u.id < ${id}`,
    until: ({ id }) => sql`u.id >= ${id}`,
    bounds(filter) {
      const { from, below } = idsOf(filter)
      return sql`u.id >= ${from} and u.id < ${below}`
    },
    descending: sql`u.id desc`,
  },
  last_sign_in: {
    of: (environment_id) => inEnvironment(environment_id, 'u'),
    columns: sql`u.id, u.last_sign_in_day as day`,
    after: ({ day, id }) => sql`(u.last_sign_in_day, u.id) < (${day}, ${id})`,
    until: ({ day, id }) => sql`(u.last_sign_in_day, u.id) >= (${day}, ${id})`,
    bounds(filter) {
      const { from, to } = daysOf(filter)
      return sql`u.last_sign_in_day >= ${from} and u.last_sign_in_day <= ${to}`
    },
    descending: sql`u.last_sign_in_day desc, u.id desc`,
  },
}

const write = ({ day, id }: Place): string => `${day} ${id}`
function read(key: string): Place {
  const [day = '', id = ''] = key.split(' ')
  return { day: Number(day), id }
}

/** The filter and the order of a list. */
export interface Asked {
  filter: Filter
  sort: Sort
}

/** The part of a list that a call reads. */
interface Part {
  filter: Filter
  order: Order
  last: Place | null
  limit: number
}

/** Returns one page of a list. */
export async function listUsers(
  { db, secrets }: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  { filter, sort }: Asked,
  call: PageCall,
): Promise<{ data: User[]; has_more: boolean; next_cursor: string | null }> {
  const cursors = cursorsOf({ secrets }, JSON.stringify(['users', environment_id, sort, filter]))
  const key = cursors.read(call)
  const { limit } = call.query
  const part = { filter, order: orders[sort], last: key === null ? null : read(key), limit: limit + 1 }
  const { found, goes_on_after } = await findPart(db, environment_id, part)
  const next = found.length > limit ? found[limit - 1] : goes_on_after
  const ids = found.slice(0, limit).map(({ id }) => id)
  const users = new Map((await findUsers(db, environment_id, ids)).map((user) => [user.id as string, user])) // as: an id is a text
  const data = ids.flatMap((id) => users.get(id) ?? [])
  return { data, has_more: next !== undefined, next_cursor: next === undefined ? null : cursors.write(write(next)) }
}

/** Finds the next users of a list. `goes_on_after` is the last place that was looked at, where there may be more. */
async function findPart(db: Db, environment_id: EnvironmentId, part: Part): Promise<{ found: Place[]; goes_on_after?: Place | undefined }> {
  const { filter } = part
  if (filter.id !== undefined || filter.email !== undefined) return { found: (await findNamed(db, environment_id, part)) ?? [] }
  const role = onlyRole(part)
  if (role !== undefined) {
    const ids = await findHolders(db, environment_id, role, { last: part.last?.id ?? null, limit: part.limit })
    return { found: ids.map((id) => ({ id, day: 0 })) }
  }
  const has_words = filter.words.length > 0
  const by_words = has_words ? await findNamed(db, environment_id, part) : null
  if (by_words !== null) return { found: by_words }
  const stop = conditionsOf(db.engine, environment_id, filter).length === 0 ? null : await findStop(db, environment_id, part)
  const found = await findAmongNext(db, environment_id, part, stop)
  if (found.length === part.limit || stop === null) return { found }
  const named = has_words ? null : await findNamed(db, environment_id, part)
  return named === null ? { found, goes_on_after: stop } : { found: named }
}

/** The role, where the list is that of its holders, newest first: an index has them in this order. */
function onlyRole({ filter: { role, words, ...others }, order }: Part): string | undefined {
  const is_only = words.length === 0 && Object.values(others).every((value) => value === undefined)
  return is_only && order === orders.created ? role : undefined
}

const isNext = ({ filter, order, last }: Part): Statement =>
  last === null ? order.bounds(filter) : sql`${order.bounds(filter)} and ${order.after(last)}`

/** The place of the last user whom this call looks at; `null` where it looks at all that are left. */
async function findStop(db: Db, environment_id: EnvironmentId, part: Part): Promise<Place | null> {
  const { columns, descending } = part.order
  const [stop = null] = await db.of(environment_id).all(
    Found,
    sql`select ${columns} from users u where ${part.order.of(environment_id)} and ${isNext(part)}
         order by ${descending} limit 1 offset ${lookedAt(part.filter.words) - 1}`,
  )
  return stop
}

/** The texts of `u` are read only where words are compared. */
const withTexts = (environment_id: EnvironmentId, { filter }: Part): Statement =>
  filter.words.length === 0 ? sql`` : sql`join user_texts t on ${sameEnvironment('t', 'u', environment_id)} and t.user_id = u.id`

const findAmongNext = (db: Db, environment_id: EnvironmentId, part: Part, stop: Place | null): Promise<Place[]> =>
  db.of(environment_id).all(
    Found,
    sql`select ${part.order.columns} from users u ${withTexts(environment_id, part)}
         where ${part.order.of(environment_id)} and ${isNext(part)} ${stop === null ? sql`` : sql`and ${part.order.until(stop)}`}
           ${matching(db, environment_id, part)}
         order by ${part.order.descending} limit ${part.limit}`,
  )

function matching({ engine }: Db, environment_id: EnvironmentId, { filter }: Part): Statement {
  const conditions = conditionsOf(engine, environment_id, filter)
  return conditions.length === 0 ? sql`` : sql`and ${join(conditions, ' and ')}`
}

/** Finds the users of the list by the first index that names few; `null` if there is none. */
async function findNamed(db: Db, environment_id: EnvironmentId, part: Part): Promise<Place[] | null> {
  const few = await fewBySources(db, environment_id, part.filter)
  return few === null ? null : findAmongNamed(db, environment_id, part, few)
}

async function fewBySources(db: Db, environment_id: EnvironmentId, filter: Filter): Promise<OfEnvironment | null> {
  for (const source of sourcesOf(environment_id, filter)) {
    const few = await fewOf(db, environment_id, source, filter.words)
    if (few !== null) return few
  }
  return fewByWords(db, environment_id, filter.words)
}

const findAmongNamed = (db: Db, environment_id: EnvironmentId, part: Part, few: OfEnvironment): Promise<Place[]> =>
  db.of(environment_id).all(
    Found,
    sql`select ${part.order.columns} from ${few} join users u on ${sameEnvironment('u', 'named', environment_id)} and u.id = named.user_id
          ${withTexts(environment_id, part)}
         where ${isNext(part)} ${matching(db, environment_id, part)}
         order by ${part.order.descending} limit ${part.limit}`,
  )
