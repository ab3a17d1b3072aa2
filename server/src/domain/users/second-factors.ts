/**
 * The second factors of users: authenticator apps and recovery codes here, passkeys in `domain/passkeys/store.ts`. How each
 * is checked in a sign-in: `oidc/flow/second-factor/second-factors.ts`.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { FactorKind, MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, join, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { holdUser } from './store.ts'
import { totp_secret_bytes } from './totp.ts'
import { removeAllTrusted } from './trusted-browsers.ts'

/** More are of no use, and each is one more code that a guess may match. */
export const most_totps = 5

/**
 * The methods that are second factors. Recovery codes alone are not: they come and go with the apps. An enrolled passkey is one under any
 * settings: a person who has one chose two factors, and a change of the settings must not leave them with one. One that a browser created by
 * itself does not count until a sign-in has used it.
 */
const counted: Record<FactorKind, ((environment_id: EnvironmentId) => OfEnvironment) | null> = {
  totp: (environment_id) => sql`select id, user_id from totp_methods where ${inEnvironment(environment_id)}`,
  passkey: (environment_id) => sql`select id, user_id from passkeys where ${inEnvironment(environment_id)} and is_factor = 1`,
  recovery_codes: null,
}

/** Whether a method of this kind is a second factor by itself. */
export const isSecondFactorAlone = (kind: MethodKind): boolean => Object.entries(counted).some(([name, select]) => name === kind && select)

/** Users with a second factor. */
const secondFactorsOf = (environment_id: EnvironmentId) =>
  join(
    Object.values(counted).flatMap((select) => (select === null ? [] : [select(environment_id)])),
    '\n      union all ',
  )

/** A condition. Every batch that adds a second factor also writes the row of the user (`holdUser`). */
export const hasSecondFactor = (environment_id: EnvironmentId, user_id: string): Statement =>
  sql`exists (select 1 from (${secondFactorsOf(environment_id)}) factors where user_id = ${user_id})`

/**
 * Fails as a guard if the user has no second factor but this method. For a batch that removes it where `mfa.mode` is
 * `required`; the batch holds the user before (`holdUser`).
 */
export const keepsSecondFactor = (environment_id: EnvironmentId, user_id: string, method_id: string): Statement =>
  guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${user_id}
      and exists (select 1 from (${secondFactorsOf(environment_id)}) factors where user_id = ${user_id} and id <> ${method_id})`)

/**
 * Fails as a guard if the user has a second factor. For a batch that adds the first one in a sign-in: a person who has one is asked for it.
 * The batch holds the user before (`holdUser`).
 */
export const hasNoSecondFactor = (environment_id: EnvironmentId, user_id: string): Statement =>
  guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${user_id} and not ${hasSecondFactor(environment_id, user_id)}`)

const UserIdRow = z.object({ user_id: z.string() })

