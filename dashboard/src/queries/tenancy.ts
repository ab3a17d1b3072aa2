/** The administrator, and the projects of a tenant with their environments. */

import { readMe } from '../api.ts'
import { type InTenant, key, list, type OfTenant, one } from './query.ts'

/** Who is signed in; `null` for nobody. */
export const me = one(key('me'), readMe)

export const projects = {
  all: ({ tenant }: OfTenant) => key('projects', tenant.id),
  list: ({ client, tenant }: InTenant, query = '') =>
    list(key('projects', tenant.id, 'list', query), (cursor) => client.listProjects({ cursor, ...(query ? { query } : {}) }).page()),
  firstTwo: ({ client, tenant }: InTenant) =>
    one(key('projects', tenant.id, 'first two'), (options) => client.listProjects({ limit: 2 }, options).page()),
  /** The key of a project with its environments. */
  place: ({ tenant }: OfTenant, slug: string) => key('place', tenant.id, slug),
  /** The project with a slug and its environments; `null` if the tenant has no such project. */
  withEnvironments: ({ client, tenant }: InTenant, slug: string) =>
    one(key('place', tenant.id, slug), async (options) => {
      const { data } = await client.listProjects({ slug }, options).page()
      const project = data[0]
      if (!project) return null
      const environments = await client.listEnvironments({ project_id: project.id, limit: 100 }, options).page()
      return { project, environments: environments.data }
    }),
}
