import { api, clientOf } from '../api.ts'
import { key, one } from './query.ts'

/** Where an object is, by its id. The project and the environment are read where the object is in one of this person's tenants. */
export const located = (id: string, memberships: readonly { tenant_id: string; slug: string }[]) =>
  one(key('go', id), async (options) => {
    const found = await api.lookup({ id }, options)
    const tenant = memberships.find(({ tenant_id }) => tenant_id === found.tenant_id)
    const { project_id, environment_id } = found
    if (!tenant || !project_id || found.object === 'audit_entry') return { found, tenant, project: null, place: null }
    const client = clientOf(tenant.tenant_id)
    const [project, environment] = await Promise.all([
      client.getProject({ project_id }, options),
      environment_id ? client.getEnvironment({ project_id, environment_id }, options) : null,
    ])
    return { found, tenant, project, place: environment && { project, environment } }
  })
