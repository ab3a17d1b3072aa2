/** Opens the object with an id, wherever it is. */
import { Navigate, useParams } from '@tanstack/react-router'
import { api, clientOf } from '../api.ts'
import { useMe } from '../frame/scopes.tsx'
import { Alone } from '../frame/start.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { environmentBase } from '../scope.tsx'

/** The page of an object below its environment, or below its tenant. */
function pageOf(object: string, id: string): string {
  const pages: Record<string, string> = {
    application: `/applications/${id}`,
    key: `/api-keys?key=${id}`,
    platform_key: `/platform-keys?key=${id}`,
    resource_server: `/resource-servers?chosen=${id}`,
    provider: `/providers?chosen=${id}`,
    webhook: `/webhooks/${id}`,
    message: `/webhooks?message=${id}`,
    event: `/events?chosen=${id}`,
    user: `/users?chosen=${id}`,
    session: `/users?session=${id}`,
    request: `/calls?chosen=${id}`,
    mail: `/inbox?chosen=${id}`,
  }
  return pages[object] ?? '/'
}

export default function Go() {
  const { id = '' } = useParams({ strict: false })
  const me = useMe()
  const found = useRead(
    ['go', id],
    async (signal) => {
      const located = await api.lookup({ id }, { signal })
      const tenant = me.data?.memberships.find(({ tenant_id }) => tenant_id === located.tenant_id)
      if (!tenant) return '/'
      const { project_id, environment_id } = located
      if (!project_id || !environment_id) return `/t/${tenant.slug}${pageOf(located.object, id)}`
      const client = clientOf(tenant.tenant_id)
      const [project, environment] = await Promise.all([
        client.getProject({ project_id }, { signal }),
        client.getEnvironment({ project_id, environment_id }, { signal }),
      ])
      return environmentBase(tenant.slug, project.slug, environment) + pageOf(located.object, id)
    },
    { enabled: me.data !== undefined },
  )
  return (
    <Alone>
      <h1>Looking for {id}</h1>
      <Loaded of={found}>{(path) => <Navigate to={path} replace />}</Loaded>
    </Alone>
  )
}
