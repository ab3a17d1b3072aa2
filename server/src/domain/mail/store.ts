/** Stores mail: what waits for its mail server, and the captured mail of Test environments (the newest 1,000 of each, for seven days). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Mail, MailKind } from '@ostiary/contract/mail.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Composed } from './compose.ts'

export const captured_mail_kept_ms = 7 * day_ms
const most_kept = 1_000

export interface NewMail extends Composed {
  id: string
  to: string
  kind: MailKind
}

/** Stores a mail and deletes all but the newest 1,000. */
export function captureMail(environment_id: EnvironmentId, mail: NewMail, now: Date): Statement[] {
  return [
    insertInto('captured_mails', {
      environment_id,
      id: mail.id,
      recipient: mail.to,
      recipient_key: emailKey(mail.to),
      kind: mail.kind,
      subject: mail.subject,
      body_text: mail.text,
      body_html: mail.html,
      code: mail.code,
      link: mail.link,
      created_at: now,
    }),
    sql`delete from captured_mails where environment_id = ${environment_id} and id <=
      (select id from captured_mails where environment_id = ${environment_id} order by id desc limit 1 offset ${most_kept})`,
  ]
}

/** For a decoy: takes back what the same batch captured. */
export function removeCaptured(environment_id: EnvironmentId, id: string): Statement[] {
  return [sql`delete from captured_mails where environment_id = ${environment_id} and id = ${id}`]
}

/** Finds the captured mails of an environment. `to` is a complete email, not a part of one. */
export function listMails(db: Db, environment_id: EnvironmentId, { to, now }: { to: string | undefined; now: Date }, rest: Statement) {
  const by_recipient = to === undefined ? sql`` : sql`and recipient_key = ${emailKey(to)}`
  return db.of(environment_id).all(Mail, sql`${mails(environment_id, now)} ${by_recipient} ${rest}`)
}

export function findMail(db: Db, environment_id: EnvironmentId, id: string, now: Date): Promise<Mail | null> {
  return db.of(environment_id).maybeOne(Mail, sql`${mails(environment_id, now)} and id = ${id}`)
}

const keptFrom = (now: Date) => new Date(now.getTime() - captured_mail_kept_ms)

const mails = (environment_id: EnvironmentId, now: Date) =>
  sql`select id, recipient as "to", kind, subject, body_text as text, body_html as html, code, link, created_at
        from captured_mails
       where environment_id = ${environment_id} and created_at >= ${keptFrom(now)}`

const Sender = z.object({ type: EnvironmentType, settings: z.record(z.string(), z.unknown()), project_name: z.string() })

/** Finds the project name and the settings with which an environment sends mail. */
export function findSender(db: Db, environment_id: EnvironmentId) {
  return db.of(environment_id).maybeOne(
    Sender,
    sql`select e.type, e.settings, p.name as project_name
          from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
         where e.id = ${environment_id}`,
  )
}

export interface QueuedMail {
  id: string
  kind: MailKind
  sealed: string
  user_id: string | null
  request_id: string | null
  expires_at: Date
}

export function insertMail(environment_id: EnvironmentId, { id, kind, sealed, user_id, request_id, expires_at }: QueuedMail, now: Date) {
  return insertInto('mails', { environment_id, id, kind, sealed, user_id, request_id, expires_at, created_at: now })
}

const Waiting = z.object({
  id: z.string(),
  kind: MailKind,
  sealed: z.string(),
  user_id: z.string().nullable(),
  request_id: z.string().nullable(),
  expires_at: z.date(),
})

export function findQueuedMail(db: Db, environment_id: EnvironmentId, id: string): Promise<QueuedMail | null> {
  return db
    .of(environment_id)
    .maybeOne(
      Waiting,
      sql`select id, kind, sealed, user_id, request_id, expires_at from mails where environment_id = ${environment_id} and id = ${id}`,
    )
}

/** Notes the first failure. The guard fails at every later one. */
export function noteFirstFailure(environment_id: EnvironmentId, id: string, now: Date): Statement {
  return guard(sql`update mails set failed_at = ${now} where environment_id = ${environment_id} and id = ${id} and failed_at is null`)
}

/** Removes a mail with its content. The guard fails if it was removed before. */
export function removeMail(environment_id: EnvironmentId, id: string): Statement {
  return guard(sql`delete from mails where environment_id = ${environment_id} and id = ${id}`)
}
