/** Pages of lists: newest first, with an opaque cursor that belongs to its list. */
import { type Statement, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { Fail } from '../../http/problem.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

/** The call of a row that declares `invalid_cursor`. */
export interface PageCall {
  readonly query: { limit: number; cursor?: string | undefined }
  readonly fail: Fail<'invalid_cursor'>
}

type Sealer = Pick<Deployment, 'secrets'>

/**
 * Reads one page in the order of ids. `list` names the list and its filters: a cursor of another list is refused.
 * @param read gets the condition, the order and the limit to append: `and id < … order by id desc limit …`
 */
export function readPage<T extends { id: string }>(sealer: Sealer, call: PageCall, list: string, read: (rest: Statement) => Promise<T[]>) {
  return readPageBy(sealer, call, list, {
    keyOf: (row: T) => row.id,
    read: (last, limit) => read(sql`${last === null ? sql`` : sql`and id < ${last}`} order by id desc limit ${limit}`),
  })
}

/** Reads one page in the order of `sequence`, newest or oldest first. */
export function readPageBySequence<T extends { sequence: number }>(
  sealer: Sealer,
  call: PageCall,
  { list, oldest_first }: { list: string; oldest_first: boolean },
  read: (rest: Statement) => Promise<T[]>,
) {
  const [beyond, order] = oldest_first ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  return readPageBy(sealer, call, list, {
    keyOf: (row: T) => String(row.sequence),
    read: (last, limit) =>
      read(sql`${last === null ? sql`` : sql`and sequence ${beyond} ${Number(last)}`} order by sequence ${order} limit ${limit}`),
  })
}

/** A list in another order. */
interface Source<T> {
  /** The sort key of a row, which the cursor contains. */
  keyOf: (row: T) => string
  /** Reads up to `limit` rows after the row whose sort key is `last`. */
  read: (last: string | null, limit: number) => Promise<T[]>
}

export async function readPageBy<T>(sealer: Sealer, call: PageCall, list: string, { keyOf, read }: Source<T>) {
  const { limit } = call.query
  const cursors = cursorsOf(sealer, list)
  const rows = await read(cursors.read(call), limit + 1)
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const has_more = rows.length > limit
  return { data, has_more, next_cursor: has_more && last ? cursors.write(keyOf(last)) : null }
}

/** The cursors of one list. */
export function cursorsOf({ secrets }: Sealer, list: string) {
  const mac = (data: string) => secrets.mac('cursor', data)
  return {
    write: (key: string): string => encodeCursor(list, key, mac),
    /** The sort key in the cursor of the query, or `null` without a cursor. */
    read({ query: { cursor }, fail }: PageCall): string | null {
      const key = cursor === undefined ? null : decodeCursor(list, cursor, mac)
      return cursor !== undefined && key === null
        ? fail('invalid_cursor', 'The cursor does not belong to this list. Start again without a cursor.')
        : key
    },
  }
}
