/**
 * Finding people by a part of what they are called. No index that every engine has finds a part of a text, so people are gone
 * through from the newest on, a slice at a time, giving way to others in between. A call that has looked at its share answers
 * what it found with a cursor to go on from: a page may be short, or empty, and still have more (decision 0021).
 */
import { setImmediate as othersHadTheirTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { User } from '@ostiary/contract/user.ts'
import { cursorsOf, type PageCall } from '../api/lists.ts'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { folded, longest_normalised } from '../normalisation.ts'
import { emailKey } from './email.ts'
import * as store from './store.ts'

const slice = 500
/** Names of nothing but combining marks take half a millisecond a person. */
const at_once = 50
const most_looked_at = 50_000

interface Search {
  email: string | undefined
  /** Words, each of which has to occur in an address, a name or a number of the person. */
  query: string
}

/** Those who are found, newest first. */
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
  let looked_at = 0
  let is_end = false
  while (!is_end && found.length <= limit && looked_at < most_looked_at) {
    const people = await store.findCalled(db, environment_id, by_email, last, slice)
    for (let at = 0; at < people.length; at += at_once) {
      const some = people.slice(at, at + at_once)
      found.push(...some.filter((person) => isCalled(person, words)).map(({ id }) => id))
      await othersHadTheirTurn()
    }
    last = people.at(-1)?.id ?? last
    looked_at += people.length
    is_end = people.length < slice
  }
  const shown = found.slice(0, limit)
  const goes_on_after = found.length > limit ? shown.at(-1) : is_end ? undefined : (last ?? undefined)
  const data = await store.findUsers(db, environment_id, shown)
  return { data, has_more: goes_on_after !== undefined, next_cursor: goes_on_after === undefined ? null : cursors.write(goes_on_after) }
}

function isCalled({ id: _, ...names }: store.Called, words: readonly string[]): boolean {
  const text = Object.values(names)
    .map((name) => plain(name ?? ''))
    .join('\n')
  return words.every((word) => text.includes(word))
}

/** What is stored may be older than today's limits. */
const plain = (text: string) => folded(text.slice(0, longest_normalised))
