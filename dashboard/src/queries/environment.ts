/** What the overview and other pages read about an environment as a whole. */
import type { ApiKey } from '@ostiary/sdk'
import { type At, type Here, key, list, one } from './query.ts'

export const statistics = {
  lastDay: ({ client, at }: Here) => one(key('statistics', at.environment_id), (signal) => client.getStatistics(at, { signal })),
  range: ({ client, at }: Here, interval: 'hour' | 'day') =>
    one(key('statistics', at.environment_id, interval), (signal) => client.getStatistics({ ...at, interval }, { signal })),
}

export const readiness = {
  everywhere: key('readiness'),
  all: ({ at }: At) => key('readiness', at.environment_id),
  one: ({ client, at }: Here) => one(key('readiness', at.environment_id), (signal) => client.getReadiness(at, { signal })),
}

const MONTH_MS = 30 * 86_400_000

/** What needs a look: webhooks that fail or are switched off by the service, and keys that nobody used for 30 days. */
export const attention = ({ client, at }: Here) =>
  one(key('attention', at.environment_id), async (signal) => {
    const [webhooks, keys] = await Promise.all([
      client.listWebhooks({ ...at, limit: 100 }, { signal }).page(),
      client.listAuthKeys({ ...at, limit: 100 }, { signal }).page(),
    ])
    const now = new Date()
    const isQuiet = ({ revoked_at, last_used_at, created_at }: ApiKey) =>
      revoked_at === null && now.getTime() - Date.parse(last_used_at ?? created_at) > MONTH_MS
    const failing = webhooks.data.filter(({ failing_since, disabled_reason }) => failing_since !== null || disabled_reason !== null)
    return { failing, quiet: keys.data.filter(isQuiet), now }
  })

/** Captured mail. */
export const inbox = {
  all: ({ at }: At) => key('inbox', at.environment_id),
  list: ({ client, at }: Here) => list(key('inbox', at.environment_id), (cursor) => client.listInbox({ ...at, cursor }).page()),
  newest: ({ client, at }: Here) =>
    one(key('inbox', at.environment_id, 'newest'), (signal) => client.listInbox({ ...at, limit: 1 }, { signal }).page()),
  one: ({ client, at }: Here, mail_id: string) =>
    one(key('inbox', at.environment_id, 'one', mail_id), (signal) => client.getInboxMail({ ...at, mail_id }, { signal })),
}

export const logouts = {
  all: ({ at }: At) => key('logouts', at.environment_id),
  list: ({ client, at }: Here) =>
    list(key('logouts', at.environment_id), (cursor) => client.listBackchannelLogouts({ ...at, cursor }).page()),
}
