/** Searches organizations by parts of their names (`domain/lists/search.ts`), and members by the index of users (decision 0201). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Organization } from '@ostiary/contract/organization.ts'
import { isText } from '../../base/text.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { cursorsOf, type PageCall } from '../lists/lists.ts'
import { search } from '../lists/search.ts'
import { findByWords, lookedAt } from '../users/findable.ts'
import { hasAllUsers } from '../users/index-walk.ts'
import { queriedWords } from '../users/words.ts'
import * as members from './members.ts'
import * as store from './store.ts'

const slice = 500
const most_read = 10_000

type Reading = Pick<Deployment, 'db' | 'secrets'>

interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/** Returns one page of the organizations that match, newest first. Each word of the query must occur in a name of the organization. */
export async function searchOrganizations(
  services: Reading,
  environment_id: EnvironmentId,
  { query, ...filter }: store.Filter & { query: string },
  call: PageCall,
): Promise<Page<Organization>> {
  const { db } = services
  const list = JSON.stringify(['found organizations', environment_id, filter.slug ?? null, filter.external_id ?? null, query])
  const found = await search(
    services,
    call,
    { list, query },
    {
      read: (last, limit) => store.findOrganizationNames(db, environment_id, filter, { last, limit }),
      namesOf: ({ names }) => names,
      slice,
      most_read,
    },
  )
  const ids = found.data.map(({ id }) => id)
  return { ...found, data: await store.findOrganizations(db, environment_id, ids) }
}

type MemberSearch = members.Filter & { query: string }

/** Returns one page of the members that match, the last added first. The words find a user as in the list of users. */
export async function searchMembers(
  services: Reading,
  environment_id: EnvironmentId,
  asked: MemberSearch,
  call: PageCall,
): Promise<Page<members.ListedMember>> {
  const { db } = services
  const found = (await hasAllUsers(db))
    ? await byIndex(services, environment_id, asked, call)
    : await byNames(services, environment_id, asked, call)
  const user_ids = found.data.map(({ user_id }) => user_id)
  return { ...found, data: await members.findMembers(db, environment_id, asked.organization_id, user_ids) }
}

const listOf = (environment_id: EnvironmentId, { organization_id, role, query }: MemberSearch): string =>
  JSON.stringify(['found members', environment_id, organization_id, role ?? null, query])

/** Words that few users of the environment have are found by the index, others among the next members. */
async function byIndex(services: Reading, environment_id: EnvironmentId, asked: MemberSearch, call: PageCall): Promise<Page<members.Held>> {
  const { db } = services
  const { query, ...filter } = asked
  const words = queriedWords(query)
  if (words.length === 0 || !words.every((word) => isText(word))) return { data: [], has_more: false, next_cursor: null }
  const cursors = cursorsOf(services, listOf(environment_id, asked))
  const { limit } = call.query
  const part = { last: cursors.read(call), limit: limit + 1 }
  const user_ids = await findByWords(db, environment_id, words)
  const { found, goes_on_after } = user_ids
    ? { found: await members.findMembersAmong(db, environment_id, { ...filter, user_ids }, part), goes_on_after: undefined }
    : await members.findMembersAmongNext(db, environment_id, { ...filter, words }, { ...part, looked_at: lookedAt(words) })
  const data = found.slice(0, limit)
  const next = found.length > limit ? data.at(-1)?.membership : goes_on_after
  return { data, has_more: next !== undefined, next_cursor: next === undefined ? null : cursors.write(String(next)) }
}

/** During the minutes after an upgrade in which the index is written. */
const byNames = (services: Reading, environment_id: EnvironmentId, asked: MemberSearch, call: PageCall) =>
  search(
    services,
    call,
    { list: listOf(environment_id, asked), query: asked.query },
    {
      read: async (last, limit) =>
        (await members.findMemberNames(services.db, environment_id, asked, { last, limit })).map((member) => ({
          id: String(member.membership),
          ...member,
        })),
      namesOf: ({ names }) => names,
      slice,
      most_read,
    },
  )
