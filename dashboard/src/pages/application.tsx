/** One application: Connect, Try sign-in, Addresses, Scopes and consent, Credentials, Events. */
import '../styles/connect.css'
import type { Application as Record } from '@ostiary/sdk'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ConfirmCall } from '../parts/confirm.tsx'
import { countedWords } from '../parts/counted.ts'
import { Hurt } from '../parts/hurt.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Editing } from '../parts/save.tsx'
import { useQueryState } from '../parts/search.ts'
import { PageTabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { applications } from '../queries/applications.ts'
import { impact } from '../queries/impact.ts'
import { toPage, useEnvironment } from '../scope.tsx'
import { Addresses, Scopes } from './application/addresses.tsx'
import { Connect } from './application/connect.tsx'
import { Authentication, Credentials } from './application/credentials.tsx'
import { ApplicationEvents } from './application/events.tsx'
import { TrySignIn } from './application/try/try.tsx'
import { forgetCreatedSecret } from './applications/created-secret.ts'
import { ApplicationStatus, ApplicationType } from './applications.tsx'

const tabs = [
  ['connect', 'Connect'],
  ['try', 'Try sign-in'],
  ['addresses', 'Addresses'],
  ['scopes', 'Scopes and consent'],
  ['credentials', 'Credentials'],
] as const
/** Viewers may not read events. */
const tabs_of_developers = [...tabs, ['events', 'Events']] as const

export default function Application() {
  const here = useEnvironment()
  const { can } = here
  const { application_id = '' } = useParams({ strict: false })
  const { search } = useQueryState()
  const tab = search.tab ?? 'connect'
  useEffect(() => {
    return forgetCreatedSecret
  }, [])
  const read = useRead(applications.one(here, application_id))
  return (
    <Loaded of={read}>
      {(latest) => {
        const application = latest.data
        return (
          <Page
            title={application.name}
            logo={
              <span className="logo" aria-hidden="true">
                {application.name.slice(0, 1).toUpperCase()}
              </span>
            }
            lead={
              <>
                <ApplicationType of={application} /> <ApplicationStatus of={application} /> <Activity slug={application.slug} />
              </>
            }
            actions={<DeleteApplication application={application} />}
          >
            <PageTabs label="Application" tabs={can('developer') ? tabs_of_developers : tabs} current={tab} />
            {tab === 'connect' ? <Connect application={application} /> : null}
            {tab === 'try' ? <TrySignIn key={application.id} application={application} etag={latest.etag} /> : null}
            {tab === 'addresses' ? <Editing latest={latest}>{(edited) => <Addresses {...edited} />}</Editing> : null}
            {tab === 'scopes' ? <Editing latest={latest}>{(edited) => <Scopes {...edited} />}</Editing> : null}
            {tab === 'credentials' ? (
              <div className="stack">
                <Credentials application={application} />
                {application.application_type === 'web' ? (
                  <Editing latest={latest}>{(edited) => <Authentication {...edited} />}</Editing>
                ) : null}
              </div>
            ) : null}
            {tab === 'events' && can('developer') ? <ApplicationEvents application={application} /> : null}
          </Page>
        )
      }}
    </Loaded>
  )
}

/** When a person last signed in to it, and how many people do. */
function Activity({ slug }: { slug: string }) {
  const [used] = useRead(applications.activity(useEnvironment(), slug)).data?.data ?? []
  if (!used?.people_30_days) return null
  return (
    <span className="muted small">
      Last sign-in <Time at={used.last_sign_in_at ?? null} />, {countedWords(used.people_30_days, 'person', 'people')} in 30 days
    </span>
  )
}

function DeleteApplication({ application }: { application: Record }) {
  const here = useEnvironment()
  const { client, at } = here
  const navigate = useNavigate()
  const [is_open, setOpen] = useState(false)
  return (
    <>
      <ChangeButton className="btn bad" onClick={() => setOpen(true)}>
        Delete
      </ChangeButton>
      {is_open ? (
        <ConfirmCall
          title={`Delete ${application.name}?`}
          consequence="Nobody can sign in through it any more. Its tokens stop working, and its client id is never given again."
          keep="Keep the application"
          act="Delete now"
          typed={application.name}
          call={() => client.deleteApplication({ ...at, application_id: application.id })}
          changes={[applications.all({ at })]}
          done={() => void navigate({ ...toPage('/applications'), ignoreBlocker: true })}
          onClose={() => setOpen(false)}
        >
          <Hurt of={impact.ofApplication(here, application.id)} />
        </ConfirmCall>
      ) : null}
    </>
  )
}
