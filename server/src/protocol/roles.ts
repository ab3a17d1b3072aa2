// pure
/**
 * What roles give. A permission is a scope of a resource server; a resource server that requires roles gives a scope only to a person whose
 * roles have it. Token, validation, consent and `access` ask this file, and nothing else decides.
 */
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'

/** A role, as a token needs it. */
export interface Role {
  readonly id: string
  readonly slug: string
  readonly kind: RoleKind
  /** Held by every user, or by every member, without being given. */
  readonly default: boolean
}

/** The ids of the roles that give each scope of a resource server. */
export type RolesByScope = ReadonlyMap<string, ReadonlySet<string>>

/** The roles of an environment, and the scopes of each resource server that requires roles, by its identifier. */
export interface Access {
  readonly roles: readonly Role[]
  readonly requiring: ReadonlyMap<string, RolesByScope>
}

/** A scope of a resource server. One that was removed and made again is another scope, and has another number. */
interface NumberedScope {
  readonly name: string
  readonly number: number
}

/** A resource server that requires roles. */
export interface RequiringServer {
  readonly id: string
  readonly identifier: string
  readonly scopes: readonly NumberedScope[]
}

/** A role with the scopes that it gives, as they were when it was last written. */
export interface DefinedRole extends Role {
  readonly permissions: readonly { readonly resource_server_id: string; readonly scopes: readonly NumberedScope[] }[]
}

/** A permission whose resource server or scope is gone, or was made again, gives nothing. */
export function accessOf(roles: readonly DefinedRole[], servers: readonly RequiringServer[]): Access {
  const giving = new Map<string, Set<string>>()
  const keyOf = (resource_server_id: string, { name, number }: NumberedScope) => `${resource_server_id} ${number} ${name}`
  for (const { id, permissions } of roles)
    for (const { resource_server_id, scopes } of permissions)
      for (const scope of scopes) {
        const key = keyOf(resource_server_id, scope)
        giving.set(key, (giving.get(key) ?? new Set()).add(id))
      }
  const requiring = servers.map(
    ({ id, identifier, scopes }) =>
      [identifier, new Map(scopes.map((scope) => [scope.name, giving.get(keyOf(id, scope)) ?? no_roles]))] as const,
  )
  return {
    roles: roles.map(({ id, slug, kind, default: is_default }) => ({ id, slug, kind, default: is_default })),
    requiring: new Map(requiring),
  }
}

const no_roles: ReadonlySet<string> = new Set()

/** The roles that a user or a member has now, in order of slug. Of ids of deleted roles nothing is left. */
export const rolesHeld = ({ roles }: Access, kind: RoleKind, given: readonly string[]): Role[] =>
  roles.filter((role) => role.kind === kind && (role.default || given.includes(role.id))).sort((a, b) => (a.slug < b.slug ? -1 : 1))

/**
 * The part of a scope that these roles give at these resource servers. Where several of them define a name, the roles must give it at each
 * one that requires roles. Scopes of OpenID Connect belong to no resource server, so they stay.
 */
export function scopeGiven(scope: readonly string[], resource: readonly string[], { requiring }: Access, held: readonly Role[]): string[] {
  const servers = resource.flatMap((identifier) => requiring.get(identifier) ?? [])
  return scope.filter((name) =>
    servers.every((scopes) => {
      const roles = scopes.get(name)
      return !roles || held.some(({ id }) => roles.has(id))
    }),
  )
}

/** Roles leave nothing of what was asked for at resource servers. A request for none of their scopes is not concerned. */
export function leavesNone(asked: readonly string[], given: readonly string[]): boolean {
  const ofServers = (names: readonly string[]) => names.filter((name) => !oidc_scopes.has(name))
  return ofServers(asked).length > 0 && ofServers(given).length === 0
}

const oidc_scopes = new Set<string>(oidcScopes)
