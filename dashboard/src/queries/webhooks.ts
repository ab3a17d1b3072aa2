import type { Delivery } from '@ostiary/sdk'
import { type At, type Here, key, list, one } from './query.ts'

export const webhooks = {
  all: ({ at }: At) => key('webhooks', at.environment_id),
  list: ({ client, at }: Here) => list(key('webhooks', at.environment_id), (cursor) => client.listWebhooks({ ...at, cursor }).page()),
  /** The webhook itself, with its last answer. */
  lastAnswer: (environment_id: string, webhook_id: string) => key('webhook', environment_id, webhook_id),
  one: ({ client, at }: Here, webhook_id: string) =>
    one(webhooks.lastAnswer(at.environment_id, webhook_id), (options) => client.responses.getWebhook({ ...at, webhook_id }, options)),
}

type Status = Delivery['status'] | undefined

/** The messages to send again, or to make, since a time. */
export interface Resent {
  since: string
  until?: string | undefined
  status: 'given_up' | 'missed' | 'all'
}

const lastOf = ({ attempts }: Delivery) => attempts.at(-1)?.at ?? ''

export const deliveries = {
  all: (webhook_id: string) => key('deliveries', webhook_id),
  /** The keys of the lists on the page of a webhook. */
  lists: (webhook_id: string) => [key('deliveries', webhook_id, 'list'), key('deliveries', webhook_id, 'latest')],
  list: ({ client, at }: Here, webhook_id: string, status?: Status) =>
    list(key('deliveries', webhook_id, 'list', status), (cursor) => client.listDeliveries({ ...at, webhook_id, status, cursor }).page()),
  latest: ({ client, at }: Here, webhook_id: string) =>
    one(key('deliveries', webhook_id, 'latest'), (options) => client.listDeliveries({ ...at, webhook_id, limit: 100 }, options).page()),
  /** The newest delivery that the receiver was called with. The latest ones can still wait for their first attempt. */
  lastAnswered: ({ client, at }: Here, webhook_id: string) =>
    one(key('deliveries', webhook_id, 'latest', 'answered'), async (options) => {
      const { data } = await client.listDeliveries({ ...at, webhook_id, limit: 20 }, options).page()
      const attempted = data.filter(({ attempts }) => attempts.length > 0)
      return attempted.toSorted((a, b) => lastOf(b).localeCompare(lastOf(a)))[0] ?? null
    }),
  one: ({ client, at }: Here, webhook_id: string, message_id: string) =>
    one(key('deliveries', webhook_id, 'one', message_id), (options) => client.getDelivery({ ...at, webhook_id, message_id }, options)),
  /** Of one event to one webhook. */
  ofEvent: ({ client, at }: Here, webhook_id: string, event_id: string) =>
    one(key('deliveries', webhook_id, 'of', event_id), (options) => client.listDeliveries({ ...at, webhook_id, event_id }, options).page()),
  /** Of one event to each webhook. */
  ofEventToAll: ({ client, at }: Here, event_id: string) =>
    one(key('deliveries', 'event', event_id), async (options) => {
      const webhooks = await client.listWebhooks({ ...at, limit: 100 }, options).page()
      return Promise.all(
        webhooks.data.map(async ({ id, slug }) => {
          const { data } = await client.listDeliveries({ ...at, webhook_id: id, event_id }, options).page()
          return { id, slug, delivery: data[0] }
        }),
      )
    }),
  /** How many messages would be sent again. */
  count: ({ client, at }: Here, webhook_id: string, { since, until, status }: Resent) =>
    one(key('resend-count', webhook_id, since, until, status), (options) =>
      client.resendSince({ ...at, webhook_id }, { since, until, status, dry_run: true }, options),
    ),
}
