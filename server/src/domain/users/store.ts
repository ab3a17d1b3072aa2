/** Stores the users of an environment. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type ApprovalState, type NewUser, User } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { isText } from '../../base/text.ts'
import { userNameKey } from '../../base/user-name.ts'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { subOf } from '../../db/sub.ts'
import { between_names } from '../lists/search.ts'
import { forgetFindable, insertFindable, keepChangedFindable, keepFindable } from './findable.ts'
import { forgetRoles, givenRoles, type Part } from './roles.ts'
import { takeSub } from './sub.ts'
import type { Findable } from './words.ts'

const UserRow = User.extend({ version: z.int() })
export type UserRow = z.infer<typeof UserRow>

const columns = (environment_id: EnvironmentId): Statement => sql`
  u.id, ${subOf(sql`u`)} as sub, e.tenant_id, e.project_id, u.environment_id, nullif(u.email, '') as email, u.email_verified, c.pending as pending_email, u.phone_number, u.phone_number_verified,
  u.name, u.given_name, u.family_name, u.nickname, u.preferred_username, u.picture, u.locale, u.zoneinfo, u.metadata, u.claims, ${givenRoles(environment_id)} as roles,
  case when u.password_hash is null then 0 else 1 end as has_password, u.approval, u.deletes_at, u.blocked_at, u.last_sign_in_at,
  u.version, u.created_at, u.updated_at`
const from = (environment_id: EnvironmentId): Statement => sql`from users u join environments e on e.id = u.environment_id
  left join email_changes c on ${sameEnvironment('c', 'u', environment_id)} and c.user_id = u.id`

const olderThan = (last: string | null) => (last === null ? sql`` : sql`and u.id < ${last}`)

const UserNames = User.pick({ id: true }).extend({ names: z.string() })
type UserNames = z.infer<typeof UserNames>

/** The texts by which the user `u` can be found: one column, since a search reads thousands of them. Empty without a user. */
export const user_names = sql`concat_ws(${between_names}, u.email, u.sub, u.name, u.given_name, u.family_name, u.nickname, u.preferred_username, u.phone_number)`

/** Finds the names of users, newest first. */
export function findUserNames(db: Db, environment_id: EnvironmentId, filter: Statement, { last, limit }: Part): Promise<UserNames[]> {
  return db
    .of(environment_id)
    .all(
      UserNames,
      sql`select u.id, ${user_names} as names from users u where u.environment_id = ${environment_id} ${filter} ${olderThan(last)} order by u.id desc limit ${limit}`,
    )
}

/** Finds the names of the users with these ids, in their order. A user who is gone has none. */
export async function findNamesOf(db: Db, environment_id: EnvironmentId, ids: readonly string[]): Promise<UserNames[]> {
  if (ids.length === 0) return []
  const rows = await db
    .of(environment_id)
    .all(
      UserNames,
      sql`select u.id, ${user_names} as names from users u where u.environment_id = ${environment_id} and u.id in (${list([...ids].sort())})`,
    )
  const known = new Map(rows.map((row): [string, UserNames] => [row.id, row]))
  return ids.map((id) => known.get(id) ?? { id: id as UserNames['id'], names: '' }) // as: an id of a user who was there
}

/** Finds the users with these ids, newest first. */
export async function findUsers(db: Db, environment_id: EnvironmentId, ids: readonly string[]): Promise<User[]> {
  if (ids.length === 0) return []
  return db
    .of(environment_id)
    .all(
      User,
      sql`select ${columns(environment_id)} ${from(environment_id)} where u.environment_id = ${environment_id} and u.id in (${list(ids)}) order by u.id desc`,
    )
}

export function findUser(db: Db, environment_id: EnvironmentId, id: string): Promise<UserRow | null> {
  return db
    .of(environment_id)
    .maybeOne(
      UserRow,
      sql`select ${columns(environment_id)} ${from(environment_id)} where u.environment_id = ${environment_id} and u.id = ${id}`,
    )
}

const CredentialRow = z.object({
  id: z.custom<User['id']>(),
  email: z.string(),
  password_hash: z.string().nullable(),
  blocked_at: z.date().nullable(),
})

/** Finds what a sign-in with this email is checked against. */
export async function findCredential(db: Db, environment_id: EnvironmentId, email: string) {
  const key = emailKey(email)
  if (!isText(key)) return null // no account has it, and PostgreSQL rejects such a text
  return db
    .of(environment_id)
    .maybeOne(
      CredentialRow,
      sql`select id, email, password_hash, blocked_at from users where environment_id = ${environment_id} and email_key = ${key}`,
    )
}

