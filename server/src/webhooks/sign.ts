// pure
/** Webhook signatures by Standard Webhooks: receivers verify them with any library for it. */
import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/** Makes a secret of 32 random bytes. */
export function makeWebhookSecret(random: Uint8Array): string {
  return prefix + Buffer.from(random).toString('base64')
}

/**
 * The headers of one attempt. The id identifies the message. The timestamp is that of the attempt, so a receiver can refuse old
 * ones. During a rotation both secrets sign (Standard Webhooks, "Signature scheme").
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
