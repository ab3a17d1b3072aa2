/** Invitations: a link by which somebody new sets the first password, once. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'

/** For a batch that makes the person: nothing happens where the person was not made. */
export function insertInvitation(environment_id: EnvironmentId, user_id: string, token_hash: string, expires_at: Date): Statement {
  return sql`insert into invitations (environment_id, token_hash, user_id, expires_at)
    values (${environment_id}, ${token_hash}, ${user_id}, ${expires_at})`
}

const Invited = z.object({ user_id: z.custom<`usr_${string}`>(), email: z.string() })

/** Whom the link is for, while it may be used. */
export function findInvitation(db: Db, environment_id: EnvironmentId, token_hash: string, now: Date) {
  return db.maybeOne(
    Invited,
    sql`select i.user_id, u.email from invitations i join users u on u.environment_id = i.environment_id || '' and u.id = i.user_id and u.blocked_at is null
         where i.environment_id = ${environment_id} and i.token_hash = ${token_hash} and i.spent_by is null and i.expires_at > ${now}`,
  )
}

/** Spends the link and sets the password. Whoever opened the link can read the mailbox it was sent to. */
export async function acceptInvitation(
  db: Db,
  environment_id: EnvironmentId,
  token_hash: string,
  attempt: string,
  password_hash: string,
  now: Date,
): Promise<boolean> {
  const accepted = await db.batch([
    guard(
      sql`update invitations set spent_by = ${attempt} where environment_id = ${environment_id} and token_hash = ${token_hash} and spent_by is null and expires_at > ${now}`,
    ),
    sql`update users set password_hash = ${password_hash}, email_verified = 1, version = version + 1, updated_at = ${now}
         where environment_id = ${environment_id}
           and id in (select user_id from invitations where environment_id = ${environment_id} and token_hash = ${token_hash} and spent_by = ${attempt})`,
  ])
  return accepted !== null
}
