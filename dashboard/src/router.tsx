/** The addresses of the dashboard. Each page is a chunk of its own. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { PageFailed } from './frame/failed.tsx'
import { Frame } from './frame/frame.tsx'
import { InEnvironment, InProject, InTenant } from './frame/scopes.tsx'
import { Crash, NotFound } from './frame/start.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crash })

const tenant = createRoute({ getParentRoute: () => root, path: 't/$tenant', component: InTenant, errorComponent: Crash })
const environment = createRoute({ getParentRoute: () => tenant, path: 'p/$project/$env', component: InEnvironment, errorComponent: Crash })
const project = createRoute({ getParentRoute: () => tenant, path: 'p/$project', component: InProject, errorComponent: Crash })
const framed = createRoute({ getParentRoute: () => tenant, id: 'tenant', component: Frame, errorComponent: Crash })

type Load = Parameters<typeof lazyRouteComponent>[0]
const page = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => environment, path, component: lazyRouteComponent(load), validateSearch: textOnly })
const tenantPage = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => framed, path, component: lazyRouteComponent(load), validateSearch: textOnly })
const ownPage = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load), errorComponent: Crash })

/** Filters, tab and chosen row are text in the query. */
function textOnly(search: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]))
}

const environmentPages = [
  page('/', () => import('./pages/overview.tsx')),
  page('applications', () => import('./pages/applications.tsx')),
  page('applications/$application_id', () => import('./pages/application.tsx')),
  page('resource-servers', () => import('./pages/resource-servers.tsx')),
  page('providers', () => import('./pages/providers.tsx')),
  page('sign-in-pages', () => import('./pages/sign-in-pages.tsx')),
  page('api-keys', () => import('./pages/api-keys.tsx')),
  page('webhooks', () => import('./pages/webhooks.tsx')),
  page('webhooks/$webhook_id', () => import('./pages/webhook.tsx')),
  page('logouts', () => import('./pages/logouts.tsx')),
  page('users', () => import('./pages/users.tsx')),
  page('inbox', () => import('./pages/inbox.tsx')),
  page('events', () => import('./pages/events.tsx')),
  page('calls', () => import('./pages/calls.tsx')),
  page('settings', () => import('./pages/settings.tsx')),
  page('test-and-live', () => import('./pages/compare.tsx')),
  page('deployment', () => import('./pages/deployment.tsx')),
] as const
const tenantPages = [
  tenantPage('/', () => import('./pages/projects.tsx')),
  tenantPage('platform-keys', () => import('./pages/platform-keys.tsx')),
  tenantPage('members', () => import('./pages/members.tsx')),
  tenantPage('calls', () => import('./pages/tenant-calls.tsx')),
  tenantPage('audit-log', () => import('./pages/audit-log.tsx')),
] as const

const tree = root.addChildren([
  ownPage('/', () => import('./pages/start.tsx')),
  ownPage('tenants', () => import('./pages/tenants.tsx')),
  ownPage('renewed', () => import('./pages/renewed.tsx')),
  ownPage('go/$id', () => import('./pages/go.tsx')),
  tenant.addChildren([framed.addChildren(tenantPages), project, environment.addChildren(environmentPages)]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultRemountDeps: ({ params }) => params, // a page about another object begins without the state of the last one
  scrollRestoration: false, // it would keep positions in sessionStorage
  defaultErrorComponent: PageFailed, // it stands in the frame
})

// With it a link to an address that is not in the tree does not compile.
declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
