/**
 * Opens the object with an id, wherever it is. The query of the link, such as `tab`, belongs to the page of the object. `searched_in`
 * is the environment where the id was entered: an object of another one is opened by a link that says where it belongs.
 */

import type { Located } from '@ostiary/sdk'
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useMe } from '../frame/scopes.tsx'
import { Alone } from '../frame/start.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { EnvironmentTag } from '../parts/tag.tsx'
import { located } from '../queries/located.ts'
import { environmentBase } from '../scope.tsx'

/** Objects that are in no environment of their project. */
const of_project: readonly string[] = ['project', 'promotion']

/** The page of an object below its environment, its project or its tenant. */
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
    role: `/roles?chosen=${id}`,
    organization: `/organizations/${id}`,
    organization_invitation: `/organizations/${parent_id}?tab=invitations`,
    provider: `/providers?chosen=${id}`,
    promotion: `/promotions/${id}`,
    project: '',
  }
  return pages[object] ?? '/'
}

export default function Go() {
  const { id = '' } = useParams({ strict: false })
  return <Opening key={id} id={id} />
}

function Opening({ id }: { id: string }) {
  const { searchStr } = useLocation()
  // While the page of the object loads, the location is already that of the object.
  const [asked_query] = useState(searchStr)
  const me = useMe()
  const found = useRead(located(id, me.data?.memberships ?? []), { enabled: me.data !== undefined })
  const query = new URLSearchParams(asked_query)
  const asked = query.get('page')
  const searched_in = query.get('searched_in')
  query.delete('searched_in')
  query.delete('page')
  const place = found.data?.place
  const is_elsewhere = searched_in !== null && place?.environment.id !== searched_in
  return (
    <Alone>
      <h1>{place && is_elsewhere ? `This belongs to ${place.environment.name}` : `Looking for ${id}`}</h1>
      <Loaded of={found}>
        {({ found, tenant, project, place }) => {
          const in_project = project && of_project.includes(found.object) ? `/p/${project.slug}` : ''
          const base =
            place && tenant ? environmentBase(tenant.slug, place.project.slug, place.environment) : `/t/${tenant?.slug}${in_project}`
          const path = tenant ? base + (found.object === 'environment' && asked === 'inbox' ? '/inbox' : pageOf(found)) : '/'
          const [to = '/', own = ''] = path.split('?')
          const search = to === '/' ? '' : new URLSearchParams([...query, ...new URLSearchParams(own)]).toString()
          if (!place || !is_elsewhere) return <Leave to={to} search={search} />
          const { environment } = place
          return (
            <>
              <p>
                <code className="any">{id}</code> is in <EnvironmentTag type={environment.type} /> of {place.project.name}.
              </p>
              <p>
                <Link className="u" to={to} search={valuesOf(search)} replace>
                  Open it in {environment.name}
                </Link>
              </p>
            </>
          )
        }}
      </Loaded>
    </Alone>
  )
}

const valuesOf = (query: string) => Object.fromEntries(new URLSearchParams(query))

function Leave({ to, search }: { to: string; search: string }) {
  const navigate = useNavigate()
  useEffect(() => {
    void navigate({ to, search: valuesOf(search), replace: true })
  }, [to, search, navigate])
  return null
}
