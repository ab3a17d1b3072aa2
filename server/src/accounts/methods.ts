/**
 * The sign-in methods of a user: the password, which is a column of the user, the identities at providers, the passkeys, and the
 * second factors.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { SignInMethod } from '@ostiary/contract/method.ts'
import { type Db, guard, join, type Statement, sql } from '../db/db.ts'
import { removeAllPasskeys, removePasskey } from '../passkeys/store.ts'
import { passwordMethodOf } from '../sessions/standing.ts'
import { removeRecoveryCodes, removeSecondFactors, removeTotp } from '../users/second-factors.ts'

/** The id of the password of a user, the same for every password. */
export const passwordMethod = passwordMethodOf

/** The user whose password has this id, if it is the id of a password. */
export const passwordOwner = (method_id: string): string => `usr_${method_id.slice('mth_'.length)}`

const methodsOf = (environment_id: EnvironmentId, user_id: string) => sql`
  select 'mth_' || substr(u.id, 5) as id, 'password' as type, cast(null as text) as name, cast(null as text) as provider_id,
         cast(null as bigint) as codes_left, coalesce(u.password_set_at, u.created_at) as created_at, u.password_used_at as last_used_at
    from users u where u.environment_id = ${environment_id} and u.id = ${user_id} and u.password_hash is not null
  union all
  select i.id, 'provider', p.display_name, i.provider_id, null, i.created_at, i.last_used_at
    from identities i join providers p on p.environment_id = i.environment_id || '' and p.id = i.provider_id
   where i.environment_id || '' = ${environment_id} and i.user_id = ${user_id}
  union all
  select id, 'passkey', name, null, null, created_at, last_used_at
    from passkeys where environment_id || '' = ${environment_id} and user_id = ${user_id}
  union all
  select t.id, 'totp', null, null, null, t.created_at, t.last_used_at
    from totp_methods t where t.environment_id || '' = ${environment_id} and t.user_id = ${user_id}
  union all
  select r.method_id, 'recovery_codes', null, null, count(*) - count(r.used_at), min(r.created_at), max(r.used_at)
    from recovery_codes r where r.environment_id || '' = ${environment_id} and r.user_id = ${user_id} group by r.method_id`

export function listMethods(db: Db, environment_id: EnvironmentId, user_id: string, rest: Statement): Promise<SignInMethod[]> {
  return db.all(SignInMethod, sql`select * from (${methodsOf(environment_id, user_id)}) listed where 1 = 1 ${rest}`)
}

/** The switches of the settings for the ways in. */
export interface WaysOn {
  password: boolean
  email_code: boolean
  passkey: boolean
}

/** What the texts call each way in; a provider has its own name. */
export type WayWords = Record<keyof WaysOn, string>

const Way = SignInMethod.pick({ type: true, name: true })

/** Names the ways in that the account has now, for a mail. A second factor is not one of them. Each provider is named once. */
export async function waysIn(db: Db, environment_id: EnvironmentId, user_id: string, on: WaysOn, words: WayWords): Promise<string[]> {
  const enabled = sql`exists (select 1 from providers p where p.environment_id = ${environment_id} and p.id = provider_id and p.enabled = 1)`
  const ways = await db.all(
    Way,
    sql`select type, name
          from (select id, type, case when type = 'provider' then name end as name from (${methodsOf(environment_id, user_id)}) listed
                 where type in ('password', 'passkey') or ${enabled}) ways
         group by type, name order by min(id)`,
  )
  const has = (type: SignInMethod['type']) => ways.some((way) => way.type === type)
  return [
    ...(on.password && has('password') ? [words.password] : []),
    ...(on.email_code ? [words.email_code] : []),
    ...(on.passkey && has('passkey') ? [words.passkey] : []),
    ...ways.flatMap(({ type, name }) => (type === 'provider' && name !== null ? [name] : [])),
  ]
}

export async function findMethod(db: Db, environment_id: EnvironmentId, user_id: string, id: string): Promise<SignInMethod | null> {
  const [method] = await listMethods(db, environment_id, user_id, sql`and id = ${id}`)
  return method ?? null
}

/** Removes every method but the password. */
export function removeAllMethods(environment_id: EnvironmentId, user_id: string, now: Date): Statement[] {
  return [
    ...removeAllPasskeys(environment_id, user_id, now),
    sql`delete from identities where environment_id = ${environment_id} and user_id = ${user_id}`,
    ...removeSecondFactors(environment_id, user_id),
  ]
}

/** The methods that are second factors. Their removal is `mfa.removed`, the others change the user. */
export const isSecondFactor = ({ type }: Pick<SignInMethod, 'type'>): boolean => type === 'totp' || type === 'recovery_codes'

/** Fails as a guard if the user no longer has the method. */
export function removeMethod(environment_id: EnvironmentId, user_id: string, { id, type }: SignInMethod, now: Date): Statement[] {
  if (type === 'passkey') return removePasskey(environment_id, user_id, id, now)
  if (type === 'totp') return removeTotp(environment_id, user_id, id)
  if (type === 'recovery_codes') return removeRecoveryCodes(environment_id, user_id, id)
  if (type === 'password') return [removePassword(environment_id, user_id, now)]
  return [guard(sql`delete from identities where environment_id = ${environment_id} and user_id = ${user_id} and id = ${id}`)]
}

const removePassword = (environment_id: EnvironmentId, user_id: string, now: Date) =>
  guard(sql`update users
      set password_hash = null, password_set_at = null, password_used_at = null, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${user_id} and password_hash is not null`)

/** The event of a removal: a passkey is also a second factor. */
export function removalEvent(method: SignInMethod) {
  const { id: method_id, type } = method
  if (isSecondFactor(method) || type === 'passkey') return { type: 'mfa.removed', data: { method: type, method_id } } as const
  return { type: 'user.updated', data: { changed: [type === 'password' ? 'password' : 'identities'], method_id } } as const
}

/**
 * Fails as a guard if the user could not sign in without this method (decision 0045). A person cannot remove the last way in. Reading the
 * methods is safe after `holdUser`, which every batch begins with in which a person removes a method.
 */
export function userKeepsWayIn(
  environment_id: EnvironmentId,
  user_id: string,
  method_id: string,
  { password, email_code, passkey }: WaysOn,
): Statement {
  const by_password = password && method_id !== passwordMethod(user_id)
  const ways = [
    ...(email_code ? [sql`1 = 1`] : []),
    ...(by_password ? [sql`password_hash is not null`] : []),
    ...(passkey
      ? [sql`exists (select 1 from passkeys where environment_id = ${environment_id} and user_id = ${user_id} and id <> ${method_id})`]
      : []),
    sql`exists (select 1 from identities i join providers p on p.environment_id = i.environment_id || '' and p.id = i.provider_id
                 where i.environment_id = ${environment_id} and i.user_id = ${user_id} and i.id <> ${method_id} and p.enabled = 1)`,
  ]
  return guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${user_id} and (${join(ways, ' or ')})`)
}
