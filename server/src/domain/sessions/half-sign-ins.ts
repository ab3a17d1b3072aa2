/**
 * Half sign-ins: the first factor of a person succeeded, and the second is missing. A row is bound to a browser by the digest of a
 * secret cookie, and to the request. It is not a session: nothing but the pages of the second factor accepts it.
 */
import type { EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import { methods_by_address } from '@ostiary/contract/sign-in-methods.ts'
import { z } from 'zod'
import { hour_ms } from '../../base/durations.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { halfSignInStands, numberOfNewBeginning, passwordMethodOf } from './standing.ts'

/** A sign-in that stops halfway ends after 10 minutes. */
const half_sign_in_ms = 600_000
/** For another hour the page of an attempt that is over knows which address was typed. */
export const over_kept_ms = hour_ms
export const half_sign_in_kept_seconds = (half_sign_in_ms + over_kept_ms) / 1000
/** This many wrong second factors end the attempt. */
const most_tries = 5

/** The result of the first factor, for the session. */
const SignedInRow = z.object({
  email: z.string(),
  password_hash: z.string().nullable(),
  step: z.enum(['sign_in', 'sign_up']),
  method: z.string(),
  provider_id: z.string().optional(),
  amr: z.array(z.string()),
  identity_id: z.string().optional(),
  began_with: z.enum(methods_by_address).optional(),
  /** The identity at a provider that is linked with the session. */
  links: z.object({ provider_id: z.string(), issuer: z.string(), subject: z.string() }).optional(),
  /** The session at the provider, with its sealed ID token. */
  upstream: z.object({ provider_id: z.string(), sid: z.string().nullable(), id_token: z.string().nullable() }).optional(),
  /** Every factor succeeded, and the account is closed: a press restores it. */
  restores: z.object({ second_factor: z.string().optional() }).optional(),
})

const HalfSignIn = z.object({
  secret_hash: z.string(),
  user_id: z.custom<UserId>(),
  session_id: z.string().nullable(),
  request_hash: z.string(),
  enrols: z.boolean(),
  signed_in: SignedInRow,
  needs_code: z.boolean(),
  expires_at: z.date(),
})
export type HalfSignIn = z.infer<typeof HalfSignIn>

export type NewHalfSignIn = Omit<HalfSignIn, 'expires_at' | 'user_id'> & { user_id: string }

/** Fails as a guard if the user is blocked or deleted, or if the password changed since it was checked. */
export function insertHalfSignIn(environment_id: EnvironmentId, half: NewHalfSignIn, now: Date): Statement {
  const { password_hash, identity_id, links, began_with } = half.signed_in
  // An identity that is linked with the session has no row yet. A half sign-in for a session ends with the session, and with any method.
  const method = half.session_id === null ? (links?.provider_id ?? identity_id ?? began_with ?? passwordMethodOf(half.user_id)) : null
  const beginning = numberOfNewBeginning(environment_id, method, sql`u`)
  const unchanged = half.session_id === null ? sql`and coalesce(password_hash, '') = ${password_hash ?? ''}` : sql``
  return guard(sql`insert into half_sign_ins (environment_id, secret_hash, user_id, session_id, request_hash, enrols, signed_in,
                                              tries, needs_code, ending, began_with, began_ending, expires_at)
    select environment_id, ${half.secret_hash}, id, ${half.session_id}, ${half.request_hash}, ${half.enrols}, ${half.signed_in},
           0, ${half.needs_code}, ending, ${method}, ${beginning}, ${new Date(now.getTime() + half_sign_in_ms)}
      from users u
     where environment_id = ${environment_id} and id = ${half.user_id} and blocked_at is null and ${beginning} >= 0 ${unchanged}`)
}

/** The half sign-in of a cookie, while it may continue. */
export function findHalfSignIn(db: Db, environment_id: EnvironmentId, secret_hash: string, now: Date): Promise<HalfSignIn | null> {
  return db.of(environment_id).maybeOne(
    HalfSignIn,
    sql`select secret_hash, user_id, session_id, request_hash, enrols, signed_in, needs_code, expires_at from half_sign_ins h
         where environment_id = ${environment_id} and secret_hash = ${secret_hash} and tries < ${most_tries} and expires_at > ${now}
           and ${halfSignInStands(environment_id, sql`h`)}`,
  )
}

const Typed = z.object({ signed_in: SignedInRow.pick({ email: true }) })

/** The address that was typed in a half sign-in, which may be over; `null` where nothing is known of it any more. */
export async function findTypedEmail(db: Db, environment_id: EnvironmentId, secret_hash: string): Promise<string | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(Typed, sql`select signed_in from half_sign_ins where environment_id = ${environment_id} and secret_hash = ${secret_hash}`)
  return row?.signed_in.email ?? null
}

const ofRow = (environment_id: EnvironmentId, { secret_hash }: Pick<HalfSignIn, 'secret_hash'>, now: Date) =>
  sql`environment_id = ${environment_id} and secret_hash = ${secret_hash} and expires_at > ${now} and ${halfSignInStands(environment_id, sql`half_sign_ins`)}`

/** Counts a try before it is checked, so that parallel ones cannot exceed the limit. A guard. */
export function countFactorTry(environment_id: EnvironmentId, half: HalfSignIn, now: Date): Statement {
  return guard(sql`update half_sign_ins set tries = tries + 1 where ${ofRow(environment_id, half, now)} and tries < ${most_tries}`)
}

/**
 * Ends a half sign-in with success. Of parallel batches one succeeds: it is a guard. The row stays, for `findTypedEmail`. Put it after the
 * write of the user's row, which every ending of the user writes.
 */
export function endHalfSignIn(environment_id: EnvironmentId, half: HalfSignIn, now: Date): Statement {
  return guard(sql`update half_sign_ins set expires_at = ${now} where ${ofRow(environment_id, half, now)}`)
}

/** Accepts the mailed code, in the batch that spends it. A guard. */
export function acceptMailedCode(environment_id: EnvironmentId, half: HalfSignIn, now: Date): Statement {
  return guard(sql`update half_sign_ins set needs_code = 0 where ${ofRow(environment_id, half, now)} and needs_code = 1`)
}
