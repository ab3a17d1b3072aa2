// pure
/**
 * The meaning of the permissions of a role. An entry names a resource server and its scopes; it gives those that were there when the
 * permissions were last written, and no other that was made later under an old name (decision 0176).
 */
import type { Permission } from '@ostiary/contract/objects/role.ts'
import { type NamedServer, versionOfScope } from '../resource-servers/scope-versions.ts'

/** The version that each resource server had when the permissions were written, by its id. */
export type WrittenVersions = ReadonlyMap<string, number>

/** The versions of permissions that are written now. */
export const writtenNow = (servers: readonly NamedServer[]): WrittenVersions => new Map(servers.map(({ id, version }) => [id, version]))

/** The part of permissions that gives something. */
export function inEffect(permissions: readonly Permission[], servers: readonly NamedServer[], written: WrittenVersions): Permission[] {
  const by_slug = new Map(servers.map((server) => [server.slug, server]))
  return permissions.flatMap(({ resource_server, scopes }) => {
    const server = by_slug.get(resource_server)
    const version = server && written.get(server.id)
    if (!server || version === undefined) return []
    const present = new Set(server.scopes.map(({ name }) => name))
    const given = scopes.filter((name) => present.has(name) && versionOfScope(server.scope_versions, name) <= version)
    return given.length === 0 ? [] : [{ resource_server, scopes: given }]
  })
}

/** Whether permissions give a scope that others do not give. */
export function givesMore(before: readonly Permission[], after: readonly Permission[]): boolean {
  const given = new Map(before.map(({ resource_server, scopes }) => [resource_server, new Set(scopes)]))
  return after.some(({ resource_server, scopes }) => scopes.some((name) => !given.get(resource_server)?.has(name)))
}
