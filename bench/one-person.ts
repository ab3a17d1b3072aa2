/**
 * One person with very many rows, from before the bounds: 1,000,000 grants, 200,000 sessions, 100,000 events, 50,000 consents. Measures the
 * start, the lists about the person, what an attacker can add by HTTP, every way to end what the person has, and what a neighbour notices.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { createDb, type Db, type Statement, sql } from '../server/src/db/db.ts'
import { openPostgres } from '../server/src/db/postgres/postgres.ts'
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts'
import { formOf } from './browser.ts'
import { type Answer, type Connection, cookiesOf, expectStatus, headerOf, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { median, percentile } from './load.ts'
import { measureNeighbour } from './neighbour.ts'
import { newMasterKey, type Ostiary, type Person, type Seeded, seedOstiary, signedIn, startOstiary } from './ostiary.ts'
import { inParts, plantedIdOf, refreshStatistics } from './planting.ts'
import { authorization, codeFlow, tokenRequest } from './provider.ts'

type Progress = (text: string) => void

const times = 20
const tries = 1_000
const mebibyte = 1_048_576

export async function surveyOnePerson({ folder, core, freshDatabase }: Ground, grants: number, progress: Progress) {
  const embedded = await surveyEngine({ folder: join(folder, 'one-person'), database_url: null, core }, grants, progress)
  if (!freshDatabase) return { embedded }
  const on_postgres = { folder: join(folder, 'one-person-postgres'), database_url: await freshDatabase(), core }
  return { embedded, postgres: await surveyEngine(on_postgres, grants, progress) }
}

interface Place {
  folder: string
  database_url: string | null
  core: number | null
}

async function surveyEngine(place: Place, grants: number, progress: Progress) {
  const say = (text: string) => progress(`one-person${place.database_url === null ? '' : ', PostgreSQL'}: ${text}`)
  const master_key = newMasterKey()
  // The attacker signs in again and again.
  const checkout = { root, ...place, env: { OSTIARY_LIMITS: JSON.stringify({ sign_ins_per_person: 100_000 }) } }
  const openDb = () =>
    createDb(place.database_url === null ? openSqlite(join(place.folder, 'ostiary.db')) : openPostgres(place.database_url))
  let ostiary = await startOstiary(checkout, master_key)
  const empty_start_ms = ostiary.process.started_ms
  const seeded = await seedOstiary(root, ostiary, 3)
  const growth = await measureGrowth(ostiary, { openDb, database_url: place.database_url }, { seeded, requests: grants / 10, say })
  await ostiary.process.stop()

  say('planting')
  const db = openDb()
  const user_id = await plant(db, seeded.people[0]?.email ?? '', grants)
  await db.close()
  if (place.database_url !== null) await refreshStatistics(place.database_url)
  ostiary = await startOstiary({ ...checkout, port: ostiary.address.port }, master_key)
  const start_ms = ostiary.process.started_ms
  const lists = await measureLists(seeded, ostiary, user_id, say)
  const neighbour_of_worker = await measureNeighbour(
    { address: ostiary.address, path: `${new URL(seeded.admin_issuer).pathname}/.well-known/openid-configuration`, seconds: 2 },
    readPages(seeded, ostiary, user_id),
  )
  say('ending')
  const { ways, late } = await measureEndings(seeded, ostiary, user_id, say)

  say('killing')
  const left_at_kill = await openRows(openDb, user_id)
  await ostiary.process.kill()
  ostiary = await startOstiary({ ...checkout, port: ostiary.address.port }, master_key)
  const began = performance.now()
  while ((await openRows(openDb, user_id)) > 0) await sleep(1_000)
  const rows_gone_s = (performance.now() - began) / 1000
  await ostiary.process.stop()
  return {
    empty_start_ms,
    start_ms,
    growth,
    lists,
    neighbour_of_worker,
    ways,
    ways_most_ms: Math.max(...Object.values(ways)),
    late,
    left_at_kill,
    rows_gone_s,
  }
}

/** Reads the account page and the lists of the person, beside the worker. */
const readPages =
  (seeded: Seeded, { address }: Ostiary, user_id: string) =>
  async (over: AbortSignal) => {
    const connection = await openConnection(address)
    while (!over.aborted) {
      await connection.send(
        request(address, 'GET', `${new URL(seeded.issuer).pathname}/account`, { headers: { cookie: seeded.cookies[0] ?? '' } }),
      )
      await connection.send(
        request(address, 'GET', `/v1/auth/users/${user_id}/grants?limit=100`, { headers: { 'x-api-key': seeded.secret_key } }),
      )
      await sleep(20)
    }
    connection.close()
  }

