/** The pages of the sidebar, which the palette and the shortcuts also offer. */
import type { IconName } from '../parts/icon.tsx'
import type { EnvironmentPath, ProjectPath, Role, TenantPath } from '../scope.tsx'

export interface PageEntry<Path extends string = EnvironmentPath | ProjectPath | TenantPath> {
  path: Path
  name: string
  icon: IconName
  /** Who may read the page; others do not see it. */
  role: Role
  /** Only in environments of this type. */
  only?: 'test'
  /** The second key of its shortcut, after `g`. */
  key?: string
}

// biome-ignore format: these tables are read by column
export const environmentPages: { group: string; pages: PageEntry<EnvironmentPath>[] }[] = [
  { group: '', pages: [{ path: '', name: 'Overview', icon: 'home', role: 'viewer' }] },
  { group: 'People', pages: [
    { path: '/users',        name: 'Users',        icon: 'users',   role: 'developer', key: 'u' },
    { path: '/organizations', name: 'Organizations', icon: 'organization', role: 'developer' },
    { path: '/inbox',        name: 'Inbox',        icon: 'inbox',   role: 'developer', only: 'test' },
  ] },
  { group: 'Sign-in', pages: [
    { path: '/applications', name: 'Applications', icon: 'window',  role: 'viewer',    key: 'a' },
    { path: '/resource-servers', name: 'Resource servers', icon: 'servers', role: 'viewer' },
    { path: '/roles',        name: 'Roles',        icon: 'badge',   role: 'viewer' },
    { path: '/providers',    name: 'Providers',    icon: 'plug',    role: 'viewer' },
    { path: '/sign-in-pages', name: 'Sign-in pages', icon: 'page',  role: 'viewer' },
  ] },
  { group: 'Build', pages: [
    { path: '/api-keys',     name: 'API keys',     icon: 'key',     role: 'viewer',    key: 'k' },
    { path: '/webhooks',     name: 'Webhooks',     icon: 'webhook', role: 'viewer',    key: 'w' },
    { path: '/logouts',      name: 'Back-channel logouts', icon: 'out', role: 'developer' },
    { path: '/events',       name: 'Events',       icon: 'list',    role: 'developer', key: 'e' },
    { path: '/calls',        name: 'Calls',        icon: 'warn',    role: 'developer' },
  ] },
  { group: 'Environment', pages: [
    { path: '/settings',     name: 'Settings',     icon: 'sliders', role: 'viewer',    key: 's' },
    { path: '/test-and-live', name: 'Test and Live', icon: 'compare', role: 'viewer' },
  ] },
]

/** They are below those of the environment. */
export const projectPages: PageEntry<ProjectPath>[] = [{ path: '/promotions', name: 'Promotions', icon: 'promote', role: 'viewer' }]

// biome-ignore format: these tables are read by column
export const tenantPages: PageEntry<TenantPath>[] = [
  { path: '',               name: 'Projects',      icon: 'building', role: 'viewer' },
  { path: '/platform-keys', name: 'Platform keys', icon: 'shield',   role: 'admin'  },
  { path: '/members',       name: 'Members',       icon: 'users',    role: 'viewer' },
  { path: '/calls',         name: 'Calls',         icon: 'warn',     role: 'admin'  },
  { path: '/audit-log',     name: 'Audit log',     icon: 'clock',    role: 'admin'  },
]

/**
 * The pages of the deployment itself and what they are called there (decision 0026). Operators can read the others too, and change
 * nothing on them.
 */
export const operatorPages: Readonly<Record<string, string>> = {
  '/deployment': 'Deployment',
  '/users': 'Administrators',
  '/providers': 'Providers',
  '/sign-in-pages': 'Sign-in pages',
  '/events': 'Events',
  '/calls': 'Calls',
  '/settings': 'Settings',
  '/members': 'Operators',
  '/audit-log': 'Audit log',
}

/** The page of a path of the router, which has no `/dashboard`. */
export function pageAt(pathname: string): PageEntry | undefined {
  const [, in_tenant = '', in_project] = /^\/t\/[^/]+(\/[^/]+)?(?:\/[^/]+(\/[^/]+))?/.exec(pathname) ?? []
  const of_project = projectPages.find(({ path }) => path === in_project)
  return of_project ?? (in_tenant === '/p' ? environmentPageAt(pathname) : tenantPages.find(({ path }) => path === in_tenant))
}

export function environmentPageAt(pathname: string): PageEntry<EnvironmentPath> | undefined {
  const found = /^\/t\/[^/]+\/p\/[^/]+\/[^/]+(\/[^/]+)?/.exec(pathname)
  return found ? environmentPages.flatMap(({ pages }) => pages).find(({ path }) => path === (found[1] ?? '')) : undefined
}
