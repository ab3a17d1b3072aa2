/**
 * A database that Citus distributes: a coordinator and two workers on the loopback. OSTIARY_TEST_CITUS_BIN names the folder of the programs of a
 * PostgreSQL that has the extension. Neither this repository nor a package has it.
 */
import { tables_of } from '../../src/db/placement.ts'
import { type Postgres, runCommand, startPostgres } from './postgres.ts'

const bin = process.env.OSTIARY_TEST_CITUS_BIN ?? ''

/** For `test('…', { skip: noCitus }, …)`: why there is no Citus, or `false`. */
export const noCitus: string | false =
  bin === '' &&
  'needs OSTIARY_TEST_CITUS_BIN: the folder of initdb and postgres of a PostgreSQL 15 to 17 that has the extension Citus 13 (github.com/citusdata/citus)'

export interface Citus {
  /** Creates an empty database on every node, and returns its URL at the coordinator. */
  freshDatabase(): Promise<string>
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
]

export async function startCitus(): Promise<Citus> {
  const nodes: Postgres[] = await Promise.all(Array.from({ length: 3 }, () => startPostgres({ other: { bin, settings, auth: 'trust' } })))
  let databases = 0
  const nodesOf = (url: string) => nodes.map((node) => Object.assign(new URL(node.url), { pathname: new URL(url).pathname }).href)
  return {
    nodesOf,
    async freshDatabase() {
      databases += 1
      const name = `distributed_${databases}`
      for (const { url } of nodes) await runCommand(url, `create database ${name}`)
      const [coordinator = '', ...workers] = nodesOf(`postgres://localhost/${name}`)
      for (const url of [coordinator, ...workers]) await runCommand(url, 'create extension citus')
      await runCommand(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${new URL(coordinator).port})`)
      for (const url of workers) await runCommand(coordinator, `select citus_add_node('127.0.0.1', ${new URL(url).port})`)
      return coordinator
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

/** Puts the tables of a migrated schema where `db/placement.ts` says. */
export async function placeTables(url: string): Promise<void> {
  for (const table of tables_of.everywhere) await runCommand(url, `select create_reference_table('${table}')`)
  const [first = '', ...others] = tables_of.environment
  const distribute = (table: string, column: string, beside: string) =>
    runCommand(url, `set citus.shard_count = 4; select create_distributed_table('${table}', '${column}', colocate_with => '${beside}')`)
  await distribute(first, 'environment_id', 'none')
  for (const table of others) await distribute(table, 'environment_id', first)
  for (const table of tables_of.scope) await distribute(table, 'scope_id', first)
  for (const table of tables_of.coordinator) await runCommand(url, `select citus_add_local_table_to_metadata('${table}')`)
}