const Count = z.object({ count: z.int() })

/** The rows of the person that still have to end. */
async function openRows(openDb: () => Db, user_id: string): Promise<number> {
  const db = openDb()
  const [open] = await db.all(
    Count,
    sql`select (select count(*) from sessions where user_id = ${user_id} and ended_at is null)
             + (select count(*) from grants where user_id = ${user_id} and ended_at is null)
             + (select count(*) from endings) as count`,
  )
  await db.close()
  return open?.count ?? 0
}

interface Disk {
  readonly openDb: () => Db
  readonly database_url: string | null
}

/** The bytes of the database: `packed` without the space that the engine will use again, `found` with it. */
async function bytesOf({ openDb, database_url }: Disk): Promise<{ found_mib: number; packed_mib: number }> {
  const db = openDb()
  const bytes = async (query: Statement) => ((await db.all(Count, query))[0]?.count ?? Number.NaN) / mebibyte
  const size = sql`select pg_database_size(current_database()) as count`
  const pages = sql`select page_count * page_size as count from pragma_page_count, pragma_page_size`
  const used_pages = sql`select (page_count - freelist_count) * page_size as count from pragma_page_count, pragma_freelist_count, pragma_page_size`
  const found_mib = await bytes(database_url === null ? pages : size)
  if (database_url !== null) {
    const client = new Client({ connectionString: database_url })
    await client.connect()
    await client.query('vacuum full')
    await client.end()
  }
  const packed_mib = await bytes(database_url === null ? used_pages : size)
  await db.close()
  return { found_mib, packed_mib }
}

interface Growing {
  seeded: Seeded
  requests: number
  say: Progress
}

/** Disk and memory after many `authorize` requests of one session, and after ten times as many. */
async function measureGrowth({ process: running, address }: Ostiary, disk: Disk, { seeded, requests, say }: Growing) {
  const connections = await Promise.all(Array.from({ length: 8 }, () => openConnection(address)))
  const cookie = seeded.cookies[1] ?? ''
  let sent = 0
  const sendUntil = (most: number) =>
    Promise.all(
      connections.map(async (connection) => {
        while (sent < most) {
          sent++
          const asked = authorization({ ...seeded, scope: 'openid profile' }, { prompt: 'none' })
          expectStatus(303, await connection.send(request(address, 'GET', asked.path, { headers: { cookie } })))
        }
      }),
    )
  const sample = async () => {
    const { resident_bytes } = await running.collect()
    return { resident_mib: resident_bytes / mebibyte, ...(await bytesOf(disk)) }
  }
  say(`${requests} authorization requests`)
  await sendUntil(requests / 10)
  const before = await sample()
  await sendUntil(requests)
  const after = await sample()
  for (const connection of connections) connection.close()
  return {
    requests,
    before,
    after,
    memory: after.resident_mib / before.resident_mib,
    disk: after.packed_mib / before.packed_mib,
    disk_found: after.found_mib / before.found_mib,
  }
}

const User = z.object({ id: z.string(), environment_id: z.string() })

