/** Reads what roles give in an environment, for its issuer (decision 0176). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Application } from '@ostiary/contract/objects/application.ts'
import { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import { EnvironmentRole } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import type { Lane } from '../../base/lane.ts'
import { type Db, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { type Access, createAccess, type DefinedRole } from '../../protocol/roles.ts'

const RequiringServer = ResourceServer.pick({ id: true, slug: true, identifier: true, scopes: true }).extend({
  scope_versions: z.record(z.string(), z.int()),
})
export const NamedServer = z.object({ resource_server_id: z.string(), resource_server_version: z.int() })

/**
 * The resource servers that the permissions of the role `r` named when they were last written, as JSON. Read them with the permissions, in one
 * statement: with those of a later change, earlier permissions would give a scope that no role ever gave.
 */
export const namedByRole = (environment_id: EnvironmentId): OfEnvironment => sql`(
  select coalesce('[' || string_agg('{"resource_server_id":"' || n.resource_server_id || '","resource_server_version":'
           || cast(n.resource_server_version as text) || '}', ',') || ']', '[]')
    from role_resource_servers n where n.role_id = r.id and ${inEnvironment(environment_id, 'n')})`

const StoredRole = EnvironmentRole.pick({ id: true, slug: true, kind: true, default: true, permissions: true }).extend({
  named: z.array(NamedServer),
})
const Named = NamedServer.extend({ role_id: z.string() })
const RestrictedApplication = Application.pick({
  id: true,
  client_id: true,
  allowed_roles: true,
  roles_claim: true,
  data_claims: true,
  organizations: true,
})
const Needing = ResourceServer.pick({ id: true, identifier: true })

/** Rows of one read. Ten roles with the most permissions are two megabytes. */
const rows_at_once = 10
/** An environment with more scopes waits for the others with as many: all of them at once could fill the memory while they are read. */
const most_beside_others = 5_000

/** All rows of a query, page by page. `read` gets those after an id. */
export async function* allOf<T extends { readonly id: string }>(
  read: (after: string) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = ''; ; ) {
    const rows = await read(after)
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < rows_at_once) return
    after = last.id
  }
}

/** Counts the scopes that are read. Above the bound it is the only one in the lane, and other requests have their turn after each step. */
export function createBurden(lane: Lane) {
  let scopes = 0
  let leave: (() => void) | null = null
  return {
    async add(more: readonly { readonly scopes: readonly unknown[] }[]): Promise<void> {
      for (const each of more) scopes += each.scopes.length
      if (scopes <= most_beside_others) return
      leave ??= await lane()
      await nextTurn()
    },
    end: () => leave?.(),
  }
}
export type Burden = ReturnType<typeof createBurden>

export async function readAccess(db: Db, environment_id: EnvironmentId, lane: Lane): Promise<Access> {
  const burden = createBurden(lane)
  try {
    return await readWith(db, environment_id, burden)
  } finally {
    burden.end()
  }
}

export const rest = (after: string): Statement => sql`and id > ${after} order by id limit ${rows_at_once}`

/** Reads all roles of an environment, in order of id. */
export async function* definedRoles(db: Db, environment_id: EnvironmentId): AsyncGenerator<DefinedRole> {
  const pages = allOf((after) =>
    db.of(environment_id).all(
      StoredRole,
      sql`select r.id, r.slug, r.kind, r."default", r.permissions, ${namedByRole(environment_id)} as named
            from roles r where r.environment_id = ${environment_id} ${rest(after)}`,
    ),
  )
  for await (const page of pages) yield* page
}

async function readWith(db: Db, environment_id: EnvironmentId, burden: Burden): Promise<Access> {
  const of = db.of(environment_id)
  const access = createAccess([])
  const servers = allOf((after) =>
    of.all(
      RequiringServer,
      sql`select id, slug, identifier, scopes, scope_versions from resource_servers
           where environment_id = ${environment_id} and require_roles = 1 ${rest(after)}`,
    ),
  )
  for await (const page of servers) {
    await burden.add(page)
    access.addServers(page)
  }
  for await (const role of definedRoles(db, environment_id)) {
    await burden.add(role.permissions)
    access.add(role)
  }
  const applications = allOf((after) =>
    of.all(
      RestrictedApplication,
      sql`select id, id as client_id, allowed_roles, roles_claim, data_claims, organizations from applications
           where environment_id = ${environment_id}
             and (allowed_roles <> '[]' or roles_claim is not null or data_claims = 1 or organizations = 'required') ${rest(after)}`,
    ),
  )
  const restricted: z.output<typeof RestrictedApplication>[] = []
  for await (const page of applications) restricted.push(...page)
  const needing = allOf((after) =>
    of.all(
      Needing,
      sql`select id, identifier from resource_servers
           where environment_id = ${environment_id} and organizations = 'required' ${rest(after)}`,
    ),
  )
  const identifiers: string[] = []
  for await (const page of needing) identifiers.push(...page.map(({ identifier }) => identifier))
  return access.finish(restricted, identifiers)
}

/** The resource servers that the permissions of these roles named when they were last written. */
async function namedBy(
  db: Db,
  environment_id: EnvironmentId,
  roles: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, DefinedRole['named']>> {
  if (roles.length === 0) return new Map()
  const rows = await db.of(environment_id).all(
    Named,
    sql`select role_id, resource_server_id, resource_server_version from role_resource_servers
         where role_id in (${list(roles.map(({ id }) => id))}) and environment_id = ${environment_id}`,
  )
  return Map.groupBy(rows, ({ role_id }) => role_id)
}

/** The same for any number of roles, a few at a time. */
export async function namedByAll(db: Db, environment_id: EnvironmentId, roles: readonly { readonly id: string }[]) {
  const found = new Map<string, DefinedRole['named']>()
  for (let at = 0; at < roles.length; at += rows_at_once) {
    restartLimit()
    for (const [id, named] of await namedBy(db, environment_id, roles.slice(at, at + rows_at_once))) found.set(id, named)
    await nextTurn()
  }
  return found
}

const Slugged = EnvironmentRole.pick({ slug: true })

/** Which of these slugs are of roles of the environment. */
export async function knownRoles(db: Db, environment_id: EnvironmentId, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  if (slugs.length === 0) return new Set()
  const rows = await db
    .of(environment_id)
    .all(Slugged, sql`select slug from roles where environment_id = ${environment_id} and slug in (${list(slugs)})`)
  return new Set(rows.map(({ slug }) => slug))
}
