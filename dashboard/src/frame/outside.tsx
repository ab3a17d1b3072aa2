/** The frame of a page outside of every tenant: the bar with the deployment and the account, without pickers and sidebar. */
import type { Me } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Mark } from '../parts/icon.tsx'
import { useTab } from '../parts/tab.ts'
import { Account, DeploymentLink } from './account.tsx'

export function Outside({ me, children }: { me: Me | undefined; children: ReactNode }) {
  useTab('Ostiary', undefined)
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" aria-label="Ostiary: start" className="home">
          <Mark />
        </Link>
        <b>Ostiary</b>
        <span className="sp" />
        {me ? (
          <>
            <DeploymentLink me={me} />
            <Account me={me} rights={null} />
          </>
        ) : null}
      </header>
      <main id="content" tabIndex={-1}>
        <div className="wrap">{children}</div>
      </main>
    </>
  )
}
