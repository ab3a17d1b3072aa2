/**
 * The sign-in methods of a user: the password, which is a column of the user, the identities at providers, the passkeys, and the
 * second factors.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { SignInMethod } from '@ostiary/contract/method.ts'
import {
  type FactorKind,
  type FirstFactor,
  factor_kinds,
  first_factors,
  type MethodKind,
  type SwitchedMethod,
  second_kinds,
  sign_in_methods,
  switched_methods,
} from '@ostiary/contract/sign-in-methods.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, join, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import type { WhyMethodStays } from '../../pages/account-actions.ts'
import { removeAllPasskeys, removePasskey } from '../passkeys/store.ts'
import { distinctName } from '../providers/store.ts'
import { passwordMethodOf } from '../sessions/standing.ts'
import { algorithmOf } from '../users/foreign-hashes.ts'
import { isSecondFactorAlone, removeAllRecoveryCodes, removeAllTotps, removeRecoveryCodes, removeTotp } from '../users/second-factors.ts'
import { removeAllTrusted } from '../users/trusted-browsers.ts'

/** The id of the password of a user, the same for every password. */
export const passwordMethod = passwordMethodOf

/** The user whose password has this id, if it is the id of a password. */
export const passwordOwner = (method_id: string): string => `usr_${method_id.slice('mth_'.length)}`

interface Kind {
  /** Its rows in the list of methods. */
  list: (environment_id: EnvironmentId, user_id: string) => OfEnvironment
  /** Fails as a guard if the user no longer has the method. */
  remove: (environment_id: EnvironmentId, user_id: string, id: string, now: Date) => Statement[]
}

/** The columns have the names and types of the first. */
const kinds: Record<MethodKind, Kind> = {
  password: {
    list: (environment_id, user_id) => sql`
  select 'mth_' || substr(u.id, 5) as id, 'password' as type, cast(null as text) as name, cast(null as text) as provider_id,
         cast(null as bigint) as codes_left, u.password_hash, coalesce(u.password_set_at, u.created_at) as created_at, u.password_used_at as last_used_at
    from users u where u.environment_id = ${environment_id} and u.id = ${user_id} and u.password_hash is not null`,
    remove: (environment_id, user_id, _, now) => [removePassword(environment_id, user_id, now)],
  },
  provider: {
    list: (environment_id, user_id) => sql`
  select i.id, 'provider', ${distinctName(environment_id)}, i.provider_id, null, null, i.created_at, i.last_used_at
    from identities i join providers p on ${sameEnvironment('p', 'i', environment_id)} and p.id = i.provider_id
   where ${inEnvironment(environment_id, 'i')} and i.user_id = ${user_id}`,
    remove: (environment_id, user_id, id) => [
      guard(sql`delete from identities where environment_id = ${environment_id} and user_id = ${user_id} and id = ${id}`),
    ],
  },
  passkey: {
    list: (environment_id, user_id) => sql`
  select id, 'passkey', name, null, null, null, created_at, last_used_at
    from passkeys where ${inEnvironment(environment_id)} and user_id = ${user_id}`,
    remove: removePasskey,
  },
  totp: {
    list: (environment_id, user_id) => sql`
  select t.id, 'totp', null, null, null, null, t.created_at, t.last_used_at
    from totp_methods t where ${inEnvironment(environment_id, 't')} and t.user_id = ${user_id}`,
    remove: removeTotp,
  },
  recovery_codes: {
    list: (environment_id, user_id) => sql`
  select r.method_id, 'recovery_codes', null, null, count(*) - count(r.used_at), null, min(r.created_at), max(r.used_at)
    from recovery_codes r where ${inEnvironment(environment_id, 'r')} and r.user_id = ${user_id} group by r.method_id`,
    remove: removeRecoveryCodes,
  },
}

const methodsOf = (environment_id: EnvironmentId, user_id: string) =>
  join(
    Object.values(kinds).map(({ list }) => list(environment_id, user_id)),
    '\n  union all',
  )

const MethodRow = SignInMethod.omit({ algorithm: true }).extend({ password_hash: z.string().nullable() })

export async function listMethods(db: Db, environment_id: EnvironmentId, user_id: string, rest: Statement): Promise<SignInMethod[]> {
  const rows = await db
    .of(environment_id)
    .all(MethodRow, sql`select * from (${methodsOf(environment_id, user_id)}) listed where 1 = 1 ${rest}`)
  return rows.map(({ password_hash, ...method }) => ({ ...method, algorithm: password_hash === null ? null : algorithmOf(password_hash) }))
}

/** The switches of the settings for the ways in. */
export type WaysOn = Record<SwitchedMethod, boolean>

/** The name of each sign-in method in the texts; a provider has its own name. */
export type WayWords = Record<SwitchedMethod, string>

/** The kinds of method that an account can have and the settings switch on or off. */
const switched_kinds = switched_methods.map((method) => sign_in_methods[method].kind).filter((kind) => kind !== null)

const Way = SignInMethod.pick({ type: true, name: true })

/** Names the ways in that the account has now, for a mail. A second factor is not one of them. Each provider is named once. */
export async function waysIn(db: Db, { environment_id, id: user_id }: UserRef, on: WaysOn, words: WayWords): Promise<string[]> {
  const enabled = sql`exists (select 1 from providers p where p.environment_id = ${environment_id} and p.id = provider_id and p.enabled = 1)`
  const ways = await db.of(environment_id).all(
    Way,
    sql`select type, name
          from (select id, type, case when type = 'provider' then name end as name from (${methodsOf(environment_id, user_id)}) listed
                 where type in (${list(switched_kinds)}) or ${enabled}) ways
         group by type, name order by min(id)`,
  )
  const has = (kind: MethodKind | null) => kind === null || ways.some(({ type }) => type === kind)
  return [
    ...switched_methods.filter((method) => on[method] && has(sign_in_methods[method].kind)).map((method) => words[method]),
    ...ways.flatMap(({ type, name }) => (type === 'provider' && name !== null ? [name] : [])),
  ]
}

