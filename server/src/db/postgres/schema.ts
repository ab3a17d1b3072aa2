/**
 * Migrations of a PostgreSQL database. An advisory lock lets one process migrate at a time. On a distributed database only the coordinator
 * migrates, since that lock is one node's, and new tables are put in their places afterwards: several tables that are on every node cannot be
 * made in one transaction. The next start completes the steps that a killed process left.
 */
import { CannotStart } from '../../base/cannot-start.ts'
import { hasCitus, isCoordinator, migration_lock, type Run, readDistribution, runSteps } from '../citus/distribution-steps.ts'
import { asObjects, no_rows } from '../codec.ts'
import { type Migration, type Schema, type Statement, schemaOf } from '../db.ts'
import { afterCommit } from '../outcome.ts'
import type { Connection } from './connection.ts'
import { isRefusal, toCallersError } from './errors.ts'
import type { PostgresServer } from './server.ts'

export async function migratePostgres(server: PostgresServer, migrations: readonly Migration[]): Promise<{ from: number; to: number }> {
  return withConnection(server, async (run, _send, connection) => {
    await refuseShards(connection)
    const has_citus = await hasCitus(run)
    if (has_citus && !(await isCoordinator(run))) return leaveToCoordinator(run, migrations)
    // The lock ends with the transaction. A process that starts at the same time waits here and then sees the new schema. That needs
    // READ COMMITTED, which may not be the default level of the database.
    await run('begin isolation level read committed')
    await run(`select pg_advisory_xact_lock(${migration_lock})`)
    // Without it Citus changes shards over several connections, and refuses a second change of one transaction.
    if (has_citus) await run("set local citus.multi_shard_modify_mode to 'sequential'")
    await run(table)
    const { number: from } = await schemaBy(run)
    for (const migration of migrations.filter(({ number }) => number > from)) {
      for (const statement of migration.statements) await run(asPostgres(statement))
      const { number, name, oldest_program } = migration
      await run(`insert into schema_migrations (number, name, oldest_program) values (${number}, '${name}', ${oldest_program})`)
    }
    await run('commit')
    if (has_citus)
      await placeNewTables(run).catch((error) => {
        throw afterCommit(toCallersError(error, false))
      })
    return { from, to: Math.max(from, ...migrations.map(({ number }) => number)) }
  })
}

/** A worker has the rows of the coordinator's tables in reach, and so the number of the schema. */
async function leaveToCoordinator(run: Run, migrations: readonly Migration[]): Promise<{ from: number; to: number }> {
  const { number } = await schemaBy(run)
  if (migrations.every((migration) => migration.number <= number)) return { from: number, to: number }
  throw new CannotStart(
    'The database is a worker of Citus, and only its coordinator can migrate the schema. Let OSTIARY_DATABASE_URL name the coordinator, and run "ostiary migrate". Nothing was changed.',
  )
}

/** Where a run of `ostiary distribute` was cut short, only the next run of it goes on. */
async function placeNewTables(run: Run): Promise<void> {
  const { state, shards } = await readDistribution(run)
  if (state === 'whole' && shards !== null) await runSteps(run, { wanted: null })
}

/** PgDog before several shards runs a guard on each of them and commits parts of a batch, without an error. It says how many it has. */
async function refuseShards(connection: Connection): Promise<void> {
  const answer = await connection.ask('show pgdog.shards').catch((error) => {
    if (!isRefusal(error)) throw error
    return null // PostgreSQL itself knows no such setting, and says so in its log
  })
  const shards = Number(answer ?? 1)
  if (shards > 1)
    throw new CannotStart(
      `The database is a PgDog with ${shards} shards, where a batch is not atomic. Let OSTIARY_DATABASE_URL name one database: PgDog with one shard is a pooler. See docs/guides/postgresql.md.`,
    )
}

export async function schemaOfPostgres(server: PostgresServer): Promise<Schema> {
  return withConnection(server, schemaBy)
}

/** Makes text columns compare by bytes, as in SQLite, whatever the collation of the database: pages of lists rely on the order of ids. */
const asPostgres = (statement: string) =>
  statement
    .replace(/^\{postgres\}/, '')
    .replaceAll('{int}', 'bigint')
    .replaceAll(/(?<=\w )text\b/g, 'text collate "C"')

type Send = (statement: Pick<Statement, 'parts' | 'values'>) => ReturnType<Run>

async function schemaBy(run: Run): Promise<Schema> {
  const [found] = await run(`select to_regclass('schema_migrations') as name`)
  return schemaOf(found?.name == null ? [] : await run('select * from schema_migrations'))
}

const table = 'create table if not exists schema_migrations (number bigint primary key, name text not null, oldest_program bigint not null)'

/** Runs one statement on a connection of its own. After the signal the connection is closed, and the server may complete the statement. */
export function runAlone(server: PostgresServer, statement: Statement, signal: AbortSignal): Promise<void> {
  return withConnection(server, async (_, send, { destroy: close }) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', close)
    try {
      await send(statement)
    } finally {
      signal.removeEventListener('abort', close)
    }
  })
}

const no_limit_ms = 0

/** Opens a separate connection without a statement timeout. When it ends, the server undoes what is not committed. */
export async function withConnection<T>(
  server: PostgresServer,
  work: (run: Run, send: Send, connection: Connection) => Promise<T>,
): Promise<T> {
  const { connection } = await server.connect(no_limit_ms, () => {})
  try {
    const send: Send = async (statement) => asObjects((await connection.send([statement]))[0] ?? no_rows)
    return await work((text) => send({ parts: [text], values: [] }), send, connection)
  } catch (error) {
    throw toCallersError(error, false)
  } finally {
    await connection.end()
  }
}
