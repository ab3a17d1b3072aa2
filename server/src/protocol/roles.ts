// pure
/**
 * The rules of roles (docs/decisions/0176). A permission is a scope of a resource server; a resource server that requires roles gives a scope only
 * to a person whose roles have it. Token, validation, UserInfo, consent and the list of what a person may do ask this file, and nothing else
 * decides.
 *
 * A set of roles is a mask of bits, one bit for each role of the environment, so that a thousand scopes of two hundred roles stay small.
 */
import type { OrganizationUse } from '@ostiary/contract/objects/organization-use.ts'
import type { Permission, RoleKind } from '@ostiary/contract/objects/role.ts'

/** A role, as a token needs it. */
export interface Role {
  readonly id: string
  readonly slug: string
  readonly kind: RoleKind
  /** Held by every user, or by every member, without being given. */
  readonly default: boolean
}

/** A set of roles: the bit of a role is its place in `Access.roles`. */
export type RoleSet = bigint

/** The condition of an application. */
interface Entrance {
  /** The roles of which a person needs one; `null`: everyone gets in. */
  readonly allowed: RoleSet | null
  /** The claim of ID tokens and UserInfo that has the roles; `null`: none. */
  readonly roles_claim: string | null
  /** ID tokens and UserInfo carry the data of the user and the organization. */
  readonly data_claims: boolean
}

/** The roles of an environment, and where they count. */
export interface Access {
  readonly roles: readonly Role[]
  /** The resource servers that require roles, by identifier: for each of their scopes the roles that give it. */
  readonly requiring: ReadonlyMap<string, ReadonlyMap<string, RoleSet>>
  /** The applications that ask for roles, or learn roles or data, by client id. */
  readonly applications: ReadonlyMap<string, Entrance>
  /** The client ids of the applications, and the identifiers of the resource servers, that take no token without an organization. */
  readonly need_organization: { readonly applications: ReadonlySet<string>; readonly servers: ReadonlySet<string> }
}

/** That of an environment which uses nothing of it. */
export const no_access: Access = {
  roles: [],
  requiring: new Map(),
  applications: new Map(),
  need_organization: { applications: new Set(), servers: new Set() },
}

/** A resource server that requires roles. */
export interface RequiringServer {
  readonly id: string
  readonly slug: string
  readonly identifier: string
  readonly scopes: readonly { readonly name: string }[]
  /** The version of the resource server in which a scope was made. One that is not named is as old as the resource server. */
  readonly scope_versions: Readonly<Record<string, number>>
}

/** A role as it is stored. */
export interface DefinedRole extends Role {
  readonly permissions: readonly Permission[]
  /** The resource servers that its permissions named when they were last written, each with its version then. */
  readonly named: readonly { readonly resource_server_id: string; readonly resource_server_version: number }[]
}

export interface RestrictedApplication {
  readonly client_id: string
  readonly allowed_roles: readonly string[]
  readonly roles_claim: string | null
  readonly data_claims: boolean
  readonly organizations: OrganizationUse
}

/**
 * Takes resource servers and then roles a few at a time, since all of them can be megabytes.
 *
 * A permission gives a scope of the resource server with its slug if the role named this resource server, and not an earlier one with the slug,
 * at a version that had the scope: one that was removed and made again is another scope.
 */
export function createAccess(servers: readonly RequiringServer[]) {
  const known = new Map<string, RequiringServer & { given: Map<string, RoleSet> }>()
  const roles: Role[] = []

  function addServers(more: readonly RequiringServer[]): void {
    for (const server of more) known.set(server.slug, { ...server, given: emptyScopes(server) })
  }

  function add({ id, slug, kind, default: is_default, permissions, named }: DefinedRole): void {
    const bit = bitAt(roles.length)
    roles.push({ id, slug, kind, default: is_default })
    const written_at = new Map(named.map((each) => [each.resource_server_id, each.resource_server_version]))
    for (const { resource_server, scopes } of permissions) {
      const server = known.get(resource_server)
      const version = server && written_at.get(server.id)
      if (!server || version === undefined) continue
      for (const name of scopes) {
        const given = server.given.get(name)
        if (given !== undefined && madeIn(server, name) <= version) server.given.set(name, given | bit)
      }
    }
  }

  /** @param servers the identifiers of the resource servers that need an organization */
  function finish(applications: readonly RestrictedApplication[], servers: readonly string[] = []): Access {
    const bySlug = new Map(roles.map(({ slug }, place) => [slug, bitAt(place)]))
    const entrances = applications.map(({ client_id, allowed_roles, roles_claim, data_claims }) => {
      const allowed = allowed_roles.length === 0 ? null : allowed_roles.reduce((set, slug) => set | (bySlug.get(slug) ?? none), none)
      return [client_id, { allowed, roles_claim, data_claims }] as const
    })
    return {
      roles,
      requiring: new Map([...known.values()].map(({ identifier, given }) => [identifier, given])),
      applications: new Map(entrances),
      need_organization: {
        applications: new Set(applications.flatMap(({ client_id, organizations }) => (organizations === 'required' ? [client_id] : []))),
        servers: new Set(servers),
      },
    }
  }
  addServers(servers)
  return { addServers, add, finish }
}