export async function findMethod(db: Db, environment_id: EnvironmentId, user_id: string, id: string): Promise<SignInMethod | null> {
  const [method] = await listMethods(db, environment_id, user_id, sql`and id = ${id}`)
  return method ?? null
}

/** Removes all of a kind, in the order of locks. The password is in the row of the user, with which the caller removes it. */
const removeAll: Record<MethodKind, (environment_id: EnvironmentId, user_id: string, now: Date) => readonly Statement[]> = {
  password: () => [],
  passkey: removeAllPasskeys,
  provider: (environment_id, user_id) => [sql`delete from identities where environment_id = ${environment_id} and user_id = ${user_id}`],
  totp: removeAllTotps,
  recovery_codes: removeAllRecoveryCodes,
}

/** Removes every method but the password. */
export const removeAllMethods = (environment_id: EnvironmentId, user_id: string, now: Date): Statement[] =>
  Object.values(removeAll).flatMap((remove) => remove(environment_id, user_id, now))

/** Whether the method is asked for only after a first method. */
export const isSecondFactor = ({ type }: Pick<SignInMethod, 'type'>): boolean => second_kinds.includes(type)

/** Whether the method can be a second factor. */
export const isFactor = ({ type }: Pick<SignInMethod, 'type'>): boolean => isFactorKind(type)

const isFactorKind = (type: MethodKind): type is FactorKind => factor_kinds.includes(type)

/** Fails as a guard if the user no longer has the method. */
export const removeMethod = (environment_id: EnvironmentId, user_id: string, { id, type }: SignInMethod, now: Date): Statement[] => [
  ...kinds[type].remove(environment_id, user_id, id, now),
  removeAllTrusted(environment_id, user_id), // a changed factor ends them (decision 0192)
]

const removePassword = (environment_id: EnvironmentId, user_id: string, now: Date) =>
  guard(sql`update users
      set password_hash = null, password_set_at = null, password_used_at = null, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${user_id} and password_hash is not null`)

/** The field in `changed` of `user.updated` after a removal. The removal of a second factor is `mfa.removed`. */
const changed: Record<Exclude<MethodKind, FactorKind>, string> = { password: 'password', provider: 'identities' }

export function removalEvent({ id: method_id, type }: SignInMethod) {
  if (isFactorKind(type)) return { type: 'mfa.removed', data: { method: type, method_id } } as const
  return { type: 'user.updated', data: { changed: [changed[type]], method_id } } as const
}

/** When the row `users` of a person leads in by a method, without the method that is about to go. */
const leadsIn: Record<FirstFactor, (environment_id: EnvironmentId, user_id: string, without: string) => Statement> = {
  email_code: () => sql`1 = 1`,
  password: (_, user_id, without) => (without === passwordMethod(user_id) ? sql`1 = 0` : sql`password_hash is not null`),
  passkey: (environment_id, user_id, without) =>
    sql`exists (select 1 from passkeys where environment_id = ${environment_id} and user_id = ${user_id} and id <> ${without})`,
  provider: (environment_id, user_id, without) =>
    sql`exists (select 1 from identities i join providers p on ${sameEnvironment('p', 'i', environment_id)} and p.id = i.provider_id
                 where i.environment_id = ${environment_id} and i.user_id = ${user_id} and i.id <> ${without} and p.enabled = 1)`,
}

/**
 * Fails as a guard if the user could not sign in without this method (decision 0045). A person cannot remove the last way in. Reading the
 * methods is safe after `holdUser`, which every batch begins with in which a person removes a method.
 */
export function userKeepsWayIn(environment_id: EnvironmentId, user_id: string, method_id: string, on: WaysOn): Statement {
  const is_on: Record<FirstFactor, boolean> = { ...on, provider: true }
  const ways = first_factors.filter((method) => is_on[method]).map((method) => leadsIn[method](environment_id, user_id, method_id))
  return guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${user_id} and (${join(ways, ' or ')})`)
}

type Listed = Pick<SignInMethod, 'id' | 'type' | 'provider_id'>

/** The settings that the pages need: the methods that are on, whether a second factor is required, and the providers that are on. */
export interface RemovalRules {
  on: WaysOn
  requires_second: boolean
  providers: readonly { id: string }[]
}

/**
 * Why the person cannot remove a method now, for the pages, which offer no button that is refused. It is the rule of the guards of the
 * removal, `userKeepsWayIn` and `keepsSecondFactor`, and they decide.
 */
export function whyMethodStays(
  methods: readonly Listed[],
  method: Listed,
  { on, requires_second, providers }: RemovalRules,
): WhyMethodStays | null {
  const others = methods.filter(({ id }) => id !== method.id)
  const is_on: Record<FirstFactor, boolean> = { ...on, provider: true }
  const leads = (way: FirstFactor) => {
    const { kind } = sign_in_methods[way]
    if (kind === null) return true
    return others.some(({ type, provider_id }) => type === kind && (type !== 'provider' || providers.some(({ id }) => id === provider_id)))
  }
  if (!isSecondFactor(method) && !first_factors.some((way) => is_on[way] && leads(way))) return 'last_way_in'
  return requires_second && isFactor(method) && !others.some(({ type }) => isSecondFactorAlone(type)) ? 'last_factor' : null
}
