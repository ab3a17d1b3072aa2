/** The administrator, and what a tenant has: projects with their environments, members, the audit log. */
import { api, clientOf, readMe } from '../api.ts'
import { type InTenant, key, list, type OfTenant, one } from './query.ts'

/** Who is signed in; `null` for nobody. */
export const me = one(key('me'), readMe)

/** Where an object is, by its id. The project and the environment are read where the object is in one of this person's tenants. */
export const located = (id: string, memberships: readonly { tenant_id: string; slug: string }[]) =>
  one(key('go', id), async (signal) => {
    const found = await api.lookup({ id }, { signal })
    const tenant = memberships.find(({ tenant_id }) => tenant_id === found.tenant_id)
    const { project_id, environment_id } = found
    if (!tenant || !project_id || !environment_id || found.object === 'audit_entry') return { found, tenant, place: null }
    const client = clientOf(tenant.tenant_id)
    const [project, environment] = await Promise.all([
      client.getProject({ project_id }, { signal }),
      client.getEnvironment({ project_id, environment_id }, { signal }),
    ])
    return { found, tenant, place: { project, environment } }
  })

export const projects = {
  all: ({ tenant }: OfTenant) => key('projects', tenant.id),
  list: ({ client, tenant }: InTenant, query = '') =>
    list(key('projects', tenant.id, 'list', query), (cursor) => client.listProjects({ cursor, ...(query ? { query } : {}) }).page()),
  firstTwo: ({ client, tenant }: InTenant) =>
    one(key('projects', tenant.id, 'first two'), (signal) => client.listProjects({ limit: 2 }, { signal }).page()),
  /** The project with a slug and its environments; `null` if the tenant has no such project. */
  withEnvironments: ({ client, tenant }: InTenant, slug: string) =>
    one(key('place', tenant.id, slug), async (signal) => {
      const { data } = await client.listProjects({ slug }, { signal }).page()
      const project = data[0]
      if (!project) return null
      const environments = await client.listEnvironments({ project_id: project.id, limit: 100 }, { signal }).page()
      return { project, environments: environments.data }
    }),
}

export const members = {
  all: ({ tenant }: OfTenant) => key('members', tenant.id),
  list: ({ client, tenant: { id: tenant_id } }: InTenant) =>
    list(key('members', tenant_id), (cursor) => client.listMembers({ tenant_id, cursor }).page()),
}

interface AuditFilter {
  actor_id?: string | undefined
  action?: string | undefined
  object_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export const auditLog = {
  list: ({ client, tenant: { id: tenant_id } }: InTenant, filter: AuditFilter = {}) =>
    list(key('audit-log', tenant_id, filter), (cursor) => client.listAuditLog({ tenant_id, ...filter, cursor }).page()),
  one: ({ client, tenant: { id: tenant_id } }: InTenant, audit_entry_id: string) =>
    one(key('audit-entry', audit_entry_id), (signal) => client.getAuditEntry({ tenant_id, audit_entry_id }, { signal })),
  /** The people and keys by which the page filters. The deployment itself has no platform keys. */
  actors: ({ client, tenant: { id: tenant_id }, is_root }: InTenant & { is_root: boolean }) =>
    one(key('actors', tenant_id), async (signal) => {
      const at = { tenant_id, limit: 100 }
      const [members, keys] = await Promise.all([
        client.listMembers(at, { signal }).page(),
        is_root ? null : client.listPlatformKeys(at, { signal }).page(),
      ])
      const people = members.data.flatMap(({ user_id, email }) => (user_id === null ? [] : [{ id: user_id, name: email }]))
      return [...people, ...(keys?.data ?? []).map(({ id, label, start }) => ({ id, name: `key “${label ?? start}”` }))]
    }),
}
