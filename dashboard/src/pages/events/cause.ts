/** Why something failed and what to do, for the events that report a failure. `null` for others. */
import type { Event } from '@ostiary/sdk'
import { fixOf } from '../calls/fixes.ts'

interface Cause {
  reason: string
  fix: string
}

/** The steps of the delivery of a mail, as `mail.failed` names them. */
const mail: Record<string, Cause> = {
  dns: { reason: 'The name of the mail server has no address.', fix: 'Correct the host of the mail server in the settings.' },
  connect: {
    reason: 'The mail server could not be reached.',
    fix: 'Check host and port, and whether a firewall lets the service out. A private address needs to be allowed by the operator.',
  },
  tls: {
    reason: 'The encrypted connection failed.',
    fix: 'Check the kind of TLS and the port (587 starttls, 465 implicit), and the certificate.',
  },
  greeting: { reason: 'The mail server did not greet.', fix: 'Check that the port belongs to a mail server that accepts this machine.' },
  auth: { reason: 'The mail server refused the user name or the password.', fix: 'Enter the credentials of the mail server again.' },
  recipient: {
    reason: 'The mail server refused the sender or the recipient.',
    fix: 'Check the sender in the settings. Its reply says more.',
  },
  data: { reason: 'The mail server refused the message.', fix: 'Its reply says why, often a limit or a policy.' },
}

export function causeOf({ type, data }: Pick<Event, 'type' | 'data'>): Cause | null {
  if (type === 'mail.failed') {
    const known = mail[String(data.stage)]
    const reply = typeof data.reply === 'string' ? ` Its reply: ${data.reply}` : ''
    const later = data.final === false ? ' It is sent again.' : ''
    if (known) return { reason: `${known.reason}${reply}${later}`, fix: known.fix }
    return {
      reason: 'The mail was not sent in time, or the mail server was removed.',
      fix: 'Set up mail in the settings, then ask for the mail again.',
    }
  }
  if (type === 'sign_in.failed') return { reason: `The sign-in failed: ${String(data.reason)}.`, fix: fixOf(String(data.reason)) }
  if (type === 'webhook.disabled')
    return data.reason === 'gone'
      ? { reason: 'The receiver answered 410, so the webhook was switched off.', fix: 'Correct the receiver, then switch the webhook on.' }
      : {
          reason: 'No delivery succeeded for five days, so the webhook was switched off.',
          fix: 'Correct the receiver, then switch the webhook on.',
        }
  if (type === 'token.reuse_detected')
    return {
      reason: 'A refresh token was used a second time, so all tokens of its grant were revoked.',
      fix: 'Let the application store the new refresh token of each refresh, and refresh in one place only. If it does, the token was stolen.',
    }
  return null
}
