/** Shows a fault in our own scripts: the remedy in plain words, and the text of the fault for a report. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyButton } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { environmentBase, useScope } from '../scope.tsx'

/** A link is a new load of the dashboard, since a part that failed can fail again without one. */
export function WhatFailed({ error, children }: { error: unknown; children: ReactNode }) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return (
    <div className="stack">
      <div role="alert">
        <p>Something in the dashboard went wrong. What you saved before is kept. What you typed and did not save is lost.</p>
        <p>Reload the page. If it happens again, send the text below to the operator of this service.</p>
      </div>
      <p className="row">
        <button type="button" className="btn pri" onClick={() => location.reload()}>
          Reload
        </button>{' '}
        {children}
      </p>
      <p className="xs muted">
        <code>{text}</code> <CopyButton value={text} label="text of the error" />
      </p>
    </div>
  )
}

export function PageFailed({ error }: ErrorComponentProps) {
  const { tenant, project, environment } = useScope()
  const overview = project && environment ? environmentBase(tenant.slug, project.slug, environment) : `/t/${tenant.slug}`
  return (
    <Page title="This page stopped working">
      <section className="card pad">
        <WhatFailed error={error}>
          <a className="btn" href={`/dashboard${overview}`}>
            {environment ? 'Overview' : 'Projects'}
          </a>
        </WhatFailed>
      </section>
    </Page>
  )
}
