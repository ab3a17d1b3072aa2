/** Where the page is: the tenant, and on most pages a project and one of its environments. */
import type { Client, Environment, Me, Project } from '@ostiary/sdk'
import { linkOptions, type RegisteredRouter } from '@tanstack/react-router'
import { createContext, use } from 'react'
import { clientOf } from './api.ts'
import type { Search } from './parts/search.ts'

export const roles = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export interface Scope {
  me: Me
  tenant: { id: string; slug: string; name: string; role: Role }
  /** The tenant of the deployment itself. Its one environment has the accounts of all administrators, and its members are operators. */
  is_root: boolean
  project: Project | null
  environments: Environment[]
  environment: Environment | null
  client: Client
  can: (role: Role) => boolean
}

/** Returns the scope of an administrator in the tenant with a slug; `null` for a tenant without their membership. */
export function scopeOf(me: Me, slug: string | undefined): Scope | null {
  const membership = me.memberships.find((membership) => membership.slug === slug)
  if (!membership) return null
  const { tenant_id: id, role } = membership
  return {
    me,
    tenant: { ...membership, id },
    is_root: id === me.root_tenant_id,
    project: null,
    environments: [],
    environment: null,
    client: clientOf(id),
    can: (needed) => atLeast(role, needed),
  }
}

/**
 * The same in an environment of a project; `null` if the project has none with this part of an address. A page about the project as a whole
 * has no such part, and is in none of its environments.
 */
export function withEnvironment(
  scope: Scope,
  place: { project: Project; environments: Environment[] },
  part: string | undefined,
): Scope | null {
  if (part === undefined) return { ...scope, ...place }
  const environment = place.environments.find((environment) => environmentPart(environment) === part)
  return environment ? { ...scope, ...place, environment, client: clientOf(scope.tenant.id, environment.id) } : null
}

const ScopeContext = createContext<Scope | null>(null)
export const ScopeProvider = ScopeContext.Provider

export function useScope(): Scope {
  const scope = use(ScopeContext)
  if (!scope) throw new Error('This part needs a tenant around it.')
  return scope
}

/** The parameters of routes of the environment, and its facts. */
export const useEnvironment = () => environmentOf(useScope())

export function environmentOf({ project, environment, ...scope }: Scope) {
  if (!project || !environment) throw new Error('This page needs an environment.')
  const at = { project_id: project.id, environment_id: environment.id }
  return { ...scope, project, environment, at, base: environment_route }
}

/** The project of the page, also on a page of one of its environments. */
export const useProject = () => projectOf(useScope())

export function projectOf({ project, ...scope }: Scope) {
  if (!project) throw new Error('This page needs a project.')
  return { ...scope, project }
}

/** The part of an address that names an environment: its type, and for further ones its slug. */
const environmentPart = ({ type, slug }: { type: 'test' | 'live'; slug: string }) => (slug === type ? type : `${type}~${slug}`)

/** The route of an environment. The routes of its pages begin with it. */
export const environment_route = '/t/$tenant/p/$project/$env' as const

/** The route of a project. The routes of its pages begin with it. */
export const project_route = '/t/$tenant/p/$project' as const

/** The pages below a route that need no further parameter: `/users`; empty for the route itself. */
type Below<Base extends string, Path = keyof RegisteredRouter['routesByPath']> = Path extends `${Base}${infer Rest}`
  ? Rest extends '/' | `${string}$${string}`
    ? never
    : Rest
  : never
export type EnvironmentPath = Below<typeof environment_route>
export type ProjectPath = Below<typeof project_route>
export type TenantPath = Below<'/t/$tenant'>

/** Links to the pages of an environment and of its project, from another one of them. */
export const toPage = (path: EnvironmentPath, search: Search = {}) =>
  linkOptions({ from: environment_route, to: `${environment_route}${path}`, search })
export const toApplication = (application_id: string, search: Search = {}) =>
  linkOptions({ from: environment_route, to: `${environment_route}/applications/$application_id`, params: { application_id }, search })
export const toOrganization = (organization_id: string, search: Search = {}) =>
  linkOptions({ from: environment_route, to: `${environment_route}/organizations/$organization_id`, params: { organization_id }, search })
export const toWebhook = (webhook_id: string, search: Search = {}) =>
  linkOptions({ from: environment_route, to: `${environment_route}/webhooks/$webhook_id`, params: { webhook_id }, search })
export const toPromotion = (promotion_id: string | null, search: Search = {}) =>
  linkOptions({
    from: project_route,
    to: `${project_route}/promotions/$promotion_id`,
    params: { promotion_id: promotion_id ?? '' },
    search,
  })
export const toProject = (tenant: string, project: string) => linkOptions({ to: '/t/$tenant/p/$project', params: { tenant, project } })

/** The parameters of the route of an environment. A link from one of its pages to another has them already. */
export const environmentParams = (tenant: string, project: string, environment: { type: 'test' | 'live'; slug: string }) => ({
  tenant,
  project,
  env: environmentPart(environment),
})

/** The address of an environment, for a link outside of the router, or one that comes from the API. */
export const environmentBase = (tenant: string, project: string, environment: { type: 'test' | 'live'; slug: string }) =>
  `/t/${tenant}/p/${project}/${environmentPart(environment)}`

export const atLeast = (role: Role, needed: Role) => roles.indexOf(role) >= roles.indexOf(needed)

/** The deployment's own environment, for operators. Its slugs never change. */
export const deploymentParams = (me: Me) => {
  const root = me.memberships.find(({ tenant_id }) => tenant_id === me.root_tenant_id)
  return root ? environmentParams(root.slug, 'console', { type: 'live', slug: 'live' }) : null
}
