/** The bar with the mark, the pickers of tenant and project, the switch between Test and Live, the search and the account. */
import { Menu, useMantineColorScheme } from '@mantine/core'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { signOut } from '../api.ts'
import { useAction } from '../parts/action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, Mark } from '../parts/icon.tsx'
import { Problem } from '../parts/problem.tsx'
import { useRead } from '../parts/reading.tsx'
import { deploymentBase, environmentBase, useScope } from '../scope.tsx'
import { samePageIn } from './navigation.ts'

export function TopBar({ openDrawer, openPalette }: { openDrawer: () => void; openPalette: () => void }) {
  return (
    <header className="top">
      <button type="button" className="btn quiet icon menu" aria-label="Open navigation" onClick={openDrawer}>
        <Icon name="menu" />
      </button>
      <Link to="/" aria-label="Ostiary: your tenants" className="home">
        <Mark />
      </Link>
      <nav className="crumb" aria-label="Where you are">
        <TenantPicker />
        <ProjectPicker />
      </nav>
      <EnvironmentSwitch />
      <span className="sp" />
      <DeploymentLink />
      <button type="button" className="seek" onClick={openPalette}>
        <Icon name="search" />
        <span className="seek-text">Search or paste an id</span>
        <span className="kbd">{navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K'}</span>
      </button>
      <Account />
    </header>
  )
}

/** For operators: the deployment's own mail, methods and administrators. */
function DeploymentLink() {
  const { me } = useScope()
  const base = deploymentBase(me)
  if (base === null) return null
  return (
    <Link className="deployment" to={`${base}/deployment`} aria-label="Deployment">
      <Icon name="servers" /> <span>Deployment</span>
    </Link>
  )
}

function TenantPicker() {
  const { tenant, me } = useScope()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <button type="button" className="pick ten" aria-label={`Tenant: ${tenant.name}`}>
          <span className="cut">{tenant.name}</span> <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Tenants</Menu.Label>
        {me.memberships
          .filter(({ tenant_id }) => tenant_id !== me.root_tenant_id)
          .map(({ tenant_id, slug, name }) => (
            <Menu.Item key={tenant_id} onClick={() => navigate({ to: '/t/$tenant', params: { tenant: slug } })}>
              {name}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function ProjectPicker() {
  const { tenant, project, client } = useScope()
  const navigate = useNavigate()
  const projects = useRead(['projects', tenant.id, 'picker'], (signal) => client.listProjects({ limit: 20 }, { signal }).page())
  if (!project) return null
  return (
    <>
      <span className="sl" aria-hidden="true">
        /
      </span>
      <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <button type="button" className="pick" aria-label={`Project: ${project.name}`}>
            <span className="cut">{project.name}</span> <Icon name="down" size={14} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Projects</Menu.Label>
          {projects.data?.data.map(({ id, slug, name }) => (
            <Menu.Item key={id} onClick={() => navigate({ to: `/t/${tenant.slug}/p/${slug}/test` })}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => navigate({ to: '/t/$tenant', params: { tenant: tenant.slug } })}>All projects</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** Going to the other environment keeps the page if it has that page, but not what was open in it. */
function EnvironmentSwitch() {
  const { tenant, project, environments, environment } = useScope()
  const { pathname } = useLocation()
  if (!project || !environment) return null
  return (
    <nav className="envs" aria-label="Environment">
      {environments
        .toReversed()
        .toSorted((a, b) => b.type.localeCompare(a.type))
        .map((other) => {
          const name = other.slug === other.type ? (other.type === 'test' ? 'Test' : 'Live') : other.name
          return (
            <Link
              key={other.id}
              className={other.type === 'test' ? 't' : 'l'}
              to={environmentBase(tenant.slug, project.slug, other) + samePageIn(other.type, pathname)}
              aria-label={name}
              aria-current={other.id === environment.id ? 'true' : undefined}
            >
              <Icon name={other.type === 'test' ? 'flask' : 'signal'} />
              <span>{name}</span>
            </Link>
          )
        })}
    </nav>
  )
}

function Account() {
  const { me, tenant } = useScope()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const initials = (me.name ?? me.email).slice(0, 2).toUpperCase()
  const leave = useAction(signOut, { done: () => location.assign('/dashboard') })
  const schemes = { auto: 'Like the system', light: 'Light', dark: 'Dark' } as const
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <button type="button" className="ava" aria-label={`${initials}: your account`}>
            {initials}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {me.email}, {tenant.role}
          </Menu.Label>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.Item
              key={scheme}
              leftSection={<Icon name={colorScheme === scheme ? 'check' : 'dots'} />}
              onClick={() => setColorScheme(scheme)}
            >
              {schemes[scheme]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component="a" href="/docs" leftSection={<Icon name="page" />}>
            Documentation
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="out" />} onClick={() => leave.run()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog
        opened={leave.error !== null}
        alert
        onClose={leave.reset}
        title="You are still signed in"
        footer={
          <>
            <button type="button" className="btn" onClick={leave.reset}>
              Stay
            </button>
            <button type="button" className="btn pri" disabled={leave.busy} onClick={() => leave.run()}>
              Sign out
            </button>
          </>
        }
      >
        <Problem error={leave.error} />
      </Dialog>
    </>
  )
}
