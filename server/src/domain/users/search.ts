/**
 * Searches users while the index has not all of them yet (`index-walk.ts`): reads them from the newest on and compares them here
 * (`domain/lists/search.ts`). A call reads at most 10,000 users.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { User } from '@ostiary/contract/user.ts'
import { join, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { PageCall } from '../lists/lists.ts'
import { search } from '../lists/search.ts'
import { conditionsOf, type Filter } from './filters.ts'
import * as store from './store.ts'

const slice = 500
const most_read = 10_000

/** Returns one page of the users that the filter leaves, newest first. */
export async function searchUsers(
  deployment: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  filter: Filter,
  call: PageCall,
): Promise<{ data: User[]; has_more: boolean; next_cursor: string | null }> {
  const { db } = deployment
  const conditions = conditionsOf(db.engine, environment_id, { ...filter, words: [] })
  const also = conditions.length === 0 ? sql`` : sql`and ${join(conditions, ' and ')}`
  const found = await search(
    deployment,
    call,
    { list: JSON.stringify(['found users', environment_id, filter]), query: filter.words.join(' ') },
    {
      read: (last, limit) => store.findUserNames(db, environment_id, also, { last, limit }),
      namesOf: ({ names }) => names,
      slice,
      most_read,
    },
  )
  const ids = found.data.map(({ id }) => id)
  return { ...found, data: await store.findUsers(db, environment_id, ids) }
}
