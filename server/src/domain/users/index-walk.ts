/**
 * Writes the index of the search for users who were there before it, by a walk over all of them, a slice at a time. A process of an earlier
 * version may still change users during an upgrade, so a second walk begins an hour after the first, and then removes what deleted users left.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms, hour_ms } from '../../base/durations.ts'
import { type Db, type Statement, sql } from '../../db/db.ts'
import { unindexed } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { createLease } from '../events/lease.ts'
import { forgetFindable, keepFindable } from './findable.ts'
import { holdUser } from './store.ts'
import { wordsOf } from './words.ts'

const users_at_once = 100
const lease_ms = 60_000
/** An earlier version stops serving within this time after an upgrade. */
const upgrade_ms = hour_ms
/** How often `work` is called, and how long it takes at most, without its last slice. */
export const turn_ms = 1_000
const work_ms_of_turn = 150
/** Where nothing was due, it is asked again after this time. */
const pause_ms = 60_000

const place_name = 'user_search'
const Place = z.object({
  walk: z.enum(['users', 'texts', 'done']),
  is_second: z.boolean(),
  environment_id: z.string(),
  id: z.string(),
  due_at: z.number(),
})
type Place = z.infer<typeof Place>

const first: Place = { walk: 'users', is_second: false, environment_id: '', id: '', due_at: 0 }

async function findPlace(db: Db): Promise<Place> {
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${place_name}`)
  return row ? Place.parse(JSON.parse(row.value)) : first
}

const keepPlace = (place: Place): Statement =>
  insertInto('deployment', { name: place_name, value: JSON.stringify(place) }, sql`on conflict (name) do update set value = excluded.value`)

/** Whether the index has every user. */
export const hasAllUsers = async (db: Db): Promise<boolean> => (await findPlace(db)).is_second

const Row = z.object({
  environment_id: z.custom<EnvironmentId>(),
  id: z.string(),
  sub: z.string().nullable(),
  email: z.string(),
  name: z.string().nullable(),
  given_name: z.string().nullable(),
  family_name: z.string().nullable(),
  nickname: z.string().nullable(),
  preferred_username: z.string().nullable(),
  phone_number: z.string().nullable(),
  version: z.int(),
  words: z.string(),
  has_day: z.boolean(),
})
type Row = z.infer<typeof Row>

const dayOf = sql`coalesce(u.last_sign_in_at, 0) / ${day_ms}`

const findUsers = (db: Db, after: Place): Promise<Row[]> =>
  db.many.all(
    Row,
    sql`select u.environment_id, u.id, u.sub, u.email, u.name, u.given_name, u.family_name, u.nickname, u.preferred_username, u.phone_number, u.version,
               coalesce((select t.words from user_texts t where t.environment_id = ${unindexed('u')} and t.user_id = u.id), '') as words,
               case when u.last_sign_in_day = ${dayOf} then 1 else 0 end as has_day
          from users u where (u.environment_id, u.id) > (${after.environment_id}, ${after.id})
         order by u.environment_id, u.id limit ${users_at_once}`,
  )

/** A guard fails where the user changed meanwhile: then the slice is read again. */
const indexUser = ({ environment_id, version, words, has_day, ...user }: Row): Statement[] => [
  ...(words === wordsOf(user) ? [] : [holdUser(environment_id, user.id, version), ...keepFindable(environment_id, user)]),
  ...(has_day
    ? []
    : [
        sql`update users set last_sign_in_day = coalesce(last_sign_in_at, 0) / ${day_ms}
             where environment_id = ${environment_id} and id = ${user.id}`,
      ]),
]

const Left = z.object({ environment_id: z.custom<EnvironmentId>(), id: z.string(), has_user: z.boolean() })

const findTexts = (db: Db, after: Place) =>
  db.many.all(
    Left,
    sql`select t.environment_id, t.user_id as id,
               coalesce((select 1 from users u where u.environment_id = ${unindexed('t')} and u.id = t.user_id), 0) as has_user
          from user_texts t where (t.environment_id, t.user_id) > (${after.environment_id}, ${after.id})
         order by t.environment_id, t.user_id limit ${users_at_once}`,
  )

interface Slice {
  rows: readonly { environment_id: string; id: string }[]
  statements: Statement[]
}

const sliceOf: Record<Exclude<Place['walk'], 'done'>, (db: Db, after: Place) => Promise<Slice>> = {
  async users(db, after) {
    const rows = await findUsers(db, after)
    return { rows, statements: rows.flatMap(indexUser) }
  },
  async texts(db, after) {
    const rows = await findTexts(db, after)
    return { rows, statements: rows.filter(({ has_user }) => !has_user).flatMap(forgetFindable) }
  },
}

/** The place after the end of a walk. */
function nextWalk({ walk, is_second }: Place, at: Date): Place {
  if (walk === 'users' && !is_second) return { ...first, is_second: true, due_at: at.getTime() + upgrade_ms }
  return { ...first, is_second: true, walk: walk === 'users' ? 'texts' : 'done' }
}

export function createIndexWalk({ db, now, random }: Pick<Deployment, 'db' | 'now' | 'random'>) {
  const holdsLease = createLease({ db, now, random }, 'user search', lease_ms)
  let paused_until_ms = 0

  /** Looks at the next users. `false` where nothing is due, or another process walks. Two that walk at once do no harm. */
  async function slice(needs_lease: boolean): Promise<boolean> {
    const place = await findPlace(db)
    const at = now()
    if (place.walk === 'done' || place.due_at > at.getTime() || (needs_lease && !(await holdsLease()))) return false
    const { rows, statements } = await sliceOf[place.walk](db, place)
    const last = rows.at(-1)
    const next =
      rows.length === users_at_once && last ? { ...place, environment_id: last.environment_id, id: last.id } : nextWalk(place, at)
    await db.many.batch([keepPlace(next), ...statements])
    return true
  }

  return {
    /** One turn of the worker. */
    async work(): Promise<void> {
      const begun = performance.now()
      if (begun < paused_until_ms) return
      while (performance.now() - begun < work_ms_of_turn) {
        if (await slice(true)) continue
        paused_until_ms = begun + pause_ms
        return
      }
    },
    /** The rest of a walk at once, without a pause or a lease. */
    async finish(): Promise<void> {
      while (await slice(false));
    },
  }
}
