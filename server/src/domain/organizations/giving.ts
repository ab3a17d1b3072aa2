/** Reads what `protocol/giving.ts` asks: the roles of members of an organization, with what they have. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Application } from '@ostiary/contract/objects/application.ts'
import { EnvironmentRole } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import { type Db, join, list, requires, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { type GivenRole, mayGiveAll } from '../../protocol/giving.ts'
import { findNamedServers } from '../resource-servers/store.ts'
import { namedBy } from '../roles/access.ts'
import { inEffect } from '../roles/permissions.ts'

const Role = EnvironmentRole.pick({ id: true, slug: true, name: true, default: true, administers: true, permissions: true }).extend({
  version: z.int(),
})

/** A role of members, as `protocol/giving.ts` judges it and pages show it. */
export interface MemberRole extends GivenRole {
  slug: string
  name: string
  /** Every member has it. */
  default: boolean
  version: number
}

/** Reads the roles with these ids, and those that every member has, by id; or all of them. */
export async function findMemberRoles(
  db: Db,
  environment_id: EnvironmentId,
  ids: readonly string[] | 'all',
): Promise<Map<string, MemberRole>> {
  const of = db.of(environment_id)
  const given = ids === 'all' ? sql`or 1 = 1` : ids.length === 0 ? sql`` : sql`or id in (${list([...new Set(ids)])})`
  const roles = await of.all(
    Role,
    sql`select id, slug, name, "default", administers, permissions, version from roles
         where environment_id = ${environment_id} and kind = 'organization' and ("default" = 1 ${given})`,
  )
  const slugs = new Set(roles.flatMap(({ permissions }) => permissions.map(({ resource_server }) => resource_server)))
  const [servers, written, applications] = await Promise.all([
    findNamedServers(db, environment_id, [...slugs]),
    namedBy(db, environment_id, roles),
    of.all(
      Application.pick({ allowed_roles: true }),
      sql`select allowed_roles from applications where environment_id = ${environment_id} and allowed_roles <> '[]'`,
    ),
  ])
  const letting_in = new Set(applications.flatMap(({ allowed_roles }) => allowed_roles))
  return new Map(
    roles.map((role): [string, MemberRole] => {
      const versions = new Map((written.get(role.id) ?? []).map((each) => [each.resource_server_id, each.resource_server_version]))
      return [role.id, { ...role, in_effect: inEffect(role.permissions, servers, versions), lets_in: letting_in.has(role.slug) }]
    }),
  )
}

/** The roles that count for a member to whom these were given. */
export const heldOf = (roles: ReadonlyMap<string, MemberRole>, given: readonly string[]): MemberRole[] =>
  [...roles.values()].filter((role) => role.default || given.includes(role.id))

/** The roles of these that are there. */
export const presentOf = (roles: ReadonlyMap<string, MemberRole>, ids: readonly string[]): MemberRole[] =>
  ids.flatMap((id) => roles.get(id) ?? [])

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
export async function judgeInviter(db: Db, inviter: Inviter, role_ids: readonly string[]): Promise<Judged | null> {
  const { environment_id, organization_id, inviter_id, inviter_membership } = inviter
  const member = await db.of(environment_id).maybeOne(
    Given,
    sql`select roles, version from organization_members
         where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${inviter_id}
           and membership = ${inviter_membership}`,
  )
  if (!member) return null
  const roles = await findMemberRoles(db, environment_id, [...member.roles, ...role_ids])
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

/** Finds those of these invitations of one organization whose roles the member who sent them may no longer give, by their ids, in two reads. */
export async function findNoLongerGiven(db: Db, environment_id: EnvironmentId, invitations: readonly Sent[]): Promise<ReadonlySet<string>> {
  const by_members = invitations.filter(({ inviter_membership }) => inviter_membership !== null)
  const [first] = by_members
  if (!first) return new Set()
  const user_ids = [...new Set(by_members.flatMap(({ inviter_id }) => inviter_id ?? []))].sort()
  const members = await db.of(environment_id).all(
    InvitingMember,
    sql`select user_id, membership, roles from organization_members
         where organization_id = ${first.organization_id} and user_id in (${list(user_ids)}) and ${inEnvironment(environment_id)}`,
  )
  const ids = [...members.flatMap(({ roles }) => roles), ...by_members.flatMap(({ role_ids }) => role_ids)]
  const roles = await findMemberRoles(db, environment_id, ids)
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
