/** The filters of the list of users, as conditions on a user `u`, and the indexes that can name the users whom they leave. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import type { UserQuery } from '@ostiary/contract/user.ts'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { lowestId } from '../../base/ids.ts'
import { type Db, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { findsTexts } from './findable.ts'
import { hasApproval } from './store.ts'

/** Which users a list has. `id` and `words` come from its `query`; `id` also is that of its `sub`. */
export interface Filter extends Omit<UserQuery, 'query' | 'sub' | 'sort'> {
  id: string | undefined
  words: readonly string[]
}

const startOf = (day: string): Date => new Date(`${day}T00:00:00Z`)
const endOf = (day: string): Date => new Date(startOf(day).getTime() + day_ms)
const numberOfDay = (day: string): number => Math.floor(startOf(day).getTime() / day_ms)

/** PostgreSQL asks this of each user by itself. It may turn `exists` into a join of all rows of the environment. */
const hasOneOf = (rows: Statement): Statement => sql`coalesce((select 1 from ${rows} limit 1), 0) = 1`

const ofUser = (environment_id: EnvironmentId, table: Statement): Statement =>
  sql`${table} m where m.user_id = u.id and ${inEnvironment(environment_id, 'm')}`

const hasMethod: Record<MethodKind, (environment_id: EnvironmentId) => Statement> = {
  password: () => sql`u.password_hash is not null`,
  passkey: (environment_id) => hasOneOf(ofUser(environment_id, sql`passkeys`)),
  totp: (environment_id) => hasOneOf(ofUser(environment_id, sql`totp_methods`)),
  recovery_codes: (environment_id) => hasOneOf(ofUser(environment_id, sql`recovery_codes`)),
  provider: (environment_id) => hasOneOf(ofUser(environment_id, sql`identities`)),
}

const roleOf = (environment_id: EnvironmentId, slug: string): OfEnvironment =>
  sql`(select id from roles where environment_id = ${environment_id} and slug = ${slug})`

/** Each condition by the name of its filter. The words are conditions on the texts `t` of the user. */
const conditions: {
  [F in keyof Filter]-?: (value: NonNullable<Filter[F]>, environment_id: EnvironmentId, engine: Db['engine']) => Statement[]
} = {
  id: (id) => [sql`u.id = ${id}`],
  email: (email) => [sql`u.email_key = ${emailKey(email)}`],
  words: (words, _, engine) => findsTexts(engine, words),
  role: (slug, environment_id) => [
    hasOneOf(sql`${ofUser(environment_id, sql`role_holders`)} and m.role_id = ${roleOf(environment_id, slug)}`),
  ],
  approval: (state) => [hasApproval(state)],
  blocked: (is_blocked) => [is_blocked ? sql`u.blocked_at is not null` : sql`u.blocked_at is null`],
  email_verified: (is_verified) => [sql`u.email_verified = ${is_verified}`],
  method: (kind, environment_id) => [hasMethod[kind](environment_id)],
  provider_id: (id, environment_id) => [hasOneOf(sql`${ofUser(environment_id, sql`identities`)} and m.provider_id = ${id}`)],
  created_from: (day) => [sql`u.created_at >= ${startOf(day)}`],
  created_to: (day) => [sql`u.created_at < ${endOf(day)}`],
  last_seen_from: (day) => [sql`u.last_sign_in_at >= ${startOf(day)}`],
  last_seen_to: (day) => [sql`u.last_sign_in_at < ${endOf(day)}`],
  never_signed_in: (is_never) => [is_never ? sql`u.last_sign_in_at is null` : sql`u.last_sign_in_at is not null`],
}

export function conditionsOf(engine: Db['engine'], environment_id: EnvironmentId, filter: Filter): Statement[] {
  const names = Object.keys(conditions) as (keyof Filter)[] // as: the keys of the table
  return names.flatMap(<F extends keyof Filter>(name: F) => {
    const value = filter[name]
    const conditionsFor = conditions[name] as (value: unknown, environment_id: EnvironmentId, engine: Db['engine']) => Statement[] // as: the value is that of the name
    return value === undefined ? [] : conditionsFor(value, environment_id, engine)
  })
}

/** The days of the last sign-in that a list can have, as numbers. A user who never signed in has the day 0. */
export function daysOf({ last_seen_from, last_seen_to, never_signed_in }: Filter): { from: number; to: number } {
  const has_seen = last_seen_from !== undefined || last_seen_to !== undefined || never_signed_in === false
  return {
    from: last_seen_from === undefined ? (has_seen ? 1 : 0) : numberOfDay(last_seen_from),
    to: never_signed_in ? 0 : last_seen_to === undefined ? Number.MAX_SAFE_INTEGER : numberOfDay(last_seen_to),
  }
}

/** A user has an id of the time of its creation. Clocks of processes differ, but by less than this. */
const clock_ms = day_ms

/** No id begins so: its first digit has two zero bits. */
const after_all = 'usr_z'

/** The ids that a list can have: from the first on, and below the second. */
export const idsOf = ({ created_from, created_to }: Filter): { from: string; below: string } => ({
  from: created_from === undefined ? '' : lowestId('usr', new Date(startOf(created_from).getTime() - clock_ms)),
  below: created_to === undefined ? after_all : lowestId('usr', new Date(endOf(created_to).getTime() + clock_ms)),
})

/**
 * The statements that name the users of a list by an index but that of words, in no order and without a limit: `environment_id` and `user_id` of
 * some of them, among which all of the list are.
 */
export function sourcesOf(environment_id: EnvironmentId, filter: Filter): OfEnvironment[] {
  const { id, email, role, provider_id, approval, blocked, last_seen_from, last_seen_to, never_signed_in } = filter
  const ofUsers = (condition: Statement) =>
    sql`select environment_id, id as user_id from users where environment_id = ${environment_id} and ${condition}`
  const days = daysOf(filter)
  return [
    ...(id === undefined ? [] : [ofUsers(sql`id = ${id}`)]),
    ...(email === undefined ? [] : [ofUsers(sql`email_key = ${emailKey(email)}`)]),
    ...(role === undefined
      ? []
      : [
          sql`select environment_id, user_id from role_holders
               where role_id = ${roleOf(environment_id, role)} and ${inEnvironment(environment_id)}`,
        ]),
    ...(provider_id === undefined
      ? []
      : [
          sql`select distinct environment_id, user_id from identities where environment_id = ${environment_id} and provider_id = ${provider_id}`,
        ]),
    ...(approval === undefined ? [] : [ofUsers(sql`approval is not null and substr(approval, 11, 1) = ${approval.charAt(0)}`)]),
    ...(blocked ? [ofUsers(sql`blocked_at is not null`)] : []),
    ...(last_seen_from === undefined && last_seen_to === undefined && never_signed_in === undefined
      ? []
      : [
          sql`select environment_id, id as user_id from users
               where ${inEnvironment(environment_id)} and last_sign_in_day >= ${days.from} and last_sign_in_day <= ${days.to}`,
        ]),
  ]
}
