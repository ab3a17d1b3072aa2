/** The applications of an environment. */

import type { Application, ApplicationInList } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { countedWords } from '../parts/counted.ts'
import { FilterSelect, NoMatch, SearchField } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { PageTabs } from '../parts/tabs.tsx'
import { Tag } from '../parts/tag.tsx'
import { applications, orderIn } from '../queries/applications.ts'
import { toApplication, useEnvironment } from '../scope.tsx'
import { ConnectedByAddress } from './applications/by-address.tsx'
import { CreateApplication } from './applications/create.tsx'

const typeNames = { web: 'web, confidential', spa: 'spa, public', native: 'native, public' } as const

export const ApplicationType = ({ of: { application_type } }: { of: Application }) => <Tag>{typeNames[application_type]}</Tag>

export const ApplicationStatus = ({ of: { disabled } }: { of: Application }) =>
  disabled ? (
    <Tag tone="warn" icon="cross">
      Disabled
    </Tag>
  ) : (
    <Tag tone="ok">Enabled</Tag>
  )

const columns: Column<ApplicationInList>[] = [
  {
    head: 'Application',
    cell: ({ name, client_id }, open) => (
      <>
        <b>{open(name)}</b>
        <code>{client_id}</code>
      </>
    ),
  },
  { head: 'Kind', cell: (application) => <ApplicationType of={application} /> },
  { head: 'Status', cell: (application) => <ApplicationStatus of={application} /> },
  timeColumn('Last sign-in', ({ last_sign_in_at = null }) => last_sign_in_at),
  {
    head: 'In 30 days',
    className: 'muted nowrap',
    cell: ({ people_30_days }) => (people_30_days ? countedWords(people_30_days, 'person', 'people') : ''),
  },
  timeColumn('Created', ({ created_at }) => created_at),
]

const tabs = [
  ['registered', 'Registered'],
  ['by-address', 'Connected by address'],
] as const

export default function Applications() {
  const { tab = 'registered' } = useQueryState().search
  const above = <PageTabs label="Applications" tabs={tabs} current={tab} />
  return tab === 'by-address' ? (
    <ConnectedByAddress title="Applications" above={above} />
  ) : (
    <Registered title="Applications" above={above} />
  )
}

function Registered({ title, above }: { title: string; above: ReactNode }) {
  const here = useEnvironment()
  const { at } = here
  const { search, show } = useQueryState()
  const sort = orderIn(search)
  const list = useList(applications.list(here, search.query, sort))
  const find = (text: string) => show({ query: text || undefined })
  return (
    <ListPage
      title={title}
      lead="Each program that signs people in is an application, with its own client id."
      create={{ words: 'New application', form: (close) => <CreateApplication close={close} /> }}
      above={
        <>
          {above}
          <div className="toolbar">
            <SearchField label="Search applications" placeholder="Search by name" value={search.query ?? ''} change={find} />
            <FilterSelect
              label="Order"
              any="Newest first"
              options={[['name', 'By name']]}
              value={sort === 'name' ? sort : undefined}
              choose={(sort) => show({ sort })}
            />
          </div>
        </>
      }
      list={list}
      columns={columns}
      link={({ id }) => toApplication(id)}
      no_match={
        search.query ? (
          <NoMatch act="Clear the search" clear={() => find('')}>
            No application has these words.
          </NoMatch>
        ) : null
      }
      empty="No application yet. Create one to let people sign in to your program."
      snippet={
        <ByApi
          operation="createApplication"
          path={`${pathOf(at)}/applications`}
          params={at}
          body={{ name: 'Shop', application_type: 'web', redirect_uris: ['https://app.example.com/auth/callback'] }}
        />
      }
    />
  )
}
