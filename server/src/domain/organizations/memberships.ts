/** Reads in which organizations a person can act: those that are enabled. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, likelyInEnvironment, sameEnvironment } from '../../db/environment.ts'
import type { Membership } from '../../protocol/organization.ts'
import { between_names, matcherOf } from '../lists/search.ts'

const MembershipRow = z.object({
  organization_id: z.string(),
  organization_slug: z.string(),
  organization_name: z.string(),
  membership: z.int(),
  role_ids: z.array(z.string()),
})

const prefix = 'org_'

/** Finds the membership of a user in the organization with this id or slug. One that is unknown or disabled has none. */
export function findMembershipIn(db: Db, { environment_id, id }: UserRef, named: string): Promise<Membership | null> {
  const is_named = named.startsWith(prefix)
    ? sql`o.environment_id = ${environment_id} and o.id = ${named}`
    : sql`o.slug = ${named} and ${inEnvironment(environment_id, 'o')}`
  return db.of(environment_id).maybeOne(
    MembershipRow,
    sql`select m.organization_id, o.slug as organization_slug, o.name as organization_name, m.membership, m.roles as role_ids
          from organizations o join organization_members m
            on ${sameEnvironment('m', 'o', environment_id)} and m.organization_id = o.id and m.user_id = ${id}
         where ${is_named} and o.disabled = 0`,
  )
}

/** Finds two memberships of a user: whether there is a choice. It walks over an index in its order, as the lists of members do (`members.ts`). */
export function findTwoMemberships(db: Db, { environment_id, id }: UserRef): Promise<Membership[]> {
  const of_organization = (column: Statement) =>
    sql`(select ${column} from organizations o where o.environment_id = ${environment_id} and o.id = m.organization_id)`
  return db.of(environment_id).all(
    MembershipRow,
    sql`select m.organization_id, ${of_organization(sql`o.slug`)} as organization_slug, ${of_organization(sql`o.name`)} as organization_name,
               m.membership, m.roles as role_ids
          from organization_members m
         where m.user_id = ${id} and m.organization_id > '' and ${likelyInEnvironment(environment_id, 'm')}
           and coalesce(${of_organization(sql`o.disabled`)}, 1) <> 1
         order by m.organization_id limit 2`,
  )
}

const Used = z.object({ organization_id: z.string(), last_used_at: z.int().nullable() })
const Named = z.object({ id: z.string(), slug: z.string(), name: z.string() })
/** An organization that a person can choose. */
type Choice = z.infer<typeof Named>

/** As many as the limit of organizations of a user is by default. A person in more finds the first of them. */
const most_read = 5_000
const read_at_once = 500

/**
 * Finds the organizations of a user whose name or slug has each of these words, those used last first. Returns one part of them, and whether
 * there are more. The organizations are read by their ids: one statement over both tables would let PostgreSQL read all organizations while it
 * has no statistics.
 */
export async function listMemberships(
  db: Db,
  { environment_id, id }: UserRef,
  { words, from, limit }: { words: string; from: number; limit: number },
): Promise<{ shown: Choice[]; has_more: boolean }> {
  const of = db.of(environment_id)
  const used = await of.all(
    Used,
    sql`select organization_id, last_used_at from organization_members where user_id = ${id} and ${inEnvironment(environment_id)}
         order by organization_id limit ${most_read}`,
  )
  const ids = used.sort((a, b) => (b.last_used_at ?? 0) - (a.last_used_at ?? 0)).map(({ organization_id }) => organization_id)
  const matches = matcherOf(words)
  const found: Choice[] = []
  for (let at = 0; at < ids.length && found.length <= from + limit; at += read_at_once) {
    const some = ids.slice(at, at + read_at_once)
    const rows = await of.all(
      Named,
      sql`select id, slug, name from organizations
           where environment_id = ${environment_id} and id in (${list([...some].sort())}) and disabled = 0`,
    )
    const by_id = new Map(rows.map((row) => [row.id, row]))
    found.push(
      ...some.flatMap((one) => by_id.get(one) ?? []).filter(({ name, slug }) => words === '' || matches(`${name}${between_names}${slug}`)),
    )
    await yieldToOthers()
  }
  return { shown: found.slice(from, from + limit), has_more: found.length > from + limit }
}