/** Those of the users who have a second factor. */
export async function findUsersWithSecondFactor(db: Db, environment_id: EnvironmentId, user_ids: readonly string[]): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await db
    .of(environment_id)
    .all(UserIdRow, sql`select user_id from (${secondFactorsOf(environment_id)}) factors where user_id in (${list(user_ids)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

const TotpRow = z.object({ id: z.string(), secret: z.string(), last_step: z.int() })
export type TotpRow = z.infer<typeof TotpRow>

/** The authenticator apps of a user. */
export function findTotps(db: Db, environment_id: EnvironmentId, user_id: string): Promise<TotpRow[]> {
  return db
    .of(environment_id)
    .all(
      TotpRow,
      sql`select id, secret, last_step from totp_methods where ${inEnvironment(environment_id)} and user_id = ${user_id} order by id`,
    )
}

export const unsealTotp = ({ secrets }: Pick<Deployment, 'secrets'>, environment_id: EnvironmentId, { id, secret }: TotpRow): Buffer =>
  Buffer.from(secrets.unseal(secret, sealed_columns.totp_methods.associatedData(environment_id, id)), 'base64')

/**
 * The secret of an app that a person is about to add. It is a MAC over `binding`, a random text that only the form or the cookie of this
 * enrolment leads to, so it needs no row before the person confirms it.
 */
export function offeredTotp({ secrets }: Pick<Deployment, 'secrets'>, environment_id: EnvironmentId, user_id: string, binding: string) {
  return secrets.mac('totp-enrolment', JSON.stringify([environment_id, user_id, binding])).subarray(0, totp_secret_bytes)
}

export interface NewTotp {
  id: string
  secret: Buffer
  /** The step of the code that confirmed the app, which is used with it. */
  step: number
  /** How many apps the user has. */
  before: number
}

/** Adds an app. Fails as a guard if the number of apps is not `before`, or if the user was deleted. */
export function insertTotp(
  { secrets }: Pick<Deployment, 'secrets'>,
  { environment_id, id: user_id }: UserRef,
  { id, secret, step, before }: NewTotp,
  now: Date,
): Statement[] {
  const sealed = secrets.seal(secret.toString('base64'), sealed_columns.totp_methods.associatedData(environment_id, id))
  return [
    holdUser(environment_id, user_id),
    guard(sql`insert into totp_methods (environment_id, id, user_id, secret, last_step, created_at)
      select ${environment_id}, ${id}, ${user_id}, ${sealed}, ${step}, ${now}
       where (select count(*) from totp_methods where environment_id = ${environment_id} and user_id = ${user_id}) = ${before}`),
    removeAllTrusted(environment_id, user_id),
  ]
}

/** RFC 6238 §5.2: fails as a guard if a code of this step or of a later one was used. */
export function useTotp({ environment_id, id: user_id }: UserRef, { id, step }: Pick<NewTotp, 'id' | 'step'>, now: Date): Statement {
  return guard(sql`update totp_methods set last_step = ${step}, last_used_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and last_step < ${step}`)
}

/** Sixty bits could be found from a plain digest, so codes are stored as MACs. */
export function recoveryHash(
  { secrets }: Pick<Deployment, 'secrets'>,
  environment_id: EnvironmentId,
  user_id: string,
  key: string,
): string {
  return secrets.mac('recovery-code', JSON.stringify([environment_id, user_id, key])).toString('base64url')
}

/** Replaces the recovery codes of a user. */
export function replaceRecoveryCodes(
  environment_id: EnvironmentId,
  user_id: string,
  { id, hashes }: { id: string; hashes: readonly string[] },
  now: Date,
): Statement[] {
  const rows = hashes.map((hash) => sql`(${environment_id}, ${user_id}, ${hash}, ${id}, ${now})`)
  return [
    holdUser(environment_id, user_id),
    sql`delete from recovery_codes where environment_id = ${environment_id} and user_id = ${user_id}`,
    sql`insert into recovery_codes (environment_id, user_id, code_hash, method_id, created_at) values ${join(rows, ', ')}`,
    removeAllTrusted(environment_id, user_id),
  ]
}

/** Fails as a guard if the code does not exist or was used. */
export function useRecoveryCode(environment_id: EnvironmentId, user_id: string, code_hash: string, now: Date): Statement {
  return guard(sql`update recovery_codes set used_at = ${now}
    where environment_id = ${environment_id} and user_id = ${user_id} and code_hash = ${code_hash} and used_at is null`)
}

const Count = z.object({ count: z.int() })

export async function countRecoveryCodes(db: Db, environment_id: EnvironmentId, user_id: string): Promise<number> {
  const row = await db.of(environment_id).maybeOne(
    Count,
    sql`select count(*) as count from recovery_codes
         where environment_id = ${environment_id} and user_id = ${user_id} and used_at is null`,
  )
  return row?.count ?? 0
}

/** Removes an app, and with the last app the recovery codes. Fails as a guard if the user no longer has the app. */
export function removeTotp(environment_id: EnvironmentId, user_id: string, id: string): Statement[] {
  const of_user = sql`environment_id = ${environment_id} and user_id = ${user_id}`
  return [
    holdUser(environment_id, user_id),
    guard(sql`delete from totp_methods where ${of_user} and id = ${id}`),
    sql`delete from recovery_codes where ${of_user} and not exists (select 1 from totp_methods where ${of_user})`,
  ]
}

/** Fails as a guard if the user no longer has this set. The batch holds the user before (`holdUser`), since the guard reads the codes. */
export function removeRecoveryCodes(environment_id: EnvironmentId, user_id: string, id: string): Statement[] {
  const of_set = sql`environment_id = ${environment_id} and user_id = ${user_id} and method_id = ${id}`
  return [
    guard(sql`update users set updated_at = updated_at
      where environment_id = ${environment_id} and id = ${user_id} and exists (select 1 from recovery_codes where ${of_set})`),
    sql`delete from recovery_codes where ${of_set}`,
  ]
}

export const removeAllTotps = (environment_id: EnvironmentId, user_id: string): Statement[] => [
  sql`delete from totp_methods where environment_id = ${environment_id} and user_id = ${user_id}`,
]

export const removeAllRecoveryCodes = (environment_id: EnvironmentId, user_id: string): Statement[] => [
  sql`delete from recovery_codes where environment_id = ${environment_id} and user_id = ${user_id}`,
]
