/**
 * `node bench/list-users.ts` measures pages of a long list. Fills an environment with users, reads all pages by their cursors, and
 * prints the times of the first, middle and last pages on each engine; they should be equal. Options: `--users N` (1000000),
 * `--no-postgres`.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../server/src/base/config/config.ts'
import { join, sql } from '../server/src/db/db.ts'
import type { Deployment } from '../server/src/deployment/deployment.ts'
import { createPasswords } from '../server/src/domain/users/password.ts'
import { startService } from '../server/src/main.ts'
import { createFirstTenant } from '../server/src/setup/first-tenant.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { noPostgres, startPostgres } from '../server/test/support/postgres.ts'
import { percentile } from './load.ts'

const { values } = parseArgs({
  options: { users: { type: 'string', default: '1000000' }, 'no-postgres': { type: 'boolean', default: false } },
})
const users = Number(values.users)
const page = 100
const window = 100

await survey('sqlite', {})
if (!values['no-postgres'] && noPostgres === false) {
  const postgres = await startPostgres({ is_durable: true })
  await survey('postgres', { OSTIARY_DATABASE_URL: await postgres.freshDatabase(), OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') })
  await postgres.stop()
}

async function survey(engine: string, env: Record<string, string>): Promise<void> {
  const folder = mkdtempSync(joinPath(tmpdir(), 'ostiary-list-'))
  const config = readConfig({ OSTIARY_DATA_DIR: folder, OSTIARY_PORT: String(await freePort()), OSTIARY_LOG_LEVEL: 'silent', ...env })
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const service = await startService(config)
  try {
    const { path, key } = await seed(service.deployment, config)
    const began = performance.now()
    await fill(service.deployment, path)
    console.log(`\n${engine}: ${users} users created in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    await measure(config.base_url + path, key)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function seed(deployment: Deployment, { base_url }: Config) {
  const person = { email: 'owner@example.com', password: randomBytes(16).toString('hex'), tenant_name: 'Bench', slug: 'bench' }
  const { key, key_id } = await createFirstTenant(deployment, createPasswords(), person)
  await deployment.db.run(sql`update api_keys set rate_limit = ${{ limit: 100_000, window_seconds: 1 }} where id = ${key_id}`)
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const response = await fetch(base_url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    return (await response.json()) as { id: string; data: { id: string }[] } // as: what these two routes answer
  }
  const project = await ask('POST', '/v1/platform/projects', { slug: 'bench', name: 'Bench' })
  const environments = `/v1/platform/projects/${project.id}/environments`
  const { data } = await ask('GET', environments)
  return { path: `${environments}/${data[0]?.id}/users`, key }
}

/** Inserts users like a sign-up does, many per statement. */
async function fill({ db, newId, now }: Deployment, path: string): Promise<void> {
  const environment_id = path.split('/').at(-2) ?? ''
  const per_statement = 500
  for (let made = 0; made < users; made += per_statement) {
    const at = now()
    const rows = Array.from({ length: Math.min(per_statement, users - made) }, (_, n) => {
      const email = `person${made + n}@example.com`
      return sql`(${environment_id}, ${newId('usr')}, ${email}, ${email}, 1, 0, ${`Person ${made + n}`}, ${{}}, ${at}, ${at})`
    })
    await db.run(
      sql`insert into users
            (environment_id, id, email, email_key, email_verified, phone_number_verified, name, metadata, created_at, updated_at)
          values ${join(rows, ', ')}`,
    )
  }
}

interface Page {
  data: { id: string; email: string }[]
  next_cursor: string | null
}

async function measure(address: string, key: string): Promise<void> {
  const read = async (query: string): Promise<{ page: Page; ms: number }> => {
    const began = performance.now()
    const response = await fetch(`${address}?${query}`, { headers: { 'x-api-key': key } })
    const read_page = (await response.json()) as Page // as: what the list answers
    if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(read_page)}`)
    return { page: read_page, ms: performance.now() - began }
  }

  const times: number[] = []
  let seen = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { page: got, ms } = await read(`limit=${page}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    times.push(ms)
    seen += got.data.length
    cursor = got.next_cursor
  }
  if (seen !== users) throw new Error(`${seen} of ${users} users were listed.`)
  const middle = Math.floor(times.length / 2)
  print(`pages ${window + 1} to ${2 * window}`, times.slice(window, 2 * window)) // the first hundred warm up
  print(`pages in the middle`, times.slice(middle, middle + window))
  print(`the last pages`, times.slice(-window))

  const queries = {
    'a search that matches all': 'query=person',
    'a search that matches one in ten thousand': 'query=person1234',
    'a search that matches none (one call)': 'query=nobody',
    'an email address': `email=person${Math.floor(users / 2)}@example.com`,
  }
  for (const [name, query] of Object.entries(queries)) {
    const asked: number[] = []
    for (let n = 0; n < 20; n++) asked.push((await read(`limit=${page}&${query}`)).ms)
    print(name, asked)
  }
}

function print(name: string, times: readonly number[]): void {
  const sorted = [...times].sort((a, b) => a - b)
  const shown = [0.5, 0.99].map((part) => `${percentile(sorted, part).toFixed(2)} ms`.padStart(12))
  console.log(`  ${name.padEnd(44)} p50${shown[0]}   p99${shown[1]}`)
}
