/** The projects of a tenant. */

import type { Project } from '@ostiary/sdk'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { NameField, SlugField, slugFrom } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { ByApi } from '../parts/snippets.tsx'
import { type Column, Empty, hasNone, Records } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { projects } from '../queries/tenancy.ts'
import { deploymentParams, environment_route, useScope } from '../scope.tsx'

export default function Projects() {
  const { client, tenant, me, is_root, can } = useScope()
  const [words, setWords] = useState('')
  const { search, show } = useQueryState()
  const list = useList(projects.list({ client, tenant }, words))
  const deployment = is_root ? deploymentParams(me) : null
  const navigate = useNavigate()
  const columns: Column<Project>[] = [
    {
      head: 'Project',
      kind: 'first',
      cell: ({ slug, name }) => (
        <b>
          <Link to="/t/$tenant/p/$project" params={{ tenant: tenant.slug, project: slug }}>
            {name}
          </Link>
        </b>
      ),
    },
    { head: 'Slug', className: 'mono', cell: ({ slug }) => slug },
    { head: 'Created', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  if (deployment !== null) return <Navigate to={environment_route} params={deployment} replace />
  const create = (
    <ChangeButton className="btn pri" onClick={() => show({ new: '1' })}>
      <Icon name="plus" /> New project
    </ChangeButton>
  )
  return (
    <Page
      title="Projects"
      lead="A project is one product. It has a Test and a Live environment, each with its own users, keys and issuer."
      actions={!words && hasNone(list) ? null : create}
    >
      <div className="toolbar">
        <input
          className="in"
          data-filter
          aria-label="Search projects"
          placeholder="Search by name or slug"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <Records
        label="Projects"
        list={list}
        columns={columns}
        open={({ slug }) => void navigate({ to: '/t/$tenant/p/$project', params: { tenant: tenant.slug, project: slug } })}
        keyOf={({ id }) => id}
        empty={
          words ? (
            <Empty
              action={
                <button type="button" className="btn" onClick={() => setWords('')}>
                  Clear the search
                </button>
              }
            >
              No project has these words.
            </Empty>
          ) : (
            <Empty
              action={create}
              snippet={<ByApi operation="createProject" path="/v1/platform/projects" body={{ slug: 'shop', name: 'Shop' }} />}
            >
              This tenant has no project yet. A project is one product with a Test and a Live environment.
            </Empty>
          )
        }
      />
      {search.new && can('developer') ? <CreateProject close={() => show({ new: undefined })} /> : null}
    </Page>
  )
}

function CreateProject({ close }: { close: () => void }) {
  const { client, tenant } = useScope()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string | null>(null)
  const action = useAction((project: { name: string; slug: string }) => client.createProject(project), {
    changes: [projects.all({ tenant })],
    done: (project) => void navigate({ to: '/t/$tenant/p/$project', params: { tenant: tenant.slug, project: project.slug } }),
  })
  const entered = { name, slug: slug ?? slugFrom(name) }
  return (
    <FormDialog
      title="New project"
      lead={`In ${tenant.name}. It begins with a Test and a Live environment.`}
      submit="Create project"
      action={action}
      onSubmit={() => action.run(entered)}
      onClose={close}
    >
      <NameField value={name} change={setName} error={action.error} />
      <SlugField value={entered.slug} change={setSlug} error={action.error} />
    </FormDialog>
  )
}