/** Copies the session and the grant of a person as the schema before the bounds had them. Returns the id of the user. */
async function plant(db: Db, email: string, grants: number): Promise<string> {
  const [user] = await db.all(User, sql`select id, environment_id from users where email = ${email}`)
  if (!user) throw new Error('The person is gone.')
  const { id, environment_id } = user
  const numbered = (prefix: string) => plantedIdOf(prefix, sql`n.i`)
  const of_user = (alias: ReturnType<typeof sql>) => sql`${alias}.environment_id = ${environment_id} and ${alias}.user_id = ${id}`
  const in_days = new Date(Date.now() + 20 * 86_400_000)
  await inParts(
    grants / 5,
    (numbers) => [
      sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at)
        select s.environment_id, ${numbered('ses')}, s.user_id, 'planted' || n.i, s.amr, s.acr, s.began_with, s.created_at, s.auth_time,
               s.last_seen_at - 1000000 + n.i, ${in_days}, ${in_days}
          from (select * from sessions s where ${of_user(sql`s`)} and s.token_hash not like 'planted%' limit 1) s, (${numbers}) n`,
    ],
    db,
  )
  await inParts(
    grants,
    (numbers) => [
      sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with, created_at, expires_at, visit_at, code_hash)
        select g.environment_id, ${numbered('grt')}, g.user_id, g.application_id, ${plantedIdOf('ses', sql`(n.i / 5)`)},
               g.scope, g.resource, n.i % 2, g.auth_time, g.amr, g.acr, g.began_with, g.created_at, ${in_days}, ${in_days}, 'planted' || n.i
          from (select * from grants g where ${of_user(sql`g`)} and g.code_hash not like 'planted%' limit 1) g, (${numbers}) n`,
    ],
    db,
  )
  await inParts(
    grants / 20,
    (numbers) => [
      sql`insert into consents (environment_id, user_id, application_id, scope, created_at, updated_at)
        select u.environment_id, u.id, ${numbered('app')}, 'openid', 0, 0 from users u, (${numbers}) n
         where u.environment_id = ${environment_id} and u.id = ${id}`,
    ],
    db,
  )
  await inParts(
    grants / 10,
    (numbers) => [
      sql`insert into events (environment_id, id, sequence, type, created_at, request_id, actor_type, actor_id, user_id, application_id, data)
        select u.environment_id, ${numbered('evt')}, 1000000 + n.i, 'sign_in.succeeded', ${new Date()}, null, 'user', u.id, u.id, null, '{}'
          from users u, (${numbers}) n where u.environment_id = ${environment_id} and u.id = ${id}`,
    ],
    db,
  )
  await db.run(sql`update event_counters set last = ${1_000_000 + grants} where environment_id = ${environment_id}`)
  return id
}

/** The slowest of several answers of each page and list about the person. */
async function measureLists(seeded: Seeded, { address }: Ostiary, user_id: string, say: Progress) {
  const connection = await openConnection(address)
  const account = `${new URL(seeded.issuer).pathname}/account`
  const paths: Record<string, Record<string, string>> = {
    [account]: { cookie: seeded.cookies[0] ?? '' },
    ...Object.fromEntries(
      ['sessions', 'grants', 'methods'].map((list) => [`/v1/auth/users/${user_id}/${list}?limit=100`, { 'x-api-key': seeded.secret_key }]),
    ),
  }
  const taken: Record<string, number> = {}
  for (const [path, headers] of Object.entries(paths)) {
    say(path)
    const name = path.replace(user_id, '{user_id}').replace(account, '/account')
    taken[name] = await medianOf(connection, request(address, 'GET', path, { headers }), 200)
  }
  connection.close()
  return taken
}

async function medianOf(connection: Connection, asked: string, status: number): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < 5; n++) {
    const at = performance.now()
    expectStatus(status, await connection.send(asked))
    taken.push(performance.now() - at)
  }
  return median(taken)
}

/** The state of a person before an ending: a browser that is signed in, and tokens. */
interface Held {
  readonly cookie: string
  readonly access_token: string
  readonly refresh_token: string
}

interface Way {
  readonly status: number
  /** Whether the session of the browser ends too. */
  readonly ends_session: boolean
  /** The person who signs in before each time. */
  readonly who: () => Person
  /** Sends what ends. The time is that of this request alone. */
  end(held: Held): Promise<Timed>
  undo?(): Promise<Timed>
  /** How often it is sent. */
  readonly times?: number
}

interface Timed {
  readonly answer: Answer
  readonly ms: number
}

