/** The permissions of a role as boxes: one for each scope of each resource server. Pure functions. */
import type { Permission, ResourceServer } from '@ostiary/sdk'

type Permissions = readonly Permission[]
type Server = Pick<ResourceServer, 'slug' | 'scopes'>

export const scopesAt = (permissions: Permissions, slug: string): readonly string[] =>
  permissions.find(({ resource_server }) => resource_server === slug)?.scopes ?? []

/** The permissions but these. */
export const without = (permissions: Permissions, taken: Permissions): Permission[] =>
  permissions.flatMap(({ resource_server, scopes }) => {
    const gone = new Set(scopesAt(taken, resource_server))
    const rest = scopes.filter((name) => !gone.has(name))
    return rest.length === 0 ? [] : [{ resource_server, scopes: rest }]
  })

/**
 * The permissions with these scopes of a resource server, and no other of it. Entries and scopes keep the order of the stored ones, so that a
 * box that is ticked and cleared again changes nothing.
 */
export function withScopes(permissions: Permissions, stored: Permissions, { resource_server, scopes }: Permission): Permission[] {
  const inOrder = (names: readonly string[], order: readonly string[]) => {
    const known = order.filter((name) => names.includes(name))
    return [...known, ...names.filter((name) => !order.includes(name))]
  }
  const others = permissions.filter((entry) => entry.resource_server !== resource_server)
  const next = new Map(others.map((entry) => [entry.resource_server, entry]))
  if (scopes.length > 0) next.set(resource_server, { resource_server, scopes: inOrder(scopes, scopesAt(stored, resource_server)) })
  const slugs = inOrder(
    [...next.keys()],
    stored.map((entry) => entry.resource_server),
  )
  return slugs.flatMap((slug) => next.get(slug) ?? [])
}

/** The entries whose resource server or scope is gone. */
export const goneOf = (permissions: Permissions, servers: readonly Server[]): Permission[] => {
  const present = servers.map(({ slug, scopes }) => ({ resource_server: slug, scopes: scopes.map(({ name }) => name) }))
  return without(permissions, present)
}

/** Of entries that give nothing those whose scope is there: it was made again under the old name. */
export const madeAgainOf = (without_effect: Permissions, servers: readonly Server[]): Permission[] =>
  without(without_effect, goneOf(without_effect, servers))

export const countOf = (permissions: Permissions): number => permissions.reduce((sum, { scopes }) => sum + scopes.length, 0)
