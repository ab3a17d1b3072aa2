/**
 * Finds objects and documents by name for the palette, and reports them as its entries. A chunk of its own, since the first page of a
 * visit does not search.
 */
import { linkOptions } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { useRead } from '../parts/reading.tsx'
import { found } from '../queries/found.ts'
import { environment_route, environmentParams, useScope } from '../scope.tsx'
import type { Entry, Found } from './palette.tsx'

/** The service is asked once the typing rests. */
const REST_MS = 200
export default function Finder({ words, report }: { words: string; report: (found: Found) => void }) {
  const { client, tenant, project, environment, can, is_root } = useScope()
  const [rested, setRested] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setRested(words), REST_MS)
    return () => clearTimeout(timer)
  }, [words])
  const at = project && environment ? { project_id: project.id, environment_id: environment.id } : null
  const place = { client, tenant, at, may_read_users: can('developer'), has_organizations: !is_root }
  const { data } = useRead(found(place, rested), { enabled: rested !== '', refetchOnWindowFocus: false })
  const here = useMemo(
    () => (project && environment ? environmentParams(tenant.slug, project.slug, environment) : null),
    [tenant.slug, project, environment],
  )
  useEffect(() => {
    if (!data) return
    const { is_whole, users, organizations, applications, keys, projects, documents } = data
    const inHere: Entry[] = here
      ? [
          ...users.map(
            ({ id, email, name }): Entry => ({
              name: email ?? name ?? id,
              hint: email && name ? name : 'User',
              icon: 'users',
              link: linkOptions({ to: `${environment_route}/users`, params: here, search: { chosen: id } }),
            }),
          ),
          ...organizations.map(
            ({ id, name, slug }): Entry => ({
              name,
              hint: `Organization ${slug}`,
              icon: 'organization',
              link: linkOptions({ to: `${environment_route}/organizations/$organization_id`, params: { ...here, organization_id: id } }),
            }),
          ),
          ...applications.map(
            ({ id, name }): Entry => ({
              name,
              hint: 'Application',
              icon: 'window',
              link: linkOptions({ to: `${environment_route}/applications/$application_id`, params: { ...here, application_id: id } }),
            }),
          ),
          ...keys.map(
            ({ key_id, label }): Entry => ({
              name: label ?? key_id,
              hint: 'API key',
              icon: 'key',
              link: linkOptions({ to: `${environment_route}/api-keys`, params: here, search: { key: key_id } }),
            }),
          ),
        ]
      : []
    report({
      words: data.words,
      is_whole,
      entries: [
        ...inHere,
        ...(is_root ? [] : projects).map(
          ({ slug, name }): Entry => ({
            name,
            hint: 'Project',
            icon: 'building',
            link: linkOptions({ to: '/t/$tenant/p/$project', params: { tenant: tenant.slug, project: slug } }),
          }),
        ),
        ...documents.map(
          ({ title, heading, url }): Entry => ({
            name: heading === '' || heading === title ? title : `${title}: ${heading}`,
            hint: 'Documentation',
            icon: 'page',
            run: () => location.assign(url),
          }),
        ),
      ],
    })
  }, [data, here, is_root, tenant.slug, report])
  return null
}
