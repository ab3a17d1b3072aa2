/** Reads the people who were given roles, and all roles that they were given: users, or members of organizations. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import { type Db, join, list, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'

/** Where the next rows of a role begin: after this holder, newest first. `null`: at the newest. */
export interface Reading {
  readonly role_id: string
  readonly after: Key | null
}

/** A holder in the order of the index. */
type Key = readonly [user_or_organization_id: string, membership: number]

export interface HolderRow {
  readonly role_id: string
  readonly key: Key
  /** The ids of the roles of the person. `null`: blocked, or no member of an enabled organization, so the person has none. */
  readonly given: readonly string[] | null
}

type Read = (db: Db, environment_id: EnvironmentId, roles: readonly Reading[], limit: number) => Promise<HolderRow[]>

const User = z.object({ role_id: z.string(), user_id: z.string() })
const Given = z.object({ id: z.string(), roles: z.array(z.string()) })

/** Users are read by their ids: one statement over both tables would let PostgreSQL read all users while it has no statistics. */
const readUsers: Read = async (db, environment_id, roles, limit) => {
  const of = db.of(environment_id)
  const each = roles.map(
    ({ role_id, after }) => sql`select role_id, user_id from (
        select role_id, user_id from role_holders where role_id = ${role_id} and ${inEnvironment(environment_id)}
           ${after === null ? sql`` : sql`and user_id < ${after[0]}`} order by user_id desc limit ${limit}) held`,
  )
  const rows = await of.all(User, join(each, ' union all '))
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ user_id }) => user_id))].sort()
  const users = await of.all(
    Given,
    sql`select id, roles from users where environment_id = ${environment_id} and id in (${list(ids)}) and blocked_at is null`,
  )
  const given = new Map(users.map(({ id, roles }) => [id, roles]))
  return rows.map(({ role_id, user_id }) => ({ role_id, key: [user_id, 0], given: given.get(user_id) ?? null }))
}

const Member = z.object({
  role_id: z.string(),
  organization_id: z.string(),
  membership: z.int(),
  given: z.array(z.string()).nullable(),
})

const readMembers: Read = async (db, environment_id, roles, limit) => {
  const each = roles.map(
    ({ role_id, after }) => sql`select role_id, organization_id, membership, given from (
        select h.role_id, h.organization_id, h.membership, (
            select m.roles from organization_members m
              join users u on ${sameEnvironment('u', 'm', environment_id)} and u.id = m.user_id and u.blocked_at is null
              join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id and o.disabled = 0
             where m.environment_id = ${environment_id} and m.organization_id = h.organization_id and m.user_id = h.user_id
               and m.membership = h.membership) as given
          from organization_role_holders h
         where h.role_id = ${role_id} and ${inEnvironment(environment_id, 'h')}
           ${after === null ? sql`` : sql`and (h.organization_id, h.membership) < (${after[0]}, ${after[1]})`}
         order by h.organization_id desc, h.membership desc limit ${limit}) held`,
  )
  const rows = await db.of(environment_id).all(Member, join(each, ' union all '))
  return rows.map(({ role_id, organization_id, membership, given }) => ({ role_id, key: [organization_id, membership], given }))
}

const readers: Readonly<Record<RoleKind, Read>> = { user: readUsers, organization: readMembers }

/** Reads so many holders of each of these roles. */
export const readHolders = (kind: RoleKind): Read => readers[kind]
