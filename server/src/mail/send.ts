/**
 * Sends mail to the users of an environment. A change that causes a mail adds `mailStatements` to its own batch, so both happen or
 * neither does. Test environments capture mail (`store.ts`). Other deliveries belong here.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { insertEvent } from '../events/store.ts'
import { effectiveSettings } from '../tenancy/settings.ts'
import { captureMail, findSender } from './store.ts'
import { compose, type Notice } from './texts.ts'

/** Returns the statements that send a mail and record its event, or none if the environment sends no mail. */
export async function mailStatements(
  { db, newId }: Pick<Deployment, 'db' | 'newId'>,
  environment_id: EnvironmentId,
  { to, user_id, request_id, notice }: { to: string; user_id: string; request_id: string; notice: Notice },
  now: Date,
): Promise<Statement[]> {
  const sender = await findSender(db, environment_id)
  if (!sender) return []
  const { email, branding, links } = effectiveSettings(sender.type, sender.settings)
  if (email.delivery !== 'capture') return []

  const id = newId('eml')
  const composed = compose(notice, { to, brand: branding.display_name ?? sender.project_name, support_url: links.support_url, at: now })
  const origin = { id: newId('evt'), actor: { type: 'system' as const, id: null }, request_id }
  return [
    ...captureMail(environment_id, { id, to, kind: notice.kind, ...composed }, now),
    insertEvent(environment_id, origin, { type: 'mail.sent', user_id, data: { mail_id: id, kind: notice.kind, attempts: 1 } }, now),
  ]
}