const none: RoleSet = 0n
const bitAt = (place: number): RoleSet => 1n << BigInt(place)

const emptyScopes = ({ scopes }: RequiringServer) => new Map(scopes.map(({ name }) => [name, none]))

const madeIn = ({ scope_versions }: RequiringServer, name: string): number =>
  Object.hasOwn(scope_versions, name) ? (scope_versions[name] ?? 1) : 1

/** The roles that a user or a member has now. Of ids of deleted roles nothing is left. */
export function rolesHeld({ roles }: Access, kind: RoleKind, given: readonly string[]): RoleSet {
  let held = none
  roles.forEach((role, place) => {
    if (role.kind === kind && (role.default || given.includes(role.id))) held |= bitAt(place)
  })
  return held
}

/** The slugs of a set of roles, in order. */
export const slugsOf = ({ roles }: Access, held: RoleSet): string[] =>
  roles
    .filter((_, place) => (held & bitAt(place)) !== none)
    .map(({ slug }) => slug)
    .sort()

/** Whether these roles let a person in at an application. */
export function letsIn({ applications }: Access, client_id: string, held: RoleSet): boolean {
  const allowed = applications.get(client_id)?.allowed ?? null
  return allowed === null || (allowed & held) !== none
}

/** Whether a token of this application for these resource servers is only for a person who acts for an organization. */
export const needsOrganization = ({ need_organization }: Access, client_id: string, resource: readonly string[]): boolean =>
  need_organization.applications.has(client_id) || resource.some((identifier) => need_organization.servers.has(identifier))

/** The claim of ID tokens and UserInfo of an application that has the roles. */
export const claimOf = ({ applications }: Access, client_id: string): string | null => applications.get(client_id)?.roles_claim ?? null

/** Whether ID tokens and UserInfo of an application carry the data of the user and the organization. */
export const carriesData = ({ applications }: Access, client_id: string): boolean => applications.get(client_id)?.data_claims ?? false

/**
 * The part of a scope that these roles give at these resource servers. Where several of them define a name, the roles must give it at each
 * one that requires roles. Scopes of OpenID Connect belong to no resource server, so they stay.
 */
export function scopeGiven(scope: readonly string[], resource: readonly string[], { requiring }: Access, held: RoleSet): readonly string[] {
  const servers = resource.flatMap((identifier) => requiring.get(identifier) ?? [])
  if (servers.length === 0) return scope
  return scope.filter((name) =>
    servers.every((scopes) => {
      const roles = scopes.get(name)
      return roles === undefined || (roles & held) !== none
    }),
  )
}

/** Roles leave nothing of what was asked for at resource servers. A request for none of their scopes is not concerned. */
export function leavesNone(asked: readonly string[], given: readonly string[], of_servers: ReadonlySet<string>): boolean {
  const isOfServer = (name: string) => of_servers.has(name)
  return given !== asked && asked.some(isOfServer) && !given.some(isOfServer)
}

/** The resource servers that require roles, and the first of them whose scopes no role gives: nobody can use it. */
export function findUngiven({ requiring }: Access): { requiring: number; ungiven: string | null } {
  const ungiven = [...requiring].find(([, scopes]) => scopes.size > 0 && [...scopes.values()].every((roles) => roles === none))
  return { requiring: requiring.size, ungiven: ungiven?.[0] ?? null }
}

const bytes_of_entry = 100

/** About the bytes that a process needs for it. */
export function weightOf({ roles, requiring, applications, need_organization }: Access): number {
  const bytes_of_set = bytes_of_entry + roles.length / 8
  let weight = bytes_of_entry + (roles.length + applications.size) * (2 * bytes_of_set)
  for (const identifier of need_organization.servers) weight += bytes_of_entry + identifier.length
  for (const [identifier, scopes] of requiring) {
    weight += bytes_of_set + identifier.length
    for (const name of scopes.keys()) weight += bytes_of_set + name.length
  }
  return weight
}
