/**
 * Stores changes of addresses that wait for confirmation (decision 0046). A user has at most one. Its codes and links are rows of
 * `mailed_codes`. The batches begin with the row of the user (`aboutUser`).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import { codeExpiry, endOpenCodes } from './mailed-codes.ts'

const EmailChange = z.object({
  /** The new address. */
  email: z.string(),
  session_id: z.string(),
  new_confirmed_at: z.date().nullable(),
  old_confirmed_at: z.date().nullable(),
  expires_at: z.date(),
})
export type EmailChange = z.infer<typeof EmailChange>

export function findEmailChange(db: Db, environment_id: EnvironmentId, user_id: string, now: Date): Promise<EmailChange | null> {
  return db.of(environment_id).maybeOne(
    EmailChange,
    sql`select email, session_id, new_confirmed_at, old_confirmed_at, expires_at from email_changes
         where environment_id = ${environment_id} and user_id = ${user_id} and expires_at > ${now}`,
  )
}

/** Replaces the change of a user. */
export function insertEmailChange(
  environment_id: EnvironmentId,
  user_id: string,
  { email, session_id }: Pick<EmailChange, 'email' | 'session_id'>,
  now: Date,
): Statement[] {
  const expires_at = codeExpiry('change_email', now)
  const pending = { email, expires_at: expires_at.toISOString() }
  return [
    sql`delete from email_changes where environment_id = ${environment_id} and user_id = ${user_id}`,
    insertInto('email_changes', { environment_id, user_id, email, pending, session_id, expires_at }),
  ]
}

/** The change as it was read: another confirmation, another address and its end are all different. */
function unchanged(environment_id: EnvironmentId, user_id: string, change: EmailChange, now: Date): Statement {
  const { email, new_confirmed_at, old_confirmed_at, expires_at } = change
  return sql`environment_id = ${environment_id} and user_id = ${user_id} and email = ${email} and expires_at = ${expires_at}
    and expires_at > ${now} and coalesce(new_confirmed_at, 0) = ${new_confirmed_at ?? 0}
    and coalesce(old_confirmed_at, 0) = ${old_confirmed_at ?? 0}`
}

export type End = 'new' | 'old'

/** Fails as a guard if the change is no longer as it was read. */
export function confirmEnd({ environment_id, id }: UserRef, change: EmailChange, end: End, now: Date): Statement {
  const column = end === 'new' ? sql`new_confirmed_at` : sql`old_confirmed_at`
  return guard(sql`update email_changes set ${column} = ${now} where ${unchanged(environment_id, id, change, now)}`)
}

/** Ends a change with its codes. Fails as a guard if it is no longer as it was read. */
export function takeEmailChange(environment_id: EnvironmentId, user_id: string, change: EmailChange, now: Date): Statement[] {
  return [
    endOpenCodes(environment_id, user_id, now),
    guard(sql`delete from email_changes where ${unchanged(environment_id, user_id, change, now)}`),
  ]
}
