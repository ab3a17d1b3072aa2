/** Reads the roles that count for a user now, and the scopes of resource servers that they give. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import { EnvironmentRole } from '@ostiary/contract/objects/role.ts'
import type { UserAccess } from '@ostiary/contract/user-access.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, type OfEnvironment, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { createAccess, slugsOf } from '../../protocol/roles.ts'
import { NamedServer, namedByRole } from '../roles/access.ts'

const ShownRole = EnvironmentRole.pick({ slug: true, name: true, description: true })
const HeldRole = EnvironmentRole.pick({ id: true, slug: true, kind: true, default: true, permissions: true }).extend({
  named: z.array(NamedServer),
})
type HeldRole = z.infer<typeof HeldRole>

/** The roles `r` that count, in order of slug: those that were given, and those that every user or member has. */
const heldRoles = (environment_id: EnvironmentId, kind: RoleKind, holders: OfEnvironment): OfEnvironment => sql`
  from roles r where r.environment_id = ${environment_id} and r.kind = ${kind}
   and (r."default" = 1 or r.id in (select role_id ${holders})) order by r.slug`

const givenToUser = ({ environment_id, id }: UserRef): OfEnvironment =>
  sql`from role_holders where user_id = ${id} and ${inEnvironment(environment_id)}`

const givenToMember = ({ environment_id, id }: UserRef, organization_id: string): OfEnvironment => sql`
  from organization_role_holders where user_id = ${id} and organization_id = ${organization_id} and ${inEnvironment(environment_id)}`

/** Finds the roles that count for a user who acts for no organization, as a person reads them. */
export const findRolesShown = (db: Db, user: UserRef): Promise<z.infer<typeof ShownRole>[]> =>
  db
    .of(user.environment_id)
    .all(ShownRole, sql`select r.slug, r.name, r.description ${heldRoles(user.environment_id, 'user', givenToUser(user))}`)

/** Finds the roles that count for a user, or for them as a member, with what they give. It is one statement, so that it is of one moment. */
function findRolesHeld(db: Db, user: UserRef, organization_id: string | null): Promise<HeldRole[]> {
  const { environment_id } = user
  const held =
    organization_id === null
      ? heldRoles(environment_id, 'user', givenToUser(user))
      : heldRoles(environment_id, 'organization', givenToMember(user, organization_id))
  return db
    .of(environment_id)
    .all(HeldRole, sql`select r.id, r.slug, r.kind, r."default", r.permissions, ${namedByRole(environment_id)} as named ${held}`)
}

const Server = ResourceServer.pick({ id: true, slug: true, identifier: true, scopes: true, require_roles: true }).extend({
  scope_versions: z.record(z.string(), z.int()),
})
/** Resource servers of one read, after which other requests have their turn. */
const servers_at_once = 20

/** Reads the access of a user, for an organization or for none. Without `require_roles` every scope of a resource server is given. */
export async function findUserAccess(
  db: Db,
  user: UserRef & { blocked_at: string | null },
  { organization_id, is_member }: Pick<UserAccess, 'organization_id' | 'is_member'>,
): Promise<UserAccess> {
  const { environment_id } = user
  const answer = { organization_id, is_member }
  if (user.blocked_at !== null || is_member === false) return { ...answer, roles: [], permissions: [] }
  const held = await findRolesHeld(db, user, organization_id)
  const permissions: UserAccess['permissions'] = []
  for (let after = ''; ; ) {
    restartLimit()
    const servers = await db.of(environment_id).all(
      Server,
      sql`select id, slug, identifier, scopes, scope_versions, require_roles from resource_servers
           where environment_id = ${environment_id} and slug > ${after} order by slug limit ${servers_at_once}`,
    )
    const { add, finish } = createAccess(servers)
    for (const role of held) add(role)
    const access = finish([])
    for (const { slug, identifier, require_roles } of servers) {
      const scopes = [...(access.requiring.get(identifier) ?? [])].map(([name, roles]) => ({ name, by: slugsOf(access, roles) }))
      permissions.push({
        resource_server: slug,
        identifier,
        require_roles,
        scopes: scopes.filter(({ by }) => !require_roles || by.length > 0),
      })
    }
    if (servers.length < servers_at_once) return { ...answer, roles: held.map(({ slug }) => slug), permissions }
    after = servers.at(-1)?.slug ?? ''
    await nextTurn()
  }
}
