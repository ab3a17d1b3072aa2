/**
 * Lists that are searched by parts of names. No index that both engines have finds a part of a text, and neither engine ignores the
 * case of every letter. So a search reads objects from the newest on, in slices, compares them here, and yields to other requests in
 * between. A call reads a bounded number of objects and then returns what it found with a cursor: a page may be short or empty and
 * still have more (decision 0021).
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { folded, longest_normalised } from '../../base/normalisation.ts'
import { type Statement, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { cursorsOf, type PageCall, readPage } from './lists.ts'

/** Between the names of an object. No word has it. */
export const between_names = '\n'

/** How many objects are compared before the search yields. Names of only combining marks take half a millisecond per object. */
const compared_at_once = 50

interface Source<Row> {
  /** Reads up to `limit` rows after the row with the id `last`, newest first. */
  read: (last: string | null, limit: number) => Promise<Row[]>
  /** The names of a row, which `between_names` parts. Each word of the query must occur in one of them. */
  namesOf: (row: Row) => string
  slice: number
  /** The most rows that one call reads. */
  most_read: number
}

/** Reads one page of the rows that match, newest first. */
export async function search<Row extends { id: string }>(
  deployment: Pick<Deployment, 'secrets'>,
  call: PageCall,
  { list, query }: { list: string; query: string },
  { read, namesOf, slice, most_read }: Source<Row>,
): Promise<{ data: Row[]; has_more: boolean; next_cursor: string | null }> {
  const { limit } = call.query
  const cursors = cursorsOf(deployment, list)
  const matches = matcherOf(query)
  const found: Row[] = []
  let last = cursors.read(call)
  let count = 0
  let is_end = false
  while (!is_end && found.length <= limit && count < most_read) {
    const rows = await read(last, slice)
    for (let at = 0; at < rows.length; at += compared_at_once) {
      found.push(...rows.slice(at, at + compared_at_once).filter((row) => matches(namesOf(row))))
      await yieldToOthers()
    }
    last = rows.at(-1)?.id ?? last
    count += rows.length
    is_end = rows.length < slice
  }
  const data = found.slice(0, limit)
  const continues_after = found.length > limit ? data.at(-1)?.id : is_end ? undefined : (last ?? undefined)
  return {
    data,
    has_more: continues_after !== undefined,
    next_cursor: continues_after === undefined ? null : cursors.write(continues_after),
  }
}

/** Whether each word of the query occurs in one of some names, which `between_names` parts. */
export function matcherOf(query: string): (names: string) => boolean {
  const words = plain(query).trim().split(/\s+/)
  return (names) => {
    const text = plain(names)
    return words.every((word) => text.includes(word))
  }
}

/** Cuts each name of a long text, because a stored name may be longer than today's limits. */
const plain = (text: string): string =>
  text.length <= longest_normalised
    ? folded(text)
    : text
        .split(between_names)
        .map((name) => folded(name.slice(0, longest_normalised)))
        .join(between_names)

/** The call of a row whose query is `NamedQuery`. */
export interface NamedCall extends PageCall {
  readonly query: PageCall['query'] & { slug?: string | undefined; query?: string | undefined }
}

export interface Named {
  id: string
  slug: string
  name?: string
  display_name?: string
  url?: string
}

const slice = 100
const most_read = 5_000

/** Reads one page of a list of named objects, with the filters `slug` and `query`. `read` is as in `readPage`. */
export function readNamedPage<Row extends Named>(
  deployment: Pick<Deployment, 'secrets'>,
  call: NamedCall,
  list: string,
  read: (rest: Statement) => Promise<Row[]>,
) {
  const { slug, query = '' } = call.query
  const filtered = slug === undefined && query.trim() === '' ? list : JSON.stringify([list, slug ?? null, query])
  const by_slug = slug === undefined ? sql`` : sql`and slug = ${slug}`
  if (query.trim() === '') return readPage(deployment, call, filtered, (rest) => read(sql`${by_slug} ${rest}`))
  return search(
    deployment,
    call,
    { list: filtered, query },
    {
      read: (last, limit) => read(sql`${by_slug} ${last === null ? sql`` : sql`and id < ${last}`} order by id desc limit ${limit}`),
      namesOf: ({ slug, name = '', display_name = '', url = '' }) => [slug, name, display_name, url].join(between_names),
      slice,
      most_read,
    },
  )
}
