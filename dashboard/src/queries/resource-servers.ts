import type { ResourceServer } from '@ostiary/sdk'
import { type At, type Here, key, list, one } from './query.ts'

export const resourceServers = {
  all: ({ at }: At) => key('resource-servers', at.environment_id),
  list: ({ client, at }: Here) =>
    list(key('resource-servers', at.environment_id, 'list'), (cursor) => client.listResourceServers({ ...at, cursor }).page()),
  hundred: ({ client, at }: Here) =>
    one(key('resource-servers', at.environment_id, 'hundred'), (options) =>
      client.listResourceServers({ ...at, limit: 100 }, options).page(),
    ),
  /** All of them, in the order of their names. */
  every: ({ client, at }: Here) =>
    one(key('resource-servers', at.environment_id, 'every'), async (options) => {
      const found: ResourceServer[] = []
      for await (const server of client.listResourceServers({ ...at, limit: 100 }, options)) found.push(server)
      return found.toSorted((a, b) => a.name.localeCompare(b.name))
    }),
  one: ({ client, at }: Here, resource_server_id: string) =>
    one(key('resource-servers', at.environment_id, 'one', resource_server_id), (options) =>
      client.responses.getResourceServer({ ...at, resource_server_id }, options),
    ),
}
