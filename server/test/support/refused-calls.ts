/** Reads refused calls as the developers of a tenant do. */
import { asAdministrator } from './administrator.ts'
import type { Tenant } from './tenants.ts'
import type { Reply, World } from './world.ts'

/** The request id of a reply: the reference of the person. */
export const referenceOf = (reply: Pick<Reply, 'headers'>): string => {
  const id = reply.headers.get('x-request-id')
  if (!id) throw new Error('The reply has no X-Request-Id.')
  return id
}

/** Finds a call in an environment of this tenant, or with `null` among the calls of the tenant itself. */
export function findCall(w: World, tenant: Tenant, environment: { path: string } | null, id: string): Promise<Reply> {
  if (environment) return w.call('GET', `${environment.path}/requests/${id}`, { key: tenant.platform })
  return asAdministrator(w, tenant.token, tenant.tenant_id)('GET', `/v1/tenants/${tenant.tenant_id}/requests/${id}`)
}

export const lookUp = (w: World, { token }: Pick<Tenant, 'token'>, id: string): Promise<Reply> =>
  asAdministrator(w, token, null)('GET', `/v1/lookup/${id}`)
