/** The bar with the mark, the pickers of tenant and project, the switch between Test and Live, the search and the account. */

import { Link, linkOptions, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon, Mark } from '../parts/icon.tsx'
import { useList } from '../parts/reading.tsx'
import { projects } from '../queries/tenancy.ts'
import { environment_route, environmentParams, type Scope, useScope } from '../scope.tsx'
import { Account, DeploymentLink } from './account.tsx'
import { environmentPageAt } from './navigation.ts'
import { Picker } from './picker.tsx'
import { inOrder, ownTenants, pathIn } from './places.ts'

export function TopBar({ openDrawer, openPalette }: { openDrawer: () => void; openPalette: () => void }) {
  const { me, tenant } = useScope()
  return (
    <header className="top">
      <button type="button" className="btn quiet icon menu" aria-label="Open navigation" onClick={openDrawer}>
        <Icon name="menu" />
      </button>
      <Link to="/" aria-label="Ostiary: start" className="home">
        <Mark />
      </Link>
      <nav className="crumb" aria-label="Where you are">
        <TenantPicker />
        <ProjectPicker />
      </nav>
      <EnvironmentSwitch />
      <span className="sp" />
      <DeploymentLink me={me} />
      <button type="button" className="seek" onClick={openPalette}>
        <Icon name="search" />
        <span className="seek-text">Search or paste an id</span>
        <span className="kbd">{navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K'}</span>
      </button>
      <Account me={me} rights={tenant.role} />
    </header>
  )
}

function TenantPicker() {
  const { tenant, me } = useScope()
  const [words, setWords] = useState('')
  const places = ownTenants(me).map(({ tenant_id, slug, name }) => ({
    id: tenant_id,
    name,
    slug,
    link: linkOptions({ to: '/t/$tenant', params: { tenant: slug } }),
  }))
  const found = places.filter(({ name, slug }) => `${name} /t/${slug}`.toLowerCase().includes(words.trim().toLowerCase()))
  return (
    <Picker
      what="Tenant"
      several="tenants"
      current={tenant.name}
      className="ten"
      places={found}
      words={words}
      search={setWords}
      all={{ name: 'All tenants, and a new one', link: linkOptions({ to: '/tenants' }) }}
    />
  )
}

function ProjectPicker() {
  const { tenant, project } = useScope()
  return project ? (
    <>
      <span className="sl" aria-hidden="true">
        /
      </span>
      <Projects of={tenant} current={project.name} />
    </>
  ) : null
}

/** The API searches, because a tenant has more projects than one page of them. They are read when the picker is opened. */
function Projects({ of: tenant, current }: { of: Scope['tenant']; current: string }) {
  const { client } = useScope()
  const [words, setWords] = useState('')
  const [is_used, setUsed] = useState(false)
  const query = words.trim()
  const list = useList(projects.list({ client, tenant }, query), { enabled: is_used })
  return (
    <Picker
      what="Project"
      several="projects"
      current={current}
      places={list.rows?.map(({ id, slug, name }) => ({
        id,
        name,
        link: linkOptions({ to: '/t/$tenant/p/$project', params: { tenant: tenant.slug, project: slug } }),
      }))}
      are_earlier={list.isPlaceholderData}
      words={words}
      search={setWords}
      all={{ name: 'All projects', link: linkOptions({ to: '/t/$tenant', params: { tenant: tenant.slug } }) }}
      onOpen={() => setUsed(true)}
    />
  )
}

/** Going to the other environment keeps the page if it has that page, but not what was open in it. A page of the project is in neither. */
function EnvironmentSwitch() {
  const { tenant, project, environments, environment } = useScope()
  const { pathname } = useLocation()
  if (!project) return null
  const page = environment ? environmentPageAt(pathname) : undefined
  return (
    <nav className="envs" aria-label="Environment">
      {inOrder(environments).map((other) => {
        const name = other.slug === other.type ? (other.type === 'test' ? 'Test' : 'Live') : other.name
        return (
          <Link
            key={other.id}
            className={other.type === 'test' ? 't' : 'l'}
            to={`${environment_route}${pathIn(other.type, page)}`}
            params={environmentParams(tenant.slug, project.slug, other)}
            aria-label={name}
            aria-current={other.id === environment?.id ? 'true' : undefined}
          >
            <Icon name={other.type === 'test' ? 'flask' : 'signal'} />
            <span>{name}</span>
          </Link>
        )
      })}
    </nav>
  )
}
