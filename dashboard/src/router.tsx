/** The addresses of the dashboard. Each page is a chunk of its own, and what it reads first begins beside it. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { ofEnvironment, ofPerson, ofProject, ofProjectPage, ofTenant } from './arrival.ts'
import { PageFailed } from './frame/failed.tsx'
import { Frame } from './frame/frame.tsx'
import { InEnvironment, InProject, InTenant } from './frame/scopes.tsx'
import { Crash, NotFound } from './frame/start.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crash })

const tenant = createRoute({ getParentRoute: () => root, path: 't/$tenant', component: InTenant, errorComponent: Crash })
const environment = createRoute({ getParentRoute: () => tenant, path: 'p/$project/$env', component: InEnvironment, errorComponent: Crash })
const project = createRoute({
  getParentRoute: () => tenant,
  path: 'p/$project',
  component: InProject,
  errorComponent: Crash,
  loader: (opened) => ofProject(opened),
})
const inProject = createRoute({ getParentRoute: () => tenant, id: 'project', component: InEnvironment, errorComponent: Crash })
const framed = createRoute({ getParentRoute: () => tenant, id: 'tenant', component: Frame, errorComponent: Crash })

type Load = Parameters<typeof lazyRouteComponent>[0]
const page = <const Path extends string>(path: Path, load: Load, first: Parameters<typeof ofEnvironment>[0]) =>
  createRoute({
    getParentRoute: () => environment,
    path,
    component: lazyRouteComponent(load),
    validateSearch: textOnly,
    loader: (opened) => ofEnvironment(first)(opened),
  })
const projectPage = <const Path extends string>(path: Path, first: Parameters<typeof ofProjectPage>[0]) =>
  createRoute({
    getParentRoute: () => inProject,
    path: `p/$project/promotions${path}`,
    component: lazyRouteComponent(() => import('./pages/promotions.tsx')),
    validateSearch: textOnly,
    loader: (opened) => ofProjectPage(first)(opened),
  })
const tenantPage = <const Path extends string>(path: Path, load: Load, first: Parameters<typeof ofTenant>[0]) =>
  createRoute({
    getParentRoute: () => framed,
    path,
    component: lazyRouteComponent(load),
    validateSearch: textOnly,
    loader: (opened) => ofTenant(first)(opened),
  })
const ownPage = <const Path extends string>(path: Path, load: Load) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load),
    errorComponent: Crash,
    loader: (opened) => ofPerson(opened),
  })

/** Filters, tab and chosen row are text in the query. */
function textOnly(search: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]))
}

const environmentPages = [
  page('/', () => import('./pages/overview.tsx'), 'overview'),
  page('applications', () => import('./pages/applications.tsx'), 'applications'),
  page('applications/$application_id', () => import('./pages/application.tsx'), 'application'),
  page('resource-servers', () => import('./pages/resource-servers.tsx'), 'resourceServers'),
  page('roles', () => import('./pages/roles.tsx'), 'roles'),
  page('providers', () => import('./pages/providers.tsx'), 'providers'),
  page('sign-in-pages', () => import('./pages/sign-in-pages.tsx'), 'settings'),
  page('api-keys', () => import('./pages/api-keys.tsx'), 'apiKeys'),
  page('webhooks', () => import('./pages/webhooks.tsx'), 'webhooks'),
  page('webhooks/$webhook_id', () => import('./pages/webhook.tsx'), 'webhook'),
  page('logouts', () => import('./pages/logouts.tsx'), 'logouts'),
  page('users', () => import('./pages/users.tsx'), 'users'),
  page('organizations', () => import('./pages/organizations.tsx'), 'organizations'),
  page('organizations/$organization_id', () => import('./pages/organization.tsx'), 'organization'),
  page('inbox', () => import('./pages/inbox.tsx'), 'inbox'),
  page('events', () => import('./pages/events.tsx'), 'events'),
  page('calls', () => import('./pages/calls.tsx'), 'calls'),
  page('settings', () => import('./pages/settings.tsx'), 'settings'),
  page('test-and-live', () => import('./pages/compare.tsx'), 'compare'),
  page('deployment', () => import('./pages/deployment.tsx'), 'deployment'),
] as const
const projectPages = [projectPage('', 'promotions'), projectPage('/$promotion_id', 'promotion')] as const
const tenantPages = [
  tenantPage('/', () => import('./pages/projects.tsx'), 'projects'),
  tenantPage('platform-keys', () => import('./pages/platform-keys.tsx'), 'platformKeys'),
  tenantPage('members', () => import('./pages/members.tsx'), 'members'),
  tenantPage('calls', () => import('./pages/tenant-calls.tsx'), 'tenantCalls'),
  tenantPage('audit-log', () => import('./pages/audit-log.tsx'), 'auditLog'),
] as const

const tree = root.addChildren([
  ownPage('/', () => import('./pages/start.tsx')),
  ownPage('tenants', () => import('./pages/tenants.tsx')),
  ownPage('renewed', () => import('./pages/renewed.tsx')),
  ownPage('go/$id', () => import('./pages/go.tsx')),
  tenant.addChildren([
    framed.addChildren(tenantPages),
    project,
    inProject.addChildren(projectPages),
    environment.addChildren(environmentPages),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultRemountDeps: ({ params }) => params, // a page about another object begins without the state of the last one
  scrollRestoration: false, // it would keep positions in sessionStorage
  defaultErrorComponent: PageFailed, // it is shown in the frame
})

// With it a link to an address that is not in the tree does not compile.
declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
