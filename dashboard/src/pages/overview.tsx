/** The overview of an environment: four numbers, the steps to Live, what needs a look, the latest events, what code needs. */
import '../styles/overview.css'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Card } from '../parts/card.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { useRead } from '../parts/reading.tsx'
import { Uri } from '../parts/uri.tsx'
import { applications } from '../queries/applications.ts'
import { toApplication, toPage, useEnvironment } from '../scope.tsx'
import { Attention } from './overview/attention.tsx'
import { Numbers } from './overview/numbers.tsx'
import { Steps, useIsFirstHour } from './overview/steps.tsx'

const Activity = lazy(() => import('./overview/activity.tsx'))
const LatestEvents = lazy(() => import('./overview/latest-events.tsx'))

export default function Overview() {
  const { project, environment, is_root } = useEnvironment()
  if (is_root) return <Navigate {...toPage('/deployment')} replace />
  return (
    <Page
      title={project.name}
      lead={`One environment, one issuer. Everything on this page belongs to ${environment.name}.`}
      actions={<NewApplication />}
    >
      <Numbers />
      <div className="cols">
        <div className="stack">
          <Steps />
          <Suspense fallback={null}>
            <Activity />
          </Suspense>
          <Suspense fallback={null}>
            <LatestEvents />
          </Suspense>
        </div>
        <div className="stack">
          <Attention />
          <Connect />
        </div>
      </div>
    </Page>
  )
}

/** In the first hour the next step has the filled button of the page. */
function NewApplication() {
  const navigate = useNavigate()
  return (
    <ChangeButton className={useIsFirstHour() ? 'btn' : 'btn pri'} onClick={() => void navigate(toPage('/applications', { new: '1' }))}>
      <Icon name="plus" /> New application
    </ChangeButton>
  )
}

function Connect() {
  const here = useEnvironment()
  const { environment } = here
  const first = useRead(applications.newest(here)).data?.data[0]
  const facts = [
    ['Issuer', environment.issuer],
    ['Discovery', `${environment.issuer}/.well-known/openid-configuration`],
    ...(first ? [[`Client id, ${first.name}`, first.client_id]] : []),
  ] as [string, string][] // as: pairs
  return (
    <Card
      title="Connect"
      beside={
        first ? (
          <Link className="small strong" {...toApplication(first.id)}>
            Show code
          </Link>
        ) : null
      }
    >
      {facts.map(([name, value]) => (
        <div className="ep" key={name}>
          <div className="l">
            {name} <CopyButton value={value} label={name} />
          </div>
          <Uri value={value} />
        </div>
      ))}
    </Card>
  )
}
