/** Why something failed, for the events that report a failure. The remedies are in `cause.ts`, which the overview does not load. */
import type { Event } from '@ostiary/sdk'
import { reasonWords } from '../../parts/words.ts'

// biome-ignore format: this table is read by column
const mail: Record<string, string> = {
  dns:       'The name of the mail server has no address.',
  connect:   'The mail server could not be reached.',
  tls:       'The encrypted connection failed.',
  greeting:  'The mail server did not greet.',
  auth:      'The mail server refused the user name or the password.',
  recipient: 'The mail server refused the sender or the recipient.',
  data:      'The mail server refused the message.',
}

/** `null` for an event that reports no failure. */
export function reasonOf({ type, data }: Pick<Event, 'type' | 'data'>): string | null {
  switch (type) {
    case 'mail.failed': {
      const known = mail[String(data.stage)]
      const reply = typeof data.reply === 'string' ? ` Its reply: ${data.reply}` : ''
      const later = data.final === false ? ' It is sent again.' : ''
      return known ? `${known}${reply}${later}` : 'The mail was not sent in time, or the mail server was removed.'
    }
    case 'sign_in.failed':
      return `${reasonWords(String(data.reason))}.`
    case 'webhook.disabled':
      return data.reason === 'gone'
        ? 'The receiver answered 410, so the webhook was switched off.'
        : 'No delivery succeeded for five days, so the webhook was switched off.'
    case 'token.reuse_detected':
      return 'A refresh token was used a second time, so all tokens of its grant were revoked.'
    default:
      return null
  }
}
