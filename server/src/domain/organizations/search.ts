/** Searches organizations and members by parts of their names; `domain/lists/search.ts` says how. A call reads at most 10,000 rows. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Organization } from '@ostiary/contract/organization.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { PageCall } from '../lists/lists.ts'
import { search } from '../lists/search.ts'
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

/** Returns one page of the members that match, the last added first. Each word of the query must occur in a name of the user. */
export async function searchMembers(
  services: Reading,
  environment_id: EnvironmentId,
  { query, ...filter }: members.Filter & { query: string },
  call: PageCall,
): Promise<Page<members.ListedMember>> {
  const { db } = services
  const { organization_id, role = null } = filter
  const list = JSON.stringify(['found members', environment_id, organization_id, role, query])
  const found = await search(
    services,
    call,
    { list, query },
    {
      read: async (last, limit) =>
        (await members.findMemberNames(db, environment_id, filter, { last, limit })).map((member) => ({
          id: String(member.membership),
          ...member,
        })),
      namesOf: ({ names }) => names,
      slice,
      most_read,
    },
  )
  const user_ids = found.data.map(({ user_id }) => user_id)
  return { ...found, data: await members.findMembers(db, environment_id, organization_id, user_ids) }
}
