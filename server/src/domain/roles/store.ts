/** Stores the roles of an environment, with the resource servers that their permissions named when they were written (decision 0176). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { changeableNames, fieldsOf } from '@ostiary/contract/objects/field.ts'
import { EnvironmentRole, type Permission, type RoleFields, type RoleKind, role } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { assignments, columnsOf, insertInto } from '../../db/rows.ts'
import { readerOf } from '../tenancy/object-reader.ts'
import { raiseRolesVersion } from '../tenancy/store.ts'
import type { WrittenVersions } from './permissions.ts'
import { most_default } from './rules.ts'

const Versioned = EnvironmentRole.extend({ version: z.int() })
export type RoleRow = z.infer<typeof Versioned>

const columns = sql`
  o.id, e.tenant_id, e.project_id, o.environment_id, o.slug, o.kind, ${columnsOf('o', changeableNames(role))},
  o.version, o.created_at, o.updated_at`

export const {
  page: pageOfRoles,
  list: listRoles,
  find: findRole,
} = readerOf({ Shown: EnvironmentRole, Row: Versioned }, { table: 'roles', alias: 'o', columns })

/** The environment has fewer than `most` roles. Read it in a batch that holds the environment. */
export const roomForRole = (environment_id: EnvironmentId, most: number) =>
  sql`(select count(*) from roles where environment_id = ${environment_id}) < ${most}`

/** Another role of the kind can be held by everyone. Read it in a batch that holds the environment. */
export const roomForDefault = (environment_id: EnvironmentId, kind: RoleKind, id: string) =>
  sql`(select count(*) from roles
        where environment_id = ${environment_id} and kind = ${kind} and "default" = 1 and id <> ${id}) < ${most_default}`

const Written = z.object({ resource_server_id: z.string(), resource_server_version: z.int() })

/** The resource servers that the stored permissions of a role named, each with its version at that time. */
export async function findWrittenVersions(db: Db, environment_id: EnvironmentId, role_id: string): Promise<WrittenVersions> {
  const rows = await db.of(environment_id).all(
    Written,
    sql`select resource_server_id, resource_server_version from role_resource_servers
         where role_id = ${role_id} and ${inEnvironment(environment_id)}`,
  )
  return new Map(rows.map(({ resource_server_id, resource_server_version }) => [resource_server_id, resource_server_version]))
}

/** The resource servers are read in the batch, so that the permissions mean those of the moment. */
function nameServers(environment_id: EnvironmentId, role_id: string, permissions: readonly Permission[]): Statement[] {
  if (permissions.length === 0) return []
  const slugs = permissions.map(({ resource_server }) => resource_server)
  return [
    sql`insert into role_resource_servers (environment_id, role_id, resource_server_id, resource_server_version)
        select environment_id, ${role_id}, id, version from resource_servers
         where environment_id = ${environment_id} and slug in (${list(slugs)})`,
  ]
}

const forgetServers = (environment_id: EnvironmentId, role_id: string): Statement =>
  sql`delete from role_resource_servers where role_id = ${role_id} and ${inEnvironment(environment_id)}`

/** Fails as a guard if the slug is taken in the environment. */
export function insertRole(
  environment_id: EnvironmentId,
  { id, slug, kind }: { id: string; slug: string; kind: RoleKind },
  fields: RoleFields,
  now: Date,
): Statement[] {
  const facts = { environment_id, id, slug, kind, created_at: now, updated_at: now }
  return [
    raiseRolesVersion(environment_id),
    guard(sql`${insertInto('roles', { ...facts, ...fieldsOf(role, fields) })} on conflict do nothing`),
    ...nameServers(environment_id, id, fields.permissions),
  ]
}

/** @param names_servers whether the permissions are written again, equal ones too: they then mean the resource servers of now */
export function updateRole(current: RoleRow, fields: RoleFields, names_servers: boolean, now: Date): Statement[] {
  const { environment_id, id, version } = current
  return [
    raiseRolesVersion(environment_id),
    guard(sql`update roles set ${assignments(fieldsOf(role, fields))}, version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    ...(names_servers ? [forgetServers(environment_id, id), ...nameServers(environment_id, id, fields.permissions)] : []),
  ]
}

/** Nobody has a role that is gone. The rows of its holders follow (`removeHoldersOfGoneRoles`). */
export function deleteRole({ environment_id, id, version }: RoleRow): Statement[] {
  return [
    raiseRolesVersion(environment_id),
    guard(sql`delete from roles where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    forgetServers(environment_id, id),
  ]
}
