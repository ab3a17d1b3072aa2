/** Reads the people whom a change of roles concerns, for its count (`effects.ts`): the holders of the roles whose holders gain or lose something. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { restartLimit } from '../../base/database-time.ts'
import { flatMapSteps, type Slices } from '../../base/steps.ts'
import { type Db, join, list, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import type { EffectCount } from './effects.ts'

/** Of more people the newest holders of each role are counted. */
const most_read = 20_000
/** A second or less. Each of the people is compared with what their roles change. */
const most_compared = 5_000_000
const rows_at_once = 500
/** Roles of one statement. */
const roles_at_once = 20

const Holder = z.object({ role_id: z.string(), user_id: z.string() })
type Holder = z.infer<typeof Holder>
const Given = z.object({ roles: z.array(z.string()) })

interface Reader {
  readonly db: Db
  readonly slices: Slices
}

/** A role, and the last of its holders that was read. */
interface Reading {
  readonly role_id: string
  readonly last: string
}

/** Counts people until each count is full or nobody is left. `false`: there are more people than are read, so a count can be too low. */
export async function countHolders({ db, slices }: Reader, environment_id: EnvironmentId, count: EffectCount): Promise<boolean> {
  const seen = new Set<string>()
  let compared = 0
  let waiting: readonly Reading[] = count.roles.map((role_id) => ({ role_id, last: '' }))
  while (waiting.length > 0) {
    if (seen.size >= most_read || compared >= most_compared) return false
    restartLimit()
    const read = waiting.slice(0, roles_at_once)
    const limit = Math.floor(rows_at_once / read.length)
    const rows = await readHolders(db, environment_id, read, limit)
    const ids = [...new Set(rows.map(({ user_id }) => user_id))].filter((id) => !seen.has(id))
    for (const id of ids) seen.add(id)
    const alike = await readGiven(db, environment_id, ids)
    const compares = await slices.run(flatMapSteps(alike, ([given, people]) => [count.add(given, people)]))
    compared += compares.reduce((sum, each) => sum + each, 0)
    const of_role = Map.groupBy(rows, ({ role_id }) => role_id)
    const again = read.flatMap(({ role_id }) => {
      const those = of_role.get(role_id) ?? []
      return those.length < limit ? [] : [{ role_id, last: those.reduce((last, { user_id }) => (user_id < last ? user_id : last), '~') }]
    })
    waiting = [...waiting.slice(roles_at_once), ...again].filter(({ role_id }) => count.isOpen(role_id))
  }
  return true
}

function readHolders(db: Db, environment_id: EnvironmentId, roles: readonly Reading[], limit: number): Promise<Holder[]> {
  const each = roles.map(
    ({ role_id, last }) => sql`select role_id, user_id from (
        select role_id, user_id from role_holders where role_id = ${role_id} and ${inEnvironment(environment_id)}
           ${last === '' ? sql`` : sql`and user_id < ${last}`} order by user_id desc limit ${limit}) held`,
  )
  return db.of(environment_id).all(Holder, join(each, ' union all '))
}

/** The roles that these people were given, and how many of them have the same. Blocked people have nothing. */
async function readGiven(db: Db, environment_id: EnvironmentId, ids: readonly string[]): Promise<[given: string[], people: number][]> {
  if (ids.length === 0) return []
  const users = await db
    .of(environment_id)
    .all(Given, sql`select roles from users where environment_id = ${environment_id} and id in (${list(ids)}) and blocked_at is null`)
  return [...Map.groupBy(users, ({ roles }) => roles.join(' '))].map(([text, alike]) => [text.split(' '), alike.length])
}