const HashRow = CredentialRow.pick({ password_hash: true })

export async function findUserHash(db: Db, environment_id: EnvironmentId, id: string): Promise<string | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(HashRow, sql`select password_hash from users where environment_id = ${environment_id} and id = ${id}`)
  return row?.password_hash ?? null
}

const keyOfName = ({ preferred_username }: { preferred_username?: string | null | undefined }) =>
  preferred_username ? userNameKey(preferred_username) : null

const hasName = (environment_id: EnvironmentId, name: string, except: string): OfEnvironment => sql`exists (
  select 1 from users named where named.preferred_username_key = ${userNameKey(name)} and ${inEnvironment(environment_id, 'named')}
     and named.id <> ${except})`

/** Whether a user of the environment has this user name, in whatever case. */
export async function isNameTaken(db: Db, environment_id: EnvironmentId, name: string): Promise<boolean> {
  const row = await db
    .of(environment_id)
    .maybeOne(z.object({ taken: z.boolean() }), sql`select case when ${hasName(environment_id, name, '')} then 1 else 0 end as taken`)
  return row?.taken ?? false
}

/**
 * Gives a new user a name that nobody else has. Fails as a guard where another user has it. The batches that take a name wait for each other
 * at the row that the first statement writes. Put it after the insert of the user.
 */
export const takeName = ({ environment_id, id, ...user }: UserRef & Omit<Findable, 'preferred_username'>, name: string): Statement[] => [
  insertInto(
    'upstream_holds',
    { environment_id },
    sql`on conflict (environment_id) do update set environment_id = excluded.environment_id`,
  ),
  guard(sql`update users set preferred_username = ${name}, preferred_username_key = ${userNameKey(name)}
    where environment_id = ${environment_id} and id = ${id} and not ${hasName(environment_id, name, id)}`),
  ...keepFindable(environment_id, { ...user, id, preferred_username: name }),
]

/** A new user without the password. */
export type Profile = Omit<NewUser, 'password' | 'password_hash'>

/** Fails as a guard if a user has the email or the `sub`. The hash is ours, or one that `judgeForeignHash` takes. */
export const insertUser = (
  ref: UserRef,
  user: Profile & { self_registered?: boolean; waits?: boolean },
  password_hash: string | null,
  now: Date,
): Statement[] => [
  insertRow(ref, user, password_hash, now),
  ...(user.sub === undefined ? [] : [takeSub(ref, user.sub)]),
  ...insertFindable(ref.environment_id, { ...user, id: ref.id }),
]

function insertRow(
  { environment_id, id }: UserRef,
  user: Profile & { self_registered?: boolean; waits?: boolean },
  password_hash: string | null,
  now: Date,
): Statement {
  return guard(
    insertInto(
      'users',
      {
        environment_id,
        id,
        email: user.email,
        email_key: emailKey(user.email),
        email_verified: user.email_verified ?? false,
        phone_number: user.phone_number ?? null,
        phone_number_verified: user.phone_number_verified ?? false,
        name: user.name ?? null,
        given_name: user.given_name ?? null,
        family_name: user.family_name ?? null,
        nickname: user.nickname ?? null,
        preferred_username: user.preferred_username ?? null,
        preferred_username_key: keyOfName(user),
        picture: user.picture ?? null,
        locale: user.locale ?? null,
        zoneinfo: user.zoneinfo ?? null,
        metadata: user.metadata ?? {},
        claims: user.claims ?? {},
        password_hash,
        password_set_at: password_hash === null ? null : now,
        self_registered: user.self_registered ?? false,
        ...(user.waits ? approvalIn('waiting', now) : {}),
        created_at: now,
        updated_at: now,
      },
      sql`on conflict (environment_id, email_key) do nothing`,
    ),
  )
}

/** An account that waits, or was refused, is erased after this time. */
export const unapproved_kept_ms = 30 * day_ms

/** The columns of a state of the approval from now on. */
const approvalIn = (state: ApprovalState, now: Date) => ({
  approval: { state, at: now.toISOString() },
  erase_at: state === 'approved' ? null : new Date(now.getTime() + unapproved_kept_ms),
})

/** Decides about an account that waits. Fails as a guard if it waits no more, or changed. */
export function decideApproval(current: UserRow, state: 'approved' | 'refused', now: Date): Statement {
  const { approval, erase_at } = approvalIn(state, now)
  return guard(sql`update users set approval = ${approval}, erase_at = ${erase_at}, version = version + 1, updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version} and ${isIn('waiting')}`)
}

/** The condition that a user was approved, or never had to wait. */
const is_approved = sql`coalesce(substr(approval, 11, 1), 'a') = 'a'`

