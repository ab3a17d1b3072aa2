import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { environmentBase, useScope } from '../scope.tsx'
import { environmentPages, operatorPages, type PageEntry, tenantPages } from './navigation.ts'

/** The pages that the person may read. The deployment's own tenant has a few, with names of their own. */
export function usePages() {
  const { tenant, project, environment, can, is_root } = useScope()
  const here = project && environment ? environmentBase(tenant.slug, project.slug, environment) : null
  const visible = (page: PageEntry) =>
    can(page.role) && (page.only === undefined || page.only === environment?.type) && (!is_root || page.path in operatorPages)
  const at = (base: string) => (page: PageEntry) => ({
    ...page,
    name: (is_root && operatorPages[page.path]) || page.name,
    to: base + page.path,
  })
  return {
    environment:
      here === null
        ? []
        : (is_root ? [deploymentGroup, ...environmentPages] : environmentPages)
            .map(({ group, pages }) => ({ group, pages: pages.filter(visible).map(at(here)) }))
            .filter(({ pages }) => pages.length > 0),
    tenant: tenantPages.filter(visible).map(at(`/t/${tenant.slug}`)),
  }
}

const deploymentGroup: { group: string; pages: PageEntry[] } = {
  group: '',
  pages: [{ path: '/deployment', name: 'Deployment', icon: 'home', role: 'viewer' }],
}

export function Sidebar({ in_drawer = false }: { in_drawer?: boolean }) {
  const { tenant } = useScope()
  const pages = usePages()
  const link = ({ to, path, name, icon }: PageEntry & { to: string }) => (
    <Link key={to} to={to} activeOptions={{ exact: path === '', includeSearch: false }}>
      <Icon name={icon} size={17} /> {name}
    </Link>
  )
  return (
    <nav className={in_drawer ? 'side open' : 'side'} aria-label={in_drawer ? 'Pages in the drawer' : 'Pages'}>
      {pages.environment.map(({ group, pages }) => (
        <div key={group}>
          {group ? <h2>{group}</h2> : null}
          {pages.map(link)}
        </div>
      ))}
      <div className={pages.environment.length > 0 ? 'end' : ''}>
        <h2>{tenant.name}</h2>
        {pages.tenant.map(link)}
      </div>
    </nav>
  )
}
