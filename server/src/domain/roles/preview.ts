/** Says what a change of one role would give and take, and how many people it concerns (`effects.ts`). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import type { RoleFields } from '@ostiary/contract/objects/role.ts'
import { most_counted, type RolePreview } from '@ostiary/contract/role-preview.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import { type Db, list, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { createAccess, type DefinedRole } from '../../protocol/roles.ts'
import type { NamedServer } from '../resource-servers/scope-versions.ts'
import { definedRoles } from './access.ts'
import { countEffects } from './effects.ts'
import { inEffect } from './permissions.ts'
import { findWrittenVersions, type RoleRow } from './store.ts'

/** Of a role with more holders the newest are counted. */
const most_read = 20_000
const holders_at_once = 500
const servers_at_once = 50

/** @param servers those that the permissions name, before and after */
export async function previewRole(
  db: Db,
  current: RoleRow,
  { fields, servers, is_written }: { fields: RoleFields; servers: readonly NamedServer[]; is_written: boolean },
): Promise<RolePreview> {
  const { environment_id, id, permissions } = current
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
  const count = countEffects({ access: before.finish([]), open }, { access: after.finish([]), open }, most_counted)
  const users = await readHolders(db, environment_id, id, count.add)
  const slugs = new Map(requiring.map(({ identifier, slug }) => [identifier, slug]))
  const effects = count.finish().map(({ identifier, scope, change, people }) => ({
    resource_server: slugs.get(identifier) ?? identifier,
    scope,
    change,
    users: people,
  }))
  const given = inEffect(permissions, servers, await findWrittenVersions(db, environment_id, id))
  return {
    users,
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

const Holder = z.object({ user_id: z.string() })
const Given = z.object({ roles: z.array(z.string()) })

/** Reads the roles of the people who were given a role, newest first, and returns how many they are, counted up to the most. */
async function readHolders(
  db: Db,
  environment_id: EnvironmentId,
  role_id: string,
  add: (given: readonly string[], people: number) => void,
): Promise<number> {
  const of = db.of(environment_id)
  let people = 0
  let last = ''
  for (let read = 0; read < most_read; read += holders_at_once) {
    restartLimit()
    const rows = await of.all(
      Holder,
      sql`select user_id from role_holders where role_id = ${role_id} and ${inEnvironment(environment_id)}
           ${last === '' ? sql`` : sql`and user_id < ${last}`} order by user_id desc limit ${holders_at_once}`,
    )
    if (rows.length === 0) break
    last = rows.at(-1)?.user_id ?? ''
    const ids = list(rows.map(({ user_id }) => user_id))
    const users = await of.all(
      Given,
      sql`select roles from users where environment_id = ${environment_id} and id in (${ids}) and blocked_at is null`,
    )
    people += users.length
    for (const [text, alike] of Map.groupBy(users, ({ roles }) => roles.join(' '))) add(text.split(' '), alike.length)
    if (rows.length < holders_at_once) break
    await nextTurn()
  }
  return Math.min(people, most_counted)
}

/** The permissions but those that are given. */
function without(permissions: RoleFields['permissions'], given: RoleFields['permissions']): RoleFields['permissions'] {
  const present = new Map(given.map(({ resource_server, scopes }) => [resource_server, new Set(scopes)]))
  return permissions.flatMap(({ resource_server, scopes }) => {
    const rest = scopes.filter((name) => !present.get(resource_server)?.has(name))
    return rest.length === 0 ? [] : [{ resource_server, scopes: rest }]
  })
}
