/** Pages of lists: newest first, by id, with an opaque cursor that belongs to its list. */
import { type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { ApiError } from '../http/problem.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

interface Query {
  limit: number
  cursor?: string | undefined
}

/**
 * Reads one page. `list` names the list and its filters, so that a cursor of another one is refused.
 * @param read gets the condition and limit to append: `and id < … order by id desc limit …`
 */
export function readPage<T extends { id: string }>(
  deployment: Pick<Deployment, 'secrets'>,
  list: string,
  query: Query,
  read: (rest: Statement) => Promise<T[]>,
) {
  return readPageBy(
    deployment,
    list,
    query,
    (row: T) => row.id,
    (last, limit) => read(sql`${last === null ? sql`` : sql`and id < ${last}`} order by id desc limit ${limit}`),
  )
}

/** The same for what is numbered: by `sequence`, and from the oldest where that is asked for. */
export function readPageBySequence<T extends { sequence: number }>(
  deployment: Pick<Deployment, 'secrets'>,
  list: string,
  { oldest_first, ...query }: Query & { oldest_first: boolean },
  read: (rest: Statement) => Promise<T[]>,
) {
  const [beyond, order] = oldest_first ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  return readPageBy(
    deployment,
    list,
    query,
    (row: T) => String(row.sequence),
    (last, limit) =>
      read(sql`${last === null ? sql`` : sql`and sequence ${beyond} ${Number(last)}`} order by sequence ${order} limit ${limit}`),
  )
}

/** The same for what is not read from a table: `placeOf` says where a row stands, `read` gets the place of the last one seen. */
export async function readPageBy<T>(
  deployment: Pick<Deployment, 'secrets'>,
  list: string,
  { limit, cursor }: Query,
  placeOf: (row: T) => string,
  read: (last: string | null, limit: number) => Promise<T[]>,
) {
  const cursors = cursorsOf(deployment, list)
  const rows = await read(cursors.read(cursor), limit + 1)
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const has_more = rows.length > limit
  return { data, has_more, next_cursor: has_more && last ? cursors.write(placeOf(last)) : null }
}

/** The cursors of one list. */
export function cursorsOf({ secrets }: Pick<Deployment, 'secrets'>, list: string) {
  const mac = (data: string) => secrets.mac('cursor', data)
  return {
    write: (place: string): string => encodeCursor(list, place, mac),
    /** The place that a cursor of this list names; `null` where there is no cursor. */
    read(cursor: string | undefined): string | null {
      const place = cursor === undefined ? null : decodeCursor(list, cursor, mac)
      if (cursor !== undefined && place === null)
        throw new ApiError('invalid_cursor', 'The cursor does not belong to this list. Start again without a cursor.')
      return place
    },
  }
}
