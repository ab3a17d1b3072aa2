/**
 * A database that Citus distributes: a coordinator and two workers on the loopback. OSTIARY_TEST_CITUS_BIN names the folder of the programs of a
 * PostgreSQL that has the extension. Neither this repository nor a package has it.
 */
import { distribute } from '../../src/db/citus/distribute.ts'
import { createDb } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { citus_nodes, type Postgres, runCommand, startPostgres, template } from './postgres.ts'

const bin = process.env.OSTIARY_TEST_CITUS_BIN ?? ''

/** For `test('…', { skip: noCitus }, …)`: why there is no Citus, or `false`. */
export const noCitus: string | false =
  bin === '' &&
  'needs OSTIARY_TEST_CITUS_BIN: the folder of initdb and postgres of a PostgreSQL 15 to 17 that has the extension Citus 13 (github.com/citusdata/citus)'

export interface Citus {
  /** The URLs of the servers, the coordinator first. */
  readonly nodes: readonly string[]
  /** Creates an empty database on every node, and returns its URL at the coordinator. */
  freshDatabase(name?: string): Promise<string>
  /** The URLs of a database on all nodes, the coordinator first. */
  nodesOf(url: string): string[]
  stop(): Promise<void>
}

/** Citus finds a deadlock over two nodes after twice its `deadlock_timeout`, which has to be within the limit of a statement. */
const settings = [
  'shared_preload_libraries=citus',
  'max_prepared_transactions=200',
  'wal_level=logical',
  'citus.node_conninfo=sslmode=prefer',
  'deadlock_timeout=200ms',
  'max_worker_processes=300', // Citus has one for each database
]

/** Settings of the guide that would make a busy machine lose connections in other tests. */
const settings_of_outages = ['citus.node_connection_timeout=1000', 'citus.recover_2pc_interval=5s']

/** Three servers that end with this process, or those of the run. */
export async function startCitus(): Promise<Citus> {
  return citus_nodes.length > 0 ? onServers(citus_nodes, []) : startServers(settings)
}

/** Three servers of its own, for a test that stops and kills them. */
export const startOwnCitus = () => startServers([...settings, ...settings_of_outages])

async function startServers(settings: readonly string[]) {
  const servers = await Promise.all(Array.from({ length: 3 }, () => startPostgres({ other: { bin, settings, auth: 'trust' } })))
  return {
    servers,
    ...onServers(
      servers.map(({ url }) => url),
      servers,
    ),
  }
}

function onServers(nodes: readonly string[], started: readonly Postgres[]): Citus {
  const nodesOf = (url: string) => nodes.map((node) => Object.assign(new URL(node), { pathname: new URL(url).pathname }).href)
  return {
    nodes,
    nodesOf,
    async freshDatabase(name = `distributed_${process.pid}_${++databases}`) {
      for (const url of nodes) await runCommand(url, `create database ${name}`)
      const [coordinator = '', ...workers] = nodesOf(`postgres://localhost/${name}`)
      for (const url of [coordinator, ...workers]) await runCommand(url, 'create extension citus')
      await runCommand(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${new URL(coordinator).port})`)
      for (const url of workers) await runCommand(coordinator, `select citus_add_node('127.0.0.1', ${new URL(url).port})`)
      return coordinator
    },
    async stop() {
      await Promise.all(started.map((node) => node.stop()))
    },
  }
}

let databases = 0

/** A distributed database with the present schema. */
export async function distributedDatabase(citus: Citus, name?: string): Promise<string> {
  const url = await citus.freshDatabase(name)
  const db = createDb(openPostgres(url))
  await migrate(db)
  await db.close()
  await placeTables(url)
  return url
}

/** A distributed database on every node, which `migratedDatabase` copies. Nothing connects to it. */
export async function createDistributedTemplate(citus: Citus): Promise<void> {
  await distributedDatabase(citus, template)
  for (const node of citus.nodes)
    await runCommand(
      node,
      `alter database ${template} with allow_connections false; select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`,
    )
}

/** Puts the tables of a migrated schema where `db/citus/placement.ts` says, as the command does. */
export async function placeTables(url: string): Promise<void> {
  await runCommand(url, 'delete from leases') // instead of waiting for those of a service that was stopped
  await distribute(url, { shards: 4 })
}
