import { type At, type Here, key, list, one } from './query.ts'

export const providers = {
  all: ({ at }: At) => key('providers', at.environment_id),
  list: ({ client, at }: Here) =>
    list(key('providers', at.environment_id, 'list'), (cursor) => client.listProviders({ ...at, cursor }).page()),
  hundred: ({ client, at }: Here) =>
    one(key('providers', at.environment_id, 'hundred'), (options) => client.listProviders({ ...at, limit: 100 }, options).page()),
  /** With its version, which the rows of the list do not have. */
  one: ({ client, at }: Here, provider_id: string) =>
    one(key('providers', at.environment_id, 'one', provider_id), (options) =>
      client.responses.getProvider({ ...at, provider_id }, options),
    ),
}
