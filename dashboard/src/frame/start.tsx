/** The pages without the frame: those outside a tenant, and the one for an unknown address. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Mark } from '../parts/icon.tsx'
import { useTab } from '../parts/tab.ts'
import { WhatFailed } from './failed.tsx'

export function Alone({ children }: { children: ReactNode }) {
  useTab('Ostiary', undefined)
  return (
    <main className="alone">
      <div className="card pad">
        <Mark />
        {children}
      </div>
    </main>
  )
}

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

/** Where the frame itself fails. */
export const Crash = ({ error }: ErrorComponentProps) => (
  <Alone>
    <h1>The dashboard stopped working</h1>
    <WhatFailed error={error}>
      <a className="btn" href="/dashboard/">
        Your tenants
      </a>
    </WhatFailed>
  </Alone>
)
