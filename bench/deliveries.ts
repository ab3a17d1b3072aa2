/**
 * `node bench/deliveries.ts` measures how fast events reach a receiver on each engine, and what an event costs the sign-in that
 * causes it. A webhook gets its first attempts in order, one at a time, so the duration of one attempt limits its rate. Several
 * webhooks are served in parallel. Options: `--events N` (2000), `--no-postgres`, `--profile FOLDER` for a CPU profile of each
 * burst.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../server/src/base/config/config.ts'
import { insertEvent } from '../server/src/domain/events/store.ts'
import { insertUser } from '../server/src/domain/users/store.ts'
import { openDeployment } from '../server/src/main.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { noPostgres, startPostgres } from '../server/test/support/postgres.ts'
import { expectStatus, openConnection, request } from './connection.ts'
import { root } from './contestants.ts'
import { load, median, percentile } from './load.ts'
import { chooseCores, describeMachine, moveTo } from './machine.ts'
import { newMasterKey, type Seeded, seedOstiary } from './ostiary.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { own } from './scenarios.ts'

type EnvironmentId = Parameters<typeof insertEvent>[0]

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '2000' },
    'no-postgres': { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const events = Number(values.events)
const in_flight = 16
const modest_rate = 20
const modest_seconds = 10
const sign_in_seconds = 6

const placed = chooseCores()
for (const [name, value] of Object.entries(describeMachine(placed))) console.log(`${name.padEnd(10)} ${value}`)
if ('cores' in placed) moveTo(placed.cores.loader)
const core = 'cores' in placed ? placed.cores.server : null
if (values.profile) mkdirSync(values.profile, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'ostiary-deliveries-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

let users = 0
const receiver = await startReceiver()
await survey('embedded', {})
if (!values['no-postgres'] && noPostgres === false) {
  const postgres = await startPostgres({ is_durable: true })
  await survey('postgres', { OSTIARY_DATABASE_URL: await postgres.freshDatabase(), OSTIARY_MASTER_KEY: newMasterKey() })
  await postgres.stop()
}
receiver.server.close()

async function survey(engine: string, database: Record<string, string>): Promise<void> {
  console.log(`\n${engine}`)
  const address = { host: 'localhost', port: await freePort() }
  const env = {
    OSTIARY_PORT: String(address.port),
    OSTIARY_DATA_DIR: join(folder, engine),
    OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    ...database,
  }
  mkdirSync(env.OSTIARY_DATA_DIR)
  const script = join(root, 'cli/src/main.ts')
  const log = join(folder, `${engine}.log`)
  const service = await startProcess({ script, args: ['serve'], env, core, log, ready: { address, path: '/readyz' } })
  const seeded = await seedOstiary(root, { process: service, address, env }, 8)

  await measureSignIns(service, seeded, 0)
  let webhooks = 0
  for (const wanted of [1, 5]) {
    while (webhooks < wanted) await subscribe(seeded, webhooks++)
    await measureBurst(service, seeded, webhooks, engine)
    await measureModestRate(seeded, webhooks)
    await measureSignIns(service, seeded, webhooks)
  }
  await service.stop()
  await measureChange(environmentOf(seeded.issuer), env)
}

interface Arrival {
  webhook: number
  user_id: string
  at: number
}

/** Starts a server that answers at once and records when each delivery arrived. */
async function startReceiver() {
  const state = { arrivals: [] as Arrival[], whenArrived: () => {} }
  const server = createServer(async (asked, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk)
    const at = performance.now()
    response.writeHead(204).end()
    const { user_id } = JSON.parse(Buffer.concat(chunks).toString())
    state.arrivals.push({ webhook: Number(asked.url?.slice(1)), user_id, at })
    state.whenArrived()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    /** Waits for `count` deliveries and removes them. */
    async take(count: number): Promise<Arrival[]> {
      await new Promise<void>((resolve) => {
        state.whenArrived = () => state.arrivals.length >= count && resolve()
        state.whenArrived()
      })
      return state.arrivals.splice(0)
    },
    /** Waits until no delivery arrives for a second. */
    async quiet(): Promise<void> {
      for (let before = -1; before !== state.arrivals.length; await sleep(1_000)) before = state.arrivals.length
      state.arrivals.length = 0
    },
  }
}

async function subscribe({ address, platform_key, project_id, issuer }: Seeded, number: number): Promise<void> {
  const connection = await openConnection(address)
  const path = `/v1/platform/projects/${project_id}/environments/${environmentOf(issuer)}/webhooks`
  const headers = { 'x-api-key': platform_key, 'content-type': 'application/json' }
  expectStatus(
    201,
    await connection.send(request(address, 'POST', path, { headers, body: JSON.stringify({ url: `${receiver.url}/${number}` }) })),
  )
  connection.close()
}

function environmentOf(issuer: string): EnvironmentId {
  return issuer.split('/').at(-1) as EnvironmentId // as: a default issuer ends with it
}

