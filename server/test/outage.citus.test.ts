/**
 * A node of a distributed database crashes, or hangs, for ten seconds: nothing that was answered is lost, what cannot be served is 503 and soon,
 * and the environments on other nodes go on. The servers have the settings of docs/guides/beyond-one-primary.md, the process those of a service.
 */
import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { time_limits } from '../src/db/postgres/time.ts'
import { distributedDatabase, noCitus, startOwnCitus } from './support/citus.ts'
import { serve } from './support/cli-process.ts'
import {
  coordinator,
  crash,
  crashAmid,
  type Fault,
  hang,
  isAtCoordinator,
  isAtWorker,
  isCommitting,
  worker,
} from './support/node-faults.ts'
import { query } from './support/postgres.ts'
import { until } from './support/receiver.ts'
import {
  type Answered,
  assertWellRefused,
  env_of_load,
  isServed,
  type Loaded,
  prepareLoad,
  startLoad,
  summaryOf,
} from './support/steady-load.ts'
import { type TestEnvironment, type World, world } from './support/world.ts'

/** A request is answered within 2 s, and no row stays locked for over 10 s. A busy machine may take this many times as long. */
const patience = 5
const answered_ms = 2_000
const locked_ms = 10_000

const long = 10_000
const short = 3_000
// biome-ignore format: this table is read by column
const faults: readonly { what: string; node: number; lasts_ms: number; fault: Fault }[] = [
  { what: 'a worker crashes',                                                 node: worker,      lasts_ms: long,  fault: crash },
  { what: 'a worker hangs',                                                   node: worker,      lasts_ms: long,  fault: hang },
  { what: 'the coordinator crashes',                                          node: coordinator, lasts_ms: long,  fault: crash },
  { what: 'the coordinator hangs',                                            node: coordinator, lasts_ms: long,  fault: hang },
  { what: 'a worker crashes while a batch about every node waits there',      node: worker,      lasts_ms: short, fault: crashAmid(isAtWorker('projects')) },
  { what: 'a worker crashes while a batch about one environment waits there', node: worker,      lasts_ms: short, fault: crashAmid(isAtWorker('users')) },
  { what: 'a worker crashes after the statements that it has of a batch',     node: worker,      lasts_ms: short, fault: crashAmid(isAtCoordinator) },
  { what: 'a worker crashes while it commits',                                node: worker,      lasts_ms: short, fault: crashAmid(isCommitting) },
  { what: 'the coordinator crashes while a worker commits',                   node: coordinator, lasts_ms: short, fault: crashAmid(isCommitting) },
]

if (noCitus) test('an outage of one node', { skip: noCitus })
else await testOutages()

