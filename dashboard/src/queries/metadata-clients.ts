import { type At, type Here, key, list, one } from './query.ts'

export const metadataClients = {
  all: ({ at }: At) => key('metadata-clients', at.environment_id),
  list: ({ client, at }: Here) =>
    list(key('metadata-clients', at.environment_id, 'list'), (cursor) => client.listMetadataClients({ ...at, cursor }).page()),
  /** The one with this URL, on a page that is empty where there is none. */
  byUrl: ({ client, at }: Here, client_id: string) =>
    one(key('metadata-clients', at.environment_id, 'url', client_id), (options) =>
      client.listMetadataClients({ ...at, client_id }, options).page(),
    ),
}
