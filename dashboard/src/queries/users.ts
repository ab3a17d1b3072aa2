import { type At, type Here, key, list, one } from './query.ts'
import type { UserFilter } from './user-filter.ts'

export const users = {
  all: ({ at }: At) => key('users', at.environment_id),
  list: ({ client, at }: Here, filter: UserFilter = {}) =>
    list(key('users', at.environment_id, 'list', filter), (cursor) => client.listUsers({ ...at, ...filter, cursor }).page()),
  /** @param words parts of names, emails or phone numbers, or a whole id; without them the newest users */
  search: ({ client, at }: Here, words: string) =>
    list(key('users', at.environment_id, 'search', words), (cursor) =>
      client.listUsers({ ...at, ...(words ? { query: words } : {}), limit: 20, cursor }).page(),
    ),
  latest: ({ client, at }: Here) =>
    one(key('users', at.environment_id, 'latest'), (options) => client.listUsers({ ...at, limit: 6 }, options).page()),
  withEmail: ({ client, at }: Here, email: string) =>
    one(key('users', at.environment_id, 'with email', email), (options) => client.listUsers({ ...at, email, limit: 1 }, options).page()),
  /** The newest users to whom a role was given. */
  withRole: ({ client, at }: Here, role: string) =>
    one(key('users', at.environment_id, 'with role', role), (options) => client.listUsers({ ...at, role, limit: 6 }, options).page()),
  /** The last seven days of an address or a user id. */
  trace: ({ client, at }: Here, person: string) =>
    one(key('trace', at.environment_id, person), (options) => client.traceSignIns({ ...at, person }, options)),
  one: ({ client, at }: Here, user_id: string) =>
    one(key('user', at.environment_id, user_id), (options) => client.getUser({ ...at, user_id }, options)),
  /** With its version, for the form. */
  version: ({ client, at }: Here, user_id: string) =>
    one(key('user', at.environment_id, user_id, 'version'), (options) => client.responses.getUser({ ...at, user_id }, options)),
  methods: ({ client }: Here, user_id: string) =>
    list(key('methods', user_id), (cursor) => client.listUserMethods({ user_id, cursor, limit: 100 }).page()),
  job: ({ client }: Here, user_job_id: string) =>
    one(key('user job', user_job_id), (options) => client.getUserJob({ user_job_id }, options)),
  sessions: ({ client }: Here, user_id: string) =>
    list(key('sessions', user_id), (cursor) => client.listUserSessions({ user_id, cursor }).page()),
  trustedBrowsers: ({ client }: Here, user_id: string) =>
    list(key('trusted browsers', user_id), (cursor) => client.listTrustedBrowsers({ user_id, cursor, limit: 100 }).page()),
  grants: ({ client }: Here, user_id: string) =>
    list(key('grants', user_id), (cursor) => client.listUserGrants({ user_id, cursor }).page()),
  /** The scopes that the person can have now, in an organization or as a user. */
  may: ({ client, at }: Here, user_id: string, organization_id?: string) =>
    one(key('may', at.environment_id, user_id, organization_id), (options) =>
      client.getUserAccess({ ...at, user_id, ...(organization_id === undefined ? {} : { organization_id }) }, options),
    ),
  /** The keys of the reads that a change of a user's access can change. */
  access: ({ at }: At, user_id: string) => [
    key('user', at.environment_id, user_id),
    key('users', at.environment_id),
    key('methods', user_id),
    key('sessions', user_id),
    key('trusted browsers', user_id),
    key('grants', user_id),
    key('may', at.environment_id, user_id),
  ],
}
