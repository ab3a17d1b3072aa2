/** The pages outside a tenant: the entry, which leads to a tenant, and what an address without a page shows. */
import { type ErrorComponentProps, Link, Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Mark } from '../parts/icon.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded } from '../parts/reading.tsx'
import { useMe } from './scopes.tsx'

export function Start() {
  const me = useMe()
  return (
    <Alone>
      <Loaded of={me}>
        {({ memberships, root_tenant_id }) => {
          const [first] = memberships
          if (memberships.length === 1 && first) return <Navigate to="/t/$tenant" params={{ tenant: first.slug }} replace />
          return (
            <>
              <h1>{first ? 'Choose a tenant' : 'No tenant yet'}</h1>
              {first ? null : <p className="muted">You are a member of no tenant. Ask an administrator for an invitation.</p>}
              <ul className="choices">
                {memberships.map(({ tenant_id, slug, name, role }) => (
                  <li key={tenant_id}>
                    <Link to="/t/$tenant" params={{ tenant: slug }}>
                      {tenant_id === root_tenant_id ? 'Deployment' : name}{' '}
                      <span className="faint">{tenant_id === root_tenant_id ? 'operator' : role}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
    </Alone>
  )
}

export const Alone = ({ children }: { children: ReactNode }) => (
  <main className="alone">
    <div className="card pad">
      <Mark />
      {children}
    </div>
  </main>
)

export const Lost = ({ children }: { children: ReactNode }) => (
  <Alone>
    <h1>Not found</h1>
    <p className="muted">{children}</p>
    <p>
      <Link to="/">Your tenants</Link>
    </p>
  </Alone>
)

export const NotFound = () => <Lost>The dashboard has no page at this address.</Lost>

export const Crash = ({ error, reset }: ErrorComponentProps) => (
  <Alone>
    <h1>This page failed</h1>
    <Problem error={error} retry={reset} />
  </Alone>
)