/** Ends what the person has, in every way that the API and the account page have, and tries afterwards what was accepted before. */
async function measureEndings(seeded: Seeded, { address }: Ostiary, user_id: string, say: Progress) {
  const connection = await openConnection(address)
  const [first, second] = seeded.people
  if (!first || !second) throw new Error('Nobody is there.')
  let { password } = first
  const who = () => ({ ...first, password })
  const user = `/v1/auth/users/${user_id}`
  const application = `/v1/platform/projects/${seeded.project_id}/environments/${seeded.environment_id}/applications/${seeded.client.client_id}`
  const call = async (method: string, path: string, body?: object, key = seeded.secret_key): Promise<Timed> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomBytes(9).toString('hex') }
    const asked = request(address, method, path, { headers, body: body === undefined ? '' : JSON.stringify(body) })
    const at = performance.now()
    const answer = await connection.send(asked)
    return { answer, ms: performance.now() - at }
  }
  const firstOf = async (list: string): Promise<string> =>
    JSON.parse(expectStatus(200, (await call('GET', `${user}/${list}`)).answer).body).data[0].id
  const disable = (disabled: boolean) => call('PATCH', application, { disabled }, seeded.platform_key)

  const changePassword = () => {
    password += ' again'
    return call('PATCH', user, { password })
  }
  // biome-ignore format: this table is read by column
  const ways: Record<string, Way> = {
    'POST end-sessions':           { status: 200, who, ends_session: true,  end: () => call('POST', `${user}/end-sessions`, {}) },
    'POST block':                  { status: 200, who, ends_session: true,  end: () => call('POST', `${user}/block`, {}), undo: () => call('POST', `${user}/unblock`, {}) },
    'PATCH password':              { status: 200, who, ends_session: true,  end: changePassword },
    'DELETE session':              { status: 204, who, ends_session: true,  end: async () => call('DELETE', `/v1/auth/sessions/${await firstOf('sessions')}`) },
    'DELETE grant':                { status: 204, who, ends_session: false, end: async () => call('DELETE', `${user}/grants/${await firstOf('grants')}`) },
    'account: end other sessions': { status: 200, who, ends_session: true,  end: async () => press('end-other-sessions', (await signedIn(seeded, who())).cookie()) },
    'account: disconnect':         { status: 200, who, ends_session: false, end: ({ cookie }) => press('disconnect', cookie) },
    'PATCH application disabled':  { status: 200, who, ends_session: false, end: () => disable(true), undo: () => disable(false) },
    'DELETE user':                 { status: 204, who, ends_session: true,  end: () => call('DELETE', user), times: 1 },
    'DELETE application':          { status: 204, who: () => second, ends_session: false, end: () => call('DELETE', application, undefined, seeded.platform_key), times: 1 },
  }

  /** Presses a button of the account page in a browser that is signed in. The time is that of the button alone. */
  async function press(action: string, cookie: string): Promise<Timed> {
    const path = `${new URL(seeded.issuer).pathname}/account`
    const page = expectStatus(200, await connection.send(request(address, 'GET', path, { headers: { cookie } })))
    const form = page.body.split('<form ').find((part) => part.includes(`/account/${action}"`))
    if (form === undefined) throw new Error(`The account page has no button ${action}.`)
    const { hidden } = formOf(`<form ${form}`)
    const all = [cookie, ...cookiesOf(page)].join('; ')
    const headers = { cookie: all, 'content-type': 'application/x-www-form-urlencoded' }
    const asked = request(address, 'POST', `${path}/${action}`, { headers, body: new URLSearchParams(hidden).toString() })
    const at = performance.now()
    const answer = await connection.send(asked)
    const ms = performance.now() - at
    return {
      answer:
        headerOf(answer, 'location') === null ? answer : await connection.send(request(address, 'GET', path, { headers: { cookie: all } })),
      ms,
    }
  }

  async function hold(person: Person): Promise<Held> {
    const cookie = (await signedIn(seeded, person)).cookie()
    const { tokens } = await codeFlow(seeded, connection, cookie)
    return { cookie, ...tokens }
  }

  /** Tries what ended, in parallel. Returns how much of it was accepted. */
  async function tryAgain({ cookie, access_token, refresh_token }: Held, ends_session: boolean): Promise<number> {
    let late = 0
    const connections = await Promise.all(Array.from({ length: 50 }, () => openConnection(address)))
    await Promise.all(
      connections.map(async (one) => {
        for (let n = 0; n < tries / connections.length; n++) {
          const userinfo = request(address, 'GET', seeded.paths.userinfo, { headers: { authorization: `Bearer ${access_token}` } })
          if ((await one.send(userinfo)).status === 200) late++
          if ((await one.send(tokenRequest(seeded, { grant_type: 'refresh_token', refresh_token }))).status === 200) late++
          if (!ends_session) continue
          const asked = authorization(seeded, { prompt: 'none' })
          const answer = await one.send(request(address, 'GET', asked.path, { headers: { cookie } }))
          if (headerOf(answer, 'location')?.includes('code=')) late++
        }
        one.close()
      }),
    )
    return late
  }

  const p99: Record<string, number> = {}
  let late = 0
  for (const [name, way] of Object.entries(ways)) {
    say(name)
    const taken: number[] = []
    for (let left = way.times ?? times; left > 0; left--) {
      const held = await hold(way.who())
      const { answer, ms } = await way.end(held)
      expectStatus(way.status, answer)
      taken.push(ms)
      if (left === 1) late += await tryAgain(held, way.ends_session)
      if (way.undo) expectStatus(200, (await way.undo()).answer)
    }
    taken.sort((a, b) => a - b)
    p99[name] = percentile(taken, 0.99)
  }
  connection.close()
  return { ways: p99, late }
}
