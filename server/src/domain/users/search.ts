/** Searches users by parts of their names; `domain/lists/search.ts` says how. A call reads at most 10,000 users. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { ApprovalState, User } from '@ostiary/contract/user.ts'
import { emailKey } from '../../base/email.ts'
import { sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { PageCall } from '../lists/lists.ts'
import { search } from '../lists/search.ts'
import { findHolders, type Part } from './roles.ts'
import * as store from './store.ts'

const slice = 500
const most_read = 10_000

interface Search {
  email: string | undefined
  /** The slug of a role that was given to the user. */
  role: string | undefined
  approval: ApprovalState | undefined
  /** Words. Each must occur in an email, a name or a phone number of the user. */
  query: string
}

/** Returns one page of the users that match, newest first. */
export async function searchUsers(
  deployment: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  { email, role, approval, query }: Search,
  call: PageCall,
): Promise<{ data: User[]; has_more: boolean; next_cursor: string | null }> {
  const { db } = deployment
  const list = JSON.stringify(['found users', environment_id, email ?? null, role ?? null, query, approval ?? null])
  const by_email = email === undefined ? sql`` : sql`and u.email_key = ${emailKey(email)}`
  const read = async (part: Part) =>
    role === undefined || email !== undefined // one user at most has the email
      ? store.findUserNames(db, environment_id, sql`${by_email} ${store.byApproval(approval)}`, part)
      : store.findNamesOf(db, environment_id, await findHolders(db, environment_id, role, part))
  const found = await search(
    deployment,
    call,
    { list, query },
    {
      read: (last, limit) => read({ last, limit }),
      namesOf: ({ names }) => names,
      slice,
      most_read,
    },
  )
  const ids = found.data.map(({ id }) => id)
  return { ...found, data: matching(await store.findUsers(db, environment_id, ids), { role, approval }) }
}

/** Those of the users to whom a role was given, if a role is named, and whose approval has a state, if one is named. */
export const matching = (users: readonly User[], { role, approval }: Partial<Pick<Search, 'role' | 'approval'>>): User[] =>
  users.filter((user) => (role === undefined || user.roles.includes(role)) && (approval === undefined || user.approval?.state === approval))
