/**
 * `ostiary distribute`: checks that the database and its nodes can take the tables and that no process serves, and puts each table where
 * `placement.ts` says. It never undoes: what was done stays, and the next run goes on.
 */
import { CannotStart } from '../../base/cannot-start.ts'
import type { Migration } from '../db.ts'
import { newestMigration, readMigrations } from '../migrate.ts'
import { migratePostgres, withConnection } from '../postgres/schema.ts'
import { addressAt, type NodeAddress, type PostgresServer, postgresServer } from '../postgres/server.ts'
import { time_limits } from '../postgres/time.ts'
import {
  type Distribution,
  type DistributionStep,
  every_marked_index,
  hasCitus,
  isCoordinator,
  isDistributed,
  migration_lock,
  misplaced,
  type Run,
  readDistribution,
  runSteps,
  stepsOf,
  unplaced,
} from './distribution-steps.ts'
import { tables_of } from './placement.ts'

export const shards_at_most = 512
const usual_shards = 32
/** Versions of Citus on which the tests ran. */
export const tried_versions: readonly string[] = ['13.2']

export interface Node {
  readonly address: string
  readonly is_coordinator: boolean
  readonly is_active: boolean
  /** Whether environments may be on it. */
  readonly has_shards: boolean
  /** To the coordinator. */
  readonly answers: boolean
}

export interface Reached extends Node {
  /** By this machine. */
  readonly is_reached: boolean
}

export interface Distributed {
  readonly citus: string
  readonly nodes: readonly Node[]
  readonly shards: number
  readonly steps: readonly string[]
}

interface Options {
  /** `null`: as many as the tables have, or else the usual number. */
  shards: number | null
  is_dry_run?: boolean
  migrations?: readonly Migration[]
  /** Gets what a person may read meanwhile. */
  say?: (line: string) => void
}

/** @throws CannotStart with what to do, or DatabaseUnavailable */
export async function distribute(address: string, options: Options): Promise<Distributed> {
  const { is_dry_run = false, migrations = readMigrations(), say = () => {} } = options
  const server = serverOf(address, 'ostiary distribute')
  const program = newestMigration(migrations)
  return withConnection(server, async (run) => {
    const { citus, nodes } = await checkNodes(run)
    const before = await readDistribution(run)
    const shards = shardsOf(before, options.shards)
    await refuseForeign(run, before)
    const serving = isDistributed(before) ? null : await findServing(run, before)
    if (is_dry_run) {
      if (serving !== null) say(serving)
      return { citus, nodes, shards, steps: stepsOf(asMigrated(before), { shards, program }).map(({ text }) => text) }
    }
    if (serving !== null) throw new CannotStart(serving)

    await waitForLock(run, say)
    const { from, to } = await migratePostgres(server, migrations)
    if (from < to) say(`The schema was migrated from ${from} to ${to}.`)
    const steps: string[] = []
    const done = ({ text }: DistributionStep, left: number) => {
      steps.push(text)
      say(`${text} (${left} left)`)
    }
    const check = async (distribution: Distribution) => {
      const meanwhile = isDistributed(distribution) ? null : await findServing(run, distribution)
      if (meanwhile !== null) throw new CannotStart(meanwhile)
    }
    await runSteps(run, { wanted: { shards, program }, check, done })
    return { citus, nodes, shards, steps }
  })
}

/** The engine would refuse a database whose tables are not in place. */
const serverOf = (address: string, application_name: string): PostgresServer =>
  postgresServer(address, application_name, time_limits.connect_ms)

/** For a dry run of a schema that the migrations would make or complete. */
function asMigrated(before: Distribution): Distribution {
  const tables = new Map(before.tables)
  const fresh = { place: null, is_temporary: false, colocation: 0, shards: 0, bytes: 0 } as const
  for (const table of Object.values(tables_of).flat()) if (!tables.has(table)) tables.set(table, fresh)
  const stale_indexes = before.tables.has('events') ? before.stale_indexes : every_marked_index
  return { ...before, tables, stale_indexes }
}