/** The condition that the approval of a user has a state. One column has both the state and its time: each makes the row of every user wider. */
const isIn = (state: ApprovalState): Statement => sql`substr(approval, 11, 1) = ${state.charAt(0)}`

const Unapproved = z.object({ approval: User.shape.approval.unwrap(), erase_at: z.date() })
export type Unapproved = z.infer<typeof Unapproved>

/** Whether an account waits or was refused, and when it is erased; `null` for any other. */
export function findUnapproved(db: Db, environment_id: EnvironmentId, id: string) {
  return db
    .of(environment_id)
    .maybeOne(
      Unapproved,
      sql`select approval, erase_at from users where environment_id = ${environment_id} and id = ${id} and not ${is_approved}`,
    )
}

/** The filter of a list by the state of the approval. */
export const hasApproval = (state: ApprovalState): Statement =>
  sql`u.approval is not null and substr(u.approval, 11, 1) = ${state.charAt(0)}`

const Closed = z.object({ deletes_at: z.date() })

/** When a closed account is erased, as long as it can be restored; `null` for any other. */
export function findClosed(db: Db, environment_id: EnvironmentId, id: string, now: Date) {
  return db
    .of(environment_id)
    .maybeOne(
      Closed,
      sql`select deletes_at from users where environment_id = ${environment_id} and id = ${id} and blocked_at is null and deletes_at > ${now}`,
    )
}

/** Closes an account until it is erased. A guard. */
export const closeUser = (current: UserRow, deletes_at: Date, now: Date): Statement =>
  guard(sql`update users set deletes_at = ${deletes_at}, version = version + 1, updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version} and deletes_at is null`)

/** Restores a closed account that is not erased yet. A guard. */
export const reopenUser = ({ environment_id, id }: UserRef, now: Date): Statement =>
  guard(sql`update users set deletes_at = ${null}, version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and deletes_at > ${now}`)

const Due = z.object({ environment_id: z.custom<EnvironmentId>(), id: z.string() })

/**
 * Finds accounts that are to be erased by now, of each kind those that waited longest first. The limit stands in the text: PostgreSQL sorts
 * all rows for one that it does not know.
 */
export async function findDue(db: Db, now: Date) {
  const unapproved = db.many.all(Due, sql`select environment_id, id from users where erase_at <= ${now} order by erase_at limit 200`)
  const closed = db.many.all(Due, sql`select environment_id, id from users where deletes_at <= ${now} order by deletes_at limit 200`)
  return [...(await unapproved), ...(await closed)]
}

/** The condition that a user is to be erased by now, for the batch that erases. */
export const holdDue = ({ environment_id, id }: UserRef, now: Date): Statement =>
  guard(
    sql`update users set updated_at = updated_at where environment_id = ${environment_id} and id = ${id} and (erase_at <= ${now} or deletes_at <= ${now})`,
  )

/**
 * Records a sign-in. Fails as a guard if the user is blocked, closed, deleted or not approved, or if the password changed since it was checked. Does not change
 * the version, because a sign-in is not a change of the user.
 */
export function noteSignIn(
  environment_id: EnvironmentId,
  { user_id, password_hash, by_password }: { user_id: string; password_hash: string | null; by_password: boolean },
  now: Date,
): Statement {
  const used = by_password ? sql`, password_used_at = ${now}` : sql``
  return guard(sql`update users set last_sign_in_at = ${now}, last_sign_in_day = ${Math.floor(now.getTime() / day_ms)}${used}
    where environment_id = ${environment_id} and id = ${user_id} and blocked_at is null and deletes_at is null and ${is_approved}
      and coalesce(password_hash, '') = ${password_hash ?? ''}`)
}

/** Gives the profile a locale where it has none. */
export const fillLocale = (environment_id: EnvironmentId, user_id: string, locale: string, now: Date): Statement =>
  sql`update users set locale = ${locale}, version = version + 1, updated_at = ${now}
       where environment_id = ${environment_id} and id = ${user_id} and locale is null`

const Person = User.pick({ email: true, name: true, picture: true, locale: true, zoneinfo: true, phone_number: true })

/** Finds the claims that the consent page shows. */
export function findPerson(db: Db, environment_id: EnvironmentId, id: string) {
  return db
    .of(environment_id)
    .maybeOne(
      Person,
      sql`select nullif(email, '') as email, name, picture, locale, zoneinfo, phone_number from users where environment_id = ${environment_id} and id = ${id}`,
    )
}

