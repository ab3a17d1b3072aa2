/** The kinds of objects of an environment that have a slug, for tests of a rule on every kind. */
import type { TestEnvironment, World } from './world.ts'

export interface SluggedKind {
  path: string
  table: 'applications' | 'resource_servers' | 'roles' | 'providers' | 'webhooks'
  /** The fields of a new object whose slug is made from `name`. */
  fields: (name: string) => Record<string, unknown>
  /** A change of another field than the slug. */
  change: (n: number) => Record<string, unknown>
  /** The event of a creation and the member of its data with the id; `null` without an event. */
  created: string | null
}

let identifiers = 0

export const slugged_kinds: Record<string, SluggedKind> = {
  application: {
    path: 'applications',
    table: 'applications',
    fields: (name) => ({ name, application_type: 'web', redirect_uris: ['https://app.example.com/callback'] }),
    change: (n) => ({ name: `Changed ${n}` }),
    created: 'application.created',
  },
  resource_server: {
    path: 'resource-servers',
    table: 'resource_servers',
    fields: (name) => ({ name, identifier: `https://api.example.com/${++identifiers}` }),
    change: (n) => ({ name: `Changed ${n}` }),
    created: 'resource_server.created',
  },
  role: {
    path: 'roles',
    table: 'roles',
    fields: (name) => ({ name, kind: 'user' }),
    change: (n) => ({ name: `Changed ${n}` }),
    created: 'role.created',
  },
  provider: {
    path: 'providers',
    table: 'providers',
    fields: (name) => ({ type: 'github', client_id: 'abc', client_secret: 'of the other side', display_name: name }),
    change: (n) => ({ display_name: `Changed ${n}` }),
    created: 'provider.created',
  },
  webhook: {
    path: 'webhooks',
    table: 'webhooks',
    fields: (name) => ({ url: `https://${name.toLowerCase().replaceAll(' ', '.')}/hook`, disabled: true }),
    change: (n) => ({ description: `Changed ${n}` }),
    created: null,
  },
}

/** Calls the list or the objects of a kind in an environment. */
export const callKind = (w: World, environment: TestEnvironment, { path }: SluggedKind) => ({
  create: (body: object) => w.call('POST', `${environment.path}/${path}`, { body }),
  list: (query = '') => w.call('GET', `${environment.path}/${path}${query}`),
  one: (method: string, id: string, body?: object) => w.call(method, `${environment.path}/${path}/${id}`, { body }),
})
