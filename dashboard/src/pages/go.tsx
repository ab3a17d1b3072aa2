/** Opens the object with an id, wherever it is. The query of the link, such as `tab`, belongs to the page of the object. */
import type { Located } from '@ostiary/sdk'
import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { api, clientOf } from '../api.ts'
import { useMe } from '../frame/scopes.tsx'
import { Alone } from '../frame/start.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { environmentBase } from '../scope.tsx'

/** The page of an object below its environment, or below its tenant. */
function pageOf({ object, id, parent_id, environment_id }: Located): string {
  if (object === 'key') return environment_id === null ? `/platform-keys?key=${id}` : `/api-keys?key=${id}`
  const pages: Record<string, string> = {
    application: `/applications/${id}`,
    webhook: `/webhooks/${id}`,
    message: parent_id === null ? `/logouts?message=${id}` : `/webhooks/${parent_id}?message=${id}`,
    event: `/events?chosen=${id}`,
    user: `/users?chosen=${id}`,
    session: `/users?chosen=${parent_id}`,
    request: `/calls?chosen=${id}`,
    mail: `/inbox?chosen=${id}`,
    audit_entry: `/audit-log?chosen=${id}`,
    invitation: '/members',
    resource_server: `/resource-servers?chosen=${id}`,
    provider: `/providers?chosen=${id}`,
  }
  return pages[object] ?? '/'
}

export default function Go() {
  const { id = '' } = useParams({ strict: false })
  const { searchStr } = useLocation()
  const me = useMe()
  const found = useRead(
    ['go', id],
    async (signal) => {
      const located = await api.lookup({ id }, { signal })
      const tenant = me.data?.memberships.find(({ tenant_id }) => tenant_id === located.tenant_id)
      if (!tenant) return '/'
      const { project_id, environment_id } = located
      if (!project_id || !environment_id || located.object === 'audit_entry') return `/t/${tenant.slug}${pageOf(located)}`
      const client = clientOf(tenant.tenant_id)
      const [project, environment] = await Promise.all([
        client.getProject({ project_id }, { signal }),
        client.getEnvironment({ project_id, environment_id }, { signal }),
      ])
      return environmentBase(tenant.slug, project.slug, environment) + pageOf(located)
    },
    { enabled: me.data !== undefined },
  )
  return (
    <Alone>
      <h1>Looking for {id}</h1>
      <Loaded of={found}>{(path) => <Leave to={path} query={path === '/' ? '' : searchStr} />}</Loaded>
    </Alone>
  )
}

function Leave({ to, query }: { to: string; query: string }) {
  const navigate = useNavigate()
  useEffect(() => {
    const [path = '/', own = ''] = to.split('?')
    const search = Object.fromEntries([...new URLSearchParams(query), ...new URLSearchParams(own)])
    void navigate({ to: path, search, replace: true })
  }, [to, query, navigate])
  return null
}
