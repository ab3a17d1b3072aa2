/** The reads of the overview and other pages about an environment as a whole. */
import { isQuiet } from './keys.ts'
import { type At, type Here, key, list, one } from './query.ts'

const DAY_MS = 86_400_000

/** The ranges of the charts. Without a number of days the service takes the last 24 hours. */
const ranges = {
  '24h': { interval: 'hour', days: null },
  '7d': { interval: 'day', days: 7 },
  '30d': { interval: 'day', days: 30 },
} as const
export type Range = keyof typeof ranges
export const rangeNamed = (name: string | undefined): Range => (name === '7d' || name === '30d' ? name : '24h')

export const statistics = {
  lastDay: ({ client, at }: Here) => one(key('statistics', at.environment_id), (options) => client.getStatistics(at, options)),
  range: ({ client, at }: Here, range: Range) =>
    one(key('statistics', at.environment_id, range), (options) => {
      const { interval, days } = ranges[range]
      const from = days === null ? {} : { from: new Date(Date.now() - days * DAY_MS).toISOString() }
      return client.getStatistics({ ...at, interval, ...from }, options)
    }),
}

export const readiness = {
  everywhere: key('readiness'),
  all: ({ at }: At) => key('readiness', at.environment_id),
  one: ({ client, at }: Here) => one(key('readiness', at.environment_id), (options) => client.getReadiness(at, options)),
}

/** Reads the objects that need attention: webhooks that fail or that the service disabled, and keys that nobody used for 30 days. */
export const attention = ({ client, at }: Here) =>
  one(key('attention', at.environment_id), async (options) => {
    const [webhooks, keys] = await Promise.all([
      client.listWebhooks({ ...at, limit: 100 }, options).page(),
      client.listAuthKeys({ ...at, limit: 100 }, options).page(),
    ])
    const now = new Date()
    const failing = webhooks.data.filter(({ failing_since, disabled_reason }) => failing_since !== null || disabled_reason !== null)
    return { failing, quiet: keys.data.filter(isQuiet), now }
  })

/** Captured mail. */
export const inbox = {
  all: ({ at }: At) => key('inbox', at.environment_id),
  list: ({ client, at }: Here) => list(key('inbox', at.environment_id), (cursor) => client.listInbox({ ...at, cursor }).page()),
  newest: ({ client, at }: Here) =>
    one(key('inbox', at.environment_id, 'newest'), (options) => client.listInbox({ ...at, limit: 1 }, options).page()),
  one: ({ client, at }: Here, mail_id: string) =>
    one(key('inbox', at.environment_id, 'one', mail_id), (options) => client.getInboxMail({ ...at, mail_id }, options)),
}

export const logouts = {
  all: ({ at }: At) => key('logouts', at.environment_id),
  list: ({ client, at }: Here) =>
    list(key('logouts', at.environment_id), (cursor) => client.listBackchannelLogouts({ ...at, cursor }).page()),
}
