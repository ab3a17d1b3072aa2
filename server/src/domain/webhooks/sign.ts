// pure
/** Webhook signatures by Standard Webhooks: receivers verify them with any library for it. */
import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/** Makes a secret of 32 random bytes. */
export function makeWebhookSecret(random: Uint8Array): string {
  return prefix + Buffer.from(random).toString('base64')
}

/** The secrets of a webhook, sealed. */
export interface SealedSecrets {
  secret: string
  /**
   * The secrets before, sealed as one text: a line for each, the newest first. Each line but the first ends with the time, in
   * milliseconds, until which its secret signs.
   */
  previous_secret: string | null
  /** Until when the first of `previous_secret` signs. */
  previous_secret_until: Date | null
}

type Unseal = (sealed: string) => string

/** Bounds the headers of a webhook whose secret is rotated in a loop. */
const most_previous = 5

/** The secrets that sign now: the current one, and those that a rotation replaced in the last 24 hours. */
export function signingSecrets(sealed: SealedSecrets, unseal: Unseal, now: Date): string[] {
  return [unseal(sealed.secret), ...previousSecrets(sealed, unseal, now).map(({ secret }) => secret)]
}

/** The `previous_secret`, not yet sealed, of a webhook whose secret is replaced now. */
export function previousAfterRotation(sealed: SealedSecrets, unseal: Unseal, now: Date): string {
  const older = previousSecrets(sealed, unseal, now).map(({ secret, until }) => `${secret} ${until.getTime()}`)
  return [unseal(sealed.secret), ...older].slice(0, most_previous).join('\n')
}

/** Those that still sign, the newest first. It has the latest end. */
function previousSecrets({ previous_secret, previous_secret_until }: SealedSecrets, unseal: Unseal, now: Date) {
  if (previous_secret === null || previous_secret_until === null || previous_secret_until <= now) return []
  return unseal(previous_secret)
    .split('\n')
    .map((line) => line.split(' '))
    .map(([secret = '', until]) => ({ secret, until: until === undefined ? previous_secret_until : new Date(Number(until)) }))
    .filter(({ until }) => until > now)
}

/**
 * The headers of one attempt. The id identifies the message. The timestamp is that of the attempt, so a receiver can refuse old
 * ones. After a rotation several secrets sign (Standard Webhooks, "Signature scheme").
 */
export function signedHeaders(message_id: string, body: string, secrets: readonly string[], now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = secrets.map((secret) => `v1,${signatureOf(secret, `${message_id}.${timestamp}.${body}`)}`)
  return { 'webhook-id': message_id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

function signatureOf(secret: string, content: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(content)
    .digest('base64')
}
