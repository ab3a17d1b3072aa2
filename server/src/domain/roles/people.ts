/** Counts the people whom a change of roles concerns (`effects.ts`): the holders of the roles whose holders gain or lose something. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import { restartLimit } from '../../base/database-time.ts'
import { flatMapSteps, type Slices } from '../../base/steps.ts'
import type { Db } from '../../db/db.ts'
import type { EffectCount } from './effects.ts'
import { type HolderRow, type Reading, readHolders } from './holder-rows.ts'

/** Of more people the newest holders of each role are counted. */
const most_read = 20_000
/** A second or less. Each of the people is compared with what their roles change. */
const most_compared = 5_000_000
const rows_at_once = 500
/** Roles of one statement. */
const roles_at_once = 20

interface Reader {
  readonly db: Db
  readonly slices: Slices
}

/** Counts people until each count is full or nobody is left. `false`: there are more people than are read, so a count can be too low. */
export async function countHolders(
  { db, slices }: Reader,
  { environment_id, kind }: { environment_id: EnvironmentId; kind: RoleKind },
  count: EffectCount,
): Promise<boolean> {
  const seen = new Set<string>()
  let compared = 0
  let waiting: readonly Reading[] = count.roles.map((role_id) => ({ role_id, after: null }))
  while (waiting.length > 0) {
    if (seen.size >= most_read || compared >= most_compared) return false
    restartLimit()
    const read = waiting.slice(0, roles_at_once)
    const limit = Math.floor(rows_at_once / read.length)
    const rows = await readHolders(kind)(db, environment_id, read, limit)
    const fresh = [...new Map(rows.map((row) => [row.key.join(' '), row])).entries()].filter(([key]) => !seen.has(key))
    for (const [key] of fresh) seen.add(key)
    const compares = await slices.run(flatMapSteps(alike(fresh.map(([, row]) => row)), ([given, people]) => [count.add(given, people)]))
    compared += compares.reduce((sum, each) => sum + each, 0)
    const of_role = Map.groupBy(rows, ({ role_id }) => role_id)
    const again = read.flatMap(({ role_id }): Reading[] => {
      const those = of_role.get(role_id) ?? []
      const after = lastOf(those)
      return after === null || those.length < limit ? [] : [{ role_id, after }]
    })
    waiting = [...waiting.slice(roles_at_once), ...again].filter(({ role_id }) => count.isOpen(role_id))
  }
  return true
}

/** Counts the people who were given a role: users who are not blocked, or such members of enabled organizations. */
export async function countPeople(
  db: Db,
  { environment_id, kind, id }: { environment_id: EnvironmentId; kind: RoleKind; id: string },
  add: EffectCount['add'],
): Promise<number> {
  let people = 0
  let after: Reading['after'] = null
  for (let read = 0; read < most_read; read += rows_at_once) {
    restartLimit()
    const rows = await readHolders(kind)(db, environment_id, [{ role_id: id, after }], rows_at_once)
    for (const [given, count] of alike(rows)) {
      people += count
      add(given, count)
    }
    after = lastOf(rows)
    if (rows.length < rows_at_once) break
    await nextTurn()
  }
  return people
}

/** The last of these holders in the order of the index, newest first. */
const lastOf = (rows: readonly HolderRow[]): Reading['after'] =>
  rows.reduce<Reading['after']>((last, { key }) => (last === null || isBefore(key, last) ? key : last), null)

const isBefore = ([id, membership]: HolderRow['key'], [other, number]: HolderRow['key']) =>
  id < other || (id === other && membership < number)

/** The roles of those who have any, and how many people have the same. */
function alike(rows: readonly HolderRow[]): [given: string[], people: number][] {
  const counted = rows.flatMap(({ given }) => (given === null ? [] : [given.join(' ')]))
  return [...Map.groupBy(counted, (text) => text)].map(([text, those]) => [text.split(' '), those.length])
}