const guide = 'See docs/guides/beyond-one-primary.md.'

async function checkNodes(run: Run): Promise<{ citus: string; nodes: Node[] }> {
  if (!(await hasCitus(run))) {
    const is_installed = (await run("select 1 as one from pg_available_extensions where name = 'citus'")).length > 0
    const install = is_installed ? '' : 'Install Citus on each node, with shared_preload_libraries = citus. '
    throw new CannotStart(
      `The database has no extension Citus. ${install}As a superuser, run "create extension citus" in this database on each node, and on this one "select citus_set_coordinator_host('ADDRESS', PORT)" and "select citus_add_node('ADDRESS', PORT)" for each other. Then run this again. ${guide}`,
    )
  }
  if (!(await isCoordinator(run)))
    throw new CannotStart(`The database is a worker of Citus. Let OSTIARY_DATABASE_URL name the coordinator. Nothing was changed. ${guide}`)
  const nodes = await findNodes(run)
  if (!nodes.some(({ is_coordinator }) => is_coordinator))
    throw new CannotStart(
      `The other nodes do not know the address of this one. As a superuser, run "select citus_set_coordinator_host('ADDRESS', PORT)" here. Nothing was changed. ${guide}`,
    )
  if (!nodes.some(({ has_shards, is_active }) => has_shards && is_active))
    throw new CannotStart(
      `Citus has no node that takes tables. As a superuser, run "select citus_add_node('ADDRESS', PORT)" here for each. Nothing was changed. ${guide}`,
    )
  const silent = nodes.filter(({ answers, is_active }) => !answers || !is_active)
  if (silent.length > 0)
    throw new CannotStart(
      `This node cannot reach ${silent.map(({ address }) => address).join(', ')} as the user of OSTIARY_DATABASE_URL. The addresses are those of pg_dist_node. Each node needs the same user, and a way to log in to each other node. Nothing was changed. ${guide}`,
    )
  return { citus: await versionOf(run), nodes }
}

const versionOf = async (run: Run) =>
  String((await run("select extversion as version from pg_extension where extname = 'citus'"))[0]?.version)

/** A node that is gone is given up after this time, not after the 30 s of Citus. */
const node_limit = '2s'

async function findNodes(run: Run): Promise<(Node & NodeAddress)[]> {
  await run(`set citus.node_connection_timeout to '${node_limit}'`)
  await run("set client_min_messages to 'error'")
  const rows = await run(`select nodename, nodeport, groupid, isactive, shouldhaveshards from pg_dist_node
    where noderole = 'primary' order by groupid, nodename, nodeport`)
  const nodes: (Node & NodeAddress)[] = []
  for (const { nodename, nodeport, groupid, isactive, shouldhaveshards } of rows) {
    const [row] = await run(
      `select citus_check_connection_to_node('${String(nodename).replaceAll("'", "''")}', ${Number(nodeport)}) as answers`,
    )
    nodes.push({
      host: String(nodename),
      port: Number(nodeport),
      address: `${nodename}:${nodeport}`,
      is_coordinator: groupid === 0,
      is_active: isactive === 1,
      has_shards: shouldhaveshards === 1,
      answers: row?.answers === 1,
    })
  }
  return nodes
}

function shardsOf(distribution: Distribution, wanted: number | null): number {
  const { shards } = distribution
  if (shards !== null && wanted !== null && shards !== wanted)
    throw new CannotStart(
      `The tables have ${shards} shards already, and --shards says ${wanted}. Leave it out to go on. Nothing was changed.`,
    )
  return shards ?? wanted ?? usual_shards
}

