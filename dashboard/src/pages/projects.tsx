/** The projects of a tenant. */

import type { Project } from '@ostiary/sdk'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { NoMatch } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { NamedDialog } from '../parts/named-dialog.tsx'
import { useList } from '../parts/reading.tsx'
import { ByApi } from '../parts/snippets.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { projects } from '../queries/tenancy.ts'
import { deploymentParams, environment_route, toProject, useScope } from '../scope.tsx'
import { EnvironmentCell } from './projects/environment-cell.tsx'

const columns: Column<Project>[] = [
  { head: 'Project', cell: ({ name }, open) => <b>{open(name)}</b> },
  { head: 'Slug', className: 'mono', cell: ({ slug }) => slug },
  { head: 'Test', cell: (project) => <EnvironmentCell project={project} type="test" /> },
  { head: 'Live', cell: (project) => <EnvironmentCell project={project} type="live" /> },
  timeColumn('Created', ({ created_at }) => created_at),
]

export default function Projects() {
  const { client, tenant, me, is_root } = useScope()
  const navigate = useNavigate()
  const [words, setWords] = useState('')
  const list = useList(projects.list({ client, tenant }, words))
  const deployment = is_root ? deploymentParams(me) : null
  if (deployment !== null) return <Navigate to={environment_route} params={deployment} replace />
  return (
    <ListPage
      title="Projects"
      lead="A project is one product. It has a Test and a Live environment, each with its own users, keys and issuer."
      create={{
        words: 'New project',
        form: (close) => (
          <NamedDialog
            title="New project"
            lead={`In ${tenant.name}. It begins with a Test and a Live environment.`}
            submit="Create project"
            create={(project) => client.createProject(project)}
            changes={[projects.all({ tenant })]}
            done={(slug) => void navigate(toProject(tenant.slug, slug))}
            close={close}
          />
        ),
      }}
      above={
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
      }
      list={list}
      columns={columns}
      link={({ slug }) => toProject(tenant.slug, slug)}
      no_match={
        words ? (
          <NoMatch act="Clear the search" clear={() => setWords('')}>
            No project has these words.
          </NoMatch>
        ) : null
      }
      empty="This tenant has no project yet. A project is one product with a Test and a Live environment."
      snippet={<ByApi operation="createProject" path="/v1/platform/projects" body={{ slug: 'shop', name: 'Shop' }} />}
    />
  )
}
