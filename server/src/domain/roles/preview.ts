/** Says what a change of one role would give and take, and how many people it concerns (`effects.ts`). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import type { RoleFields } from '@ostiary/contract/objects/role.ts'
import { most_counted, type RolePreview } from '@ostiary/contract/role-preview.ts'
import { z } from 'zod'
import { type Db, list, sql } from '../../db/db.ts'
import { createAccess, type DefinedRole } from '../../protocol/roles.ts'
import type { NamedServer } from '../resource-servers/scope-versions.ts'
import { definedRoles } from './access.ts'
import { countEffects } from './effects.ts'
import { countPeople } from './people.ts'
import { inEffect } from './permissions.ts'
import { findWrittenVersions, type RoleRow } from './store.ts'

const servers_at_once = 50

/** @param servers those that the permissions name, before and after */
export async function previewRole(
  db: Db,
  current: RoleRow,
  { fields, servers, is_written }: { fields: RoleFields; servers: readonly NamedServer[]; is_written: boolean },
): Promise<RolePreview> {
  const { environment_id, id, kind, permissions } = current
  const requiring = await findRequiring(
    db,
    environment_id,
    servers.map(({ id }) => id),
  )
  const [before, after] = [createAccess(requiring), createAccess(requiring)]
  const written_now = servers.map((server) => ({ resource_server_id: server.id, resource_server_version: server.version }))
  for await (const role of definedRoles(db, environment_id)) {
    before.add(role)
    after.add(role.id === id ? changed(role, fields, is_written ? written_now : role.named) : role)
  }
  const open = new Map<string, ReadonlySet<string>>() // where no roles are required, a role changes nothing
  const count = countEffects({ access: before.finish([]), open }, { access: after.finish([]), open }, most_counted, kind)
  const people = await countPeople(db, current, count.add)
  const slugs = new Map(requiring.map(({ identifier, slug }) => [identifier, slug]))
  /** A role is for users or for members, so it concerns none of the others. */
  const ofKind = <N extends number | null>(people: N) => (kind === 'user' ? { users: people, members: 0 } : { users: 0, members: people })
  const effects = count.finish().map(({ identifier, scope, change, people }) => ({
    resource_server: slugs.get(identifier) ?? identifier,
    scope,
    change,
    ...ofKind(people),
  }))
  const given = inEffect(permissions, servers, await findWrittenVersions(db, environment_id, id))
  return {
    ...ofKind(Math.min(people, most_counted)),
    effects: effects.sort((a, b) => order(a.resource_server, b.resource_server) || order(a.scope, b.scope)),
    without_effect: without(permissions, given),
  }
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const changed = (role: DefinedRole, fields: RoleFields, named: DefinedRole['named']): DefinedRole => ({
  ...role,
  default: fields.default,
  permissions: fields.permissions,
  named,
})

const Requiring = ResourceServer.pick({ id: true, slug: true, identifier: true, scopes: true }).extend({
  scope_versions: z.record(z.string(), z.int()),
})

async function findRequiring(db: Db, environment_id: EnvironmentId, ids: readonly string[]): Promise<z.infer<typeof Requiring>[]> {
  const found: z.infer<typeof Requiring>[] = []
  for (let at = 0; at < ids.length; at += servers_at_once) {
    const some = list(ids.slice(at, at + servers_at_once))
    const rows = await db.of(environment_id).all(
      Requiring,
      sql`select id, slug, identifier, scopes, scope_versions from resource_servers
           where environment_id = ${environment_id} and require_roles = 1 and id in (${some})`,
    )
    found.push(...rows)
  }
  return found
}

/** The permissions but those that are given. */
function without(permissions: RoleFields['permissions'], given: RoleFields['permissions']): RoleFields['permissions'] {
  const present = new Map(given.map(({ resource_server, scopes }) => [resource_server, new Set(scopes)]))
  return permissions.flatMap(({ resource_server, scopes }) => {
    const rest = scopes.filter((name) => !present.get(resource_server)?.has(name))
    return rest.length === 0 ? [] : [{ resource_server, scopes: rest }]
  })
}
