import type { EventFilter } from './event-filter.ts'
import { type Here, key, list, one } from './query.ts'

const DAY_MS = 86_400_000

/** The neighbours of an event on each side. */
const AROUND = 3

export const events = {
  list: ({ client, at }: Here, filter: EventFilter) =>
    list(key('events', at.environment_id, filter), (cursor) => client.listEvents({ ...at, ...filter, cursor }).page()),
  latest: ({ client, at }: Here) =>
    one(key('events', at.environment_id, 'latest'), (options) => client.listEvents({ ...at, limit: 6 }, options).page()),
  /** Those of the last 24 hours, at most 100. */
  newUsers: ({ client, at }: Here) =>
    one(key('events', at.environment_id, 'new users'), (options) => {
      const from = new Date(Date.now() - DAY_MS).toISOString()
      return client.listEvents({ ...at, type: 'user.created', from, limit: 100 }, options).page()
    }),
  lastFailedSignIn: ({ client, at }: Here, user_id: string) =>
    one(key('events', at.environment_id, 'failed', user_id), (options) =>
      client.listEvents({ ...at, type: 'sign_in.failed', user_id, limit: 1 }, options).page(),
    ),
  around: ({ client, at }: Here, { id, sequence }: { id: string; sequence: number }) =>
    one(key('events', at.environment_id, 'around', id), (options) =>
      client.listEvents({ ...at, after: Math.max(sequence - AROUND - 1, 0), limit: 2 * AROUND + 1 }, options).page(),
    ),
  one: ({ client, at }: Here, event_id: string) =>
    one(key('event', at.environment_id, event_id), (options) => client.getEvent({ ...at, event_id }, options)),
}
