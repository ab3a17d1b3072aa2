import { type At, type Here, key, list, one } from './query.ts'

type ApplicationOrder = 'created' | 'name'

/** The order in the query of the address. */
export const orderIn = ({ sort }: { sort?: string }): ApplicationOrder => (sort === 'name' ? sort : 'created')

export const applications = {
  all: ({ at }: At) => key('applications', at.environment_id),
  list: ({ client, at }: Here, query = '', sort: ApplicationOrder = 'created') =>
    list(key('applications', at.environment_id, 'list', query, sort), (cursor) =>
      client.listApplications({ ...at, cursor, sort, activity: true, ...(query ? { query } : {}) }).page(),
    ),
  activity: ({ client, at }: Here, slug: string) =>
    one(key('applications', at.environment_id, 'activity', slug), (options) =>
      client.listApplications({ ...at, slug, activity: true, limit: 1 }, options).page(),
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
