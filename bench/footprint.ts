/**
 * The bytes that a daily user leaves behind: 50 people for 100 days, each with one sign-in, eight refreshes and ten UserInfo a day. The service
 * runs in this process with a clock that the survey moves; background work that depends on the time runs after each day.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { Client } from 'pg'
import { z } from 'zod'
import type { EnvironmentId, GrantId } from '../contract/src/ids.ts'
import { readConfig } from '../server/src/base/config/config.ts'
import { type Db, guard, type Statement, sql } from '../server/src/db/db.ts'
import { rotateChain } from '../server/src/domain/sessions/refresh-chains.ts'
import { createPasswords } from '../server/src/domain/users/password.ts'
import { startService } from '../server/src/main.ts'
import { removeExpiredRows } from '../server/src/workers/expiring-rows.ts'
import { visitGrants } from '../server/src/workers/visit-grants.ts'
import { createEndsWalk } from '../server/src/workers/walk-ends.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { newMasterKey, type Seeded, seedOstiary, signedIn } from './ostiary.ts'
import { codeFlow, refresh } from './provider.ts'

const people = 50
const refreshes = 8
const userinfos = 10
const measured_refreshes = 10_000
const day_seconds = 86_400
/** Tables that grow with environments and hours, and not with people. */
const by_hour = ['counters', 'key_usage']

export async function surveyFootprint({ folder, freshDatabase }: Ground, days: number, progress: (text: string) => void) {
  const embedded = await surveyEngine(join(folder, 'footprint'), null, { days, progress })
  if (!freshDatabase) return { embedded }
  return { embedded, postgres: await surveyEngine(join(folder, 'footprint-postgres'), await freshDatabase(), { days, progress }) }
}

async function surveyEngine(
  folder: string,
  database_url: string | null,
  { days, progress }: { days: number; progress: (text: string) => void },
) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const address = { host: 'localhost', port: await freePort() }
  const env: Record<string, string> = {
    OSTIARY_PORT: String(address.port),
    OSTIARY_DATA_DIR: folder,
    OSTIARY_LOG_LEVEL: 'silent',
    OSTIARY_LIMITS: JSON.stringify({ sign_ins_per_person: 1_000 }),
    ...(database_url === null ? {} : { OSTIARY_DATABASE_URL: database_url, OSTIARY_MASTER_KEY: newMasterKey() }),
  }
  const config = readConfig(env)
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  let ahead_ms = 0
  const now = () => new Date(Date.now() + ahead_ms)
  // Hashes that cost nothing, since they are not measured and leave nothing behind.
  const passwords = createPasswords(4, { hash: (text, options) => hash(text, { ...options, memoryCost: 8, timeCost: 1 }), verify })
  const service = await startService(config, { now, passwords })
  const { deployment } = service
  const seeded = await seedOstiary(root, { address, env }, people)
  const client = database_url === null ? null : new Client({ connectionString: database_url })
  await client?.connect()
  for (let day = 0; day < days; day++) {
    await liveOneDay(seeded, (seconds) => {
      ahead_ms += seconds * 1_000
    })
    await removeExpiredRows(deployment.db, now())
    await visitGrants(deployment, undefined, async () => {})
    await createEndsWalk(deployment).finish()
    await client?.query('vacuum') // which autovacuum has the time for in a real day
    if (day % 10 === 9) progress(`footprint${database_url === null ? '' : ', PostgreSQL'}: day ${day + 1} of ${days}`)
  }
  await sleep(3_000) // numbering and buffered counts
  const rows = await rowsOf(deployment.db)
  const found = await sizesOf(deployment.db)
  await pack(client, folder)
  await sleep(100) // the reads of one turn share a snapshot
  const packed = await sizesOf(deployment.db)
  const refreshed = await measureRefreshes(seeded, deployment.db, client)
  const images = client && (await measureImages(deployment.db, client))
  await client?.end()
  await service.stop()
  return { people, days, bytes_packed: perPerson(packed), bytes_found: perPerson(found), rows, ...refreshed, ...images }
}

/** Writes every table and index without gaps. */
async function pack(client: Client | null, folder: string): Promise<void> {
  if (client) await client.query('vacuum full')
  else {
    const database = new DatabaseSync(join(folder, 'ostiary.db'))
    database.exec('vacuum')
    database.close()
  }
}

/** One sign-in of each person, and what its application does with the tokens over the day. */
async function liveOneDay(seeded: Seeded, advance: (seconds: number) => void): Promise<void> {
  const connection = await openConnection(seeded.address)
  const tokens = []
  for (const person of seeded.people) {
    const cookie = (await signedIn(seeded, person)).cookie()
    tokens.push((await codeFlow(seeded, connection, cookie)).tokens)
  }
  for (let n = 0; n < refreshes; n++) {
    advance(day_seconds / (refreshes + 1))
    for (const [i, held] of tokens.entries()) tokens[i] = await refresh(seeded, connection, held.refresh_token)
    for (const { access_token } of n < userinfos - refreshes ? [...tokens, ...tokens] : tokens)
      expectStatus(
        200,
        await connection.send(
          request(seeded.address, 'GET', seeded.paths.userinfo, { headers: { authorization: `Bearer ${access_token}` } }),
        ),
      )
  }
  advance(day_seconds / (refreshes + 1))
  connection.close()
}

const Size = z.object({ table_name: z.string(), name: z.string(), bytes: z.number() })
type Size = z.infer<typeof Size>

