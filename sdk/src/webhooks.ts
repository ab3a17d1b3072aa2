/** The entry `@ostiary/sdk/webhooks`: verifies webhooks by Standard Webhooks. */
import type { Event } from './generated/types.ts'
import { platform } from './runtime.ts'

export type { Event, EventKind } from './generated/types.ts'

/**
 * missing_header  a header of the signature is absent or malformed
 * too_old         too_new         the timestamp differs too much from the clock
 * bad_signature   changed, or signed with another secret
 * malformed       signed, but not an event
 */
export type WebhookErrorCode = 'missing_header' | 'too_old' | 'too_new' | 'bad_signature' | 'malformed'

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export interface WebhookRequest {
  /** The headers of a `Request`, or those of Node with names in lower case. */
  headers: Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body as it came, before any parser. */
  body: string | Uint8Array
}

export interface WebhookOptions {
  /** The `whsec_…` of the webhook; during a rotation the old and the new one. */
  secret: string | readonly string[]
  /** How far the timestamp may differ from the clock, in seconds. The default is 300. */
  tolerance_seconds?: number | undefined
  /** Replaces the clock, for tests. */
  now?: (() => Date) | undefined
}

const most_signatures = 10

/**
 * Verifies a webhook and returns its message id and its event. Throws a `WebhookError`. The service delivers at least once: a receiver
 * remembers the message ids that it has handled.
 *
 * Standard Webhooks: the signature is HMAC-SHA-256 over `id.timestamp.body`, and one of several signatures is enough
 */
export async function verifyWebhook(request: WebhookRequest, options: WebhookOptions): Promise<{ message_id: string; event: Event }> {
  const { secret, tolerance_seconds = 300, now = platform.now } = options
  const secrets = typeof secret === 'string' ? [secret] : secret
  const message_id = header(request, 'webhook-id')
  const timestamp = header(request, 'webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('missing_header', 'The webhook-timestamp is not a time.')
  const age_seconds = now().getTime() / 1000 - Number(timestamp)
  if (age_seconds > tolerance_seconds) throw new WebhookError('too_old', 'The webhook is too old.')
  if (age_seconds < -tolerance_seconds) throw new WebhookError('too_new', 'The timestamp of the webhook lies in the future.')

  const signatures = header(request, 'webhook-signature').split(' ').slice(0, most_signatures)
  const body = typeof request.body === 'string' ? new TextEncoder().encode(request.body) : request.body
  const prefix = new TextEncoder().encode(`${message_id}.${timestamp}.`)
  const content = new Uint8Array(prefix.length + body.length)
  content.set(prefix)
  content.set(body, prefix.length)
  if (!(await isSignedByAny(secrets, signatures, content))) throw new WebhookError('bad_signature', 'The signature does not verify.')

  try {
    return { message_id, event: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Event } // as: the service signed it
  } catch (cause) {
    throw new WebhookError('malformed', 'The body is not JSON.', { cause })
  }
}

async function isSignedByAny(
  secrets: readonly string[],
  signatures: readonly string[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  for (const secret of secrets) {
    const raw = bytes(secret.replace(/^whsec_/, ''))
    if (!secret.startsWith('whsec_') || !raw || raw.length < 24)
      throw new TypeError('verifyWebhook needs a secret that begins with whsec_.')
    const key = await crypto.subtle.importKey('raw', raw, hmac, false, ['verify'])
    for (const signature of signatures) {
      const made = signature.startsWith('v1,') ? bytes(signature.slice(3)) : null
      // WebCrypto compares in constant time.
      if (made && (await crypto.subtle.verify(hmac, key, made, content))) return true
    }
  }
  return false
}

function header({ headers }: WebhookRequest, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name] // as: not Headers
  if (typeof value !== 'string' || value === '' || value.length > 2_000)
    throw new WebhookError('missing_header', `The webhook has no ${name}.`)
  return value
}

/** The bytes of a text in base64. `null` if it is not base64. */
function bytes(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
