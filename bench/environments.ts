/**
 * Many environments in one deployment: the time to create one, the memory of an idle one, and the first request to one since the
 * start of the process.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Address, type Connection, expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { median, percentile } from './load.ts'
import { seedOstiary, startOstiary } from './ostiary.ts'

/** How many cold environments are measured, and how many get their first key pair. */
const sample = 50
const with_first_key = 10

export async function surveyEnvironments({ folder, core }: Ground, wanted: number, progress: (text: string) => void) {
  const env = { OSTIARY_LIMITS: JSON.stringify({ environments_per_project: wanted + 10 }) }
  const checkout = { root, folder: join(folder, 'environments'), database_url: null, core, env }
  const first = await startOstiary(checkout)
  const seeded = await seedOstiary(root, first, 1)
  progress(`environments, creating ${wanted}`)
  const { ids, ms: made_ms } = await makeEnvironments(seeded, wanted)
  const first_key_ms = await ask(first.address, ids.slice(-with_first_key))
  await first.process.stop()
  giveKeys(join(checkout.folder, 'ostiary.db'), ids)

  progress('environments, requesting each of them')
  const again = await startOstiary(checkout)
  const before = await again.process.collect()
  const cold_ms = await ask(again.address, ids.slice(0, sample))
  await ask(again.address, ids.slice(sample))
  const after = await again.process.collect()
  await again.process.stop()
  return {
    environments: wanted,
    make_p50_ms: percentile(made_ms, 0.5),
    make_p99_ms: percentile(made_ms, 0.99),
    first_key_p50_ms: median(first_key_ms),
    first_key_most_ms: first_key_ms.at(-1) ?? Number.NaN,
    cold_p50_ms: percentile(cold_ms, 0.5),
    cold_p99_ms: percentile(cold_ms, 0.99),
    heap_each_bytes: (after.heap_bytes - before.heap_bytes) / wanted,
    resident_mib: after.resident_bytes / 1_048_576,
  }
}

async function makeEnvironments({ address, platform_key, project_id }: Awaited<ReturnType<typeof seedOstiary>>, wanted: number) {
  const connection = await openConnection(address)
  const headers = { 'x-api-key': platform_key, 'content-type': 'application/json' }
  const path = `/v1/platform/projects/${project_id}/environments`
  const ids: string[] = []
  const ms: number[] = []
  while (ids.length < wanted) {
    const body = JSON.stringify({ slug: `e${ids.length}`, name: `Environment ${ids.length}`, type: 'live' })
    const at = performance.now()
    const answer = expectStatus(201, await connection.send(request(address, 'POST', path, { headers, body })))
    ms.push(performance.now() - at)
    ids.push(JSON.parse(answer.body).id)
  }
  connection.close()
  return { ids, ms: ms.sort((a, b) => a - b) }
}

/** Requests the JWKS of each environment, one after the other. Returns the sorted durations. */
async function ask(address: Address, ids: readonly string[]): Promise<number[]> {
  const connection: Connection = await openConnection(address)
  const ms: number[] = []
  for (const id of ids) {
    const at = performance.now()
    const { body } = expectStatus(200, await connection.send(request(address, 'GET', `/e/${id}/v1/oauth/jwks.json`)))
    ms.push(performance.now() - at)
    if (JSON.parse(body).keys.length !== 1) throw new Error(`Expected one key, got: ${body}`)
  }
  connection.close()
  return ms.sort((a, b) => a - b)
}

/**
 * Gives every environment a key pair without generating it: copies the row of a real key pair with another modulus. This survey
 * only publishes keys and never signs, so the modulus does not matter.
 */
function giveKeys(file: string, ids: readonly string[]): void {
  const database = new DatabaseSync(file)
  const real = database.prepare('select * from signing_keys where environment_id = ?').get(ids.at(-1) ?? '')
  if (!real) throw new Error('No environment has a key.')
  const names = Object.keys(real)
  const insert = database.prepare(`insert into signing_keys (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
  database.exec('begin')
  for (const id of ids.slice(0, -with_first_key)) {
    const modulus = randomBytes(256)
    modulus[0] = 0xc1
    const kid = randomBytes(32).toString('base64url')
    const public_jwk = JSON.stringify({ ...JSON.parse(String(real.public_jwk)), n: modulus.toString('base64url'), kid })
    insert.run(...names.map((name) => ({ environment_id: id, kid, public_jwk })[name] ?? real[name] ?? null))
  }
  database.exec('commit')
  database.close()
}
