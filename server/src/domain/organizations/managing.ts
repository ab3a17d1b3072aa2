/** The changes that a member who administers an organization makes on its page. `protocol/giving.ts` judges it, and the batch judges it again. */
import { z } from 'zod'
import { type Db, requires, type Statement, sql } from '../../db/db.ts'
import { administratorsOf, holdOrganization, type MemberRef } from './counts.ts'
import { heldOf, type Judged, type MemberRole, type MemberRoles, presentOf, stillJudged } from './giving.ts'
import { type MemberRow, removeMember, setMemberRoles } from './members.ts'

const Standing = z.object({ role_ids: z.array(z.string()), membership: z.int(), version: z.int() })

/** A member with what they were given. */
export interface Standing extends z.infer<typeof Standing> {
  held: readonly MemberRole[]
  given: readonly MemberRole[]
}

/** Finds what a member has now; `null` for others. */
export async function findStanding(
  db: Db,
  { environment_id, organization_id, user_id }: MemberRef,
  roles: MemberRoles,
): Promise<Standing | null> {
  const row = await db.of(environment_id).maybeOne(
    Standing,
    sql`select roles as role_ids, membership, version from organization_members
         where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${user_id}`,
  )
  return row && { ...row, held: heldOf(roles, row.role_ids), given: presentOf(roles, row.role_ids) }
}

interface By extends MemberRef {
  standing: Standing
}

/** The facts by which a change of these roles was judged, for its batch. */
export function judgedOf({ environment_id, organization_id, user_id, standing }: By, touched: readonly MemberRole[]): Judged {
  const own = new Set(standing.held.map(({ id }) => id))
  return {
    ...{ environment_id, organization_id, inviter_id: user_id, inviter_membership: standing.membership },
    inviter_version: standing.version,
    roles: [...new Map([...standing.held, ...touched].map((role) => [role.id, role])).values()],
    may_not_let_in: touched.flatMap(({ id, slug }) => (own.has(id) ? [] : [slug])),
  }
}

/** On pages the last member who administers and is not blocked stays one. Put it after the change. */
const keepsAdministrator = (member: MemberRef): Statement => requires(sql`${administratorsOf(member).number} > 0`)

interface Change {
  by: By
  other: MemberRow
  has: Standing
}

const administersBy = (roles: readonly MemberRole[]): boolean => roles.some((role) => role.administers)

/** Gives a member these roles. A guard fails where anything changed by which the change was judged. Put it after a hold of both users. */
export function changeRolesBy({ by, other, has }: Change, after: readonly MemberRole[], now: Date): Statement[] {
  const ids = inOrder(after)
  return [
    holdOrganization(other),
    ...stillJudged(judgedOf(by, [...has.held, ...after])),
    ...setMemberRoles(other, ids, now),
    ...(administersBy(has.given) && !administersBy(after) ? [keepsAdministrator(other)] : []),
  ]
}

const inOrder = (roles: readonly MemberRole[]): string[] => [...roles].sort((a, b) => (a.slug < b.slug ? -1 : 1)).map(({ id }) => id)

/** The same for another member who is removed. */
export const removeBy = ({ by, other, has }: Change, now: Date): Statement[] => [
  ...removeMember(other, now),
  ...stillJudged(judgedOf(by, has.held)),
  ...(administersBy(has.given) ? [keepsAdministrator(other)] : []),
]

/** Whether the organization would be left without a member who administers and is not blocked, if this one no longer did. */
export async function isLastAdministrator(db: Db, member: MemberRef): Promise<boolean> {
  const Counted = z.object({ is_last: z.boolean() })
  const row = await db
    .of(member.environment_id)
    .maybeOne(
      Counted,
      sql`select case when ${administratorsOf(member).number} <= 1 then 1 else 0 end as is_last ${administratorsOf(member).from}`,
    )
  return row?.is_last ?? false
}