/** Creates a user, which creates an event. Returns the id of the user. */
async function makeUser({ address, secret_key }: Seeded, connection: Awaited<ReturnType<typeof openConnection>>): Promise<string> {
  const headers = { 'x-api-key': secret_key, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: `made${users++}@example.com` })
  return JSON.parse(expectStatus(201, await connection.send(request(address, 'POST', '/v1/auth/users', { headers, body }))).body).id
}

/** Creates events as fast as possible. */
async function measureBurst(service: ServerProcess, seeded: Seeded, webhooks: number, engine: string): Promise<void> {
  await receiver.quiet()
  const connections = await Promise.all(Array.from({ length: in_flight }, () => openConnection(seeded.address)))
  if (values.profile) await service.ask('beginProfile')
  const { cpu_us } = await service.usage()
  let left = events
  let first_answer = 0
  const makers = connections.map(async (connection) => {
    while (left-- > 0) {
      await makeUser(seeded, connection)
      first_answer ||= performance.now()
    }
    connection.close()
  })
  await Promise.all(makers)
  const made = performance.now()
  const arrivals = await receiver.take(events * webhooks)
  const last = arrivals.at(-1)?.at ?? Number.NaN
  const used_us = (await service.usage()).cpu_us - cpu_us
  if (values.profile) await service.ask('endProfile', { file: join(values.profile, `${engine}-${webhooks}.cpuprofile`) })
  const seconds = (last - first_answer) / 1000
  const after_the_last_was_made = arrivals.filter(({ at }) => at > made).length / ((last - made) / 1000)
  print(`${events} events at once, ${plural(webhooks)}`, [
    `${(events / seconds).toFixed(0)} events/s`,
    `${((events * webhooks) / seconds).toFixed(0)} deliveries/s`,
    `${after_the_last_was_made.toFixed(0)} deliveries/s once all were made`,
    `${(used_us / 1000 / events / webhooks).toFixed(2)} ms of CPU per delivery in total`,
  ])
}

/** Measures the time from the answer to the arrival of the event, at a few events per second. */
async function measureModestRate(seeded: Seeded, webhooks: number): Promise<void> {
  await receiver.quiet()
  const connection = await openConnection(seeded.address)
  const answered = new Map<string, number>()
  const began = performance.now()
  for (let n = 0; n < modest_rate * modest_seconds; n++) {
    await sleep(Math.max(0, began + (n * 1000) / modest_rate - performance.now()))
    answered.set(await makeUser(seeded, connection), performance.now())
  }
  connection.close()
  const arrivals = await receiver.take(answered.size * webhooks)
  print(`${modest_rate} events a second, ${plural(webhooks)}`, [
    `${times(arrivals.map(({ user_id, at }) => at - (answered.get(user_id) ?? Number.NaN)))} from answer to arrival`,
  ])
}

/** Measures sign-ins one after the other. Each creates two events. */
async function measureSignIns(service: ServerProcess, seeded: Seeded, webhooks: number): Promise<void> {
  await receiver.quiet()
  const step = await own['sign-in'](seeded)
  const { cpu_us } = await service.usage()
  const { answered, p50_ms, p99_ms } = await load(seeded.address, step, { in_flight: 1, seconds: sign_in_seconds })
  await receiver.take(2 * answered * webhooks)
  const used_us = (await service.usage()).cpu_us - cpu_us
  print(`sign-ins, ${plural(webhooks)}`, [
    `p50 ${p50_ms.toFixed(2)} ms`,
    `p99 ${p99_ms.toFixed(2)} ms`,
    `${(used_us / 1000 / answered).toFixed(2)} ms of CPU each, deliveries included`,
  ])
}

/** Measures the same change without and with its event, in turns. */
async function measureChange(environment_id: EnvironmentId, env: Record<string, string>): Promise<void> {
  const config = readConfig(env)
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const { db, newId, now } = await openDeployment(config)
  const measured = { alone: [] as number[], with_event: [] as number[] }
  for (let n = 0; n < 1_000; n++) {
    for (const [how, list] of Object.entries(measured)) {
      const user_id = newId('usr')
      const user = insertUser({ environment_id, id: user_id }, { email: `${how}${n}@example.com` }, null, now())
      const origin = { id: newId('evt'), actor: { type: 'user', id: user_id }, request_id: null } as const
      const event = insertEvent(environment_id, origin, { type: 'user.created', user_id, data: {} }, now())
      const began = performance.now()
      await db.batch(how === 'alone' ? user : [...user, event])
      list.push(performance.now() - began)
    }
  }
  await db.close()
  const [alone, with_event] = [median(measured.alone), median(measured.with_event)]
  print('a change, with its event', [
    `p50 ${with_event.toFixed(3)} ms, ${(1000 * (with_event - alone)).toFixed(0)} µs more than alone (${alone.toFixed(3)} ms)`,
  ])
}

function times(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b)
  return `p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p99 ${percentile(sorted, 0.99).toFixed(1)} ms`
}

function plural(webhooks: number): string {
  return `${webhooks} webhook${webhooks === 1 ? '' : 's'}`
}

function print(what: string, figures: readonly string[]): void {
  console.log(`  ${what.padEnd(34)} ${figures.join(' · ')}`)
}
