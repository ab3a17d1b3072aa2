/** Stores the passkeys of users. A passkey belongs to one user of one environment, and its id is that of a sign-in method. */
import { type EnvironmentId, MethodId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { holdUser } from '../users/store.ts'
import { removeAllTrusted } from '../users/trusted-browsers.ts'
import type { VerifiedCredential } from './verify.ts'

/** The most passkeys of a user. */
export const most_passkeys = 20

const PasskeyRow = z.object({
  id: MethodId,
  user_id: z.string(),
  credential_id: z.string(),
  public_key: z.string(),
  counter: z.int(),
  backup_eligible: z.boolean(),
  transports: z.array(z.string()),
  name: z.string(),
  /** It may be a second factor. */
  is_factor: z.boolean(),
  user_handle: z.string().nullable(),
  email: z.string(),
  password_hash: z.string().nullable(),
  blocked_at: z.date().nullable(),
})
export type PasskeyRow = z.infer<typeof PasskeyRow>

const passkeys = (environment_id: EnvironmentId): Statement => sql`
  select p.id, p.user_id, p.credential_id, p.public_key, p.counter, p.backup_eligible, p.transports, p.name, p.is_factor,
         u.passkey_handle as user_handle, u.email, u.password_hash, u.blocked_at
    from passkeys p join users u on ${sameEnvironment('u', 'p', environment_id)} and u.id = p.user_id`

/** Finds the passkey with the id that its authenticator gave it. */
export function findPasskey(db: Db, environment_id: EnvironmentId, credential_id: string): Promise<PasskeyRow | null> {
  return db
    .of(environment_id)
    .maybeOne(
      PasskeyRow,
      sql`${passkeys(environment_id)} where p.environment_id = ${environment_id} and p.credential_id = ${credential_id}`,
    )
}

export function listPasskeys(db: Db, environment_id: EnvironmentId, user_id: string): Promise<PasskeyRow[]> {
  return db
    .of(environment_id)
    .all(PasskeyRow, sql`${passkeys(environment_id)} where ${inEnvironment(environment_id, 'p')} and p.user_id = ${user_id} order by p.id`)
}

const Handle = z.object({ passkey_handle: z.string() })

/** WebAuthn §14.6.1: the user handle tells nothing about the user. It is made once; of two requests at the same time both get the same. */
export async function ensureHandle(
  { db, random }: Pick<Deployment, 'db' | 'random'>,
  environment_id: EnvironmentId,
  user_id: string,
): Promise<string | null> {
  const which = sql`environment_id = ${environment_id} and id = ${user_id}`
  const known = await db
    .of(environment_id)
    .maybeOne(Handle, sql`select passkey_handle from users where ${which} and passkey_handle is not null`)
  if (known) return known.passkey_handle
  const handle = random(32).toString('base64url')
  const made = await db
    .of(environment_id)
    .changeOne(Handle, sql`update users set passkey_handle = coalesce(passkey_handle, ${handle}) where ${which} returning passkey_handle`)
  return made?.passkey_handle ?? null
}

interface NewPasskey extends Omit<VerifiedCredential, 'aaguid'> {
  id: string
  user_id: string
  transports: readonly string[]
  name: string
  /** The ceremony verified the person. */
  is_factor: boolean
}

/**
 * Fails as a guard if the user has the most passkeys, or the environment has the credential. `session` holds the session that adds it;
 * it comes after the user, as in every batch that writes both.
 */
export function insertPasskey(environment_id: EnvironmentId, passkey: NewPasskey, session: readonly Statement[], now: Date): Statement[] {
  const { id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, transports, name, is_factor } = passkey
  return [
    holdUser(environment_id, user_id),
    ...session,
    guard(sql`insert into passkeys (environment_id, id, user_id, credential_id, public_key, counter, backup_eligible, backed_up,
                                    transports, name, is_factor, created_at)
      select environment_id, ${id}, id, ${credential_id}, ${public_key}, ${counter}, ${backup_eligible}, ${backed_up},
             ${transports}, ${name}, ${is_factor}, ${now}
        from users
       where environment_id = ${environment_id} and id = ${user_id} and blocked_at is null
         and (select count(*) from passkeys where environment_id = ${environment_id} and user_id = ${user_id}) < ${most_passkeys}
      on conflict (environment_id, credential_id) do nothing`),
    ...(is_factor ? [removeAllTrusted(environment_id, user_id)] : []),
  ]
}

/**
 * Records a use, which verified the person: from then on it is a second factor. Fails as a guard if the passkey was removed or another use has
 * raised the counter since. The batch holds the user before, as every batch does that writes both.
 */
export function usePasskey(
  environment_id: EnvironmentId,
  { id, user_id, is_factor }: Pick<PasskeyRow, 'id' | 'user_id' | 'is_factor'>,
  { counter, backed_up }: { counter: number; backed_up: boolean },
  now: Date,
): Statement[] {
  const is_ahead = counter === 0 ? sql`counter = 0` : sql`counter < ${counter}`
  return [
    guard(sql`update passkeys set counter = ${counter}, backed_up = ${backed_up}, is_factor = 1, last_used_at = ${now}
      where environment_id = ${environment_id} and id = ${id} and ${is_ahead}`),
    ...(is_factor ? [] : [removeAllTrusted(environment_id, user_id)]), // a new factor
  ]
}

/** Removes every passkey of a user. Their sessions are the caller's to end. */
export function removeAllPasskeys(environment_id: EnvironmentId, user_id: string, now: Date): Statement[] {
  const which = sql`environment_id = ${environment_id} and user_id = ${user_id}`
  return [rememberRemoved(which, now), sql`delete from passkeys where ${which}`]
}

/** Removes one passkey. Fails as a guard if the user no longer has it. */
export function removePasskey(environment_id: EnvironmentId, user_id: string, id: string, now: Date): Statement[] {
  const which = sql`environment_id = ${environment_id} and user_id = ${user_id} and id = ${id}`
  return [rememberRemoved(which, now), guard(sql`delete from passkeys where ${which}`)]
}

/** So that a browser which still offers the passkey learns that it is gone (`wasRemoved`). */
const rememberRemoved = (which: Statement, now: Date): Statement =>
  sql`insert into removed_passkeys (environment_id, credential_id, removed_at)
    select environment_id, credential_id, ${now} from passkeys where ${which}
    on conflict (environment_id, credential_id) do nothing`

const UserIdRow = z.object({ user_id: z.string() })

/** Those of the users who have a passkey that is a second factor. */
export async function findUsersWithPasskey(db: Db, environment_id: EnvironmentId, user_ids: readonly string[]): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await db
    .of(environment_id)
    .all(
      UserIdRow,
      sql`select user_id from passkeys where environment_id = ${environment_id} and user_id in (${list(user_ids)}) and is_factor = 1`,
    )
  return new Set(rows.map(({ user_id }) => user_id))
}

const Removed = z.object({ removed_at: z.date() })

/** Whether this environment removed a passkey. Of any other credential it cannot tell whose it is. */
export async function wasRemoved(db: Db, environment_id: EnvironmentId, credential_id: string): Promise<boolean> {
  const which = sql`environment_id = ${environment_id} and credential_id = ${credential_id}`
  return (await db.of(environment_id).maybeOne(Removed, sql`select removed_at from removed_passkeys where ${which}`)) !== null
}
