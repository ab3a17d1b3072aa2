/** The entry. It leads to where the person works, and to the choice of a tenant only where there is one. */

import { Navigate } from '@tanstack/react-router'
import { clientOf } from '../api.ts'
import { ownTenants } from '../frame/places.ts'
import { useMe } from '../frame/scopes.tsx'
import { Alone } from '../frame/start.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { projects } from '../queries/tenancy.ts'

export default function Start() {
  const me = useMe()
  if (me.data === undefined)
    return (
      <Alone>
        <Loaded of={me}>{() => null}</Loaded>
      </Alone>
    )
  const [tenant, ...others] = ownTenants(me.data)
  return tenant && others.length === 0 ? <OnlyTenant {...tenant} /> : <Navigate to="/tenants" replace />
}

/** The only project of the only tenant is opened at once: `t/$tenant/p/$project` leads to its first environment. */
function OnlyTenant({ tenant_id, slug }: { tenant_id: string; slug: string }) {
  const read = useRead(projects.firstTwo({ client: clientOf(tenant_id), tenant: { id: tenant_id } }))
  const [project, another] = read.data?.data ?? []
  if (read.isPending) return null
  if (project && !another) return <Navigate to="/t/$tenant/p/$project" params={{ tenant: slug, project: project.slug }} replace />
  return <Navigate to="/t/$tenant" params={{ tenant: slug }} replace />
}
