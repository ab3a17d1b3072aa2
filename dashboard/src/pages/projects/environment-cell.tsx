/** An environment in the row of its project: its own link, what it lacks before real users come, and its sign-ins of seven days. */
import type { Environment, Project } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { countDone, stateOf } from '../../parts/readiness.ts'
import { useRead } from '../../parts/reading.tsx'
import { EnvironmentTag, Tag } from '../../parts/tag.tsx'
import { readiness, statistics } from '../../queries/environment.ts'
import { projects } from '../../queries/tenancy.ts'
import { environment_route, environmentParams, useScope } from '../../scope.tsx'

interface CellProps {
  project: Project
  type: Environment['type']
}

/** The state of its environments is read when the row is in view. */
export function EnvironmentCell({ project, type }: CellProps) {
  const { client, tenant } = useScope()
  const cell = useRef<HTMLDivElement>(null)
  const [is_seen, setSeen] = useState(false)
  useEffect(() => {
    if (cell.current === null) return
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true))
    observer.observe(cell.current)
    return () => observer.disconnect()
  }, [])
  const read = useRead(projects.withEnvironments({ client, tenant }, project.slug), { enabled: is_seen })
  const environment =
    read.data?.environments.find((one) => one.type === type && one.slug === type) ??
    read.data?.environments.find((one) => one.type === type)
  return (
    <div ref={cell} className="environment-cell">
      {environment ? <State project={project} environment={environment} /> : read.data ? <span className="muted">None</span> : null}
    </div>
  )
}

function State({ project, environment }: { project: Project; environment: Environment }) {
  const { client, tenant } = useScope()
  const here = { client, at: { project_id: project.id, environment_id: environment.id } }
  const ready = useRead(readiness.one(here)).data
  const counted = useRead(statistics.range(here, '7d')).data
  const { done, of } = countDone((ready?.checks ?? []).map(stateOf))
  const sign_ins = counted?.data
    .flatMap((interval) => interval.sign_ins)
    .reduce((sum, { outcome, count }) => sum + (outcome === 'succeeded' ? count : 0), 0)
  return (
    <>
      <Link
        to={environment_route}
        params={environmentParams(tenant.slug, project.slug, environment)}
        aria-label={`${project.name}: ${environment.name}`}
      >
        <EnvironmentTag type={environment.type} />
      </Link>
      {ready ? ready.ready ? <Tag tone="ok">Ready</Tag> : <span className="muted nowrap">{`${done} of ${of} done`}</span> : null}
      {sign_ins === undefined ? null : (
        <span className="muted nowrap">{`${sign_ins.toLocaleString('en')} ${sign_ins === 1 ? 'sign-in' : 'sign-ins'} in 7 days`}</span>
      )}
    </>
  )
}
