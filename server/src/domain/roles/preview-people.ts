/** Reads the people who were given a role, and all roles that they were given: users, or members of organizations. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import { type Db, list, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import type { EffectCount } from './effects.ts'

/** Of a role with more holders the newest are counted. */
const most_read = 20_000
const holders_at_once = 500

/** One part of the holders. `null`: they do not count. */
interface Part<Key> {
  readonly given: readonly (readonly string[] | null)[]
  /** The last one; `null` where there are no more. */
  readonly last: Key | null
}

/** Returns how many people count. */
async function countPeople<Key>(readAfter: (last: Key | null) => Promise<Part<Key>>, add: EffectCount['add']): Promise<number> {
  let people = 0
  let last: Key | null = null
  for (let read = 0; read < most_read; read += holders_at_once) {
    restartLimit()
    const part: Part<Key> = await readAfter(last)
    const counted = part.given.filter((roles) => roles !== null)
    people += counted.length
    for (const [text, alike] of Map.groupBy(counted, (roles) => roles.join(' '))) add(text.split(' '), alike.length)
    last = part.last
    if (last === null) break
    await nextTurn()
  }
  return people
}

const lastOf = <Row>(rows: readonly Row[]): Row | null => (rows.length < holders_at_once ? null : (rows.at(-1) ?? null))

const Holder = z.object({ user_id: z.string() })
const Given = z.object({ roles: z.array(z.string()) })

/** Counts the users who were given a role and are not blocked. */
export function countUsers(db: Db, environment_id: EnvironmentId, role_id: string, add: EffectCount['add']): Promise<number> {
  const of = db.of(environment_id)
  return countPeople<z.infer<typeof Holder>>(async (last) => {
    const rows = await of.all(
      Holder,
      sql`select user_id from role_holders where role_id = ${role_id} and ${inEnvironment(environment_id)}
           ${last === null ? sql`` : sql`and user_id < ${last.user_id}`} order by user_id desc limit ${holders_at_once}`,
    )
    if (rows.length === 0) return { given: [], last: null }
    const ids = list(rows.map(({ user_id }) => user_id))
    const users = await of.all(
      Given,
      sql`select roles from users where environment_id = ${environment_id} and id in (${ids}) and blocked_at is null`,
    )
    return { given: users.map(({ roles }) => roles), last: lastOf(rows) }
  }, add)
}

const Member = z.object({ organization_id: z.string(), membership: z.int(), roles: z.array(z.string()).nullable() })

/** Counts the members who were given a role. A member counts while the organization is enabled and the user is not blocked. */
export function countMembers(db: Db, environment_id: EnvironmentId, role_id: string, add: EffectCount['add']): Promise<number> {
  return countPeople<z.infer<typeof Member>>(async (last) => {
    const rows = await db.of(environment_id).all(
      Member,
      sql`select h.organization_id, h.membership, (
            select m.roles from organization_members m
              join users u on ${sameEnvironment('u', 'm', environment_id)} and u.id = m.user_id and u.blocked_at is null
              join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id and o.disabled = 0
             where m.environment_id = ${environment_id} and m.organization_id = h.organization_id and m.user_id = h.user_id
               and m.membership = h.membership) as roles
          from organization_role_holders h
         where h.role_id = ${role_id} and ${inEnvironment(environment_id, 'h')}
           ${last === null ? sql`` : sql`and (h.organization_id, h.membership) < (${last.organization_id}, ${last.membership})`}
         order by h.organization_id desc, h.membership desc limit ${holders_at_once}`,
    )
    return { given: rows.map(({ roles }) => roles), last: lastOf(rows) }
  }, add)
}
