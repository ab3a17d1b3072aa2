/** The overview of an environment: four numbers, the steps to Live, what needs a look, the latest events, what code needs. */
import '../styles/overview.css'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { CopyButton } from '../parts/copy.tsx'
import { eventWords } from '../parts/event-kinds.ts'
import { Icon } from '../parts/icon.tsx'
import { useNames } from '../parts/names.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Time } from '../parts/time.tsx'
import { Uri } from '../parts/uri.tsx'
import { applications } from '../queries/applications.ts'
import { events } from '../queries/events.ts'
import { useEnvironment } from '../scope.tsx'
import { AboutEvent } from './events/columns.tsx'
import { idsOf, whyOf } from './events/words.ts'
import { Attention } from './overview/attention.tsx'
import { Numbers } from './overview/numbers.tsx'
import { Steps } from './overview/steps.tsx'

const Activity = lazy(() => import('./overview/activity.tsx'))

export default function Overview() {
  const { project, environment, base, is_root } = useEnvironment()
  const navigate = useNavigate()
  if (is_root) return <Navigate from={base} to={`${base}/deployment`} replace />
  return (
    <Page
      title={project.name}
      lead={`One environment, one issuer. Everything on this page belongs to ${environment.name}.`}
      actions={
        <ChangeButton className="btn pri" onClick={() => void navigate({ from: base, to: `${base}/applications`, search: { new: '1' } })}>
          <Icon name="plus" /> New application
        </ChangeButton>
      }
    >
      <Numbers />
      <div className="cols">
        <div className="stack">
          <Steps />
          <Suspense fallback={null}>
            <Activity />
          </Suspense>
          <LatestEvents />
        </div>
        <div className="stack">
          <Attention />
          <Connect />
        </div>
      </div>
    </Page>
  )
}

function LatestEvents() {
  const here = useEnvironment()
  const { base, can } = here
  const may = can('developer')
  const latest = useRead(events.latest(here), { enabled: may, refetchInterval: 15_000 })
  const nameOf = useNames((latest.data?.data ?? []).flatMap(idsOf))
  if (!may) return null
  return (
    <Loaded of={latest}>
      {({ data }) => (
        <section className="card">
          <header>
            <h2>Latest events</h2>
            <div className="r">
              <Link className="small strong" from={base} to={`${base}/events`}>
                All events
              </Link>
            </div>
          </header>
          {data.length === 0 ? (
            <p className="pad muted">Nothing has happened yet. Sign-ins, new users and changes appear here.</p>
          ) : (
            <table className="rows ev">
              <thead>
                <tr>
                  <th scope="col">Event</th>
                  <th scope="col">About</th>
                  <th scope="col">Why</th>
                  <th scope="col">When</th>
                </tr>
              </thead>
              <tbody>
                {data.map((event) => (
                  <tr key={event.id}>
                    <td>
                      <Link from={base} to={`${base}/events`} search={{ chosen: event.id }}>
                        {eventWords[event.type]}
                      </Link>
                    </td>
                    <td className="any">
                      <AboutEvent event={event} nameOf={nameOf} />
                    </td>
                    <td className="why">{whyOf(event)}</td>
                    <td className="muted nowrap">
                      <Time at={event.timestamp} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      )}
    </Loaded>
  )
}

function Connect() {
  const here = useEnvironment()
  const { environment, base } = here
  const first = useRead(applications.newest(here)).data?.data[0]
  const facts = [
    ['Issuer', environment.issuer],
    ['Discovery', `${environment.issuer}/.well-known/openid-configuration`],
    ...(first ? [[`Client id, ${first.name}`, first.client_id]] : []),
  ] as [string, string][] // as: pairs
  return (
    <section className="card">
      <header>
        <h2>Connect</h2>
        {first ? (
          <div className="r">
            <Link className="small strong" from={base} to={`${base}/applications/$application_id`} params={{ application_id: first.id }}>
              Show code
            </Link>
          </div>
        ) : null}
      </header>
      {facts.map(([name, value]) => (
        <div className="ep" key={name}>
          <div className="l">
            {name} <CopyButton value={value} label={name} />
          </div>
          <Uri value={value} />
        </div>
      ))}
    </section>
  )
}
