/**
 * Reads the facts for `protocol/giving.ts`: the roles of members of organizations, with what they have. All of an environment are read and compared once, and
 * kept by `oidc/issuer.ts` until they change (decision 0181).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Application } from '@ostiary/contract/objects/application.ts'
import { EnvironmentRole } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import type { Lane } from '../../base/lane.ts'
import { type Db, join, list, requires, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { createGiving, type GivenRole, mayGiveAll, type RoleToGive } from '../../protocol/giving.ts'
import { findNamedServers } from '../resource-servers/store.ts'
import { allOf, createBurden, NamedServer, namedByRole, rest } from '../roles/access.ts'
import { inEffect } from '../roles/permissions.ts'

const Role = EnvironmentRole.pick({ id: true, slug: true, name: true, default: true, administers: true, permissions: true }).extend({
  version: z.int(),
  named: z.array(NamedServer),
})

interface Shown {
  slug: string
  name: string
  /** Every member has it. */
  default: boolean
  version: number
}

/** A role of members, as `protocol/giving.ts` judges it and pages show it. */
export interface MemberRole extends GivenRole, Shown {}

/** All roles of members of an environment, by id. */
export type MemberRoles = ReadonlyMap<string, MemberRole>

/** Gives the roles as they are now. */
export type MemberRolesNow = () => Promise<MemberRoles>

/** Reads them a few at a time. An environment with very many permissions waits for the others with as many. */
export async function readMemberRoles(db: Db, environment_id: EnvironmentId, lane: Lane): Promise<MemberRoles> {
  const burden = createBurden(lane)
  try {
    const of = db.of(environment_id)
    const applications = await of.all(
      Application.pick({ allowed_roles: true }),
      sql`select allowed_roles from applications where environment_id = ${environment_id} and allowed_roles <> '[]'`,
    )
    const letting_in = new Set(applications.flatMap(({ allowed_roles }) => allowed_roles))
    const pages = allOf((after) =>
      of.all(
        Role,
        sql`select r.id, r.slug, r.name, r."default", r.administers, r.permissions, r.version, ${namedByRole(environment_id)} as named
              from roles r where r.environment_id = ${environment_id} and r.kind = 'organization' ${rest(after)}`,
      ),
    )
    const serversOf = createServers(db, environment_id)
    const giving = createGiving<RoleToGive & Shown>()
    for await (const page of pages) {
      for (const { named, ...role } of page) {
        await burden.add(role.permissions)
        const servers = await serversOf(role.permissions.map(({ resource_server }) => resource_server))
        const versions = new Map(named.map((each) => [each.resource_server_id, each.resource_server_version]))
        giving.add({ ...role, in_effect: inEffect(role.permissions, servers, versions), lets_in: letting_in.has(role.slug) })
      }
    }
    const roles = new Map<string, MemberRole>()
    for (const role of giving.finish()) {
      roles.set(role.id, role)
      if (roles.size % compared_at_once === 0) await nextTurn()
    }
    return roles
  } finally {
    burden.end()
  }
}

const compared_at_once = 20

/** Finds resource servers by their slugs, each once. */
function createServers(db: Db, environment_id: EnvironmentId) {
  type Server = Awaited<ReturnType<typeof findNamedServers>>[number]
  const known = new Map<string, Server | null>()
  return async (slugs: readonly string[]): Promise<Server[]> => {
    const unknown = slugs.filter((slug) => !known.has(slug))
    for (const slug of unknown) known.set(slug, null)
    for (const server of await findNamedServers(db, environment_id, unknown)) known.set(server.slug, server)
    return slugs.flatMap((slug) => known.get(slug) ?? [])
  }
}

const bytes_of_role = 500
const bytes_of_set = 16

/** About the bytes that a process needs for them. Equal sets are one. */
export function weightOfMemberRoles(roles: MemberRoles): number {
  const bytes_of_bits = bytes_of_set + roles.size / 8
  return [...roles.values()].reduce(
    (weight, { named, in_effect }) => weight + bytes_of_role + (named.length + in_effect.length) * bytes_of_bits,
    bytes_of_role,
  )
}

/** The roles that count for a member to whom these were given. */
export const heldOf = (roles: MemberRoles, given: readonly string[]): MemberRole[] =>
  [...roles.values()].filter((role) => role.default || given.includes(role.id))

/** The roles of these that are there. */
export const presentOf = (roles: MemberRoles, ids: readonly string[]): MemberRole[] => ids.flatMap((id) => roles.get(id) ?? [])

