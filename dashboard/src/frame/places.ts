/** Which tenants a person has, which environment of a project is opened, and which of its pages. Pure functions. */
import type { Me } from '@ostiary/sdk'

type Type = 'test' | 'live'

/** Where a project begins: its environment `test`, else its oldest other one for Test, else its oldest. The API lists the newest first. */
export function firstOf<T extends { type: Type; slug: string }>(environments: readonly T[]): T | undefined {
  const of_test = environments.filter(({ type }) => type === 'test')
  return of_test.find(({ slug }) => slug === 'test') ?? of_test.at(-1) ?? environments.at(-1)
}

/** Test before Live, and each the oldest first. The API lists the newest first. */
export const inOrder = <T extends { type: Type }>(environments: readonly T[]): T[] =>
  environments.toReversed().toSorted((a, b) => b.type.localeCompare(a.type))

/** The environments that are compared: those of the query, else that of the page with the one of the same slug, else the first ones. */
export function compared<T extends { type: Type; slug: string }>(
  environments: readonly T[],
  environment: T,
  search: Readonly<Record<string, string | undefined>>,
): { test: T | undefined; live: T | undefined } {
  const chosen = (type: Type) => {
    const of_type = environments.filter((each) => each.type === type)
    const wanted = search[type] ?? (environment.type === type ? environment.slug : type)
    return of_type.find(({ slug }) => slug === wanted) ?? of_type[0]
  }
  return { test: chosen('test'), live: chosen('live') }
}

/** The tenants of a person. That of the deployment itself is not one of them: operators open it by the link in the bar. */
export const ownTenants = ({ memberships, root_tenant_id }: Pick<Me, 'memberships' | 'root_tenant_id'>) =>
  memberships.filter(({ tenant_id }) => tenant_id !== root_tenant_id)

/** The path of a page in an environment of a type: its own, or that of the overview where such an environment has no such page. */
export const pathIn = <Path extends string>(type: Type, page: { path: Path; only?: Type } | undefined): Path | '' =>
  page && (page.only === undefined || page.only === type) ? page.path : ''
