/**
 * Sends mail to the users of an environment. A change that causes a mail adds `mailStatements` to its own batch, so both happen or
 * neither does. Test environments capture mail (`store.ts`); otherwise `deliver.ts` sends it from the queue.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { MailFailure, MailKind } from '@ostiary/contract/mail.ts'
import { type EmailSettings, sendsMail } from '../../base/mail-settings.ts'
import type { Statement } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { bySystem, originOf } from '../events/origin.ts'
import { insertEvent, type Origin, removeUnnumbered } from '../events/store.ts'
import { enqueue } from '../queue/queue.ts'
import { effectiveSettings } from '../tenancy/settings.ts'
import { countMail, countsForAddress } from './address-limit.ts'
import { type Composed, compose } from './compose.ts'
import { captureMail, findSender, insertMail, removeCaptured } from './store.ts'
import { lifeOf, type Notice } from './texts/notice.ts'

type MailDeployment = Pick<Deployment, 'db' | 'newId' | 'secrets' | 'config'>

interface MailRequest {
  to: string
  user_id: string | null
  request_id: string | null
  notice: Notice
  /** The languages of the person, as in `ui_locales`. */
  locales?: string | null
  /** The same work and the same rows, but nobody gets a mail: no answer may show that there is no account to write to. */
  is_decoy?: boolean
  /** A known browser asked, which signed in to the account before. */
  is_known?: boolean
}

/** A mail in the words and with the settings of its environment. */
export interface Prepared {
  id: string
  kind: MailKind
  to: string
  email: EmailSettings
  composed: Composed
}

/** Composes a mail; `null` if the environment sends none. */
export async function prepareMail(
  { db, newId }: Pick<Deployment, 'db' | 'newId'>,
  environment_id: EnvironmentId,
  { to, notice, locales }: Pick<MailRequest, 'to' | 'notice' | 'locales'>,
  now: Date,
): Promise<Prepared | null> {
  const sender = await findSender(db, environment_id)
  if (!sender) return null
  const { email, branding, links } = effectiveSettings(sender.type, sender.settings)
  if (!sendsMail(email)) return null
  const envelope = { to, brand: branding.display_name ?? sender.project_name, support_url: links.support_url, at: now }
  const look = { is_test: sender.type === 'test', locales: locales ?? undefined, primary_color: branding.primary_color }
  return { id: newId('eml'), kind: notice.kind, to, email, composed: compose(notice, envelope, look) }
}

/**
 * Returns the statements that send a mail, or none if the environment sends no mail. One of them is a guard where the mail counts for its
 * address (`address-limit.ts`). A captured mail does not count.
 */
export async function mailStatements(
  deployment: MailDeployment,
  environment_id: EnvironmentId,
  request: MailRequest,
  now: Date,
): Promise<Statement[]> {
  const prepared = await prepareMail(deployment, environment_id, request, now)
  if (!prepared) return []
  const about = { ...request, environment_id, id: prepared.id, kind: prepared.kind }
  const { is_decoy = false } = request
  if (prepared.email.delivery === 'capture') {
    const origin = mailOrigin(deployment, request)
    return [
      ...capture(environment_id, prepared, now),
      mailEvent(origin, about, { type: 'mail.sent', attempts: 1 }, now),
      ...(is_decoy ? [...removeCaptured(environment_id, prepared.id), removeUnnumbered(environment_id, origin.id)] : []),
    ]
  }

  const { id, kind, to, composed } = prepared
  const { user_id, request_id } = request
  const sealed = deployment.secrets.seal(
    JSON.stringify({ to, ...composed, is_decoy }),
    sealed_columns.mails.associatedData(environment_id, id),
  )
  const payload = { mail_id: id, kind, user_id, request_id }
  return [
    ...(countsForAddress(kind) ? await countMail(deployment, environment_id, request, now) : []),
    insertMail(environment_id, { id, kind, sealed, user_id, request_id, expires_at: lifeOf(request.notice, now) }, now),
    enqueue({ id, kind: 'mail', lane: environment_id, environment_id, payload }, now),
  ]
}

export function capture(environment_id: EnvironmentId, { id, kind, to, composed }: Omit<Prepared, 'email'>, now: Date): Statement[] {
  return captureMail(environment_id, { id, to, kind, ...composed }, now)
}

interface About {
  environment_id: EnvironmentId
  id: string
  kind: MailKind
  user_id: string | null
}

type Outcome =
  | { type: 'mail.sent'; attempts: number }
  | { type: 'mail.failed'; attempts: number; stage: string | null; reply: string | null; reason: MailFailure; final: boolean }

/** The service mails, for a request where one caused it. */
export const mailOrigin = (services: Pick<Deployment, 'newId'>, { request_id }: { request_id: string | null }): Origin =>
  originOf(services, bySystem, request_id)

/** The event of a mail. It has neither the recipient nor the content. */
export function mailEvent(
  origin: Origin,
  { environment_id, id, kind, user_id }: About,
  { type, ...outcome }: Outcome,
  now: Date,
): Statement {
  return insertEvent(environment_id, origin, { type, user_id, data: { mail_id: id, kind, ...outcome } }, now)
}