/** The member who sent an invitation: that membership, and no later one of the same user. */
interface Inviter {
  environment_id: EnvironmentId
  organization_id: string
  inviter_id: string | null
  inviter_membership: number | null
}

const Given = z.object({ roles: z.array(z.string()), version: z.int() })

/** The inviter as it was judged, for the guards of the batch that relies on it. */
export interface Judged extends Inviter {
  inviter_version: number
  /** The roles of the inviter and of the invitation. */
  roles: readonly MemberRole[]
  /** Slugs of roles that only a holder gives if an application names them, and that the inviter does not hold. */
  may_not_let_in: readonly string[]
}

/**
 * Whether the member who sent an invitation may still give its roles. `null`: no longer, or the member left. The facts are those of one moment;
 * `stillJudged` puts them into the batch.
 */
export async function judgeInviter(
  db: Db,
  inviter: Inviter,
  { roles, role_ids }: { roles: MemberRoles; role_ids: readonly string[] },
): Promise<Judged | null> {
  const { environment_id, organization_id, inviter_id, inviter_membership } = inviter
  const member = await db.of(environment_id).maybeOne(
    Given,
    sql`select roles, version from organization_members
         where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${inviter_id}
           and membership = ${inviter_membership}`,
  )
  if (!member) return null
  const [own, given] = [heldOf(roles, member.roles), presentOf(roles, role_ids)]
  if (!mayGiveAll(own, given)) return null
  const held = new Set(own.map(({ id }) => id))
  return {
    ...inviter,
    inviter_version: member.version,
    roles: [...new Set([...own, ...given])],
    may_not_let_in: given.flatMap(({ id, slug }) => (held.has(id) ? [] : [slug])),
  }
}

const InvitingMember = z.object({ user_id: z.string(), membership: z.int(), roles: z.array(z.string()) })

/** An invitation of a list, and who sent it. */
interface Sent extends Inviter {
  id: string
  role_ids: readonly string[]
}

/** Finds those of these invitations of one organization whose roles the member who sent them may no longer give, by their ids, in one read. */
export async function findNoLongerGiven(
  db: Db,
  environment_id: EnvironmentId,
  invitations: readonly Sent[],
  roles: MemberRoles,
): Promise<ReadonlySet<string>> {
  const by_members = invitations.filter(({ inviter_membership }) => inviter_membership !== null)
  const [first] = by_members
  if (!first) return new Set()
  const user_ids = [...new Set(by_members.flatMap(({ inviter_id }) => inviter_id ?? []))].sort()
  const members = await db.of(environment_id).all(
    InvitingMember,
    sql`select user_id, membership, roles from organization_members
         where organization_id = ${first.organization_id} and user_id in (${list(user_ids)}) and ${inEnvironment(environment_id)}`,
  )
  const mayGive = ({ inviter_id, inviter_membership, role_ids }: Sent): boolean => {
    const member = members.find(({ user_id, membership }) => user_id === inviter_id && membership === inviter_membership)
    return member !== undefined && mayGiveAll(heldOf(roles, member.roles), presentOf(roles, role_ids))
  }
  return new Set(by_members.filter((invitation) => !mayGive(invitation)).map(({ id }) => id))
}

/**
 * Guards of a batch that holds the organization: nothing changed by which the inviter was judged. Roles, applications and the user are not held. A
 * change of them at the same moment may as well come after, since it ends no membership.
 */
export function stillJudged({ environment_id, organization_id, inviter_id, inviter_membership, ...judged }: Judged): Statement[] {
  const { inviter_version, roles, may_not_let_in } = judged
  const each = roles.map(({ id, version }) => sql`(id = ${id} and version = ${version})`)
  const named = may_not_let_in.map((slug) => sql`allowed_roles like ${`%"${slug}"%`}`)
  return [
    requires(sql`exists (
      select 1 from organization_members m
       where m.environment_id = ${environment_id} and m.organization_id = ${organization_id} and m.user_id = ${inviter_id}
         and m.membership = ${inviter_membership} and m.version = ${inviter_version})`),
    requires(
      sql`exists (select 1 from users b where b.environment_id = ${environment_id} and b.id = ${inviter_id} and b.blocked_at is null)`,
    ),
    ...(each.length === 0
      ? []
      : [
          requires(sql`(select count(*) from roles where environment_id = ${environment_id} and (${join(each, ' or ')})) = ${each.length}`),
        ]),
    ...(named.length === 0
      ? []
      : [requires(sql`not exists (select 1 from applications where environment_id = ${environment_id} and (${join(named, ' or ')}))`)]),
  ]
}
