// pure
/**
 * Builds both sides of a plan, before and after, for the permissions of users or of members: only the resource servers that it concerns, and the
 * roles that name them. The count of who gains and loses something is that of `domain/roles/effects.ts`.
 */
import type { Permission, RoleKind } from '@ostiary/contract/objects/role.ts'
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import type { Steps } from '../../base/steps.ts'
import { createAccess, type DefinedRole, type RequiringServer } from '../../protocol/roles.ts'
import type { Configuration, Fields } from '../configuration/configuration.ts'
import { versionsAfter, versionsAtFirst } from '../resource-servers/scope-versions.ts'
import type { Given } from '../roles/effects.ts'

/** A resource server, as it is stored and as a plan would leave it. */
export interface PlannedServer extends RequiringServer {
  readonly version: number
  readonly require_roles: boolean
}

export interface PlannedRole {
  readonly id: string
  readonly slug: string
  readonly kind: RoleKind
  readonly default: boolean
  readonly permissions: readonly Permission[]
}

export interface PlanOfAccess {
  readonly rows: {
    readonly resource_server: ReadonlyMap<string, PlannedServer>
    readonly role: ReadonlyMap<string, PlannedRole>
  }
  readonly after: Pick<Configuration, 'objects'>
  readonly changes: readonly PlannedChange[]
}

/** One side of the plan. */
interface Sides<T> {
  readonly before: T | null
  readonly after: T | null
}

interface RoleOfPlan extends Sides<PlannedRole> {
  readonly id: string
  readonly slug: string
  /** The plan writes its permissions, which then mean the resource servers as the plan leaves them. */
  readonly is_written: boolean
}

export interface ConcernedAccess {
  readonly kind: RoleKind
  readonly servers: readonly Sides<PlannedServer>[]
  /** In order of slug. */
  readonly roles: readonly RoleOfPlan[]
}

/** `null`: whatever roles of this kind give stays as it is. */
export function* concernedSteps({ rows, after, changes }: PlanOfAccess, kind: RoleKind): Steps<ConcernedAccess | null> {
  const changed = new Map(changes.map((change) => [`${change.object}/${change.slug}`, change]))
  const changes_field = (object: 'resource_server' | 'role', slug: string, ...pointers: string[]) => {
    const change = changed.get(`${object}/${slug}`)
    return change !== undefined && (change.action !== 'update' || change.fields.some(({ pointer }) => pointers.includes(pointer)))
  }
  const roleOf = (slug: string): RoleOfPlan => {
    const before = rows.role.get(slug) ?? null
    const id = before?.id ?? idOfNew(slug)
    const is_written = changes_field('role', slug, '/permissions')
    return { id, slug, before, after: roleAfter(id, slug, after.objects.role.get(slug)), is_written }
  }

  const slugs = new Set<string>()
  for (const { object, slug } of changes) {
    if (slug === null) continue
    if (object === 'resource_server' && changes_field(object, slug, '/require_roles', '/scopes')) slugs.add(slug)
    if (object === 'role' && changes_field(object, slug, '/permissions', '/default') && hasPeople(roleOf(slug)))
      for (const named of serversNamedBy(roleOf(slug), kind)) slugs.add(named)
    yield
  }
  const servers: Sides<PlannedServer>[] = []
  for (const slug of slugs) {
    const before = rows.resource_server.get(slug) ?? null
    const fields = after.objects.resource_server.get(slug)
    const next = fields && changed.has(`resource_server/${slug}`) ? serverAfter(before, slug, fields) : fields ? before : null
    if (before?.require_roles || next?.require_roles) servers.push({ before, after: next })
    else slugs.delete(slug)
    yield
  }
  if (servers.length === 0) return null

  const roles: RoleOfPlan[] = []
  for (const slug of [...new Set([...rows.role.keys(), ...after.objects.role.keys()])].sort()) {
    const role = roleOf(slug)
    if (hasPeople(role) && serversNamedBy(role, kind).some((named) => slugs.has(named))) roles.push(role)
    yield
  }
  return { kind, servers, roles }
}

/** No id has a space. */
const idOfNew = (slug: string) => `new ${slug}`

/** Nobody was given a role that the plan makes. */
const hasPeople = ({ before, after }: Sides<PlannedRole>) => before !== null || after?.default === true

/** The resource servers that the permissions of a role name, by their slugs. */
const serversNamedBy = ({ before, after }: Sides<PlannedRole>, kind: RoleKind): string[] =>
  [before, after].flatMap((role) => (role?.kind === kind ? role.permissions.map(({ resource_server }) => resource_server) : []))

function roleAfter(id: string, slug: string, fields: Fields | undefined): PlannedRole | null {
  if (!fields) return null
  const role = fields as Partial<Omit<PlannedRole, 'id' | 'slug'>> // as: checked by the schema, but a plan that is blocked can lack its kind
  return { id, slug, kind: role.kind ?? 'user', default: role.default === true, permissions: role.permissions ?? [] }
}

function serverAfter(before: PlannedServer | null, slug: string, fields: Fields): PlannedServer {
  const { identifier, scopes, require_roles } = fields as Omit<PlannedServer, 'identifier'> & { identifier?: string | null } // as: checked by the schema, but a plan that is blocked can lack its identifier
  const id = before?.id ?? idOfNew(slug)
  return {
    id,
    slug,
    identifier: identifier ?? id,
    scopes,
    require_roles,
    version: before ? before.version + 1 : 1,
    scope_versions: before ? versionsAfter(before, scopes) : versionsAtFirst(scopes),
  }
}

/** The resource servers that the permissions of the roles named when they were last written, by the ids of the roles. */
export type Written = ReadonlyMap<string, DefinedRole['named']>

/** Both sides have the same roles at the same places. A role has nothing on a side where it is not there. */
export function* givenSteps({ kind, servers, roles }: ConcernedAccess, written: Written): Steps<{ before: Given; after: Given }> {
  const versions = new Map(servers.flatMap(({ after }) => (after ? [[after.slug, after] as const] : [])))
  const namedNow = (role: PlannedRole) =>
    role.permissions.flatMap(({ resource_server }) => {
      const server = versions.get(resource_server)
      return server ? [{ resource_server_id: server.id, resource_server_version: server.version }] : []
    })
  const [before, after] = [createSide(kind), createSide(kind)]
  for (const server of servers) {
    before.addServer(server.before)
    after.addServer(server.after)
    yield
  }
  for (const role of roles) {
    const named = written.get(role.id) ?? []
    before.addRole(role, role.before, named)
    after.addRole(role, role.after, role.is_written && role.after ? namedNow(role.after) : named)
    yield
  }
  return { before: before.finish(), after: after.finish() }
}

function createSide(kind: RoleKind) {
  const access = createAccess([])
  const open = new Map<string, ReadonlySet<string>>()
  return {
    addServer(server: PlannedServer | null): void {
      if (server?.require_roles) access.addServers([server])
      else if (server) open.set(server.identifier, new Set(server.scopes.map(({ name }) => name)))
    },
    addRole({ id, slug }: RoleOfPlan, role: PlannedRole | null, named: DefinedRole['named']): void {
      const { permissions, default: is_default } = role?.kind === kind ? role : { permissions: [], default: false }
      access.add({ id, slug, kind, default: is_default, permissions, named })
    },
    finish: (): Given => ({ access: access.finish([]), open }),
  }
}
