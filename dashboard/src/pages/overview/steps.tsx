/** The steps from an empty environment to real users. Each ticks itself from what the API reports; nothing is stored. */

import type { Readiness } from '@ostiary/sdk'
import { Link, linkOptions, type ToOptions } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { applications } from '../../queries/applications.ts'
import { readiness } from '../../queries/environment.ts'
import { type EnvironmentPath, useEnvironment } from '../../scope.tsx'

const BringToLive = lazy(() => import('./bring-to-live.tsx'))

type Code = Readiness['checks'][number]['code']

type StepPage = EnvironmentPath | '/members'

/** The words of the checks, and the page that solves each. */
const steps: Record<Code, { title: string; page: StepPage; act: string }> = {
  application_exists: { title: 'Create an application', page: '/applications', act: 'Applications' },
  real_sign_in: { title: 'Sign in once', page: '/applications', act: 'Try sign-in' },
  keys_restricted: { title: 'Restrict the keys', page: '/api-keys', act: 'Keys' },
  webhooks_answer: { title: 'Answer every webhook', page: '/webhooks', act: 'Webhooks' },
  mail_works: { title: 'Set up mail', page: '/settings', act: 'Settings' },
  https_only: { title: 'Use https only', page: '/applications', act: 'Applications' },
  no_try_address: { title: 'Remove the address for trying out', page: '/applications', act: 'Applications' },
  links_set: { title: 'Link terms and privacy', page: '/settings', act: 'Settings' },
  two_owners: { title: 'Have a second owner', page: '/members', act: 'Members' },
  passkeys_usable: { title: 'Keep the passkeys in use', page: '/settings', act: 'Settings' },
}
const order = Object.keys(steps)

export function Steps() {
  const here = useEnvironment()
  const { environment, base, tenant } = here
  const ready = useRead(readiness.one(here), { refetchInterval: 10_000 })
  const first = useRead(applications.newest(here)).data?.data[0]
  const linkTo = (page: StepPage): ToOptions =>
    page === '/members'
      ? linkOptions({ to: '/t/$tenant/members', params: { tenant: tenant.slug } })
      : linkOptions({ from: base, to: `${base}${page}` })
  const tryLink: ToOptions = first
    ? linkOptions({ from: base, to: `${base}/applications/$application_id`, params: { application_id: first.id }, search: { tab: 'try' } })
    : linkTo('/applications')
  return (
    <Loaded of={ready}>
      {({ checks }) => {
        const sorted = checks.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code))
        const done = checks.filter(({ ok }) => ok).length
        const next = sorted.find(({ ok }) => !ok)
        return (
          <section className="card">
            <header>
              <h2>{environment.type === 'test' ? 'From here to Live' : 'Ready for real users'}</h2>
              <div className="r">
                <span className="xs muted">
                  {done} of {checks.length} done
                </span>
                <progress className="bar" max={checks.length} value={done} aria-label="Steps done" />
              </div>
            </header>
            <ol className="steps">
              {sorted.map((check, index) => {
                const { title, page, act } = steps[check.code]
                return (
                  <li key={check.code} className={check.ok ? 'done' : ''}>
                    <span className={check.ok ? 'd' : 'd o'}>{check.ok ? <Icon name="check" size={13} /> : index + 1}</span>
                    <div className="t">
                      <b>{title}</b>
                      <span className="vh">{check.ok ? 'Done.' : 'Open.'}</span>
                      {check.ok ? null : (
                        <span>
                          {check.detail}
                          {check.level === 'recommended' ? ' Recommended.' : ''}
                        </span>
                      )}
                    </div>
                    {check.ok ? null : (
                      <Link
                        className={`btn s${check === next ? ' pri' : ''}`}
                        {...(check.code === 'real_sign_in' ? tryLink : linkTo(page))}
                        aria-label={`${act}: ${title}`}
                      >
                        {act}
                      </Link>
                    )}
                  </li>
                )
              })}
              {environment.type === 'test' ? (
                <Suspense fallback={null}>
                  <BringToLive number={sorted.length + 1} />
                </Suspense>
              ) : null}
            </ol>
          </section>
        )
      }}
    </Loaded>
  )
}
