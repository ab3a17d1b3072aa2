/**
 * A large tenant: 1,000 projects, and in one environment 100,000 users and 1,000,000 events. Measures each list of the dashboard at the
 * server, and the time until a browser shows the first row of a page.
 */

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { isDashboardCurrent, makeDashboard } from '../build.mjs'
import { createIds } from '../server/src/base/ids.ts'
import { createDb, type Db, join as joined, sql } from '../server/src/db/db.ts'
import { openPostgres } from '../server/src/db/postgres/postgres.ts'
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts'
import { launchBrowser, noBrowser } from '../server/test/support/chromium.ts'
import { runCommand } from '../server/test/support/postgres.ts'
import { type Connection, expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { median } from './load.ts'
import { newMasterKey, type Ostiary, owner, seedOstiary, startOstiary } from './ostiary.ts'

const projects = 1_000
const users_per_event = 0.1
const times = 5
const rows_per_statement = 500
/** Events are spread over so much time. */
const days = 30

export async function surveyLarge({ folder, core, freshDatabase }: Ground, events: number, progress: (text: string) => void) {
  const dist = join(root, 'dist')
  if (!isDashboardCurrent(root, dist)) await makeDashboard(root, dist)
  const embedded = await surveyEngine({ folder: join(folder, 'large'), database_url: null, core }, events, progress)
  if (!freshDatabase) return { embedded }
  const on_postgres = { folder: join(folder, 'large-postgres'), database_url: await freshDatabase(), core }
  return { embedded, postgres: await surveyEngine(on_postgres, events, progress) }
}

interface Place {
  folder: string
  database_url: string | null
  core: number | null
}

async function surveyEngine(place: Place, events: number, progress: (text: string) => void) {
  const name = place.database_url === null ? 'large' : 'large, PostgreSQL'
  const master_key = newMasterKey()
  const checkout = { root, ...place, env: { OSTIARY_LIMITS: JSON.stringify({ projects_per_tenant: projects + 10 }) } }
  progress(`${name}, filling`)
  const first = await startOstiary(checkout, master_key)
  const seeded = await seedOstiary(root, first, 1)
  const { platform_key, project_id, issuer, client } = seeded
  const environment_id = issuer.split('/').at(-1) ?? ''
  await makeProjects(first, platform_key)
  await first.process.stop()
  const db = createDb(place.database_url === null ? openSqlite(join(place.folder, 'ostiary.db')) : openPostgres(place.database_url))
  const user_id = await fill(db, environment_id, client.client_id, events)
  await db.close()
  if (place.database_url !== null) await runCommand(place.database_url, 'analyze') // as PostgreSQL itself does after a minute

  const started = await startOstiary({ ...checkout, port: first.address.port }, master_key)
  const environment = `/v1/platform/projects/${project_id}/environments/${environment_id}`
  const connection = await openConnection(started.address)
  const lists: Record<string, number> = {}
  for (const path of listsOf(environment, { user_id, client_id: client.client_id, events })) {
    progress(`${name}, ${path.replace(environment, 'E')}`)
    lists[path.replace(environment, 'E')] = await medianOf(connection, started, path, platform_key)
  }
  connection.close()
  const first_rows = noBrowser ? {} : await paint(started, progress)
  await started.process.stop()
  return { lists, lists_most_ms: Math.max(...Object.values(lists)), first_rows, first_row_most_ms: Math.max(...Object.values(first_rows)) }
}

/** The lists of the dashboard with a long history behind them, with their filters, and a page in the middle. */
function listsOf(environment: string, { user_id, client_id, events }: { user_id: string; client_id: string; events: number }): string[] {
  const middle = new Date(Date.now() - (days / 2) * 86_400_000).toISOString()
  return [
    '/v1/platform/projects?limit=100',
    `${environment}/users?limit=100`,
    `${environment}/users?limit=100&query=person`,
    `${environment}/users?limit=100&query=person1999`,
    `${environment}/users?limit=100&email=person500@large.example.com`,
    `${environment}/events?limit=100`,
    `${environment}/events?limit=100&type=sign_in.failed`,
    `${environment}/events?limit=100&user_id=${user_id}`,
    `${environment}/events?limit=100&application_id=${client_id}&type=sign_in.succeeded`,
    `${environment}/events?limit=100&to=${middle}`,
    `${environment}/events?limit=100&after=${events / 2}`,
    `${environment}/events?limit=100&type=sign_in.failed&from=${middle}&user_id=${user_id}`,
    `${environment}/applications?limit=100`,
    `${environment}/requests?limit=100`,
    `${environment}/requests/summary`,
    `${environment}/statistics`,
    `${environment}/readiness`,
  ]
}

async function makeProjects({ address }: Ostiary, platform_key: string): Promise<void> {
  const connection = await openConnection(address)
  const headers = { 'x-api-key': platform_key, 'content-type': 'application/json' }
  for (let n = 1; n < projects; n++) {
    const body = JSON.stringify({ slug: `project-${n}`, name: `Project ${n}` })
    expectStatus(201, await connection.send(request(address, 'POST', '/v1/platform/projects', { headers, body })))
  }
  connection.close()
}

/** Writes users and numbered events as the service does, many per statement. Returns a user with as many events as others. */
async function fill(db: Db, environment_id: string, client_id: string, events: number): Promise<string> {
  const begin = Date.now() - days * 86_400_000
  let at = begin
  const newId = createIds(
    () => new Date(at),
    (bytes) => randomBytes(bytes),
  )
  const users: string[] = []
  await inParts(events * users_per_event, async (numbers) => {
    const rows = numbers.map((n) => {
      at = begin + n
      const [id, email] = [newId('usr'), `person${n}@large.example.com`]
      users.push(id)
      return sql`(${environment_id}, ${id}, ${email}, ${email}, 1, 0, ${`Person ${n}`}, ${{}}, ${new Date(at)}, ${new Date(at)})`
    })
    await db.run(sql`insert into users
        (environment_id, id, email, email_key, email_verified, phone_number_verified, name, metadata, created_at, updated_at)
      values ${joined(rows, ', ')}`)
  })
  await db.run(sql`delete from event_counters where environment_id = ${environment_id}`)
  await db.run(sql`delete from events where environment_id = ${environment_id}`)
  await inParts(events, async (numbers) => {
    const rows = numbers.map((n) => {
      at = begin + Math.floor((n * days * 86_400_000) / events)
      const user_id = users[n % users.length] ?? null
      const type = n % 50 === 0 ? 'sign_in.failed' : 'sign_in.succeeded'
      const data = { method: 'password', ip: '203.0.113.9' }
      return sql`(${environment_id}, ${newId('evt')}, ${n + 1}, ${type}, ${new Date(at)}, ${newId('req')}, 'user', ${user_id}, ${user_id}, ${client_id}, ${data})`
    })
    await db.run(sql`insert into events
        (environment_id, id, sequence, type, created_at, request_id, actor_type, actor_id, user_id, application_id, data)
      values ${joined(rows, ', ')}`)
  })
  await db.run(sql`update event_counters set last = ${events} where environment_id = ${environment_id}`)
  return users[Math.floor(users.length / 2)] ?? ''
}

async function inParts(count: number, write: (numbers: readonly number[]) => Promise<void>): Promise<void> {
  for (let made = 0; made < count; made += rows_per_statement)
    await write(Array.from({ length: Math.min(rows_per_statement, count - made) }, (_, n) => made + n))
}

async function medianOf(connection: Connection, { address }: Ostiary, path: string, platform_key: string): Promise<number> {
  const asked = request(address, 'GET', path, { headers: { 'x-api-key': platform_key } })
  const taken: number[] = []
  for (let n = 0; n < times; n++) {
    const at = performance.now()
    expectStatus(200, await connection.send(asked))
    taken.push(performance.now() - at)
  }
  return median(taken)
}

/** From the navigation until the first row of the list is on the page, the median for each page. */
async function paint({ address }: Ostiary, progress: (text: string) => void): Promise<Record<string, number>> {
  const browser = await launchBrowser([])
  const base = `http://${address.host}:${address.port}`
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${base}/dashboard/t/benchmark`)
  await page.fill('input[name=email]', owner.email)
  await page.fill('input[name=password]', owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  const taken: Record<string, number> = {}
  for (const path of [
    '',
    '/p/bench/test/users',
    '/p/bench/test/events',
    '/p/bench/test/applications',
    '/p/bench/test/calls',
    '/audit-log',
  ]) {
    progress(`large, page ${path || '/'}`)
    const each: number[] = []
    for (let n = 0; n < times; n++) {
      await page.goto(`${base}/dashboard/t/benchmark${path}`, { waitUntil: 'commit' })
      await page.locator('main tbody tr, main .empty').first().waitFor()
      each.push(Number(await page.evaluate('performance.now()')))
    }
    taken[path || '/'] = median(each)
  }
  await browser.close()
  return taken
}
