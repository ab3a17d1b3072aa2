/** Reads the templates of third-party products. They change only with the version of the service. */
import type { Client } from '@ostiary/sdk'
import { type Here, key, one } from './query.ts'

export const templates = {
  all: ({ client }: { client: Client }) =>
    one(key('application-templates'), (options) => client.listApplicationTemplates(options), { staleTime: 3_600_000 }),
  /** The first signs of a new application: the newest sign-in, and the newest refused call. */
  arrivals: ({ client, at }: Here, application_id: string) =>
    one(key('events', at.environment_id, 'arrivals', application_id), async (options) => {
      const [sign_ins, calls] = await Promise.all([
        client.listEvents({ ...at, application_id, type: 'sign_in.succeeded', limit: 1 }, options).page(),
        client.listRefusedCalls({ ...at, application_id, limit: 1 }, options).page(),
      ])
      return { has_sign_in: sign_ins.data.length > 0, refused: calls.data[0] ?? null }
    }),
}