/** The fields of a user that can be changed. `setRoles` writes the roles. */
export interface UserFields extends Omit<Profile, 'email' | 'sub'> {
  /** `null` only for an account without an address. */
  email: string | null
  email_verified: boolean
  phone_number_verified: boolean
}

/**
 * Changes a user. Fails as a guard if the user changed since `current` was read, or if another user has the email. Reading other users
 * is safe because of the unique index on emails: PostgreSQL repeats a batch that violates it, and then the guard sees the other user.
 */
export const updateUser = (current: UserRow, user: UserFields, password_hash: string | null | undefined, now: Date): Statement[] => [
  updateRow(current, user, password_hash, now),
  ...keepChangedFindable(current.environment_id, current, { ...user, id: current.id, sub: current.sub }),
]

function updateRow(current: UserRow, user: UserFields, password_hash: string | null | undefined, now: Date): Statement {
  const password =
    password_hash === undefined
      ? sql``
      : sql`, password_hash = ${password_hash}, password_set_at = ${password_hash === null ? null : now}, password_used_at = null`
  const email_key = user.email === null ? current.id : emailKey(user.email)
  const taken = sql`exists (
    select 1 from users o where o.environment_id = ${current.environment_id} and o.email_key = ${email_key} and o.id <> ${current.id})`
  return guard(sql`update users
      set email = ${user.email ?? ''}, email_key = ${email_key}, email_verified = ${user.email_verified},
          phone_number = ${user.phone_number ?? null}, phone_number_verified = ${user.phone_number_verified},
          name = ${user.name ?? null}, given_name = ${user.given_name ?? null}, family_name = ${user.family_name ?? null},
          nickname = ${user.nickname ?? null}, preferred_username = ${user.preferred_username ?? null}, preferred_username_key = ${keyOfName(user)},
          picture = ${user.picture ?? null}, locale = ${user.locale ?? null}, zoneinfo = ${user.zoneinfo ?? null},
          metadata = ${user.metadata ?? {}}, claims = ${user.claims ?? {}}, version = version + 1, updated_at = ${now}${password}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version} and not ${taken}`)
}

export function setBlocked(current: UserRow, blocked: boolean, now: Date): Statement {
  return guard(sql`update users set blocked_at = ${blocked ? now : null}, version = version + 1, updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`)
}

/**
 * Deletes the user with every method and role, of which a person has few. Put `endCodesOf` after it. Rows without a bound on their number follow
 * (`followErasedUser`).
 */
export function deleteUser({ environment_id, id, version }: UserRow): Statement[] {
  return [
    guard(sql`delete from users where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    sql`delete from identities where environment_id = ${environment_id} and user_id = ${id}`,
    sql`delete from passkeys where environment_id = ${environment_id} and user_id = ${id}`,
    sql`delete from totp_methods where environment_id = ${environment_id} and user_id = ${id}`,
    sql`delete from recovery_codes where environment_id = ${environment_id} and user_id = ${id}`,
    sql`delete from trusted_browsers where environment_id = ${environment_id} and user_id = ${id}`,
    forgetRoles({ environment_id, id }),
    ...forgetFindable({ environment_id, id }),
  ]
}

/**
 * Replaces the hash of a password by another hash of the same password. Fails as a guard if the account has another hash now. It is not
 * a change of the user, so the version stays.
 */
export function replaceHash(environment_id: EnvironmentId, id: string, { old, next }: { old: string; next: string }): Statement {
  return guard(sql`update users set password_hash = ${next}
    where environment_id = ${environment_id} and id = ${id} and password_hash = ${old}`)
}

/**
 * Begins a batch about a user: it waits for other batches about the same user, and its later statements read the user as those left it.
 * See the head of `db/db.ts`. Holds nothing where the batch itself inserts the user.
 */
export const aboutUser = (environment_id: EnvironmentId, id: string): Statement =>
  sql`update users set updated_at = updated_at where environment_id = ${environment_id} and id = ${id}`

/** The same for several users, in the order of their keys. */
export const aboutUsers = (environment_id: EnvironmentId, ids: readonly string[]): Statement[] =>
  [...new Set(ids)].sort().map((id) => aboutUser(environment_id, id))

/** The same as a guard, which fails if the user is deleted or, with a version, changed. */
export function holdUser(environment_id: EnvironmentId, id: string, version?: number): Statement {
  return guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${id} ${version === undefined ? sql`` : sql`and version = ${version}`}`)
}

/** Like `holdUser`. Fails as a guard if the user no longer has this address, or has it unproven. */
export const holdProvenOwner = (environment_id: EnvironmentId, id: string, email: string): Statement =>
  guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${id} and email_key = ${emailKey(email)} and email_verified = 1`)
