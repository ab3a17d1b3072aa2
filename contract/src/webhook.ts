/** Webhooks of an environment, and the deliveries of its events to them. */
import { z } from 'zod'
import { EventKind } from './event.ts'
import type { FieldClasses } from './field-class.ts'
import { EnvironmentId, EventId, MessageId, ProjectId, TenantId, WebhookId } from './ids.ts'
import { Moment, ShortText, slugs, Time, WebUrl } from './values.ts'

const fields = {
  url: WebUrl.describe('Where events are posted. Live needs https.'),
  /** `[]` means all kinds, including future ones. */
  events: z.array(EventKind).max(100).describe('The kinds of events to send. An empty list means all, future kinds included.'),
  description: ShortText.nullable().describe('A note for people, at most 200 characters.'),
  disabled: z.boolean().describe('Whether deliveries are paused. The default is false.'),
}

export const Webhook = z.strictObject({
  id: WebhookId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  slug: slugs.record,
  ...fields,
  /** Why the service disabled the webhook: the receiver answered 410, or no delivery succeeded for five days. */
  disabled_reason: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe(
      'Why the service disabled the webhook: the receiver answered 410 (`gone`), or no delivery succeeded for five days (`failing`).',
    ),
  /** Secrets before the previous one sign for a shorter time. */
  previous_secret_until: Time.nullable().describe('The previous secret signs too until then; `null` before the first rotation.'),
  last_success_at: Time.nullable().describe('When a delivery last succeeded; `null` if never.'),
  failing_since: Time.nullable().describe('The first failure since the last success; `null` if the latest attempt succeeded.'),
  created_at: Time,
  updated_at: Time,
})
export type Webhook = z.infer<typeof Webhook>

export const WebhookWithSecret = Webhook.extend({
  secret: z
    .string()
    .nullable()
    .describe('The secret that verifies signatures, returned once; `null` in a repeat with the same Idempotency-Key.'),
})

export const NewWebhook = z.strictObject({
  slug: slugs.created,
  url: fields.url,
  events: fields.events.optional(),
  description: fields.description.optional(),
  disabled: fields.disabled.optional(),
})
export const WebhookChange = z.strictObject({
  slug: slugs.changed,
  url: fields.url.optional(),
  events: fields.events.nullable().optional(),
  description: fields.description.optional(),
  disabled: fields.disabled.nullable().optional(),
})

export const webhookFields = {
  id: 'never',
  tenant_id: 'never',
  project_id: 'never',
  environment_id: 'never',
  slug: 'immutable',
  url: 'owned',
  events: 'travels',
  description: 'travels',
  disabled: 'owned',
  disabled_reason: 'never',
  previous_secret_until: 'never',
  last_success_at: 'never',
  failing_since: 'never',
  created_at: 'never',
  updated_at: 'never',
  secret: 'never',
} as const satisfies FieldClasses<z.infer<typeof WebhookWithSecret>>

/** Why an attempt got no answer. */
export const AttemptError = z.enum(['dns', 'refused', 'tls', 'timeout', 'address_not_allowed'])
export type AttemptError = z.infer<typeof AttemptError>

const DeliveryStatus = z.enum(['waiting', 'delivered', 'given_up'])

/** An attempt to deliver a message, of a webhook or of a back-channel logout. */
export const Attempt = z.strictObject({
  at: Time.describe('When the attempt was made.'),
  status: z.int().nullable().describe('The HTTP status of the receiver; `null` if it did not answer.'),
  latency_ms: z.int().describe('How long the attempt took, in milliseconds.'),
  response: z.string().nullable().describe('The first KiB of the response; `null` if there is none.'),
  error: AttemptError.nullable().describe(
    'Why the attempt got no answer: the name has no address, the address may not be reached, nobody accepted the connection, TLS failed, or the time was up.',
  ),
})
export type Attempt = z.infer<typeof Attempt>

export const Delivery = z.strictObject({
  id: MessageId,
  /** The `webhook-id` header, the same in every attempt. */
  message_id: MessageId.describe('The `webhook-id` header, the same in every attempt.'),
  event_id: EventId,
  event_type: EventKind.describe('The kind of the event.'),
  webhook_id: WebhookId,
  environment_id: EnvironmentId,
  status: DeliveryStatus.describe(
    '`waiting` for the next attempt, `delivered`, or `given_up` after the last attempt or because the webhook is disabled.',
  ),
  next_attempt_at: Time.nullable().describe('When the next attempt is due; `null` if there is none.'),
  attempts: z.array(Attempt).describe('The attempts so far, oldest first.'),
  created_at: Time,
  updated_at: Time,
})
export type Delivery = z.infer<typeof Delivery>

export const DeliveryQuery = z.object({
  status: DeliveryStatus.optional().describe('Only deliveries with this status.'),
  event_id: z.string().max(100).optional().describe('Only deliveries of this event.'),
})
export const ResendSince = z.strictObject({
  since: Moment.describe('Only messages that were created at this time or later.'),
  status: z
    .enum(['given_up', 'all'])
    .optional()
    .describe('Which messages: those that were given up, or all of them, which is the default.'),
  dry_run: z.boolean().optional().describe('Only count the messages. Nothing is sent.'),
})
export const Resent = z.strictObject({ messages: z.int().describe('How many messages are sent again, at most 10,000: the oldest ones.') })
export const TestSent = z.strictObject({ event_id: EventId })
