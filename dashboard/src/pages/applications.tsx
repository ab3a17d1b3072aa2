/** The applications of an environment. */

import type { Application } from '@ostiary/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SearchField } from '../parts/filters.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { type Column, Empty, hasNone, Records } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { applications } from '../queries/applications.ts'
import { useEnvironment } from '../scope.tsx'
import { CreateApplication } from './applications/create.tsx'

export const typeNames = { web: 'web, confidential', spa: 'spa, public', native: 'native, public' } as const

export default function Applications() {
  const { client, at, base, can } = useEnvironment()
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const show = (change: Record<string, string | undefined>) =>
    void navigate({ from: base, to: `${base}/applications`, search: { ...search, ...change }, replace: true })
  const words = search.query ?? ''
  const list = useList(applications.list({ client, at }, words))
  const columns: Column<Application>[] = [
    {
      head: 'Application',
      kind: 'first',
      cell: ({ id, name, client_id }) => (
        <>
          <b>
            <Link from={base} to={`${base}/applications/$application_id`} params={{ application_id: id }}>
              {name}
            </Link>
          </b>
          <code>{client_id}</code>
        </>
      ),
    },
    { head: 'Kind', cell: ({ application_type }) => <Tag>{typeNames[application_type]}</Tag> },
    {
      head: 'Status',
      cell: ({ disabled }) =>
        disabled ? (
          <Tag tone="warn" icon="cross">
            Disabled
          </Tag>
        ) : (
          <Tag tone="ok" icon="check">
            Enabled
          </Tag>
        ),
    },
    { head: 'Created', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  const create = (
    <ChangeButton className="btn pri" onClick={() => show({ new: '1' })}>
      <Icon name="plus" /> New application
    </ChangeButton>
  )
  return (
    <Page
      title="Applications"
      lead="Each program that signs people in is an application, with its own client id."
      actions={!words && hasNone(list) ? null : create}
    >
      <div className="toolbar">
        <SearchField
          label="Search applications"
          placeholder="Search by name"
          value={words}
          change={(text) => show({ query: text || undefined })}
        />
      </div>
      <Records
        label="Applications"
        list={list}
        columns={columns}
        open={({ id }) =>
          void navigate({ from: base, to: `${base}/applications/$application_id` as const, params: { application_id: id } })
        }
        keyOf={({ id }) => id}
        empty={
          words ? (
            <Empty
              action={
                <button type="button" className="btn" onClick={() => show({ query: undefined })}>
                  Clear the search
                </button>
              }
            >
              No application has these words.
            </Empty>
          ) : (
            <Empty
              action={create}
              snippet={
                <ByApi
                  operation="createApplication"
                  path={`${pathOf(at)}/applications`}
                  params={at}
                  body={{ name: 'Shop', application_type: 'web', redirect_uris: ['https://app.example.com/auth/callback'] }}
                />
              }
            >
              No application yet. Create one to let people sign in to your program.
            </Empty>
          )
        }
      />
      {search.new && can('developer') ? <CreateApplication close={() => show({ new: undefined })} /> : null}
    </Page>
  )
}
