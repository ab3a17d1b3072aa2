/** Reads what roles give in an environment, for its issuer (decision 0176). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Application } from '@ostiary/contract/objects/application.ts'
import { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import { EnvironmentRole } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import { type Db, list, type Statement, sql } from '../../db/db.ts'
import { type Access, createAccess, type DefinedRole } from '../../protocol/roles.ts'

const RequiringServer = ResourceServer.pick({ id: true, slug: true, identifier: true, scopes: true }).extend({
  scope_versions: z.record(z.string(), z.int()),
})
const StoredRole = EnvironmentRole.pick({ id: true, slug: true, kind: true, default: true, permissions: true })
const Named = z.object({ role_id: z.string(), resource_server_id: z.string(), resource_server_version: z.int() })
const RestrictedApplication = Application.pick({ id: true, client_id: true, allowed_roles: true, roles_claim: true })

/** Rows of one read, so that no one waits for an environment with the most that it can have. */
const rows_at_once = 20

/** All rows of a query, page by page. `read` gets those after an id. */
async function* allOf<T extends { readonly id: string }>(read: (after: string) => Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  for (let after = ''; ; ) {
    const rows = await read(after)
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < rows_at_once) return
    after = last.id
  }
}

async function collected<T extends { readonly id: string }>(read: (after: string) => Promise<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const rows of allOf(read)) found.push(...rows)
  return found
}

export async function readAccess(db: Db, environment_id: EnvironmentId): Promise<Access> {
  const of = db.of(environment_id)
  const rest = (after: string): Statement => sql`and id > ${after} order by id limit ${rows_at_once}`

  const servers = await collected((after) =>
    of.all(
      RequiringServer,
      sql`select id, slug, identifier, scopes, scope_versions from resource_servers
           where environment_id = ${environment_id} and require_roles = 1 ${rest(after)}`,
    ),
  )
  const access = createAccess(servers)
  const roles = allOf((after) =>
    of.all(
      StoredRole,
      sql`select id, slug, kind, "default", permissions from roles where environment_id = ${environment_id} ${rest(after)}`,
    ),
  )
  for await (const page of roles) {
    const named = await namedBy(db, environment_id, page)
    for (const role of page) access.add({ ...role, named: named.get(role.id) ?? [] })
  }
  const applications = await collected((after) =>
    of.all(
      RestrictedApplication,
      sql`select id, id as client_id, allowed_roles, roles_claim from applications
           where environment_id = ${environment_id} and (allowed_roles <> '[]' or roles_claim is not null) ${rest(after)}`,
    ),
  )
  return access.finish(applications)
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

const Slugged = EnvironmentRole.pick({ slug: true })

/** Which of these slugs are of roles of the environment. */
export async function knownRoles(db: Db, environment_id: EnvironmentId, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  if (slugs.length === 0) return new Set()
  const rows = await db
    .of(environment_id)
    .all(Slugged, sql`select slug from roles where environment_id = ${environment_id} and slug in (${list(slugs)})`)
  return new Set(rows.map(({ slug }) => slug))
}
