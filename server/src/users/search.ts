/**
 * Searches users by parts of their names. No index that both engines have finds a part of a text, so a search reads users from the
 * newest on, in slices, and yields to other requests in between. A call reads at most 50,000 users and then returns what it found
 * with a cursor: a page may be short or empty and still have more (decision 0021).
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { User } from '@ostiary/contract/user.ts'
import { cursorsOf, type PageCall } from '../api/lists.ts'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { folded, longest_normalised } from '../normalisation.ts'
import { emailKey } from './email.ts'
import * as store from './store.ts'

const slice = 500
/** How many users are compared before the search yields. Names of only combining marks take half a millisecond per user. */
const compared_at_once = 50
const most_read = 50_000

interface Search {
  email: string | undefined
  /** Words. Each must occur in an email, a name or a phone number of the user. */
  query: string
}

/** Returns one page of the users that match, newest first. */
export async function searchUsers(
  deployment: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  { email, query }: Search,
  call: PageCall,
): Promise<{ data: User[]; has_more: boolean; next_cursor: string | null }> {
  const { db } = deployment
  const { limit } = call.query
  const cursors = cursorsOf(deployment, JSON.stringify(['found users', environment_id, email ?? null, query]))
  const by_email = email === undefined ? sql`` : sql`and u.email_key = ${emailKey(email)}`
  const words = plain(query).split(/\s+/)
  const found: string[] = []
  let last = cursors.read(call)
  let read = 0
  let is_end = false
  while (!is_end && found.length <= limit && read < most_read) {
    const slice_rows = await store.findUserNames(db, environment_id, by_email, last, slice)
    for (let at = 0; at < slice_rows.length; at += compared_at_once) {
      const compared = slice_rows.slice(at, at + compared_at_once)
      found.push(...compared.filter((user) => matches(user, words)).map(({ id }) => id))
      await yieldToOthers()
    }
    last = slice_rows.at(-1)?.id ?? last
    read += slice_rows.length
    is_end = slice_rows.length < slice
  }
  const shown = found.slice(0, limit)
  const continues_after = found.length > limit ? shown.at(-1) : is_end ? undefined : (last ?? undefined)
  const data = await store.findUsers(db, environment_id, shown)
  return {
    data,
    has_more: continues_after !== undefined,
    next_cursor: continues_after === undefined ? null : cursors.write(continues_after),
  }
}

function matches({ id: _, ...names }: store.UserNames, words: readonly string[]): boolean {
  const text = Object.values(names)
    .map((name) => plain(name ?? ''))
    .join('\n')
  return words.every((word) => text.includes(word))
}

/** Cuts a text, because a stored text may be longer than today's limits. */
const plain = (text: string) => folded(text.slice(0, longest_normalised))
