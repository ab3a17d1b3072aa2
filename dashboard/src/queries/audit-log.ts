import { rangeOf } from '../parts/range.ts'
import type { Search } from '../parts/search.ts'
import { type InTenant, key, list, one } from './query.ts'

interface AuditFilter {
  actor_id?: string | undefined
  action?: string | undefined
  object_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The filter that the query of an address has. */
export const auditFilter = ({ actor_id, action, object_id, ...search }: Search): AuditFilter => ({
  actor_id,
  action,
  object_id,
  ...rangeOf(search),
})

export const auditLog = {
  list: ({ client, tenant: { id: tenant_id } }: InTenant, filter: AuditFilter) =>
    list(key('audit-log', tenant_id, filter), (cursor) => client.listAuditLog({ tenant_id, ...filter, cursor }).page()),
  one: ({ client, tenant: { id: tenant_id } }: InTenant, audit_entry_id: string) =>
    one(key('audit-entry', audit_entry_id), (options) => client.getAuditEntry({ tenant_id, audit_entry_id }, options)),
  /** The people and keys by which the page filters. The deployment itself has no platform keys. */
  actors: ({ client, tenant: { id: tenant_id }, is_root }: InTenant & { is_root: boolean }) =>
    one(key('actors', tenant_id), async (options) => {
      const at = { tenant_id, limit: 100 }
      const [members, keys] = await Promise.all([
        client.listMembers(at, options).page(),
        is_root ? null : client.listPlatformKeys(at, options).page(),
      ])
      const people = members.data.flatMap(({ user_id, email }) => (user_id === null ? [] : [{ id: user_id, name: email }]))
      return [...people, ...(keys?.data ?? []).map(({ id, label, start }) => ({ id, name: `key “${label ?? start}”` }))]
    }),
}