/** Tables in a place that someone chose, and what others added to tables of the service: Citus would refuse half way. */
async function refuseForeign(run: Run, distribution: Distribution): Promise<void> {
  const [first] = misplaced(distribution)
  if (first)
    throw new CannotStart(
      `${first.text}, since it was distributed by hand. Take it back with "select undistribute_table('${first.table}', cascade_via_foreign_keys => true)" and run this again. Nothing was changed.`,
    )
  const ours = `(${Object.values(tables_of)
    .flat()
    .map((table) => `'${table}'`)
    .join(', ')})`
  const everywhere = `(${tables_of.everywhere.map((table) => `'${table}'`).join(', ')})`
  const rows = await run(`
    select 'trigger ' || tgname || ' of ' || c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not tgisinternal and pg_table_is_visible(c.oid) and c.relname in ${ours}
    union all
    select 'foreign key ' || conname || ' of ' || a.relname from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
     where contype = 'f' and pg_table_is_visible(a.oid) and pg_table_is_visible(b.oid)
       and (a.relname in ${ours} or b.relname in ${ours}) and not (a.relname in ${ours} and b.relname in ${everywhere})`)
  if (rows.length > 0)
    throw new CannotStart(
      `The database has what Ostiary did not make and Citus cannot distribute: ${rows.map(({ name }) => name).join(', ')}. Drop it, and run this again. Nothing was changed.`,
    )
}

/** A lease of a process that stopped without a word ends by itself. One that ends later than any is long comes from a wrong clock. */
const longest_lease_ms = 60_000

/**
 * Returns why the service is not regarded as stopped; `null` if it is. Asked in each transaction until Citus knows a table: a process that
 * starts later waits for the lock of migrations, and finds that table with its next connection.
 */
async function findServing(run: Run, { tables }: Distribution): Promise<string | null> {
  const [sessions] = await run(`select count(distinct application_name) as count from pg_stat_activity
    where datname = current_database() and application_name like 'ostiary serve %'`)
  const processes = Number(sessions?.count)
  if (processes > 0)
    return `The service runs (processes: ${processes}). Stop every process first: a batch is not atomic while its tables move. No table was moved.`
  if (!tables.has('leases')) return null
  const now = '(select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint))'
  const [lease] = await run(`select ceil((max(expires_at) - ${now}) / 1000.0) as seconds from leases
    where expires_at > ${now} and expires_at <= ${now} + ${longest_lease_ms}`)
  const seconds = lease?.seconds ?? null
  return seconds === null
    ? null
    : `The service ran a moment ago: the last of its leases ends in ${seconds} s. Stop every process, and run this again then. No table was moved.`
}

async function waitForLock(run: Run, say: (line: string) => void): Promise<void> {
  const [row] = await run(`select pg_try_advisory_xact_lock(${migration_lock}) as is_free`)
  if (row?.is_free !== 1) say('Waits for a migration, or for another run of this command.')
}

/** The report of `ostiary doctor` about Citus; `null` for a database without it. */
export interface Inspection {
  readonly citus: string
  readonly is_coordinator: boolean
  readonly nodes: readonly Reached[]
  readonly is_distributed: boolean
  readonly state: Distribution['state']
  readonly shards: number | null
  readonly misplaced: readonly string[]
  readonly unplaced: readonly string[]
}

/** Processes send batches to the nodes themselves (decision 0148). One that is down is not asked. */
async function reach(address: string, node: Node & NodeAddress): Promise<Reached> {
  if (!node.answers || node.is_coordinator) return { ...node, is_reached: node.answers }
  const asked = withConnection(serverOf(addressAt(address, node), 'ostiary doctor'), async () => true)
  return { ...node, is_reached: await asked.catch(() => false) } // why is for its administrator, who can try
}

/** Changes nothing, and asks each node whether it answers. */
export function inspectDistribution(address: string): Promise<Inspection | null> {
  return withConnection(serverOf(address, 'ostiary doctor'), async (run) => {
    if (!(await hasCitus(run))) return null
    const distribution = await readDistribution(run)
    const is_distributed = isDistributed(distribution)
    return {
      citus: await versionOf(run),
      is_coordinator: await isCoordinator(run),
      nodes: is_distributed ? await Promise.all((await findNodes(run)).map((node) => reach(address, node))) : [],
      is_distributed,
      state: distribution.state,
      shards: distribution.shards,
      misplaced: misplaced(distribution).map(({ text }) => text),
      unplaced: is_distributed ? unplaced(distribution) : [],
    }
  })
}
