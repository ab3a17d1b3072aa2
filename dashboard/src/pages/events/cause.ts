/** Why something failed and what to do, for the events that report a failure. `null` for others. */
import type { Event } from '@ostiary/sdk'
import { fixOf } from '../calls/fixes.ts'
import { reasonOf } from './reason.ts'

interface Cause {
  reason: string
  fix: string
}

/** By the steps of the delivery of a mail, as `mail.failed` names them. */
const mail: Record<string, string> = {
  dns: 'Correct the host of the mail server in the settings.',
  connect: 'Check host and port, and whether a firewall lets the service out. A private address needs to be allowed by the operator.',
  tls: 'Check the kind of TLS and the port (587 starttls, 465 implicit), and the certificate.',
  greeting: 'Check that the port belongs to a mail server that accepts this machine.',
  auth: 'Enter the credentials of the mail server again.',
  recipient: 'Check the sender in the settings. Its reply says more.',
  data: 'Its reply says why, often a limit or a policy.',
}

export function causeOf(event: Pick<Event, 'type' | 'data'>): Cause | null {
  const reason = reasonOf(event)
  return reason === null ? null : { reason, fix: fixFor(event) }
}

function fixFor({ type, data }: Pick<Event, 'type' | 'data'>): string {
  if (type === 'mail.failed') return mail[String(data.stage)] ?? 'Set up mail in the settings, then ask for the mail again.'
  if (type === 'sign_in.failed') return fixOf(String(data.reason))
  if (type === 'webhook.disabled') return 'Correct the receiver, then switch the webhook on.'
  return 'Let the application store the new refresh token of each refresh, and refresh in one place only. If it does, the token was stolen.'
}