async function testOutages() {
  const citus = await startOwnCitus()
  after(() => citus.stop())
  const url = await distributedDatabase(citus)

  const env = {
    OSTIARY_DATABASE_URL: url,
    OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    ...env_of_load,
  }
  // This process creates what the load needs; then a process of its own serves the same database.
  const w = await world({ engine: 'sqlite', env }) // which chooses no database of its own
  const loaded = await twoOnEachWorker(w, url)
  await w.service.stop()
  const service = await serve({
    ...env,
    OSTIARY_PORT: new URL(w.base_url).port,
    OSTIARY_BASE_URL: w.base_url,
    OSTIARY_DATA_DIR: w.data_dir,
  })
  const log: string[] = []
  if (service.process.stdout) createInterface(service.process.stdout).on('line', (line) => log.push(line))

  for (const { what, node, lasts_ms, fault } of faults)
    test(what, async (t) => {
      const server = citus.servers[node] ?? assert.fail('no such node')
      const isElsewhere = ({ environment_id }: Answered) => loaded.some((each) => each.node !== node && each.id === environment_id)
      const load = startLoad(w, loaded)
      t.after(load.end)
      await until('every sender is served', () => load.isServedSince(0))
      await fault.begin(server, citus.nodesOf(url))
      const began = performance.now()
      await sleep(lasts_ms)
      const returning = performance.now()
      await fault.end(server)
      const returned = performance.now()
      const returned_at = new Date()
      await until('every sender is served again', () => load.isServedSince(returned))
      const served_ms = performance.now() - returned
      await until('no transaction from before the return is open', async () => (await openBefore(citus.nodesOf(url), returned_at)) === 0)
      const locked_until_ms = performance.now() - returned
      await load.end()

      const { answers, created } = load
      const meanwhile = answers.filter((each) => each.began > began && each.began < returning)
      const after_return = `Served again ${Math.round(served_ms)} ms after the return; the last older transaction ended within ${Math.round(locked_until_ms)} ms.`
      t.diagnostic(`${summaryOf(meanwhile)}\n${after_return}`)

      await t.test('what is not served is 503, as the API describes it', () => assertWellRefused(answers, log))
      await t.test('nothing that was answered is lost', async () => {
        // Each family was refreshed once more with the token that was answered last: `isServedSince`.
        assert.deepEqual(await missing(url, 'users', created.users), [])
        for (const each of citus.nodesOf(url)) assert.deepEqual(await missing(each, 'projects', created.projects), [])
      })
      await t.test('each request is answered in time', () => {
        const longest_ms = Math.max(...answers.map(({ took_ms }) => took_ms))
        assert.ok(longest_ms < patience * answered_ms, `${longest_ms} ms`)
      })
      await t.test('no row stays locked', () => assert.ok(locked_until_ms < patience * locked_ms, `${locked_until_ms} ms`))
      if (node === coordinator) return
      await t.test('environments on the other worker are served', () => {
        // In flight is also what waits for a statement that was in flight: for as long as a statement may take.
        const elsewhere = answers.filter((each) => isElsewhere(each) && each.began > began + time_limits.statement_ms)
        const served = elsewhere.filter((each) => isServed(each.reply) && each.began < returning)
        assert.deepEqual(elsewhere.filter(({ reply }) => !isServed(reply)).map(describe), [])
        assert.deepEqual(new Set(served.map(({ sender }) => sender)), new Set(answers.filter(isElsewhere).map(({ sender }) => sender)))
      })
    })

  /** Creates projects until each worker has two environments with load. */
  async function twoOnEachWorker(w: World, url: string): Promise<(Loaded & { node: number })[]> {
    const ports = citus.nodes.map((node) => Number(new URL(node).port))
    const chosen: (TestEnvironment & { node: number })[] = []
    for (let project = w.project, i = 1; chosen.length < 4; project = await w.createProject(`p${i++}`))
      for (const environment of [project.test, project.live]) {
        const node = ports.indexOf(await portOf(url, environment.id))
        if (chosen.filter((each) => each.node === node).length < 2) chosen.push({ ...environment, node })
      }
    return prepareLoad(w, chosen)
  }
}

/** The port of the node that has the rows of an environment. */
async function portOf(url: string, environment_id: string): Promise<number> {
  const [row] = await query(
    url,
    `select nodeport from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('users', cast($1 as text))`,
    [environment_id],
  )
  return Number(row?.nodeport)
}

async function missing(url: string, table: 'users' | 'projects', ids: readonly string[]): Promise<string[]> {
  const rows = await query(url, `select id from ${table} where id = any($1)`, [ids])
  const found = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !found.has(id))
}

/** How many transactions of all nodes began before this time and hold locks, open or prepared. */
async function openBefore(nodes: readonly string[], time: Date): Promise<number> {
  const counts = await Promise.all(
    nodes.map((node) =>
      query(
        node,
        `select cast(count(*) as integer) as n from (
           select prepared as began from pg_prepared_xacts
           union all select xact_start from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) t
          where began < $1`,
        [time],
      ),
    ),
  )
  return counts.reduce((sum, [row]) => sum + Number(row?.n), 0)
}

const describe = ({ sender, took_ms, reply }: Answered) =>
  `${sender}: ${reply.status} after ${Math.round(took_ms)} ms: ${reply.body.detail ?? reply.body.error_description}`
