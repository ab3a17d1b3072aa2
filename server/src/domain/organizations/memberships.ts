/** Reads in which organizations a person can act: those that are enabled. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import type { Membership } from '../../protocol/organization.ts'
import { matcherOf } from '../lists/search.ts'

const MembershipRow = z.object({
  organization_id: z.string(),
  organization_slug: z.string(),
  organization_name: z.string(),
  membership: z.int(),
  role_ids: z.array(z.string()),
})

/** `from` names the rows m of members and o of organizations. */
const membershipsWhere = (from: Statement, which: OfEnvironment): OfEnvironment => sql`
  select m.organization_id, o.slug as organization_slug, o.name as organization_name, m.membership, m.roles as role_ids
    ${from} where ${which} and o.disabled = 0`

const prefix = 'org_'

/** Finds the membership of a user in the organization with this id or slug. One that is unknown or disabled has none. */
export function findMembershipIn(db: Db, { environment_id, id }: UserRef, named: string): Promise<Membership | null> {
  const is_named = named.startsWith(prefix)
    ? sql`o.environment_id = ${environment_id} and o.id = ${named}`
    : sql`o.slug = ${named} and ${inEnvironment(environment_id, 'o')}`
  const from = sql`from organizations o join organization_members m
    on ${sameEnvironment('m', 'o', environment_id)} and m.organization_id = o.id and m.user_id = ${id}`
  return db.of(environment_id).maybeOne(MembershipRow, membershipsWhere(from, is_named))
}

const of_user = (environment_id: EnvironmentId): Statement => sql`from organization_members m join organizations o
  on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id`

/** Finds two memberships of a user: whether there is a choice. */
export function findTwoMemberships(db: Db, { environment_id, id }: UserRef): Promise<Membership[]> {
  const which = sql`m.user_id = ${id} and ${inEnvironment(environment_id, 'm')}`
  return db.of(environment_id).all(MembershipRow, sql`${membershipsWhere(of_user(environment_id), which)} limit 2`)
}

const Listed = z.object({
  organization_id: z.string(),
  organization_slug: z.string(),
  organization_name: z.string(),
  last_used_at: z.int().nullable(),
})
/** An organization that a person can choose. */
export type ListedMembership = z.infer<typeof Listed>

/** As many as the limit of organizations of a user is by default. A person in more finds the others by name. */
const most_read = 5_000
const compared_at_once = 500

/**
 * Finds the organizations of a user whose name or slug has each of these words, those used last first. Returns one page of them, and whether
 * there are more.
 */
export async function listMemberships(
  db: Db,
  { environment_id, id }: UserRef,
  { words, from, limit }: { words: string; from: number; limit: number },
): Promise<{ shown: ListedMembership[]; has_more: boolean }> {
  const rows = await db.of(environment_id).all(
    Listed,
    sql`select m.organization_id, o.slug as organization_slug, o.name as organization_name, m.last_used_at
          ${of_user(environment_id)} where m.user_id = ${id} and ${inEnvironment(environment_id, 'm')} and o.disabled = 0
         order by coalesce(m.last_used_at, 0) desc, m.organization_id limit ${most_read}`,
  )
  const matches = matcherOf(words)
  const found: ListedMembership[] = []
  for (let at = 0; at < rows.length; at += compared_at_once) {
    const some = rows.slice(at, at + compared_at_once)
    found.push(...(words === '' ? some : some.filter((row) => matches([row.organization_name, row.organization_slug]))))
    await yieldToOthers()
  }
  return { shown: found.slice(from, from + limit), has_more: found.length > from + limit }
}
