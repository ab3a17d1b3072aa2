/** The webhooks of an environment. */
import { z } from 'zod'
import { EventKind } from '../event.ts'
import { WebhookId } from '../ids.ts'
import { ShortText, slugs, Time, WebUrl } from '../values.ts'
import {
  changeShape,
  creationShape,
  dates,
  type FieldsOf,
  inLive,
  observed,
  owned,
  place,
  recordShape,
  shownOnce,
  travels,
} from './field.ts'

/** The rows in the order of the record. */
export const webhook = {
  id: observed(WebhookId),
  ...place,
  url: owned(WebUrl.describe('Where events are posted. Live needs https.'), {
    label: 'Address',
    look: 'text',
    hint: 'Live takes https only. Redirects are not followed.',
    affects: 'The server that receives it.',
    fresh: inLive('changed'),
  }),
  /** `[]` means all kinds, including future ones. */
  events: travels(z.array(EventKind).max(100).describe('The kinds of events to send. An empty list means all, future kinds included.'), {
    label: 'Event kinds',
    look: 'events',
    affects: 'The server that receives it, from the next event on.',
    fresh: inLive('changed'),
    default: () => [],
  }),
  description: travels(ShortText.nullable().describe('A note for people, at most 200 characters.'), {
    label: 'Description',
    look: 'text',
    affects: 'Only the readers of this dashboard.',
    default: null,
  }),
  disabled: owned(z.boolean().describe('Whether deliveries are paused. The default is false.'), {
    label: 'Switched off',
    look: 'switch',
    hint: 'Nothing is sent. Events of this time are sent later only if you ask for them, under Deliveries.',
    affects: 'The server that receives it.',
    fresh: inLive('turned_off'),
    default: false,
  }),
  disabled_reason: observed(
    z
      .enum(['gone', 'failing'])
      .nullable()
      .describe(
        'Why the service disabled the webhook: the receiver answered 410 (`gone`), or no delivery succeeded for five days (`failing`).',
      ),
  ),
  /** Secrets before the previous one sign for a shorter time. */
  previous_secret_until: observed(Time.nullable().describe('The previous secret signs too until then; `null` before the first rotation.')),
  last_success_at: observed(Time.nullable().describe('When a delivery last succeeded; `null` if never.')),
  failing_since: observed(Time.nullable().describe('The first failure since the last success; `null` if the latest attempt succeeded.')),
  ...dates,
  secret: shownOnce(
    z.string().nullable().describe('The secret that verifies signatures, returned once; `null` in a repeat with the same Idempotency-Key.'),
  ),
}

export const Webhook = z.strictObject(recordShape(webhook))
export type Webhook = z.infer<typeof Webhook>
export type WebhookFields = FieldsOf<typeof webhook>

export const WebhookWithSecret = Webhook.extend({ secret: webhook.secret.type })

export const NewWebhook = z.strictObject({ slug: slugs.created, ...creationShape(webhook) })
export const WebhookChange = z.strictObject({ ...changeShape(webhook) })
