import { type At, type Here, key, list, one } from './query.ts'

export const applications = {
  all: ({ at }: At) => key('applications', at.environment_id),
  list: ({ client, at }: Here, query = '') =>
    list(key('applications', at.environment_id, 'list', query), (cursor) =>
      client.listApplications({ ...at, cursor, ...(query ? { query } : {}) }).page(),
    ),
  newest: ({ client, at }: Here, limit = 1) =>
    one(key('applications', at.environment_id, 'newest', limit), (options) => client.listApplications({ ...at, limit }, options).page()),
  secrets: ({ client, at }: Here, application_id: string) =>
    list(key('application', at.environment_id, application_id, 'secrets'), (cursor) =>
      client.listClientSecrets({ ...at, application_id, cursor }).page(),
    ),
  one: ({ client, at }: Here, application_id: string) =>
    one(key('application', at.environment_id, application_id), (options) =>
      client.responses.getApplication({ ...at, application_id }, options),
    ),
}
