import type { Client, User } from '@ostiary/sdk'
import type { Search } from '../parts/search.ts'

type MethodKind = NonNullable<Parameters<Client['listUsers']>[0]['method']>

export type Approval = NonNullable<User['approval']>['state']

export const approvals: readonly (readonly [Approval, string])[] = [
  ['waiting', 'Waiting for approval'],
  ['approved', 'Approved'],
  ['refused', 'Refused'],
]

/** The state that the address of the page names. */
export const approvalIn = ({ approval }: Search): Approval | undefined => approvals.find(([state]) => state === approval)?.[0]

export interface UserFilter {
  query?: string | undefined
  role?: string | undefined
  approval?: Approval | undefined
  blocked?: boolean | undefined
  email_verified?: boolean | undefined
  method?: MethodKind | undefined
  provider_id?: string | undefined
  created_from?: string | undefined
  last_seen_from?: string | undefined
  last_seen_to?: string | undefined
  never_signed_in?: boolean | undefined
  sort?: 'created' | 'last_sign_in' | undefined
}

const DAY_MS = 86_400_000
/** A day in UTC, so many days before today. */
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** The choices for the last sign-in, and what they ask of the service. */
export const seen_choices: Readonly<Record<string, { words: string; filter: () => UserFilter }>> = {
  '7d': { words: 'Signed in within 7 days', filter: () => ({ last_seen_from: dayBefore(6) }) },
  '30d': { words: 'Signed in within 30 days', filter: () => ({ last_seen_from: dayBefore(29) }) },
  'not-30d': { words: 'Last sign-in over 30 days ago', filter: () => ({ last_seen_to: dayBefore(30) }) },
  'not-90d': { words: 'Last sign-in over 90 days ago', filter: () => ({ last_seen_to: dayBefore(90) }) },
  never: { words: 'Never signed in', filter: () => ({ never_signed_in: true }) },
}

/** The choices for the time of creation. */
export const created_choices: Readonly<Record<string, { words: string; days: number }>> = {
  today: { words: 'Created today', days: 0 },
  '7d': { words: 'Created within 7 days', days: 6 },
  '30d': { words: 'Created within 30 days', days: 29 },
}

const flagOf = (text: string | undefined) => (text === undefined ? undefined : text === 'yes')

/** The members of the query of an address that filter users, or order them. */
export const user_filters = [
  'query',
  'role',
  'approval',
  'blocked',
  'email_verified',
  'method',
  'provider_id',
  'created',
  'seen',
  'sort',
] as const

/** The filter that the query of an address has. */
export function userFilter(search: Search): UserFilter {
  const created = created_choices[search.created ?? '']
  return {
    query: search.query,
    role: search.role,
    approval: approvalIn(search),
    blocked: flagOf(search.blocked),
    email_verified: flagOf(search.email_verified),
    method: search.method as MethodKind | undefined, // as: the service refuses other kinds
    provider_id: search.provider_id,
    created_from: created && dayBefore(created.days),
    ...seen_choices[search.seen ?? '']?.filter(),
    sort: search.sort === 'last_sign_in' ? 'last_sign_in' : undefined,
  }
}
