/** Webhooks of an environment, and the deliveries of its events to them. */
import { z } from 'zod'
import { EventKind } from './event.ts'
import { EnvironmentId, EventId, MessageId, ProjectId, TenantId, WebhookId } from './ids.ts'
import { ShortText, Time, WebUrl } from './values.ts'

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
  ...fields,
  /** Why the service disabled the webhook: the receiver answered 410, or no delivery succeeded for five days. */
  disabled_reason: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe(
      'Why the service disabled the webhook: the receiver answered 410 (`gone`), or no delivery succeeded for five days (`failing`).',
    ),
  /** Both the current and the previous secret sign until then. */
  previous_secret_until: Time.nullable().describe('The previous secret signs too until then; `null` outside a rotation.'),
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
  url: fields.url,
  events: fields.events.optional(),
  description: fields.description.optional(),
  disabled: fields.disabled.optional(),
})
export const WebhookChange = z.strictObject({
  url: fields.url.optional(),
  events: fields.events.nullable().optional(),
  description: fields.description.optional(),
  disabled: fields.disabled.nullable().optional(),
})

const DeliveryStatus = z.enum(['waiting', 'delivered', 'given_up'])

export const Delivery = z.strictObject({
  id: MessageId,
  /** The `webhook-id` header, the same in every attempt. */
  message_id: MessageId.describe('The `webhook-id` header, the same in every attempt.'),
  event_id: EventId,
  event_type: EventKind.describe('The kind of the event.'),
  webhook_id: WebhookId,
  environment_id: EnvironmentId,
  status: DeliveryStatus.describe('`waiting` for the next attempt, `delivered`, or `given_up` after the last attempt.'),
  next_attempt_at: Time.nullable().describe('When the next attempt is due; `null` if there is none.'),
  attempts: z
    .array(
      z.strictObject({
        at: Time.describe('When the attempt was made.'),
        status: z.int().nullable().describe('The HTTP status of the receiver; `null` if it did not answer.'),
        latency_ms: z.int().describe('How long the attempt took, in milliseconds.'),
        response: z.string().nullable().describe('The beginning of the response; `null` if there is none.'),
      }),
    )
    .describe('The attempts so far, oldest first.'),
  created_at: Time,
  updated_at: Time,
})
export type Delivery = z.infer<typeof Delivery>

export const DeliveryQuery = z.object({
  status: DeliveryStatus.optional().describe('Only deliveries with this status.'),
  event_id: z.string().max(100).optional().describe('Only deliveries of this event.'),
})
export const ResendSince = z.strictObject({
  since: z.iso.datetime({ offset: true }).describe('All messages from this time on are sent again.'),
})
/** The number of messages that are sent again. */
export const Resent = z.strictObject({ messages: z.int().describe('The number of messages that are sent again.') })
export const TestSent = z.strictObject({ event_id: EventId })
