/** Finds the tenant, the project and the environment of the address, and gives them to the pages. */

import type { Me } from '@ostiary/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { Navigate, Outlet, useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { leaveToSignIn } from '../api.ts'
import { Loaded, useRead } from '../parts/reading.tsx'
import { projects, me as queryOfMe } from '../queries/tenancy.ts'
import { environment_route, environmentParams, ScopeProvider, scopeOf, useScope, withEnvironment } from '../scope.tsx'
import { Frame } from './frame.tsx'
import { firstOf } from './places.ts'
import { Lost } from './start.tsx'

/** The administrator. Without a session, the browser leaves for the sign-in. One that ends later is noticed by the next call, so that a form stays. */
export function useMe() {
  const session = useRead(queryOfMe)
  const known = useRef<Me>(undefined)
  known.current = session.data ?? known.current
  const is_missing = session.data === null && known.current === undefined
  useEffect(() => {
    if (is_missing) leaveToSignIn()
  }, [is_missing])
  return { ...session, data: known.current } as UseQueryResult<Me> // as: without data it is still loading
}

export function InTenant() {
  const { tenant: slug } = useParams({ strict: false })
  const me = useMe()
  const scope = useMemo(() => (me.data ? scopeOf(me.data, slug) : null), [me.data, slug])
  return (
    <Loaded of={me}>
      {() =>
        scope ? (
          <ScopeProvider value={scope}>
            <Outlet />
          </ScopeProvider>
        ) : (
          <Lost>You are not a member of a tenant with the slug “{slug}”.</Lost>
        )
      }
    </Loaded>
  )
}

/** The project of the address with its environments; `null` if the tenant has no such project. */
function usePlace(slug: string) {
  return useRead(projects.withEnvironments(useScope(), slug))
}

const NoProject = ({ slug }: { slug: string }) => <Lost>This tenant has no project with the slug “{slug}”.</Lost>

/** The address of a project leads to its first environment: a project need not have one with the slug `test`. */
export function InProject() {
  const { project: slug = '' } = useParams({ strict: false })
  const { tenant } = useScope()
  return (
    <Loaded of={usePlace(slug)}>
      {(place) => {
        if (place === null) return <NoProject slug={slug} />
        const first = firstOf(place.environments)
        return first ? (
          <Navigate to={environment_route} params={environmentParams(tenant.slug, slug, first)} replace />
        ) : (
          <Lost>The project {place.project.name} has no environment. The API adds one.</Lost>
        )
      }}
    </Loaded>
  )
}

/** Of the pages of an environment, and of those about a project as a whole. */
export function InEnvironment() {
  const { project: slug = '', env } = useParams({ strict: false })
  const scope = useScope()
  const found = usePlace(slug)
  const place = found.data
  const inner = useMemo(() => (place ? withEnvironment(scope, place, env) : null), [scope, place, env])
  if (place === undefined) return <Loaded of={found}>{() => null}</Loaded>
  if (place === null) return <NoProject slug={slug} />
  if (!inner) return <Lost>The project has no environment at “{env}”.</Lost>
  return (
    <ScopeProvider value={inner}>
      <Frame />
    </ScopeProvider>
  )
}