/** The bytes of each table and index. */
function sizesOf(db: Db): Promise<Size[]> {
  return db.all(
    Size,
    db.engine === 'sqlite'
      ? sql`select s.tbl_name as table_name, d.name, sum(d.pgsize) as bytes from dbstat d join sqlite_schema s on s.name = d.name group by s.tbl_name, d.name`
      : sql`select t.relname as table_name, c.relname as name, pg_relation_size(c.oid) as bytes
              from pg_class t join pg_class c on c.oid = t.oid or c.oid in (select indexrelid from pg_index where indrelid = t.oid)
             where t.relkind = 'r' and t.relnamespace = cast('public' as regnamespace)`,
  )
}

/** Sums by table, largest first; those of hours apart. */
function perPerson(sizes: readonly Size[]) {
  const tables = [...Map.groupBy(sizes, ({ table_name }) => table_name)].map(([table, parts]) => ({
    table,
    bytes: sum(parts),
    parts: Object.fromEntries(parts.map(({ name, bytes }) => [name, Math.round(bytes / people)])),
  }))
  const grown = tables.filter(({ table }) => !by_hour.includes(table))
  return {
    total: Math.round(sum(grown) / people),
    of_hours: Math.round(sum(tables.filter(({ table }) => by_hour.includes(table))) / people),
    tables: Object.fromEntries(
      grown
        .filter(({ bytes }) => bytes >= 1_000 * people)
        .sort((a, b) => b.bytes - a.bytes)
        .map(({ table, parts }) => [table, parts]),
    ),
  }
}

const sum = (all: readonly { bytes: number }[]) => all.reduce((total, { bytes }) => total + bytes, 0)

const Count = z.object({ count: z.number() })
const countOf = async (db: Db, query: Statement) => (await db.all(Count, query))[0]?.count ?? Number.NaN

/** Rows of the tables that a person fills. */
async function rowsOf(db: Db) {
  return {
    events: await countOf(db, sql`select count(*) as count from events`),
    grants: await countOf(db, sql`select count(*) as count from grants`),
    chains: await countOf(db, sql`select count(*) as count from refresh_chains`),
    refresh_tokens: await countOf(db, sql`select count(*) as count from refresh_tokens`),
    sessions: await countOf(db, sql`select count(*) as count from sessions`),
    codes: await countOf(db, sql`select count(*) as count from authorization_codes`),
  }
}

/** Refreshes one grant many times. Returns the rows that this added, and on PostgreSQL the log without page images and the share of HOT updates. */
async function measureRefreshes(seeded: Seeded, db: Db, client: Client | null) {
  const connection = await openConnection(seeded.address)
  const [person] = seeded.people
  if (!person) throw new Error('Nobody is there.')
  let { tokens } = await codeFlow(seeded, connection, (await signedIn(seeded, person)).cookie())
  await setPageImages(client, 'off')
  const [rows_before, log_before] = [await rowsOf(db), await logOf(client)]
  for (let n = 0; n < measured_refreshes; n++) tokens = await refresh(seeded, connection, tokens.refresh_token)
  const log_after = await logOf(client)
  await setPageImages(client, 'on')
  connection.close()
  const rows_after = Object.entries(await rowsOf(db))
  const rows_of_refreshes = rows_after.reduce(
    (all, [name, count]) => all + count - (Object.entries(rows_before).find(([other]) => other === name)?.[1] ?? 0),
    0,
  )
  if (!client) return { rows_of_refreshes }
  await sleep(2_000) // the statistics of the server
  const { rows } = await client.query(
    `select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'refresh_chains'`,
  )
  return { rows_of_refreshes, log_bytes_of_refresh: (log_after - log_before) / measured_refreshes, updates_of_chains: rows[0] }
}

async function setPageImages(client: Client | null, value: 'on' | 'off'): Promise<void> {
  await client?.query(`alter system set full_page_writes = ${value}`)
  await client?.query('select pg_reload_conf()')
  await client?.query('checkpoint')
}

const logOf = async (client: Client | null) =>
  client ? Number((await client.query(`select pg_current_wal_lsn() - '0/0' as bytes`)).rows[0].bytes) : 0

const many_chains = 1_000_000
/** The refreshes of so many daily users between two checkpoints, five minutes apart. */
const refreshes_between_checkpoints = Math.round((many_chains * refreshes * 300) / day_seconds)
const rotations_at_once = 100

/** The log of a rotation with page images: the first change of a page after a checkpoint writes the page whole. */
async function measureImages(db: Db, client: Client) {
  const environment_id = 'env_of_many_chains' as EnvironmentId // as: no environment has it
  const idOf = (n: number) => `grt_${String(n).padStart(26, '0')}` as GrantId // as: ids of the survey
  const digestOf = (number: number) => String(number).padStart(64, 'a')
  const at = new Date()
  const chainOf = (number: number) => ({ number, digest: digestOf(number), salt: null, issued_at: at, expires_at: at })
  await client.query(
    `insert into refresh_chains (environment_id, grant_id, number, digest, issued_at, expires_at)
     select $1, 'grt_' || lpad(n::text, 26, '0'), 1, $2, 0, 0 from generate_series(1, ${many_chains}) as n`,
    [environment_id, digestOf(1)],
  )
  await client.query('vacuum analyze refresh_chains')
  await client.query('checkpoint')
  const numbers = new Map<number, number>()
  const before = await logOf(client)
  for (let done = 0; done < refreshes_between_checkpoints; done += rotations_at_once) {
    const chosen = new Set(Array.from({ length: rotations_at_once }, () => 1 + Math.floor(Math.random() * many_chains)))
    await Promise.all(
      [...chosen].map((n) => {
        const number = numbers.get(n) ?? 1
        numbers.set(n, number + 1)
        const chain = { environment_id, grant_id: idOf(n) }
        return db.batch([guard(rotateChain(chain, chainOf(number), chainOf(number + 1), sql`1 = 1`))])
      }),
    )
  }
  return { log_bytes_of_refresh_with_page_images: ((await logOf(client)) - before) / refreshes_between_checkpoints }
}
