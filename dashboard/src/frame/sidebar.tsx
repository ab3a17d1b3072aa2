import { Link, linkOptions, type ToOptions } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { type EnvironmentPath, environment_route, environmentParams, project_route, useScope } from '../scope.tsx'
import { DeploymentLink } from './account.tsx'
import { environmentPages, operatorPages, type PageEntry, projectPages, tenantPages } from './navigation.ts'
import { inOrder } from './places.ts'

/** The pages that the person may read. The deployment's own tenant has a few, with names of their own. */
export function usePages() {
  const { tenant, project, environment, can, is_root } = useScope()
  const here = project && environment ? environmentParams(tenant.slug, project.slug, environment) : null
  const visible = (page: PageEntry) =>
    can(page.role) && (page.only === undefined || page.only === environment?.type) && (!is_root || page.path in operatorPages)
  const pageName = ({ path, name }: PageEntry) => (is_root && operatorPages[path]) || name
  const of_project = project
    ? projectPages.filter(visible).map((page) => ({
        ...page,
        link: linkOptions({ to: `${project_route}${page.path}`, params: { tenant: tenant.slug, project: project.slug } }),
      }))
    : []
  return {
    project: of_project,
    environment:
      here === null
        ? []
        : (is_root ? [deploymentGroup, ...environmentPages] : environmentPages)
            .map(({ group, pages }) => ({
              group,
              pages: pages.filter(visible).map((page) => ({
                ...page,
                name: pageName(page),
                link: linkOptions({ to: `${environment_route}${page.path}`, params: here }),
              })),
            }))
            .filter(({ pages }) => pages.length > 0),
    tenant: tenantPages.filter(visible).map((page) => ({
      ...page,
      name: pageName(page),
      link: linkOptions({ to: `/t/$tenant${page.path}`, params: { tenant: tenant.slug } }),
    })),
  }
}

const deploymentGroup: { group: string; pages: PageEntry<EnvironmentPath>[] } = {
  group: '',
  pages: [{ path: '/deployment', name: 'Deployment', icon: 'home', role: 'viewer' }],
}

export function Sidebar({ in_drawer = false }: { in_drawer?: boolean }) {
  const { tenant, project, environment, environments, me, is_root } = useScope()
  const pages = usePages()
  // A page of the environment leads to the one of the tenant that has its name.
  const names_here = new Set(pages.environment.flatMap(({ pages }) => pages.map(({ name }) => name)))
  const link = ({ link, path, name, icon }: Pick<PageEntry, 'name' | 'icon'> & { path: string; link: ToOptions }) => (
    <Link key={path} {...link} activeOptions={{ exact: path === '', includeSearch: false }}>
      <Icon name={icon} size={17} /> {name}
    </Link>
  )
  return (
    <nav className={in_drawer ? 'side open' : 'side'} aria-label={in_drawer ? 'Pages in the drawer' : 'Pages'}>
      <div className="in-side">
        {pages.environment.map(({ group, pages }) => (
          <div key={group}>
            {group ? <h2>{group}</h2> : null}
            {pages.map(link)}
          </div>
        ))}
        {project && pages.project.length > 0 ? (
          <div>
            <h2>{project.name}</h2>
            {environment
              ? null
              : inOrder(environments).map((each) =>
                  link({
                    path: each.id,
                    name: each.name,
                    icon: each.type === 'test' ? 'flask' : 'signal',
                    link: linkOptions({ to: environment_route, params: environmentParams(tenant.slug, project.slug, each) }),
                  }),
                )}
            {pages.project.map(link)}
          </div>
        ) : null}
        <div className={project ? 'end' : ''}>
          <h2>{tenant.name}</h2>
          {pages.tenant.filter(({ name }) => !names_here.has(name)).map(link)}
          {in_drawer && !is_root ? <DeploymentLink me={me} /> : null}
        </div>
      </div>
    </nav>
  )
}
