/**
 * The search and the filters of very many users in two environments, beside a steady pace of sign-ins: rare, frequent and absent words, and what
 * the sign-ins notice.
 */
import { join } from 'node:path'
import { createDb, type Db, sql } from '../server/src/db/db.ts'
import { openPostgres } from '../server/src/db/postgres/postgres.ts'
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts'
import { expectStatus, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { inRandomOrder, median, percentile } from './load.ts'
import type { Options } from './options.ts'
import { caller, newMasterKey, type Seeded, seedEnvironment, seedOstiary, signInRequests, startOstiary } from './ostiary.ts'
import { atPace, createPool } from './pace.ts'
import { indexUsers, inParts, plantedIdOf, refreshStatistics } from './planting.ts'

const sign_ins_a_second = 20
const searches_a_second = 10
/** Seconds of each half of a round, for each second of the option. */
const longer = 10
const people = 20

/** Every third user of an environment, the oldest, has another domain. */
const domains = { old: 'old-company.example', all: 'people.example' }

async function plant(db: Db, environment_id: Seeded['environment_id'], count: number): Promise<void> {
  const at = new Date()
  await inParts(
    count,
    (numbers) => [
      sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, name, given_name, family_name, metadata, claims,
            last_sign_in_at, blocked_at, created_at, updated_at)
          select ${environment_id}, ${plantedIdOf('usr', sql`n.i`)}, 'user' || n.i || '@' || case when n.i < ${Math.floor(count / 3)} then ${domains.old} else ${domains.all} end,
                 'user' || n.i || '@planted', n.i % 2, 0, 'Given' || (n.i % 97) || ' Family' || (n.i % 1009), 'Given' || (n.i % 97), 'Family' || (n.i % 1009), '{}', '{}',
                 ${at} - n.i * 60000, case when n.i % 10007 = 0 then 1 end, ${at}, ${at} from (${numbers}) n`,
    ],
    db,
  )
}

/** What is asked, with how many users its page has at least. */
const asked = (count: number): Record<string, readonly [query: string, least: number]> => ({
  'the newest': ['', 100],
  'a word of all': ['query=people.exam', 100],
  'a word of one in nine': ['query=family7', 100],
  'a word of one in a thousand': ['query=family777', Math.min(100, Math.floor(count / 1_100))],
  'a word of one': [`query=user${count - 77}%40`, 1],
  'part of an id': [`query=${String(count - 77).padStart(12, '0')}`, 1],
  'a word of the oldest third': ['query=old-company', 0],
  'two words, of which one is rare': [`query=example+user${count - 77}%40`, 1],
  'two characters': ['query=gi', 100],
  'an absent word': ['query=zyxw', 0],
  'an absent word of frequent parts': ['query=user9%40old-people', 0],
  blocked: ['blocked=true', 1],
  'by the last sign-in': ['sort=last_sign_in', 100],
  'a frequent word by the last sign-in': ['sort=last_sign_in&query=family7', 100],
  'a day of the last sign-in': ['last_seen_to=2020-01-01', 0],
})

export async function surveyUsers({ folder, core, freshDatabase }: Ground, options: Options, progress: (text: string) => void) {
  const on = async (engine: 'embedded' | 'postgres', database_url: string | null) => {
    const say = (text: string) => progress(`users, ${engine}: ${text}`)
    const own = join(folder, `users-${engine}`)
    const env = { OSTIARY_LIMITS: JSON.stringify({ sign_ins_per_person: 1_000_000 }) }
    const checkout = { root, folder: own, database_url, core, env }
    const master_key = newMasterKey()
    let started = await startOstiary(checkout, master_key)
    const seeded = await seedOstiary(root, started, people)
    const call = await caller(seeded.address)
    const platform = { 'x-api-key': seeded.platform_key }
    const { id: project_id } = await call.post('/v1/platform/projects', platform, { slug: 'other', name: 'Other' })
    const { data } = await call.get(`/v1/platform/projects/${project_id}/environments`, platform)
    call.close()
    const environment = data.find(({ type }: { type: string }) => type === 'test')
    const other = await seedEnvironment(seeded.address, { platform_key: seeded.platform_key, project_id, environment }, { people: 1 })
    await started.process.stop()

    say('planting')
    const db = createDb(database_url === null ? openSqlite(join(own, 'ostiary.db')) : openPostgres(database_url))
    const sizes = { large: options.users, small: Math.ceil(options.users / 10) }
    await plant(db, seeded.environment_id, sizes.large)
    await plant(db, other.environment_id, sizes.small)
    say('the walk that makes the index')
    const walk_seconds = await indexUsers(db)
    await db.close()
    if (database_url !== null) await refreshStatistics(database_url)
    started = await startOstiary({ ...checkout, port: started.address.port }, master_key)
    const found = {
      large: await measure(seeded, { asking: seeded, count: sizes.large }, options, (text) => say(`${sizes.large} users: ${text}`)),
      small: await measure(seeded, { asking: other, count: sizes.small }, options, (text) => say(`${sizes.small} users: ${text}`)),
    }
    await started.process.stop()
    return { sizes, walk_seconds, ...found }
  }
  return { embedded: await on('embedded', null), postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null }
}

type Asking = Pick<Seeded, 'secret_key' | 'address'>

/** Searches at a steady pace in every second half of a round, while people of the large environment sign in all the time. */
async function measure(
  seeded: Seeded,
  { asking, count }: { asking: Asking; count: number },
  { rounds, seconds }: Options,
  say: (text: string) => void,
) {
  const { within, close } = createPool(seeded.address)
  const sign_ins = await Promise.all(seeded.people.map((person) => signInRequests(seeded, person)))
  const signIn = (n: number) =>
    within(async (connection) => {
      const answer = await connection.send(sign_ins[n % sign_ins.length]?.() ?? '')
      if (answer.status !== 303) throw new Error(`Expected 303, got ${answer.status}.`)
    })
  const kinds = Object.entries(asked(count))
  const ask = async ([name, [query, least]]: (typeof kinds)[number]): Promise<number> => {
    const path = `/v1/auth/users?limit=100${query && `&${query}`}`
    const began = performance.now()
    const answer = await within((connection) =>
      connection.send(request(asking.address, 'GET', path, { headers: { 'x-api-key': asking.secret_key } })),
    )
    const ms = performance.now() - began
    const { data } = JSON.parse(expectStatus(200, answer).body)
    if (data.length < least) throw new Error(`${name}: ${data.length} users instead of ${least}.`)
    return ms
  }
  const taken = new Map(kinds.map(([name]) => [name, [] as number[]]))
  for (const kind of kinds) for (let n = 0; n < 3; n++) await ask(kind) // warms up
  const quiet: number[] = []
  const busy: number[] = []
  let failed: string | null = null
  let asked_so_far = 0
  let order = inRandomOrder(kinds)
  for (let round = 0; round < rounds; round++) {
    say(`sign-ins alone, and beside searches, round ${round + 1} of ${rounds}`)
    for (const with_searches of [false, true]) {
      const stopSignIns = atPace(sign_ins_a_second, signIn)
      const stopSearches = with_searches
        ? atPace(searches_a_second, async () => {
            const n = asked_so_far++ % kinds.length
            if (n === 0) order = inRandomOrder(kinds)
            const kind = order[n]
            if (kind) taken.get(kind[0])?.push(await ask(kind))
          })
        : null
      await new Promise<void>((resolve) => void setTimeout(resolve, longer * seconds * 1_000))
      const searches = await stopSearches?.()
      const signed_in = await stopSignIns()
      failed ??= signed_in.why ?? searches?.why ?? null
      ;(with_searches ? busy : quiet).push(signed_in.p99_ms)
    }
  }
  close()
  if (failed !== null) throw new Error(failed)
  const all = [...taken.values()].flat().toSorted((a, b) => a - b)
  const figures = [...taken].map(([name, ms]) => {
    const sorted = ms.toSorted((a, b) => a - b)
    return [name, { times: ms.length, p50_ms: percentile(sorted, 0.5), p99_ms: percentile(sorted, 0.99) }] as const
  })
  return {
    searches: { times: all.length, p50_ms: percentile(all, 0.5), p99_ms: percentile(all, 0.99) },
    each: Object.fromEntries(figures),
    sign_ins: {
      quiet_p99_ms: median(quiet),
      busy_p99_ms: median(busy),
      rise: median(busy.map((ms, n) => ms / (quiet[n] ?? Number.NaN))) - 1,
    },
  }
}
