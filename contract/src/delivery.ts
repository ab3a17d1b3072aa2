/** The attempts to deliver messages: the events of webhooks, and back-channel logouts. */
import { z } from 'zod'
import { EventKind } from './event.ts'
import { EnvironmentId, EventId, MessageId, WebhookId } from './ids.ts'
import { Moment, Time } from './values.ts'

/** Why an attempt got no answer. */
export const AttemptError = z.enum(['dns', 'refused', 'tls', 'timeout', 'address_not_allowed', 'proxy'])
export type AttemptError = z.infer<typeof AttemptError>

const DeliveryStatus = z.enum(['waiting', 'delivered', 'given_up'])

/** An attempt to deliver a message, of a webhook or of a back-channel logout. */
export const Attempt = z.strictObject({
  at: Time.describe('When the attempt was made.'),
  status: z.int().nullable().describe('The HTTP status of the receiver; `null` if it did not answer.'),
  latency_ms: z.int().describe('How long the attempt took, in milliseconds.'),
  response: z.string().nullable().describe('The first KiB of the response; `null` if there is none.'),
  error: AttemptError.nullable().describe(
    'Why the attempt got no answer: the name has no address, the address may not be reached, nobody accepted the connection, TLS failed, the time was up, or the egress proxy of the deployment made no connection.',
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
  since: Moment.describe('Only messages that were created at this time or later; for `missed`, only events.'),
  until: Moment.optional().describe('Only those that were created before this time.'),
  status: z
    .enum(['given_up', 'all', 'missed'])
    .optional()
    .describe(
      'Which messages: those that were given up, all of them, which is the default, or `missed`: those of events that came while the webhook was disabled or did not exist. Missed ones are made, of the kinds that the webhook asks for now, each once.',
    ),
  dry_run: z.boolean().optional().describe('Only count the messages. Nothing is sent.'),
})
export const Resent = z.strictObject({
  messages: z.int().describe('How many messages are sent again, or made: the oldest ones, at most 10,000. Call again until it is 0.'),
})
export const TestSent = z.strictObject({ event_id: EventId })
