import { type At, type Here, key, list, one } from './query.ts'

export const resourceServers = {
  all: ({ at }: At) => key('resource-servers', at.environment_id),
  list: ({ client, at }: Here) =>
    list(key('resource-servers', at.environment_id, 'list'), (cursor) => client.listResourceServers({ ...at, cursor }).page()),
  hundred: ({ client, at }: Here) =>
    one(key('resource-servers', at.environment_id, 'hundred'), (options) =>
      client.listResourceServers({ ...at, limit: 100 }, options).page(),
    ),
  one: ({ client, at }: Here, resource_server_id: string) =>
    one(key('resource-servers', at.environment_id, 'one', resource_server_id), (options) =>
      client.responses.getResourceServer({ ...at, resource_server_id }, options),
    ),
}
